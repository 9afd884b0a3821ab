/** Information from own fills reaches strategies, also after a crash. */

import { expect, it } from 'vitest';
import type { MarketView } from '../../../../src/trader/market/view.js';
import { MemoryDiary } from '../../../lab/replay/diary.js';
import { CALM } from '../../../simulation/faults.js';
import { World } from '../../../simulation/world.js';

it('is shown to strategies, and kept over a crash', () => {
  const world = new World(4, CALM, new MemoryDiary());
  const sharesOf = () => {
    const markets = world.process?.trader.watchMarkets(0) ?? [];
    const views = markets.flatMap(({ sources: [view] }) => (view as MarketView | undefined) ?? []); // its first source
    const judged = views.flatMap(({ own }) => [...own.markouts.bid, ...own.markouts.ask]);
    return judged.reduce((sum, { shares }) => sum + shares, 0);
  };
  world.pass(60_000);
  const before = sharesOf();
  expect(before).toBeGreaterThan(0);
  world.kill(1_000);
  world.pass(15_000);
  expect(sharesOf()).toBeGreaterThanOrEqual(before * 0.99);
  expect(world.invariants.violations).toEqual([]);
  world.close();
});
