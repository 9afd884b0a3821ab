import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { Random } from '../../../src/shared/base/random.js';
import type { Candle } from '../../../src/shared/protocol/records.js';
import {
  BAR_S,
  CANDLES_S,
  CategoryFlow,
  computeLogOdds,
  Flow,
  readCandles,
  TakerFlow,
  Volatility,
} from '../../../src/trader/market/estimators.js';
import { USUAL_PACE } from '../../../src/trader/market/view.js';
import { ReactionPace } from '../../../src/trader/scheduler/request-price.js';
import { USUAL_ECONOMICS } from '../../../src/trader/strategy/economics.js';
import { sigmoid } from '../../../src/trader/strategy/maths/log-odds.js';
import { forAll } from '../for-all.js';
import { book, m } from './fixtures.js';

const FLOW_HALF_LIFE_MS = 60_000;
const SIGMA_FLOOR = 0.0001;

/** A grid that is too fine to matter. */
const FINE = 1e-6;
const TICK = 0.01;

describe('volatility', () => {
  test.each([
    ['every 2 s', 2000, 0],
    ['every 10 s', 10_000, 0],
    ['irregularly', 1000, 15_000],
  ])('finds the sigma of a random walk that is looked at %s', (_, shortest, spread) => {
    const random = Random.fromSeed(7);
    const sigma = 0.02;
    const volatility = new Volatility();
    const estimates: number[] = [];
    let [x, nowMs] = [0, 0];
    for (let i = 0; i < 4000; i++) {
      const stepMs = shortest + random.below(spread + 1);
      nowMs += stepMs;
      x = Math.max(-2, Math.min(2, x + sigma * Math.sqrt(stepMs / 1000) * random.normal()));
      volatility.observe(sigmoid(x), nowMs, FINE);
      if (i > 500) estimates.push(volatility.sigmaPerSqrtS);
    }
    const mean = estimates.reduce((a, b) => a + b, 0) / estimates.length;
    expect(mean / sigma).toBeGreaterThan(0.85);
    expect(mean / sigma).toBeLessThan(1.1);
  });

  test('is, of a rounded price, what it was reckoned to be from the same looks', () => {
    const volatility = new Volatility();
    const seconds = [0, 60, 120, 200, 500, 560, 620];
    const read = [0.5, 0.505, 0.51, 0.515, 0.515, 0.505, 0.5].map((mid, i) => {
      volatility.observe(mid, (seconds[i] ?? 0) * 1000, TICK / 2);
      return volatility.sigmaPerSqrtS;
    });
    // By another program. One sample ends after 200 s; the last is open, three steps of its grid being 0.060054.
    const golden = [0.002, 0.0020206423, 0.0021414474, 0.0029468308, 0.0024617914, 0.0027178865, 0.0029927076];
    read.forEach((sigma, i) => {
      expect(sigma / (golden[i] ?? 0)).toBeCloseTo(1, 7);
    });
  });

  test.each([1, 3, 10, 30])('of a calm market is not seen in its price’s rounding, looked at every %i s', (stepS) => {
    const sigma = 0.002;
    const found = Array.from({ length: 12 }, (_, seed) => {
      const random = Random.fromSeed(seed);
      const volatility = new Volatility();
      let x = 0;
      for (let second = 0; second < 5400; second += stepS) {
        x += sigma * Math.sqrt(stepS) * random.normal();
        volatility.observe(Math.round(sigmoid(x) / (TICK / 2)) * (TICK / 2), second * 1000, TICK / 2);
      }
      return Math.log(volatility.sigmaPerSqrtS / sigma);
    });
    const bias = Math.exp(found.reduce((a, b) => a + b, 0) / found.length);
    expect(bias).toBeGreaterThan(0.75);
    expect(bias).toBeLessThan(1.3);
  });

  test('counts jumps apart from the rest', () => {
    const volatility = new Volatility();
    expect(volatility.jumpsPerS).toBeCloseTo(1 / 3600, 12);
    for (let i = 0; i <= 720; i++) volatility.observe(i === 360 ? 0.7 : 0.5, i * 5000, TICK / 2);
    // There and back.
    expect(volatility.jumpsPerS).toBeCloseTo(3 / 7200, 4);
  });

  test('begins with what was known before', () => {
    const volatility = new Volatility();
    volatility.setPrior(0.01);
    expect(volatility.sigmaPerSqrtS).toBe(0.01);
    for (let i = 0; i < 100; i++) volatility.observe(0.5, i * 60_000, TICK / 2);
    expect(volatility.sigmaPerSqrtS).toBeLessThan(0.002);
  });

  test('of a market that never moves falls to the floor and no further', () => {
    const volatility = new Volatility();
    // Within days: a price on a grid of cents may be constant for this time at the floor.
    for (let i = 0; i < 5000; i++) volatility.observe(0.4, i * 60_000, TICK / 2);
    expect(volatility.sigmaPerSqrtS).toBe(SIGMA_FLOOR);
  });

  test('counts one jump for no more than its bound, and forgets it', () => {
    const jumped = new Volatility();
    for (let i = 0; i < 100; i++) jumped.observe(0.4, i * 2000, TICK / 2);
    jumped.observe(0.99, 200_000, TICK / 2);
    const after = jumped.sigmaPerSqrtS;
    expect(after).toBeLessThan(0.006);
    for (let i = 1; i < 600; i++) jumped.observe(0.99, 200_000 + i * 5000, TICK / 2);
    expect(jumped.sigmaPerSqrtS).toBeLessThan(after / 2);
  });

  test('is finite and positive whatever is observed', () => {
    const observation = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 10 ** 9 }));
    forAll([fc.array(observation)], (observations) => {
      const volatility = new Volatility();
      let nowMs = 0;
      for (const [p, pause] of observations) {
        nowMs += pause;
        volatility.observe(p, nowMs, TICK / 2);
      }
      expect(volatility.sigmaPerSqrtS).toBeGreaterThanOrEqual(SIGMA_FLOOR);
      expect(Number.isFinite(volatility.sigmaPerSqrtS)).toBe(true);
    });
  });
});

test('log-odds are clipped at both ends', () =>
  expect([computeLogOdds(0), computeLogOdds(0.5), computeLogOdds(1)]).toEqual([-7, 0, 7]));

describe('trade flow', () => {
  test('weighs by size and forgets by half per half-life', () => {
    const flow = new Flow();
    flow.observe({ price: 0.4, shares: 30, bought: true }, 0);
    flow.observe({ price: 0.5, shares: 10, bought: false }, 0);
    expect(flow.at(0)).toMatchObject({ tradePrice: 0.425, tradeWeightShares: 40, flowImbalance: 0.5 });
    expect(flow.at(FLOW_HALF_LIFE_MS)).toMatchObject({ tradePrice: 0.425, tradeWeightShares: 20 });
    flow.observe({ price: 0.9, shares: 20, bought: false }, FLOW_HALF_LIFE_MS);
    expect(flow.at(FLOW_HALF_LIFE_MS).tradePrice).toBeCloseTo(0.6625, 12);
  });

  test('a late trade counts as decayed as it is', () => {
    const flow = new Flow();
    flow.observe({ price: 0.5, shares: 8, bought: true }, FLOW_HALF_LIFE_MS);
    flow.observe({ price: 0.5, shares: 8, bought: false }, 0);
    expect(flow.at(FLOW_HALF_LIFE_MS).tradeWeightShares).toBeCloseTo(12, 12);
  });

  test('measures shares per second of a steady stream', () => {
    const flow = new Flow();
    for (let i = 0; i <= 1200; i++) flow.observe({ price: 0.5, shares: 3, bought: i % 2 === 0 }, i * 1000);
    expect(flow.at(1_200_000).flowSharesPerS).toBeCloseTo(3, 1);
    expect(Math.abs(flow.at(1_200_000).flowImbalance)).toBeLessThan(0.02);
  });

  test('says nothing before the first trade', () =>
    expect(new Flow().at(5)).toEqual({ tradePrice: null, tradeWeightShares: 0, flowImbalance: 0, flowSharesPerS: 0 }));
});

const TICK_MICROS = m(0.01);
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
    const { nowMs } = this;
    this.shape.onBook(seen, seen, { requestId: 1, sentMs: nowMs, seenMs: nowMs, venueTimeMs: null }, TICK_MICROS);
    return this;
  }

  trade(taker: 'buy' | 'sell', price: number, shares = 1): this {
    this.shape.onTrade(taken(taker, price, shares), this.nowMs + 5000, TICK_MICROS);
    return this;
  }

  get kappa(): number {
    return this.shape.kappaAt(this.nowMs, TICK_MICROS);
  }

  get move(): number {
    return this.shape.sweepMoveAt(this.nowMs, TICK_MICROS);
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
      market.shape.onTrade(taken('buy', 0.5 + distance), market.nowMs, TICK_MICROS);
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
    for (let i = 0; i < 200; i++) seen.shape.onTrade(taken('sell', 0.4), seen.nowMs, TICK_MICROS);
    expect(1 / other.shape.kappaAt(seen.nowMs, TICK_MICROS)).toBeCloseTo(0.01 * ((200 * 10 + 20 * 2) / 220), 9);
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
    market.shape.onTrade(taken('buy', 0.9), START_MS - 1, TICK_MICROS);
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
    late.shape.onTrade(taken('buy', 0.55, 100), atMs, TICK_MICROS);
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

const TO_S = 1_700_000_100;
const SPAN = { fromS: TO_S - CANDLES_S, toS: TO_S };

const bar = (index: number, close: number, changes: Partial<Candle> = {}): Candle => {
  const price = close.toFixed(2);
  const timestamp = SPAN.fromS + index * BAR_S;
  return { timestamp, open: price, high: price, low: price, close: price, volume: '1', is_yes: true, ...changes };
};

/** Closes of a price whose log-odds move by `sigma` per square root of a second, traded on both sides of a spread. */
function drawCloses(sigma: number, half: number, seed: number): readonly Candle[] {
  const random = Random.fromSeed(seed, 'closes');
  let logOdds = 0;
  return Array.from({ length: CANDLES_S / BAR_S }, (_, i) => {
    let step = -6;
    for (let n = 0; n < 12; n++) step += random.uniform();
    logOdds += sigma * Math.sqrt(BAR_S) * step;
    const middle = 1 / (1 + Math.exp(-logOdds));
    const price = middle + (random.chance(0.5) ? half : -half);
    return bar(i, Math.min(0.99, Math.max(0.01, Math.round(price / TICK) * TICK)));
  });
}

const sigmaOf = (rows: readonly Candle[], gridStep = TICK / 2): number | null => {
  const learned = readCandles(rows, SPAN, gridStep);
  return typeof learned === 'string' ? expect.unreachable(learned) : (learned?.sigmaPerSqrtS ?? null);
};

/** Over seeds, the mean of ln(estimate / truth). */
const bias = (sigma: number, half: number, gridStep: number): number => {
  const seeds = Array.from({ length: 4 }, (_, seed) =>
    Math.log((sigmaOf(drawCloses(sigma, half, seed), gridStep) ?? 0) / sigma),
  );
  return seeds.reduce((sum, each) => sum + each, 0) / seeds.length;
};

describe('two days of price bars', () => {
  it.each([0.0005, 0.002, 0.005])('tell a volatility of %f', (sigma) => {
    expect(Math.abs(bias(sigma, 0, TICK / 2))).toBeLessThan(0.35);
  });

  it('do not take the bounce between bid and ask for volatility where the grid is as wide as half of the spread', () => {
    expect(bias(0.0005, 0.02, TICK / 2)).toBeGreaterThan(0.9);
    expect(Math.abs(bias(0.0005, 0.02, 0.02))).toBeLessThan(0.6);
  });

  it('say the same whichever comes first, and nothing where there are fewer than two', () => {
    const rows = drawCloses(0.002, 0, 1);
    expect(sigmaOf(rows.toReversed())).toBe(sigmaOf(rows));
    expect([sigmaOf([]), sigmaOf([bar(0, 0.5)])]).toEqual([null, null]);
  });

  it('of a price that stood still are calm, and never below the floor', () => {
    const still = Array.from({ length: CANDLES_S / BAR_S }, (_, i) => bar(i, 0.5));
    expect(sigmaOf(still)).toBeLessThan(0.0003);
    expect(sigmaOf(still)).toBeGreaterThanOrEqual(SIGMA_FLOOR);
  });

  it('have the time-weighted mean of their closes, each counted for an hour at most', () => {
    const learned = { spanS: 5 * BAR_S, coveredS: 5 * BAR_S, meanPrice: (4 * 0.5 + 0.75) / 5 };
    expect(readCandles([bar(3, 0.5), bar(7, 0.75)], SPAN, TICK / 2)).toMatchObject(learned);
    const sparse = { spanS: 101 * BAR_S, coveredS: 13 * BAR_S, meanPrice: (12 * 0.5 + 0.75) / 13 };
    expect(readCandles([bar(3, 0.5), bar(103, 0.75)], SPAN, TICK / 2)).toMatchObject(sparse);
  });
});

it.each<[string, Partial<Candle>]>([
  ['the bar is of NO', { is_yes: false }],
  ['time is not a multiple of', { timestamp: SPAN.fromS + 1 }],
  ['outside the requested time span', { timestamp: SPAN.toS }],
  ['outside the requested time span', { timestamp: SPAN.fromS - BAR_S }],
  ['appears twice', { timestamp: SPAN.fromS }],
  ['not between 0 and 1', { open: '1', high: '1', low: '1', close: '1' }],
  ['not between 0 and 1', { low: '0' }],
  ['not between 0 and 1', { low: '-0.5' }],
  ['outside its range from low to high', { close: '0.7' }],
  ['outside its range from low to high', { open: '0.2' }],
])('a bar that makes no sense is rejected with all bars beside it: %s', (because, changes) => {
  expect(readCandles([bar(0, 0.5), bar(1, 0.5, changes), bar(2, 0.52)], SPAN, TICK / 2)).toContain(because);
});
