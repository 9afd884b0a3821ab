/** Distance of trades from the middle, and the price's move after a trade that takes a whole level. */

import { describe, expect, it } from 'vitest';
import { CategoryFlow, TakerFlow } from '../../../src/trader/market/estimators.js';
import { USUAL_PACE } from '../../../src/trader/market/view.js';
import { ReactionPace } from '../../../src/trader/scheduler/request-price.js';
import { USUAL_ECONOMICS } from '../../../src/trader/strategy/economics.js';
import { book, m } from './fixtures.js';

const TICK = m(0.01);
const START_MS = 1_700_000_000_000;

const taken = (taker: 'buy' | 'sell', price: number, shares = 1) => ({
  taker,
  priceMicros: m(price),
  amountMicros: m(shares),
  venueTimeMs: START_MS,
  seenMs: START_MS,
});

/** A market with steps of ten seconds; its books have 100 shares at each best price. */
class Market {
  readonly shape = new TakerFlow();
  nowMs = START_MS;

  look(bid: number, ask: number): this {
    this.nowMs += 10_000;
    const seen = book([[bid, 100]], [[ask, 100]]);
    this.shape.onBook(seen, seen, { requestId: 1, sentMs: this.nowMs, seenMs: this.nowMs, venueTimeMs: null }, TICK);
    return this;
  }

  trade(taker: 'buy' | 'sell', price: number, shares = 1): this {
    this.shape.onTrade(taken(taker, price, shares), this.nowMs + 5000, TICK);
    return this;
  }

  get kappa(): number {
    return this.shape.kappaAt(this.nowMs, TICK);
  }

  get move(): number {
    return this.shape.sweepMoveAt(this.nowMs, TICK);
  }
}

/** kappa of this number of trades at these distances, with a prior of 20 at 2 ticks. */
const kappaOf = (distances: readonly number[]): number =>
  (distances.length + 20) / (distances.reduce((sum, each) => sum + each, 0) + 20 * 0.02);

describe('the distance of takers', () => {
  it('is two ticks before any was seen, and 1 / kappa their shrunk mean distance (kit 4.1: 46.1538462)', () => {
    expect(new Market().kappa).toBeCloseTo(50, 9);
    expect(kappaOf([0.02, 0.04, 0.02, 0.04])).toBeCloseTo(46.1538462, 7);
    const market = new Market().look(0.46, 0.54);
    for (const distance of [0.02, 0.04, 0.02, 0.04])
      market.shape.onTrade(taken('buy', 0.5 + distance), market.nowMs, TICK);
    // All at one time: nothing has decayed. Its category has the same trades, and counts as much again.
    const category = 24 / (0.12 + 20 * 0.02);
    expect(market.kappa).toBeCloseTo(24 / (0.12 + 20 / category), 9);
  });

  it('is that of its category as long as few have come, in ticks of its own', () => {
    const category = new CategoryFlow();
    const [seen, other] = [new Market(), new Market()];
    seen.shape.joinCategory(category);
    other.shape.joinCategory(category);
    seen.look(0.4, 0.6);
    for (let i = 0; i < 200; i++) seen.shape.onTrade(taken('sell', 0.4), seen.nowMs, TICK);
    expect(1 / other.shape.kappaAt(seen.nowMs, TICK)).toBeCloseTo(0.01 * ((200 * 10 + 20 * 2) / 220), 9);
    expect(1 / other.shape.kappaAt(seen.nowMs, m(0.001))).toBeCloseTo(0.001 * ((200 * 10 + 20 * 2) / 220), 9);
  });

  it('fades: after hours it is believed as before', () => {
    const market = new Market().look(0.4, 0.6);
    for (let i = 0; i < 50; i++) market.trade('sell', 0.4);
    expect(market.kappa).toBeLessThan(30);
    market.nowMs += 24 * 3_600_000;
    expect(market.kappa).toBeCloseTo(50, 3);
  });

  it('cannot be told without a middle before the trade', () => {
    expect(new Market().trade('buy', 0.9).kappa).toBeCloseTo(50, 9);
    const market = new Market();
    market.shape.onTrade(taken('buy', 0.9), START_MS - 1, TICK);
    expect(market.look(0.4, 0.6).kappa).toBeCloseTo(50, 9);
  });
});

describe('the move after a swept level', () => {
  it('is one tick and a half before any was seen', () => {
    expect(new Market().move).toBeCloseTo(0.015, 12);
    // Less than the level, and a trade that does not reach it: no sweep.
    const kept = new Market().look(0.45, 0.55).trade('buy', 0.55, 99).trade('sell', 0.5, 500).look(0.49, 0.59);
    expect(kept.move).toBeCloseTo(0.015, 12);
  });

  it.each([
    ['all of the best ask', 'buy', 0.55, 100, [0.49, 0.59], 4],
    ['past the best ask', 'buy', 0.57, 5, [0.49, 0.59], 4],
    ['all of the best bid', 'sell', 0.45, 120, [0.43, 0.53], 2],
    ['and the price comes back', 'buy', 0.55, 100, [0.43, 0.53], -2],
  ] as const)('is learned from who takes %s', (_what, taker, price, shares, [bid, ask], ticks) => {
    const market = new Market().look(0.45, 0.55).trade(taker, price, shares).look(bid, ask);
    const mean = (before: number, count: number) => (count * ticks + 20 * before) / (count + 20);
    // Five seconds have passed: a thousandth has decayed.
    expect(market.move / 0.01).toBeCloseTo(mean(mean(1.5, 1), 1), 2);
  });

  it('is judged by the first look that left after the trade, whenever the trade was heard of', () => {
    const [soon, late] = [new Market().look(0.45, 0.55), new Market().look(0.45, 0.55)];
    soon.trade('buy', 0.55, 100).look(0.47, 0.57).look(0.2, 0.3);
    const atMs = late.nowMs + 5000;
    late.look(0.47, 0.57).look(0.2, 0.3);
    late.shape.onTrade(taken('buy', 0.55, 100), atMs, TICK);
    expect(late.move).toBe(soon.move);
    expect(soon.move).toBeGreaterThan(0.015);
  });

  it('is never below 0, and forgets what waits when our clock is set back', () => {
    const market = new Market();
    for (let i = 0; i < 100; i++) market.look(0.45, 0.55).trade('buy', 0.55, 100).look(0.2, 0.3);
    expect(market.move).toBe(0);
    const waiting = new Market().look(0.45, 0.55).trade('buy', 0.55, 100);
    waiting.shape.clockSetBack();
    expect(waiting.look(0.49, 0.59).move).toBeCloseTo(0.015, 12);
  });
});

describe('the pace of a trader', () => {
  it('is what the usual prices say before anything was measured', () => {
    const { requestPrice, currencyPricePerS } = USUAL_PACE;
    expect({ requestPrice, currencyPricePerS: expect.closeTo(currencyPricePerS, 15) }).toEqual(USUAL_ECONOMICS);
  });

  it('follows how long orders take, and not those of another run', () => {
    const time = new ReactionPace(2);
    time.note(1000, 2000);
    expect(time.seconds).toBeCloseTo(2 - 1 / 16, 12);
    for (let i = 0; i < 200; i++) time.note(0, 500);
    expect(time.seconds).toBeCloseTo(0.5, 4);
    time.note(0, 3_600_000);
    time.note(1000, 0);
    expect(time.seconds).toBeCloseTo(0.5, 4);
  });
});
