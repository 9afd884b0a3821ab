import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { complement, ONE } from '../../src/shared/base/micros.js';
import type { MarketView } from '../../src/trader/market/view.js';
import type { Quotes } from '../../src/trader/strategy/contract.js';
import logOddsMaker from '../../strategies/log-odds-maker.js';
import { book, m } from '../trader/market/fixtures.js';
import { anyView, FACTS, holding, mirroredView, paramsFor, VIEW, viewOf } from '../trader/strategy/fixtures.js';

/** Wide enough that others' best never limits it. */
const FREE = { improve_ticks: 1000, reprice_ticks: 0, imbalance_weight: 1 };

const create = (raw: Readonly<Record<string, unknown>> = {}) =>
  logOddsMaker.create(paramsFor(logOddsMaker, { ...FREE, ...raw }), FACTS);
const quote = (view: MarketView, raw: Readonly<Record<string, unknown>> = {}): Quotes => create(raw).quote(view);
const best = ({ bids, asks }: Quotes) => [bids[0]?.priceMicros, asks[0]?.priceMicros];

const FINE = { ...FACTS, tickMicros: m(0.0001), minPriceMicros: m(0.0001), maxPriceMicros: m(0.9999) };
const fineView = (mid = 0.5, half = 0.05) => viewOf(book([[mid - half, 100]], [[mid + half, 100]]), { market: FINE });

describe('where it quotes', () => {
  test('flat and calm: half_spread_ticks on both sides of the fair price', () => {
    const quotes = quote(VIEW, { half_spread_ticks: 2, stale_sigmas: 0 });
    expect(best(quotes)).toEqual([m(0.48), m(0.52)]);
    expect(quotes).toMatchObject({ fairMicros: m(0.5), factors: { fair_price: 0.5, reservation_price: 0.5 } });
    expect(quotes.note).toBe(
      'bid 0.4800, ask 0.5200 around fair 0.5000, shifted by inventory to 0.5000, half-spreads 0.0200 and 0.0200',
    );
  });

  test('a short holding time leaves only its part of that risk', () => {
    const { factors } = quote(holding(VIEW, 100), { risk_aversion: 0.01, holding_time_s: 600 });
    // Variance of 600 s at 0.001 log-odds per sqrt(s): (0.001 x 0.25)^2 x 600, out of 0.25 in all.
    const part = (0.00025 ** 2 * 600) / 0.25;
    expect(factors['reservation_price']).toBeCloseTo(1 / (1 + Math.exp(0.01 * 100 * part)), 9);
  });

  test('not more than improve_ticks better than others, and one tick back from crossing them', () => {
    const tight = viewOf(book([[0.49, 100]], [[0.5, 100]]));
    expect(best(quote(tight, { half_spread_ticks: 1, stale_sigmas: 0 }))).toEqual([m(0.48), m(0.51)]);
    expect(best(quote(VIEW, { improve_ticks: 1 }))).toEqual([m(0.46), m(0.54)]);
    expect(best(quote(holding(tight, -150), { risk_aversion: 0.01 }))[0]).toBe(m(0.49));
  });

  test('levels step away by level_step_ticks', () => {
    const { bids, asks } = quote(VIEW, { levels: 3, level_step_ticks: 2 });
    expect(bids.map(({ priceMicros }) => priceMicros)).toEqual([m(0.48), m(0.46), m(0.44)]);
    expect(asks.map(({ priceMicros }) => priceMicros)).toEqual([m(0.52), m(0.54), m(0.56)]);
  });
});

describe('what widens it', () => {
  const half = (view: MarketView, raw: Readonly<Record<string, unknown>> = {}): number =>
    quote(view, { half_spread_ticks: 1, risk_aversion: 0, ...raw }).factors['bid_half_spread_price'] ?? Number.NaN;
  const base = half(fineView());

  test.each<[string, MarketView, Readonly<Record<string, unknown>>]>([
    ['volatility', { ...fineView(), estimates: { ...VIEW.estimates, sigmaLogOddsPerSqrtS: 0.02 } }, {}],
    ['an old book', { ...fineView(), health: { ...VIEW.health, bookAgeMs: 20_000 } }, {}],
    ['a near resolution', { ...fineView(), timeToResolutionMs: 2 * 3_600_000 }, {}],
    ['fees', { ...fineView(), market: { ...FINE, makerFeeRateMicros: m(0.01) } }, {}],
    ['risk aversion', fineView(), { risk_aversion: 0.01 }],
    ['a floor in log-odds', fineView(), { min_half_spread_log_odds: 0.1 }],
    ['being told so', { ...fineView(), stance: 'widen' }, {}],
  ])('%s', (_, view, raw) => expect(half(view, raw)).toBeGreaterThan(base * 1.5));

  test('fills that the price moves against afterwards', () => {
    const maker = create({ half_spread_ticks: 1, markout_s: 10 });
    const before = maker.quote(fineView(0.5)).factors['ask_half_spread_price'] ?? Number.NaN;
    const nowMs = VIEW.nowMs + 1000;
    maker.observe?.({ kind: 'fill', nowMs, side: 'ask', priceMicros: m(0.51), amountMicros: m(100), isMaker: true });
    const after = maker.quote({ ...fineView(0.55), nowMs: nowMs + 10_000 }).factors;
    // 100 shares that cost 5 cents and 100 harmless ones: half of it, with a tenth of the takers informed.
    expect(after['adverse_move_price']).toBeCloseTo(0.025, 6);
    expect(after['ask_half_spread_price']).toBeGreaterThan(before + 0.02);
  });
});

describe('how much it quotes', () => {
  const sizes = (view: MarketView, raw: Readonly<Record<string, unknown>> = {}) => {
    const { bids, asks } = quote(view, raw);
    const sum = (levels: Quotes['bids']) => levels.reduce((total, { amountMicros }) => total + amountMicros, 0) / ONE;
    return [sum(bids), sum(asks)];
  };

  test('the full size when flat, less towards the limit, nothing at it', () => {
    expect(sizes(VIEW)).toEqual([25, 25]);
    expect(sizes(holding(VIEW, 150))).toEqual([12.5, 25]);
    expect(sizes(holding(VIEW, 200))).toEqual([0, 25]);
    expect(sizes(holding(VIEW, -200))).toEqual([25, 0]);
  });

  test('fewer where a share can lose more: at 0.9 a long position is bounded by its cost', () => {
    const view = viewOf(book([[0.88, 100]], [[0.92, 100]]));
    const [bids = 0] = sizes(holding(view, 105), { taper_from_fraction: 1, risk_aversion: 0 });
    expect(bids).toBeLessThan(10);
    expect(sizes(holding(view, -105), { taper_from_fraction: 1, risk_aversion: 0 })[1]).toBe(25);
  });

  test('reducing only, it never passes zero', () => {
    const reduce: MarketView = { ...VIEW, stance: 'reduce-only' };
    expect(sizes(reduce)).toEqual([0, 0]);
    expect(sizes(holding(reduce, 40), { levels: 3 })).toEqual([0, 40]);
    expect(sizes(holding(reduce, -10))).toEqual([10, 0]);
  });

  test('towards resolution: first reducing, cheaper the later, then nothing', () => {
    const at = (seconds: number) => ({ ...holding(fineView(), 40), timeToResolutionMs: seconds * 1000 });
    expect(quote(at(200)).bids).toHaveLength(1);
    const [early, late, over] = [quote(at(175)), quote(at(65)), quote(at(60))];
    expect(early.bids).toEqual([]);
    expect(late.asks[0]?.priceMicros).toBeLessThan(early.asks[0]?.priceMicros ?? 0);
    const silent = { fairMicros: null, bids: [], asks: [], note: expect.stringContaining('resolves in 60 s') };
    expect(over).toMatchObject(silent);
  });

  test('no side that costs more than it earns, unless it reduces', () => {
    const wild = { ...VIEW, estimates: { ...VIEW.estimates, sigmaLogOddsPerSqrtS: 1 } };
    expect(sizes(wild, { stale_sigmas: 0 })).toEqual([0, 0]);
    expect(sizes(holding(wild, 50), { stale_sigmas: 0 })).toEqual([0, 25]);
    expect(sizes(VIEW, { min_edge_ticks: 50 })).toEqual([0, 0]);
  });

  test.each([
    [0, 1],
    [1, 0],
  ])('min_edge_ticks %i after what fills have cost: %i side', (min_edge_ticks, sides) => {
    // A minimum of two ticks; fills have cost almost one and a half of them.
    const maker = create({ min_edge_ticks, half_spread_ticks: 2, stale_sigmas: 0, order_shares: '1', markout_s: 10 });
    maker.quote(VIEW);
    const nowMs = VIEW.nowMs + 1000;
    maker.observe?.({ kind: 'fill', nowMs, side: 'ask', priceMicros: m(0.51), amountMicros: m(100), isMaker: true });
    const later = { ...viewOf(book([[0.465, 100]], [[0.565, 100]])), nowMs: nowMs + 10_000 };
    const { bids, asks, factors } = maker.quote(later);
    expect(factors['adverse_move_price']).toBeCloseTo((100 / 104) * 0.015, 4);
    expect([bids.length, asks.length]).toEqual([sides, sides]);
  });

  test('near an end no lone side that adds, and beyond min_fair_price none at all', () => {
    const low = viewOf(book([[0.01, 100]], [[0.07, 100]]));
    // A bid would have to be below the lowest price; a lone ask would bet on the favourite.
    expect(sizes(low, { half_spread_ticks: 4 })).toEqual([0, 0]);
    expect(sizes(holding(low, 50), { half_spread_ticks: 4 })).toEqual([0, 25]);
    expect(sizes(viewOf(book([[0.01, 100]], [[0.02, 100]])))).toEqual([0, 0]);
  });
});

test('quotes that fit into no price say so with their half-spreads', () =>
  expect(quote(VIEW, { half_spread_ticks: 200 })).toMatchObject({
    bids: [],
    asks: [],
    note: expect.stringMatching(
      /^bid none, ask none .* 2\.0000 and 2\.0000 \(too wide for any price: check the tick\)$/,
    ),
    factors: { bid_half_spread_price: 2 },
  }));

test('relations between parameters are checked', () =>
  expect(() => create({ halt_before_s: 7200 })).toThrow('halt_before_s must not be larger than reduce_only_before_s'));

test('more YES never raises a quote', () => {
  const net = fc.integer({ min: -150, max: 150 });
  fc.assert(
    fc.property(anyView, net, net, fc.double({ min: 0, max: 0.1, noNaN: true }), (view, a, b, risk_aversion) => {
      const [less, more] = [Math.min(a, b), Math.max(a, b)].map((held) =>
        quote(holding(view, held), { risk_aversion, max_book_spread: 1, min_fair_price: 0 }),
      );
      for (const side of ['bids', 'asks'] as const) {
        const [before, after] = [less?.[side][0], more?.[side][0]];
        if (before !== undefined && after !== undefined)
          expect(after.priceMicros).toBeLessThanOrEqual(before.priceMicros);
      }
    }),
    { numRuns: 300 },
  );
});

test('who calls YES what we call NO gets the mirror image', () =>
  fc.assert(
    fc.property(anyView, (view) => {
      const raw = { max_book_spread: 1, min_fair_price: 0 };
      const [seen, mirrored] = [quote(view, raw), quote(mirroredView(view), raw)];
      const prices = (levels: Quotes['bids']) => levels.map(({ priceMicros }) => priceMicros);
      const expected = prices(seen.asks).map((price) => complement(price));
      // A float at the edge of a tick may round to either side.
      const differences = prices(mirrored.bids).map((price, i) => Math.abs(price - (expected[i] ?? 0)));
      expect(differences).toHaveLength(expected.length);
      expect(Math.max(0, ...differences)).toBeLessThanOrEqual(view.market.tickMicros);
    }),
    { numRuns: 300 },
  ));
