/**
 * npm run evidence [-- --data FOLDER] [--write]
 *
 * What the shipped strategies bring on recorded real markets, under every queue of the bracket and both rules about
 * crossings: one table. `--data` names a folder of recordings (default: the real markets beside the project, if they are
 * there; else this says so and ends with 0). `--write` puts the table, with its date, into docs/backtesting.md.
 */

import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { backtestOf } from '../../src/lab/backtest/backtest.js';
import { loadConfig } from '../../src/shell/config/load.js';
import { REAL_DATA } from '../recording/samples.js';
import { writeFigures } from '../support/doc-figures.js';
import { type EvidenceRow, rowOf, tableOf, wordsOf } from './figures.js';
import '../support/tied.js';

const ROOT = resolve(import.meta.dirname, '../..');
const USUAL_DATA = join(REAL_DATA, 'kalshi-gold15m');
const STRATEGIES = join(ROOT, 'config/strategies');
const QUEUES = ['trade-through', 'risk-averse', 'power:3', 'optimistic'];
const MODELS = QUEUES.flatMap((queue) => [queue, queue === 'risk-averse' ? 'posts-only' : `posts-only:${queue}`]);
/** Limits that are never reached: a strategy is measured over every window. */
const NO_LOSS_LIMITS = { TWINBOOK__RISK__MAX_LOSS_DAY: '1000000', TWINBOOK__RISK__MAX_DRAWDOWN: '1000000' };
const LATENCY = 'constant:150';

const { values } = parseArgs({ options: { data: { type: 'string' }, write: { type: 'boolean', default: false } } });
const data = resolve(values.data ?? USUAL_DATA);
if (!existsSync(data)) {
  console.log(
    `skipped: nothing was measured, for there is no folder ${values.data ?? '../shared/data/kalshi-gold15m'}`,
  );
  process.exit(0);
}

const rows: EvidenceRow[] = [];
let windows = 0;
for (const file of readdirSync(STRATEGIES).sort()) {
  const options = { strategyFileToo: true, feeds: 'any' as const, env: NO_LOSS_LIMITS, cwd: ROOT };
  const config = await loadConfig(join(STRATEGIES, file), options);
  if (config.strategies.some(({ module }) => Object.values(module.params).some(({ kind }) => kind === 'feed'))) {
    process.stderr.write(`${file}: left out, for it quotes around a feed, and recordings hold none\n`);
    continue;
  }
  let playing = '';
  const progress = (_: number, model: string) => {
    if (model !== playing) process.stderr.write(`${file}, ${model} …\n`);
    playing = model;
  };
  const shared = { data: [data], fillModels: MODELS, latency: LATENCY, allMarkets: true };
  const results = await backtestOf(config, { ...shared, progress });
  for (const { analysis } of results) {
    windows = analysis.markets.length;
    rows.push(rowOf(basename(file, '.yaml'), analysis));
  }
}
const day = new Date().toISOString().slice(0, 10);
const lead = `Measured on ${day}: ${windows} recorded markets, capital 1,000, no loss limits, ${LATENCY}, no fees.`;
const text = `${lead}\n\n${tableOf(rows)}\n\n${wordsOf(rows)}`;
console.log(text);
if (values.write) writeFigures('evidence', text, join(ROOT, 'docs/backtesting.md'));
