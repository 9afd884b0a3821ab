/** The challenge in the product's view, and the execution of the strategy's quotes. */

import { describe, expect, it } from 'vitest';
import { computeDifference, computeStanding } from '../../../src/lab/arena/arena.js';
import { playChallenge } from '../../../src/lab/arena/shown-maker.js';
import { micros, ONE } from '../../../src/shared/base/micros.js';
import type { MarketView } from '../../../src/trader/market/view.js';
import { NO_QUOTES } from '../../../src/trader/strategy/contract.js';
import { watcher } from '../backtest/plans.js';

const cents = (price: number) => micros(Math.round(price * 100) * 10_000);

/** A strategy that wants one bid and one ask, and records its views. */
function wishing(wish: (view: MarketView) => readonly [bid: number | null, ask: number | null], shares = 10) {
  const level = (price: number | null) =>
    price === null ? [] : [{ priceMicros: cents(price), amountMicros: micros(shares * ONE) }];
  const { strategy, seen, events } = watcher((view) => {
    const [bid, ask] = wish(view);
    return { ...NO_QUOTES('as told'), fairMicros: cents(0.5), bids: level(bid), asks: level(ask) };
  });
  return { entrant: { name: 'watcher', module: strategy, params: {} }, views: seen, events };
}

describe('a strategy in the challenge', () => {
  it('sees a second a step, the competitor’s best prices with 100 shares, and the resolution after the last step', () => {
    const { entrant, views } = wishing(() => [null, null]);
    const result = playChallenge(0, entrant);
    expect(result).toMatchObject({ edge: 0, fills: 0, actions: 0, wealth: 1000, result: 0, failure: null });
    expect(views).toHaveLength(2000);
    const [first, second] = views;
    // The fair ticks of 0.639 are 0.63 and 0.64; the competitor of seed 0 is three ticks outside one of them.
    expect(first?.book).toEqual({
      bids: [{ priceMicros: cents(0.61), amountMicros: 100 * ONE }],
      asks: [{ priceMicros: cents(0.66), amountMicros: 100 * ONE }],
    });
    expect((second?.nowMs ?? 0) - (first?.nowMs ?? 0)).toBe(1000);
    expect(first?.timeToResolutionMs).toBe(2_000_000);
    expect(views.at(-1)?.timeToResolutionMs).toBe(1000);
    expect(first?.market).toMatchObject({ tickMicros: 10_000, lotMicros: 10_000, makerFeeRateMicros: 0 });
    expect(first?.inventory).toMatchObject({ availableFundsMicros: 1000 * ONE, maxPositionMicros: 3000 * ONE });
  });

  it('has its own orders in the book but not in that of others, and learns of its fills', () => {
    const { entrant, views, events } = wishing(() => [0.62, 0.65]);
    const result = playChallenge(0, entrant);
    expect(views[1]?.book.bids[0]).toEqual({ priceMicros: cents(0.62), amountMicros: 10 * ONE });
    expect(views[1]?.others.bids[0]?.priceMicros).toBe(cents(0.61));
    expect(views[1]?.orders.map(({ side, ageMs }) => `${side} ${ageMs}`)).toEqual(['bid 1000', 'ask 1000']);
    // Fills of the last step are not reported.
    expect(result.fills - events.length).toBeLessThanOrEqual(2);
    expect(events.length).toBeGreaterThan(0);
    expect(events[0]).toMatchObject({ kind: 'fill', isMaker: true });
    expect(result.edge).toBeCloseTo(result.uninformedEdge + result.informedEdge, 9);
  });

  it('never crosses the competitor and never binds more than it has', () => {
    const crossing = wishing(({ others }) => [(others.asks[0]?.priceMicros ?? 0) / ONE || null, null]);
    expect(playChallenge(0, crossing.entrant)).toMatchObject({ actions: 0, failure: null });
    const rich = wishing(() => [0.5, 0.9], 100_000);
    const { failure } = playChallenge(0, rich.entrant);
    expect(failure).toBeNull();
    expect(rich.views[1]?.inventory.availableFundsMicros).toBeLessThan(0.02 * ONE);
  });

  it('says what stopped it', () => {
    const broken = wishing(() => {
      throw new Error('no idea');
    });
    expect(playChallenge(0, broken.entrant).failure).toContain('no idea');
  });
});

describe('standings', () => {
  const base = { ...playChallenge(0, wishing(() => [null, null]).entrant), world: 'w' };
  const play = (strategy: string, edges: number[]) => edges.map((edge, seed) => ({ ...base, strategy, seed, edge }));

  it('give means with their errors and compare seed by seed', () => {
    const [results, others] = [play('s', [1, 2, 6]), play('o', [0, 0, 3])];
    expect(computeStanding(results)).toMatchObject({ edge: { mean: 3 }, belowZero: 0, simulations: 3 });
    expect(computeStanding(results).edge.standardError).toBeCloseTo(Math.sqrt(7 / 3), 12);
    const { edge, better, worse } = computeDifference(results, others);
    expect([edge.mean, better, worse]).toEqual([2, 3, 0]);
    expect(edge.standardError).toBeCloseTo(1 / Math.sqrt(3), 12);
    // Differences 2, 0, -1: equal edges are neither.
    expect(computeDifference(results, play('o', [-1, 2, 7]))).toMatchObject({ better: 1, worse: 1, simulations: 3 });
  });

  it('give the deviation of the edge, and the mean of its worst 5 %', () => {
    // 1 to 21 in another order: their variance is 21 x 22 / 12, and two of 21 count.
    const edges = Array.from({ length: 21 }, (_, seed) => ((seed * 8) % 21) + 1);
    const { edgeSd, edgeWorst } = computeStanding(play('s', edges));
    expect([edgeSd, edgeWorst]).toEqual([expect.closeTo(Math.sqrt(38.5), 12), 1.5]);
    expect(computeStanding(play('s', [-4, 2]))).toMatchObject({ edgeSd: Math.sqrt(18), edgeWorst: -4 });
    expect(computeStanding(play('s', [4]))).toMatchObject({ edgeSd: null, edgeWorst: 4 });
  });
});
