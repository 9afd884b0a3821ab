/** What the trader remembers: its heap with a hundred markets, after ten, fifty and a hundred thousand polls. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Bench, type BenchRow, sized } from './bench.js';
import { World } from './in-process.js';

const MARKETS = sized(100, 5);
const LOOK_AT = sized([10_000, 50_000, 100_000], [100, 200]);
const MIB = 1024 * 1024;

setFlagsFromString('--expose-gc');
// The flag makes `gc` a global of new contexts.
const collect = runInNewContext('gc') as () => void;

async function run(): Promise<readonly BenchRow[]> {
  const world = await World.open(MARKETS);
  // Quiet markets: what grows with polls is looked for, and what grows with fills belongs to the exchange in this heap.
  world.moving = 0.0005;
  const rows: BenchRow[] = [];
  for (const polls of LOOK_AT) {
    while (world.polls < polls) world.beat((_, __, step) => void step());
    collect();
    const { heapUsed, external, rss } = process.memoryUsage();
    const exchange = exchangeBytes(world);
    const { fills, openOrders } = world.trader.snapshot(world.nowMs);
    rows.push({
      name: `heap after ${polls.toLocaleString('en-US')} polls of ${MARKETS} markets`,
      figure: (heapUsed + external) / MIB,
      unit: 'MiB',
      spread: `about ${(exchange / MIB).toFixed(0)} of it the exchange's, process ${(rss / MIB).toFixed(0)}; ${openOrders} orders, ${fills} fills`,
    });
  }
  world.close();
  return rows;
}

/** The exchange lives in the same heap and keeps every order and trade for ever: what its state weighs as JSON. */
const exchangeBytes = (world: World): number => JSON.stringify(world.core.snapshot()).length;

export const bench: Bench = { title: 'memory: a hundred thousand polls', run };
