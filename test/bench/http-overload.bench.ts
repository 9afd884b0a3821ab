import { type Bench, type BenchRow, percentile, sized } from './bench.js';
import { Bystander } from './load/bystander.js';
import { LoadGenerator, Service } from './load/processes.js';

/** As the venue's. */
const LIMITS = { public_per_minute: 120, signed_per_minute: 300, bootstrap_per_minute: 1000 };
/** Each asks for the budget of ten minutes within ten seconds. */
const IGNORANT = { traders: 10, perSecondEach: LIMITS.signed_per_minute, forMs: sized(10_000, 500) };
/** Eight thousand requests waiting at every moment: more than ten times what fits into a latency of 25 ms. */
const FLOOD = { connections: 500, pipeline: 16, forMs: sized(5000, 300) };

/** Clients at ten times their limit who do not care about a 429. */
async function ignorant(generator: LoadGenerator): Promise<BenchRow[]> {
  const service = await Service.start({ rateLimits: LIMITS });
  const report = await generator.run('ignoreRefusals', service.port, IGNORANT);
  await service.end();
  const let_ = `${report.mostLetThrough} of ${LIMITS.signed_per_minute} let through per key`;
  const share = (100 * (report.statuses[429] ?? 0)) / report.answered;
  return [
    {
      name: `ten times the rate limit, ${IGNORANT.traders} keys: refused with 429`,
      figure: share,
      unit: '%',
      spread: let_,
    },
    {
      name: `ten times the rate limit, ${IGNORANT.traders} keys: p99`,
      figure: report.p99,
      unit: 'ms',
      spread: `${report.perSecond.toFixed(0)} req/s`,
    },
  ];
}

/** More than the exchange could ever answer, then silence. */
async function flooded(generator: LoadGenerator): Promise<BenchRow[]> {
  const service = await Service.start({ rateLimits: LIMITS });
  const before = await service.usage();
  const bystander = await Bystander.of(service.port);
  const memory = peakMemory(service);
  let isOver = false;
  const watching = bystander.watch(() => isOver);
  const { answeredPerSecond, throttledShare, cutOff } = await generator.run('flood', service.port, FLOOD);
  const calmMs = await bystander.untilCalm();
  isOver = true;
  const times = await watching;
  const peakBytes = await memory.end();
  bystander.leave();
  await service.end();
  const row = (name: string, figure: number, unit: string, spread: string) => ({ name, figure, unit, spread });
  const shed = `${(100 * throttledShare).toFixed(1)} % 429, ${cutOff} connections cut off`;
  const waits = `a bystander's p50 ${percentile(times, 0.5).toFixed(0)} / p99 ${percentile(times, 0.99).toFixed(0)} ms`;
  const load = `flood, ${FLOOD.connections} connections, ${FLOOD.pipeline} ahead on each`;
  return [
    row(`${load}: answered`, answeredPerSecond, 'req/s', shed),
    row(`${load}: recovered after`, calmMs, 'ms', waits),
    row(`${load}: peak memory`, megabytes(peakBytes), 'MB', `from ${megabytes(before.rssBytes).toFixed(0)} MB`),
  ];
}

const megabytes = (bytes: number): number => bytes / 1e6;

/** Asks for the memory now and then; a busy service answers late, never wrongly. */
function peakMemory(service: Service): { end(): Promise<number> } {
  let peak = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      peak = Math.max(peak, (await service.usage()).rssBytes);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return {
    async end() {
      isOver = true;
      await watching;
      return peak;
    },
  };
}

async function run(): Promise<BenchRow[]> {
  const generator = new LoadGenerator();
  const rows = [...(await ignorant(generator)), ...(await flooded(generator))];
  await generator.end();
  return rows;
}

export const bench: Bench = { title: 'exchange over HTTP: overload', run };
