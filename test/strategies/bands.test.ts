import { describe, expect, test } from 'vitest';
import { ONE } from '../../src/shared/base/micros.js';
import type { MarketView } from '../../src/trader/market/view.js';
import { readParams } from '../../src/trader/strategy/read-params.js';
import bands from '../../strategies/bands.js';
import { book, m } from '../trader/market/fixtures.js';
import { FACTS, holding, ownOrder, paramsFor, stacked, VIEW, viewOf } from '../trader/strategy/fixtures.js';

/** The default configuration of poly-market-maker, in ticks of 0.01. */
const band = (min: number, avg: number, max: number, low: string, middle: string, high: string) => ({
  min_margin_ticks: min,
  avg_margin_ticks: avg,
  max_margin_ticks: max,
  min_shares: low,
  avg_shares: middle,
  max_shares: high,
});
const NEAR = band(1, 2, 3, '10', '20', '30');
const FAR = band(3, 4, 5, '20', '30', '40');

const quoter = (rows: readonly unknown[] = [NEAR, FAR]) => bands.create(paramsFor(bands, { bands: rows }), FACTS);
const quote = (view: MarketView, rows?: readonly unknown[]) => quoter(rows).quote(view);

const resting = (...bids: readonly (readonly [price: number, amount: number])[]) =>
  bids.map(([price, amount], i) =>
    ownOrder({ intentId: `bid${i}`, priceMicros: m(price), remainingMicros: m(amount) }),
  );

const bids = (view: MarketView, rows?: readonly unknown[]) =>
  quote(view, rows).bids.map(({ priceMicros, amountMicros }) => `${amountMicros / ONE} at ${priceMicros / ONE}`);

test('an empty side gets the average amount at the average margin of every band, mirrored on the other', () => {
  expect(bids(VIEW)).toEqual(['20 at 0.48', '30 at 0.46']);
  expect(quote(VIEW).asks.map(({ priceMicros }) => priceMicros)).toEqual([m(0.52), m(0.54)]);
  expect(quote(VIEW).fairMicros).toBe(m(0.5));
});

test('a band between its minimum and maximum is left alone; below it is topped up to the average', () => {
  expect(bids({ ...VIEW, orders: resting([0.49, 12], [0.46, 19]) })).toEqual(['12 at 0.49', '30 at 0.46']);
  expect(bids({ ...VIEW, orders: resting([0.49, 8], [0.46, 25]) })).toEqual(['8 at 0.49', '12 at 0.48', '25 at 0.46']);
});

test('an order belongs to a band from its minimum margin to just before its maximum', () => {
  const orders = resting([0.5, 10], [0.49, 10], [0.47, 20], [0.45, 10]);
  // 0.50 is too near, 0.47 is in the far band, 0.45 is beyond it.
  expect(bids({ ...VIEW, orders })).toEqual(['10 at 0.49', '20 at 0.47']);
});

describe('above its maximum', () => {
  const NEAREST = band(1, 2, 4, '10', '20', '30');
  const MIDDLE = band(4, 5, 8, '10', '20', '30');
  const rows = [NEAREST, MIDDLE, band(8, 9, 12, '10', '20', '30')];
  const others = resting([0.48, 15]);

  test('the first band lets go of the nearest order', () => {
    const orders = resting([0.49, 15], [0.48, 15], [0.47, 15]);
    expect(bids({ ...VIEW, orders }, rows).slice(0, 2)).toEqual(['15 at 0.48', '15 at 0.47']);
  });

  test('one between of the largest', () => {
    const orders = [...others, ...resting([0.46, 12], [0.45, 18], [0.43, 10])];
    expect(bids({ ...VIEW, orders }, rows).slice(1, 3)).toEqual(['12 at 0.46', '10 at 0.43']);
  });

  test('the last of the farthest', () => {
    const orders = [...others, ...resting([0.45, 15], [0.42, 15], [0.41, 15], [0.39, 15])];
    expect(bids({ ...VIEW, orders }, rows).slice(2)).toEqual(['15 at 0.42', '15 at 0.41']);
  });
});

test('a band whose average is beyond the last price uses the last one, a band that lies beyond it is dropped', () => {
  const low = viewOf(book([[0.01, 100]], [[0.04, 100]]));
  // The target is 0.03: the near band's 0.01 is a valid price, the far band ends below.
  expect(bids(low)).toEqual(['20 at 0.01']);
  expect(bids({ ...low, orders: resting([0.01, 20]) })).toEqual(['20 at 0.01']);
  expect(bids(viewOf(book([[0.01, 100]], [[0.02, 100]])))).toEqual(['20 at 0.01']);
});

test('new orders step back from others instead of crossing them', () =>
  expect(bids(viewOf(stacked(book([], [[0.47, 1]]), book([[0.4, 100]], [[0.6, 100]]))))[0]).toBe('30 at 0.46'));

describe('where the price may go far before an order could be moved', () => {
  // One deviation of 0.009 until an order rests: three are 0.027 and exceed the near band, not the far one.
  const fast = { ...VIEW, estimates: { ...VIEW.estimates, sigmaPricePerSqrtS: 0.009 / Math.sqrt(VIEW.pace.reactS) } };

  const careful = (view: MarketView) => bands.create(paramsFor(bands, { stale_sigmas: 3 }), FACTS).quote(view);

  test('no order is nearer than three deviations of that, and what rests there goes', () => {
    const { bids: below, asks: above, factors } = careful(fast);
    expect([...below, ...above].map(({ priceMicros }) => priceMicros)).toEqual([m(0.46), m(0.54)]);
    expect(above).toHaveLength(1);
    expect(factors['stale_sd_price']).toBeCloseTo(0.009, 12);
    const resters = { ...fast, orders: resting([0.48, 20], [0.46, 30]) };
    expect(careful(resters).bids).toEqual([{ priceMicros: m(0.46), amountMicros: m(30) }]);
  });

  test('the side that undoes a position keeps the orders that close it, and 0 deviations keep them on both', () => {
    const long = careful(holding(fast, 100));
    expect([long.bids.length, long.asks.length]).toEqual([1, 2]);
    expect(bids(fast)).toHaveLength(2);
    // Only the shares held are exempt, in resting orders and new ones.
    for (const orders of [[], resting([0.48, 20]), resting([0.48, 3])])
      expect(careful({ ...holding(fast, -5), orders }).bids).toMatchObject([{ amountMicros: m(5) }, {}]);
  });
});

test('where the lowest price of the market would cross others, nothing is placed', () => {
  const market = { ...FACTS, minPriceMicros: m(0.08) };
  const dusty = viewOf(stacked(book([], [[0.06, 1]]), book([[0.04, 5]], [[0.13, 4]])), { market });
  expect(bids(dusty, [band(1, 1, 2, '1', '1', '1')])).toEqual([]);
});

test('positions stay within the limit, and reducing only ends at zero', () => {
  const total = (view: MarketView) => quote(view).bids.reduce((sum, { amountMicros }) => sum + amountMicros / ONE, 0);
  expect([total(holding(VIEW, 160)), total(holding(VIEW, 200))]).toEqual([40, 0]);
  expect(total({ ...holding(VIEW, -25), stance: 'reduce-only' })).toBe(25);
  expect(total({ ...holding(VIEW, 25), stance: 'reduce-only' })).toBe(0);
});

test('told to widen, all margins grow', () =>
  expect(bids({ ...VIEW, stance: 'widen' })).toEqual(['20 at 0.46', '30 at 0.42']));

test('the small rest of a nearly filled order is canceled', () =>
  expect(bids({ ...VIEW, orders: resting([0.49, 0.5], [0.46, 25]) })).toEqual(['19.5 at 0.48', '25 at 0.46']));

test('without two sides of others, or on data that cannot be believed, it quotes nothing and says why', () => {
  expect(quote(viewOf(book([[0.4, 10]], []))).note).toContain('no fair price');
  expect(quote({ ...VIEW, health: { ...VIEW.health, frozen: true } }).note).toContain('frozen');
});

test.each([
  [[band(1, 5, 3, '1', '2', '3')], 'bands 1: wanted min_margin_ticks <= avg_margin_ticks < max_margin_ticks'],
  [[band(1, 3, 3, '1', '2', '3')], 'bands 1: wanted min_margin_ticks <= avg_margin_ticks < max_margin_ticks'],
  [[band(1, 2, 3, '5', '2', '3')], 'bands 1: wanted min_shares <= avg_shares <= max_shares'],
  [[NEAR, band(2, 4, 5, '1', '2', '3')], 'bands 2: overlaps the band before it (min_margin_ticks 2 < 3)'],
])('%j is refused', (rows, message) => {
  expect(readParams(bands, { bands: rows }).problems).toEqual([{ path: [], message }]);
});
