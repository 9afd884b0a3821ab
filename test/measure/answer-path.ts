/**
 * `npx tsx test/measure/answer-path.ts`: the functions and files that run between one book answer and an order draft.
 * The trader plays the sample recording in process, after a warm-up; V8 counts the calls of that single step.
 */

import { type Profiler, Session } from 'node:inspector';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LatencyModel, readLatency } from '../../src/lab/backtest/latency.js';
import { makePlan } from '../../src/lab/backtest/plan.js';
import { streamRecording } from '../../src/lab/backtest/replay-driver.js';
import { runBacktest } from '../../src/lab/backtest/run.js';
import { openRecordings } from '../../src/recording/recording.js';
import { loadConfig } from '../../src/shell/config/load.js';
import { Trader } from '../../src/trader/engine/trader.js';

const ROOT = resolve(import.meta.dirname, '../..');
/** Book answers of the warm-up. */
const WARM_UP = 200;

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Functions entered since the last call, as `file:name@offset`. */
function takeEntered(): readonly string[] {
  const entered: string[] = [];
  // A session with its own thread answers before `post` returns.
  session.post('Profiler.takePreciseCoverage', (error, { result }: Profiler.TakePreciseCoverageReturnType) => {
    if (error !== null) throw error;
    for (const { url, functions } of result.filter((script) => script.url.startsWith('file:'))) {
      const file = relative(ROOT, fileURLToPath(url));
      if (!file.startsWith('src/')) continue;
      for (const { functionName, ranges } of functions) {
        const [whole] = ranges;
        // The transpiler names closures with its own helper.
        if (whole === undefined || whole.count === 0 || functionName === '__name') continue;
        entered.push(`${file}:${functionName || '(closure)'}@${whole.startOffset}`);
      }
    }
  });
  return entered;
}

const books = new Set<number>();
let answers = 0;
let found: readonly string[] | null = null;
const handle = Trader.prototype.handle;
Trader.prototype.handle = function counted(seen) {
  const isBook = seen.kind === 'outcome' && seen.outcome.kind === 'answered' && books.delete(seen.requestId);
  if (isBook) answers += 1;
  const isCounted = isBook && answers > WARM_UP && found === null;
  if (isCounted) takeEntered();
  const requests = handle.call(this, seen);
  const entered = isCounted ? takeEntered() : [];
  if (isCounted && requests.some(({ call }) => call.endpoint === 'orders.create')) found = entered;
  for (const { id, call } of requests) if (call.endpoint === 'markets.book') books.add(id);
  return requests;
};

const config = await loadConfig(resolve(ROOT, 'config/strategies/crowd-maker.yaml'), {
  env: {},
  cwd: ROOT,
  strategyFileToo: true,
});
const sources = (await openRecordings([resolve(ROOT, 'data/sample')])).map((recording) => streamRecording(recording));
const latency = new LatencyModel({ spec: readLatency('constant:150'), roundTripsMs: [] }, 7);
const fees = { makerRateMicros: 0, takerRateMicros: 0 };
await runBacktest(
  makePlan(config, sources, { fillModel: 'risk-averse', latency, seed: 7, landingMs: 400, allMarkets: true, fees }),
);

const functions: readonly string[] = [...(found ?? [])].sort();
const isTrader = (name: string): boolean => name.startsWith('src/trader/');
const countFiles = (names: readonly string[]): number => new Set(names.map((name) => name.split(':')[0])).size;
for (const name of functions) process.stdout.write(`${name}\n`);
const ofTrader = functions.filter(isTrader);
process.stdout.write(`src/trader: ${ofTrader.length} functions in ${countFiles(ofTrader)} files\n`);
process.stdout.write(`src: ${functions.length} functions in ${countFiles(functions)} files\n`);
