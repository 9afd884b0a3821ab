import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeedView, MarketView } from '../../src/trader/market/view.js';
import { logit } from '../../src/trader/strategy/maths/log-odds.js';
import { blend, estimateOfBook, estimateOfFeed, gapSds, kellyShares, toPrice } from '../../strategies/fair/blend.js';
import fairMaker from '../../strategies/fair-maker.js';
import { book, m } from '../trader/market/fixtures.js';
import { feedOf, holding, paramsFor, VIEW, viewOf } from '../trader/strategy/fixtures.js';

const value = (more: Partial<FeedView> = {}) => feedOf({ p: 0.5, sd: 0.1, ...more });

const told = (more: Partial<FeedView> = {}, view: MarketView = VIEW): MarketView => ({
  ...view,
  feeds: { model: value(more) },
});

const quote = (view: MarketView, raw: unknown = {}) =>
  fairMaker.create(paramsFor(fairMaker, raw), view.market).quote(view);

const prices = (view: MarketView, raw: unknown = {}) => {
  const { bids, asks } = quote(view, raw);
  return [bids[0]?.priceMicros, asks[0]?.priceMicros];
};

describe('the blend', () => {
  const model = { x: logit(0.6), variance: 0.1 ** 2 };
  const others = { x: logit(0.55), variance: 0.15 ** 2 };

  it('weighs by precision in log-odds', () => {
    const both = blend(model, others);
    expect(both.x).toBeCloseTo(0.3424514427, 9);
    expect(toPrice(both)).toBeCloseTo(0.5847858845, 9);
    expect(Math.sqrt(both.variance)).toBeCloseTo(0.0832050294, 9);
    expect(gapSds(model, others)).toBeCloseTo(1.135995, 6);
  });

  it('takes a quarter of what Kelly would', () => expect(kellyShares(0.25, 1000, 0.6, 0.55)).toBeCloseTo(50.50505, 5));

  it('is the model where that is certain, and the book where it knows nothing', () => {
    const p = fc.double({ min: 0.01, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(p, p, (ours, theirs) => {
        const at = (variance: number) =>
          toPrice(blend({ x: logit(ours), variance }, { x: logit(theirs), variance: 0.02 }));
        expect(at(1e-12)).toBeCloseTo(ours, 6);
        expect(at(1e12)).toBeCloseTo(theirs, 6);
      }),
    );
  });

  it('believes a feed less with its age, its own spread, and where it names its deviation', () => {
    const sigma = 0.01;
    expect(estimateOfFeed(value({ ageMs: 4000 }), 1, sigma).variance).toBeCloseTo(0.01 + 0.0004, 12);
    expect(estimateOfFeed(value({ sd: null, ageMs: 0 }), 0.3, sigma).variance).toBeCloseTo(0.09, 12);
    const twoSided = estimateOfFeed(value({ p: null, bid: 0.4, ask: 0.6, sd: 0, ageMs: 0 }), 1, sigma);
    expect(twoSided.x).toBeCloseTo(0, 12);
    expect(twoSided.variance).toBeCloseTo((2 * logit(0.6)) ** 2 / 12, 9);
  });

  it('knows nothing of a book without two sides', () =>
    expect(estimateOfBook(viewOf(book([[0.45, 100]], [])))).toBeNull());
});

describe('fair-maker', () => {
  it('quotes around the blend, no better than needed', () => {
    // Half-spread of two ticks around 0.50; others are at 0.45 and 0.55, a tick better is enough.
    expect(prices(told())).toEqual([m(0.46), m(0.54)]);
    expect(prices(told(), { improve_ticks: 100 })).toEqual([m(0.48), m(0.52)]);
    expect(quote(told({ sd: 1e-5 }), { improve_ticks: 100, max_gap_sds: 20 }).fairMicros).toBe(m(0.5));
  });

  it('follows a feed of small deviation, and the book where the deviation is large', () => {
    const fairAt = (sd: number) => (quote(told({ p: 0.6, sd })).fairMicros ?? 0) / 1e6;
    expect(fairAt(1e-5)).toBeCloseTo(0.6, 4);
    expect([fairAt(0.1) < 0.59, fairAt(0.1) > 0.51]).toEqual([true, true]);
    expect(fairAt(2)).toBeCloseTo(0.5, 2);
  });

  it('never falls back to the book: no value, no quotes', () => {
    const silent = quote({ ...VIEW, feeds: {} });
    expect([silent.fairMicros, silent.bids, silent.asks]).toEqual([null, [], []]);
    expect(silent.note).toBe('feed model has no current value for this market');
    expect(quote({ ...VIEW, feeds: { other: value() } }).fairMicros).toBeNull();
  });

  it('says nothing on a value older than it accepts, and asks to be called when it will be', () => {
    expect(quote(told({ ageMs: 60_001 })).note).toMatch(/60 s old, at most 60 s/);
    expect(quote(told()).againMs).toBe(VIEW.nowMs - 1000 + 60_001);
    expect(quote(told({ validUntilMs: VIEW.nowMs + 500 })).againMs).toBe(VIEW.nowMs + 500);
  });

  it('says nothing where feed and book contradict each other', () => {
    const far = quote(told({ p: 0.8 }));
    expect(far.fairMicros).toBeNull();
    expect(far.note).toMatch(/deviations apart, at most 4/);
    expect(quote(told({ p: 0.8, sd: 2 })).fairMicros).not.toBeNull();
  });

  it('says nothing near the ends', () => {
    const near = viewOf(book([[0.01, 100]], [[0.03, 100]]));
    expect(quote(told({ p: 0.015, sd: 0.01 }, near)).note).toMatch(/within 0.02 of 0 or 1/);
  });

  it('holds no more than Kelly would, and always lets go of what it holds', () => {
    // A quarter of Kelly at 0.46 with a belief of 0.50 and 1000 of currency: 40 shares.
    expect(quote(told(), { order_shares: '100' }).bids[0]?.amountMicros).toBe(m(40.25));
    const long = quote(holding(told(), 45), { order_shares: '100' });
    expect(long.bids).toEqual([]);
    expect(long.asks[0]?.amountMicros).toBeGreaterThanOrEqual(m(45));
    const reducing = quote({ ...holding(told(), 45), stance: 'reduce-only' }, { order_shares: '100' });
    expect([reducing.bids, reducing.asks[0]?.amountMicros]).toEqual([[], m(45)]);
  });

  it('quotes wider when told to', () =>
    expect(prices({ ...told(), stance: 'widen' }, { half_spread_ticks: 4 })).toEqual([m(0.42), m(0.58)]));
});
