import { type Bench, type BenchRow, percentile, sized } from './bench.js';
import { LoadGenerator, Service } from './load/processes.js';

const LEVELS = 100;
const RESTING_ORDERS = sized(10_000, 400);
const TURN_MS = sized(1000, 50);
const TURNS = sized(5, 1);
const CHANGES_MS = sized(3000, 200);

/** The same 100-level book from the exchange and from bare fastify routes, by turns in one run. */
async function run(): Promise<BenchRow[]> {
  const generator = new LoadGenerator();
  const exchange = await Service.start({});
  await generator.run('makeWorld', exchange.port, 1, 2);
  const market = await generator.run('layOrders', exchange.port, 2 * LEVELS, LEVELS);
  const path = `/markets/${market}/book/?depth=${LEVELS}`;
  const text = await (await fetch(`http://127.0.0.1:${exchange.port}${path}`)).text();
  const bare = await Service.start({ bareText: text });
  const rows = await sideBySide(generator, [
    { name: `book reads, ${LEVELS} levels a side, ${text.length} bytes`, port: exchange.port, path },
    { name: 'the same from a bare fastify route, as an object', port: bare.port, path: '/object/' },
    { name: 'the same from a bare fastify route, as ready-made text', port: bare.port, path: '/text/' },
  ]);
  await bare.end();
  await generator.run('layOrders', exchange.port, RESTING_ORDERS - 2 * LEVELS, LEVELS);
  const many = await sideBySide(generator, [
    { name: `book reads, ${RESTING_ORDERS} resting orders`, port: exchange.port, path },
  ]);
  const changing = await amidChanges(generator, exchange.port, market);
  await Promise.all([exchange.end(), generator.end()]);
  return [...rows, ...many, ...changing];
}

interface Read {
  readonly name: string;
  readonly port: number;
  readonly path: string;
}

async function sideBySide(generator: LoadGenerator, reads: readonly Read[]): Promise<BenchRow[]> {
  const figures = reads.map((): number[] => []);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [at, { port, path }] of reads.entries()) {
      figures[at]?.push(await generator.run('reads', port, [path], TURN_MS));
    }
  }
  return reads.map(({ name }, at) => medianRow(name, figures[at] ?? []));
}

/** Orders come and go all the time; readers ask for one depth, and for all depths of both outcomes. */
async function amidChanges(generator: LoadGenerator, port: number, market: string): Promise<BenchRow[]> {
  const path = `/markets/${market}/book/`;
  const oneDepth = [`${path}?depth=${LEVELS}`];
  const allDepths = Array.from({ length: 2 * LEVELS }, (_, n) => `${path}?depth=${(n >> 1) + 1}&is_yes=${n % 2 === 0}`);
  const rows: BenchRow[] = [];
  for (const { name, paths } of [
    { name: `depth ${LEVELS}`, paths: oneDepth },
    { name: `200 variants of depth and outcome`, paths: allDepths },
  ]) {
    const job = { paths, forMs: CHANGES_MS };
    const { readsPerSecond, changesPerSecond } = await generator.run('readsAmidChanges', port, job);
    const spread = `${changesPerSecond.toFixed(0)} changes/s`;
    rows.push({ name: `reads of a changing book, ${name}`, figure: readsPerSecond, unit: 'reads/s', spread });
  }
  return rows;
}

function medianRow(name: string, figures: readonly number[]): BenchRow {
  const sorted = [...figures].sort((a, b) => a - b);
  const median = percentile(sorted, 0.5);
  const half = ((sorted.at(-1) ?? 0) - (sorted[0] ?? 0)) / 2;
  return { name, figure: median, unit: 'reads/s', spread: `±${((100 * half) / median).toFixed(1)} %` };
}

export const bench: Bench = { title: 'exchange over HTTP: books', run };
