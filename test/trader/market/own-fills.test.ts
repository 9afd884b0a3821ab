/** Results of own fills: judged at their horizons or not at all, by side, kept across restarts. */

import { describe, expect, it } from 'vitest';
import { micros, ONE } from '../../../src/shared/base/micros.js';
import { OwnFills } from '../../../src/trader/market/own-activity.js';

const START_MS = 1_000_000;
const m = (units: number) => micros(Math.round(units * ONE));

/** A bid for 10 shares and an ask of 30 were filled at 0.40, the price by others' book. */
function filled(): OwnFills {
  const fills = new OwnFills();
  fills.look(0.4, START_MS);
  fills.onFill({ side: 'bid', priceMicros: m(0.4), amountMicros: m(10), nowMs: START_MS });
  fills.onFill({ side: 'ask', priceMicros: m(0.4), amountMicros: m(30), nowMs: START_MS });
  return fills;
}

const shown = (fills: OwnFills, side: 'bid' | 'ask') =>
  fills.view.markouts[side].map(({ meanPrice, shares }) => [
    meanPrice === null ? null : Math.round(meanPrice * 1e6),
    Math.round(shares),
  ]);

describe('own fills', () => {
  it('are judged by the first look from each horizon on, the two sides by themselves', () => {
    const fills = filled();
    fills.look(0.9, START_MS + 4_999);
    expect(shown(fills, 'bid')).toEqual([
      [null, 0],
      [null, 0],
      [null, 0],
    ]);
    fills.look(0.43, START_MS + 6_000);
    fills.look(0.9, START_MS + 7_000);
    fills.look(0.38, START_MS + 30_000);
    fills.onFill({ side: 'bid', priceMicros: m(0.38), amountMicros: m(30), nowMs: START_MS + 30_000 });
    fills.look(0.4, START_MS + 35_000);
    // 10 shares that had gained 0.03 and 30 that had gained 0.02.
    expect(shown(fills, 'bid')).toEqual([
      [22_500, 40],
      [-20_000, 10],
      [null, 0],
    ]);
    expect(shown(fills, 'ask')).toEqual([
      [-30_000, 30],
      [20_000, 30],
      [null, 0],
    ]);
    expect(fills.view.markouts.bid.map(({ horizonS }) => horizonS)).toEqual([5, 30, 300]);
  });

  it('are not judged by a look that came too late, nor by a book that names no price', () => {
    const fills = filled();
    fills.look(0.5, START_MS + 10_001);
    fills.look(null, START_MS + 30_000);
    fills.look(0.5, START_MS + 31_000);
    fills.look(0.44, START_MS + 600_000);
    expect(shown(fills, 'bid')).toEqual([
      [null, 0],
      [null, 0],
      [40_000, 10],
    ]);
  });

  it('that were learned of too late count, and are not judged', () => {
    const fills = new OwnFills();
    fills.onLateFill();
    for (let second = 0; second <= 100; second += 10) fills.look(0.5, START_MS + second * 1000);
    expect(fills.view.fillsPerS).toBeCloseTo(0.01, 6);
    expect(shown(fills, 'bid')[0]).toEqual([null, 0]);
  });

  it('have no rate before a minute of looking, and time in which nobody looked is none', () => {
    const fills = filled();
    fills.look(0.4, START_MS + 50_000);
    expect(fills.view.fillsPerS).toBeNull();
    fills.look(0.4, START_MS + 4_000_000);
    expect(fills.view.fillsPerS).toBeCloseTo(2 / 110, 6);
  });

  it('fade by half in a day of looking', () => {
    const fills = filled();
    fills.look(0.43, START_MS + 5_000);
    for (let minute = 0; minute <= 1440; minute++) fills.look(0.43, START_MS + 5_000 + minute * 60_000);
    expect(shown(fills, 'ask')[0]).toEqual([-30_000, 15]);
  });

  it('are saved once for each change, and restored; what waited is not judged after it', () => {
    const fills = filled();
    fills.look(0.43, START_MS + 5_000);
    const text = fills.takeSaved();
    expect(fills.takeSaved()).toBeNull();
    const next = new OwnFills();
    next.restore(text ?? '');
    expect(next.view.markouts).toEqual(fills.view.markouts);
    next.look(0.9, START_MS + 30_000);
    expect(shown(next, 'bid')).toEqual([
      [30_000, 10],
      [null, 0],
      [null, 0],
    ]);
  });

  it('are not judged by looks on another clock', () => {
    const fills = filled();
    fills.clockSetBack();
    fills.look(0.43, START_MS + 5_000);
    expect(shown(fills, 'bid')[0]).toEqual([null, 0]);
  });
});
