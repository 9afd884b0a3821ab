/**
 * npm run lab -- anatomy [--data FOLDER] [--latencies MS,MS,…] NAME…
 *
 * Profit of shipped strategies on recorded markets: the result of their fills after 1 s to 300 s and at the end, by
 * taker, side, price, time left, position and place in the queue. The result of long holding is mostly luck, so the
 * short horizons show earlier whether a strategy earns. One run is one draw, so each strategy is played at several
 * latencies under both rules about crossings, and the table covers all runs. `--data` names a folder of recordings
 * (default: the real markets beside the project). NAME: files of config/strategies, without their ending.
 */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { backtestOf } from '../../src/lab/backtest/backtest.js';
import { REAL_DATA } from '../recording/samples.js';
import { type JudgedRun, judgeRun, partsTable } from './fill-parts.js';
import { loadUnlimited } from './unlimited.js';
import '../support/tied.js';

const FILL_MODELS = ['risk-averse', 'posts-only'];

const { values, positionals } = parseArgs({
  options: { data: { type: 'string' }, latencies: { type: 'string', default: '100,150,200,300,600' } },
  allowPositionals: true,
});
if (positionals.length === 0) {
  console.error('Name at least one file of config/strategies, without its ending: npm run lab -- anatomy belief-maker');
  process.exit(2);
}
const data = resolve(values.data ?? join(REAL_DATA, 'kalshi-gold15m'));
if (!existsSync(data)) {
  console.log(`skipped: nothing was measured, for there is no folder ${values.data ?? data}`);
  process.exit(0);
}
for (const name of positionals) {
  const config = await loadUnlimited(`${name}.yaml`);
  const runs: JudgedRun[] = [];
  for (const ms of values.latencies.split(',')) {
    const played = { data: [data], fillModels: FILL_MODELS, latency: `constant:${ms}`, allMarkets: true };
    for (const { session } of await backtestOf(config, played)) runs.push(judgeRun(session.markets));
  }
  const played = `${runs.length} runs (${values.latencies} ms, ${FILL_MODELS.join(' and ')})`;
  console.log(`${name}, ${played}, currency a run ± error over windows:\n\n${partsTable(runs)}\n`);
}
