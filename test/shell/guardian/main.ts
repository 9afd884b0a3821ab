/**
 * `npm run lab -- guardian-trials [--times N] [--write]`: stops this number of real traders with resting orders, in every
 * way in turn, and reports the time until no order rested. `--write` puts the figures into docs/lab/faults.md.
 */

import { parseArgs } from 'node:util';
import { writeFigures } from '../../support/doc-figures.js';
import { twinbook } from '../../support/processes.js';
import { Guarded, STOPS, type Stop, type Trial, trial } from './trial.js';
import { ordinaryDays } from './virtual-trader.js';

const ORDERS = 12;
const PROMISED_MS = 15_000;
const DAYS = 30;
const DAYS_SEED = 20_261_121;

const { values } = parseArgs({
  options: { times: { type: 'string', default: '50' }, write: { type: 'boolean', default: false } },
});
const times = Number(values.times);
if (!Number.isInteger(times) || times < 1) throw new RangeError(`--times wants a whole number, got ${values.times}`);

const days = ordinaryDays(DAYS, DAYS_SEED);
const life = `${DAYS} simulated days of ordinary life (seed ${DAYS_SEED}; ${[...days.had].map(([kind, count]) => `${kind} ${count}`).join(', ')}): ${days.done.length === 0 ? 'no alarm' : 'A FALSE ALARM'}.`;
console.log(life);

const exchange = twinbook(['exchange', '--port', '0', '--controls', '--no-rate-limits', '--seed', '7']);
const url = (await exchange.waitFor(/listening on (http:\S+)/))[1] ?? '';
const kinds = Object.keys(STOPS) as readonly Stop[]; // The keys of the object literal.
const trials: Trial[] = [];
const failures: string[] = [];
for (let i = 0; i < times; i++) {
  const stop = kinds[i % kinds.length] ?? 'killed';
  const guarded = new Guarded(url);
  try {
    const done = await trial(guarded, stop, ORDERS);
    trials.push(done);
    console.log(`${i + 1} of ${times}: ${stop}, ${done.orders} orders, nothing rests after ${seconds(done.clearedMs)}`);
  } catch (error) {
    failures.push(`${stop}: ${error instanceof Error ? error.message : String(error)}`);
    console.error(`${i + 1} of ${times}: FAILED, ${failures.at(-1)}\n${guarded.process.output()}\n${guarded.log()}`);
  } finally {
    await guarded.remove();
  }
}
exchange.process.kill('SIGTERM');
await exchange.exited;

const late = trials.filter(({ clearedMs }) => clearedMs > PROMISED_MS);
const table = [
  '| The trader | Trials | Orders at rest | Until nothing rested: fastest | median | slowest |',
  '|---|---:|---:|---:|---:|---:|',
  ...kinds.filter((kind) => trials.some(({ stop }) => stop === kind)).map(row),
].join('\n');
const verdict = `${trials.length} of ${times} trials ended with nothing at rest, ${trials.length - late.length} of them within ${PROMISED_MS / 1000} s.`;
const figures = `${table}\n\n${verdict}\n\n${life}`;
console.log(`\n${figures}`);
if (values.write && failures.length === 0) writeFigures('guardian', figures);
process.exitCode = failures.length === 0 && late.length === 0 && days.done.length === 0 ? 0 : 1;

function row(kind: Stop): string {
  const of = trials.filter(({ stop }) => stop === kind);
  const times = of.map(({ clearedMs }) => clearedMs).sort((a, b) => a - b);
  const orders = of.map((one) => one.orders);
  const [fastest = 0, median = 0, slowest = 0] = [times[0], times[Math.floor(times.length / 2)], times.at(-1)];
  const rested = `${Math.min(...orders)} to ${Math.max(...orders)}`;
  return `| ${STOPS[kind]} | ${of.length} | ${rested} | ${seconds(fastest)} | ${seconds(median)} | ${seconds(slowest)} |`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
