/** From a book that was seen to intents that are written: what one market costs, alone and among a hundred. */

import { type Bench, type BenchRow, percentile } from './bench.js';
import { World } from './in-process.js';

const MARKETS = [1, 100];
/** Looks at books that are timed, after as many that are not. */
const LOOKS = 4_000;

async function run(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const markets of MARKETS) rows.push(...(await measured(markets)));
  return rows;
}

async function measured(markets: number): Promise<readonly BenchRow[]> {
  const world = await World.open(markets);
  // A book after which nothing had to change, and one after which orders were drafted or canceled.
  const quiet: number[] = [];
  const acting: number[] = [];
  for (let looks = 0; looks < 2 * LOOKS; ) {
    world.beat((_, request, step) => {
      if (request?.call.endpoint !== 'markets.book') return void step();
      const startedMs = performance.now();
      const requests = step();
      const tookUs = (performance.now() - startedMs) * 1000;
      if (looks++ < LOOKS) return;
      const acted = requests.some(({ call }) => call.endpoint === 'orders.create' || call.endpoint === 'orders.cancel');
      (acted ? acting : quiet).push(tookUs);
    });
  }
  world.close();
  const name = `book to intents, ${markets} market${markets === 1 ? '' : 's'}`;
  return [row(`${name}, nothing to change`, quiet), row(`${name}, orders written to the ledger`, acting)];
}

function row(name: string, figures: number[]): BenchRow {
  figures.sort((a, b) => a - b);
  const spread = `p10 ${percentile(figures, 0.1).toFixed(0)} / p99 ${percentile(figures, 0.99).toFixed(0)}, ${figures.length} looks`;
  return { name, figure: percentile(figures, 0.5), unit: 'µs/look', spread };
}

export const bench: Bench = { title: 'engine: from a book to intents', run };
