import { describe, expect, it } from 'vitest';
import type { FeedView, MarketView } from '../../src/trader/market/view.js';
import { logit } from '../../src/trader/strategy/maths/log-odds.js';
import { Basis, powerProbabilities, referenceLogOdds } from '../../strategies/mirror/reference.js';
import mirrorMaker from '../../strategies/mirror-maker.js';
import { near } from '../shared/statistics/fixtures.js';
import { book, m } from '../trader/market/fixtures.js';
import { FACTS, feedOf, holding, paramsFor, VIEW, viewOf } from '../trader/strategy/fixtures.js';

const told = (more: Partial<FeedView> = {}, view: MarketView = VIEW): MarketView => ({
  ...view,
  feeds: { reference: feedOf({ bid: 0.49, ask: 0.51, atMs: view.nowMs - 1000, ...more }) },
});

const made = (raw: unknown = {}, saved?: unknown) => mirrorMaker.create(paramsFor(mirrorMaker, raw), FACTS, saved);
const quote = (view: MarketView, raw: unknown = {}) => made(raw).quote(view);

describe('a price without its margin', () => {
  it('is 0.5256 and 0.4744 of odds that say 0.55 and 0.50', () => {
    const { k, p } = powerProbabilities([0.55, 0.5]);
    expect([k, ...p]).toEqual(near([1.0758628, 0.5256127, 0.4743873], 7));
  });

  it('takes most from the outsider of four', () => {
    const { k, p } = powerProbabilities([0.52, 0.31, 0.2, 0.03]);
    expect([k, ...p]).toEqual(near([1.0550819, 0.5016032, 0.290633, 0.183033, 0.0247308], 7));
  });

  it('is what a reference with bid and ask says, and p where it says p', () => {
    expect(referenceLogOdds({ p: null, bid: 0.5, ask: 0.55 })).toBeCloseTo(logit(0.5256127), 6);
    expect(referenceLogOdds({ p: 0.7, bid: null, ask: null })).toBeCloseTo(logit(0.7), 12);
    expect(() => powerProbabilities([0.5, 1])).toThrow(RangeError);
  });
});

it('the basis is the mean over time, and what is a half-life old counts half', () => {
  const basis = new Basis(60, null);
  basis.observe(0.2, 0);
  expect(basis.value).toBeCloseTo(0.2, 12);
  for (let s = 1; s <= 3600; s++) basis.observe(0.1, s * 1000);
  expect(basis.value).toBeCloseTo(0.1, 9);
  for (let s = 3601; s <= 3660; s++) basis.observe(0.3, s * 1000);
  expect(basis.value).toBeCloseTo(0.2, 2);
});

describe('mirror-maker', () => {
  it('quotes around the reference, no better than needed, and near 0 and 1 only to reduce the position', () => {
    const { bids, asks, fairMicros } = quote(told(), { improve_ticks: 100 });
    expect([bids[0]?.priceMicros, asks[0]?.priceMicros, fairMicros]).toEqual([m(0.48), m(0.52), m(0.5)]);
    const low = told({ bid: 0.39, ask: 0.41 }, viewOf(book([[0.35, 100]], [[0.45, 100]])));
    const { bids: closing, asks: adding } = quote(holding(low, -3), { min_fair_price: 0.45 });
    expect([...closing, ...adding]).toMatchObject([{ amountMicros: m(3) }]);
  });

  it('moves with the reference at once, and with where this book usually stands', () => {
    const quoter = made({ improve_ticks: 100 });
    const here = viewOf(book([[0.49, 100]], [[0.55, 100]]));
    expect(quoter.quote(told({}, here)).fairMicros).toBe(m(0.52));
    const moved = quoter.quote(told({ bid: 0.53, ask: 0.55 }, { ...here, nowMs: here.nowMs + 1 }));
    expect((moved.fairMicros ?? 0) / 1e6).toBeCloseTo(0.56, 2);
    // Very small orders do not count.
    const small = viewOf(
      book(
        [
          [0.55, 1],
          [0.49, 100],
        ],
        [
          [0.57, 1],
          [0.58, 100],
        ],
      ),
    );
    expect(made().quote(told({}, small)).fairMicros).toBe(m(0.535));
  });

  it('is silent without a reference, on one that is old or wide, and on another contract', () => {
    expect(quote(VIEW).note).toBe('feed reference has no current value for this market');
    expect(quote(told({ ageMs: 5001 })).note).toMatch(/5.0 s old, at most 5 s/);
    expect(quote(told({ bid: 0.45, ask: 0.51 })).note).toMatch(/spread of the reference is 0.0600, at most 0.05/);
    // As floats, 0.52 - 0.47 exceeds 0.05.
    expect(quote(told({ bid: 0.47, ask: 0.52 })).note).not.toMatch(/spread of the reference/);
    expect(quote(told({ bid: 0.69, ask: 0.71 })).note).toMatch(/the same contract/);
  });

  it('asks to be called when the reference will be too old', () => {
    expect(quote(told()).againMs).toBe(VIEW.nowMs - 1000 + 5001);
    expect(quote(told({ validUntilMs: VIEW.nowMs + 10 })).againMs).toBe(VIEW.nowMs + 10);
  });

  it('remembers the basis over a restart', () => {
    const quoter = made();
    const here = viewOf(book([[0.49, 100]], [[0.55, 100]]));
    quoter.quote(told({}, here));
    const again = made({}, JSON.parse(JSON.stringify(quoter.save?.())));
    const next = told({ bid: 0.5, ask: 0.52 }, { ...here, nowMs: here.nowMs + 1000 });
    expect(again.quote(next)).toEqual(quoter.quote(next));
  });
});
