/**
 * npm run lab -- evidence [--data FOLDER] [--write] [NAME…]
 *
 * Results of the shipped strategies on recorded real markets: with every queue of the bracket and both rules about
 * crossings, repeated at one and at four times the latency. `--data` names a folder of recordings (default: the real
 * markets beside the project; without them this says so and exits with 0). `--write` puts all tables with their date
 * into docs/lab/recorded-results.md, so it takes no NAME. NAME: only these files of config/strategies.
 */

import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type BacktestOptions, backtestOf } from '../../src/lab/backtest/backtest.js';
import { feedsNamed } from '../../src/trader/strategy/read-params.js';
import { REAL_DATA } from '../recording/samples.js';
import { writeFigures } from '../support/doc-figures.js';
import { type EvidenceRow, type RepeatedRow, repeatedTable, rowOf, tableOf, wordsOf } from './figures.js';
import { loadUnlimited, STRATEGIES } from './unlimited.js';
import '../support/tied.js';

const USUAL_DATA = join(REAL_DATA, 'kalshi-gold15m');
const QUEUES = ['trade-through', 'risk-averse', 'power:3', 'optimistic'];
const MODELS = QUEUES.flatMap((queue) => [queue, queue === 'risk-averse' ? 'posts-only' : `posts-only:${queue}`]);
const LATENCY_MS = 150;
const REPEATED_MODEL = 'risk-averse';
const REPEATED_LATENCIES_MS = [LATENCY_MS, 4 * LATENCY_MS];
const REPEATS = 3;

const { values, positionals } = parseArgs({
  options: { data: { type: 'string' }, write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
if (values.write && positionals.length > 0) {
  console.error('--write replaces whole tables and takes no NAME: the rows of the others would be gone.');
  process.exit(2);
}
const data = resolve(values.data ?? USUAL_DATA);
if (!existsSync(data)) {
  console.log(`skipped: nothing was measured, for there is no folder ${values.data ?? data}`);
  process.exit(0);
}

const rows: EvidenceRow[] = [];
const repeated: RepeatedRow[] = [];
const idle: string[] = [];
let windows = 0;
for (const file of readdirSync(STRATEGIES).sort()) {
  const strategy = basename(file, '.yaml');
  if (positionals.length > 0 && !positionals.includes(strategy)) continue;
  const config = await loadUnlimited(file);
  if (config.strategies.some(({ module, params }) => feedsNamed(module.params, params).length > 0)) {
    process.stderr.write(`${file}: left out, for it quotes around a feed, and recordings hold none\n`);
    continue;
  }
  process.stderr.write(`${file} …\n`);
  const play = (options: Pick<BacktestOptions, 'fillModels' | 'latency' | 'repeat'>) =>
    backtestOf(config, { data: [data], latency: `constant:${LATENCY_MS}`, allMarkets: true, ...options });
  const [generous] = await play({ fillModels: ['optimistic'] });
  windows = generous?.analysis.markets.length ?? windows;
  if (generous?.analysis.trading.fills === 0) {
    idle.push(strategy);
    continue;
  }
  for (const { analysis } of await play({ fillModels: MODELS })) rows.push(rowOf(strategy, analysis));
  for (const ms of REPEATED_LATENCIES_MS) {
    const latency = `constant:${ms}`;
    for (const { analysis } of await play({ fillModels: [REPEATED_MODEL], latency, repeat: REPEATS }))
      if (analysis.repeats !== undefined) repeated.push({ strategy, latency, repeats: analysis.repeats });
  }
}
const day = new Date().toISOString().slice(0, 10);
const lead = `Measured on ${day}: ${windows} recorded markets, capital 1,000, no loss limits, constant:${LATENCY_MS}, no fees.`;
const silent = idle.length === 0 ? '' : ` Not one fill, even under \`optimistic\`: ${idle.join(', ')}.`;
const again = `${REPEATS} repeats under \`${REPEATED_MODEL}\`, in which polls fall elsewhere and calls take other times:`;
const text = [lead + silent, tableOf(rows), wordsOf(rows), again, repeatedTable(repeated)].join('\n\n');
console.log(text);
if (values.write) writeFigures('evidence', text, join(import.meta.dirname, '../../docs/lab/recorded-results.md'));
