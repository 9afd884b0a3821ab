import { describe, expect, it } from 'vitest';
import type { Book, MarketView, TapeTrade } from '../../src/trader/market/view.js';
import { computeReach, computeSweep, placeValue } from '../../strategies/touch/value.js';
import touchMaker from '../../strategies/touch-maker.js';
import { book, m } from '../trader/market/fixtures.js';
import { FACTS, holding, ownOrder, paramsFor, stacked, viewOf } from '../trader/strategy/fixtures.js';

const trade = (shares: number): TapeTrade => ({
  priceMicros: m(0.5),
  amountMicros: m(shares),
  taker: 'buy',
  venueTimeMs: 0,
  seenMs: 0,
});

/** Others' book after five trades of 20 shares. */
const traded = (others: Book, more: Partial<MarketView> = {}): MarketView =>
  viewOf(others, {
    trades: [20, 20, 20, 20, 20].map(trade),
    flow: { tradesPerS: 0.02, meanTradeShares: 20, kappa: 50, sweepMovePrice: 0.015 },
    ...more,
  });

const made = (raw: unknown = {}) => touchMaker.create(paramsFor(touchMaker, raw), FACTS);

/** A bid of ours at 0.48, behind this number of shares. */
const restingBehind = (shares: number) => ownOrder({ remainingMicros: m(25), queueAheadMicros: m(shares) });

describe('the value of a place', () => {
  const takers = { meanShares: 20, sweepMove: 0.03, staleSigma: 0 };

  it('is what is reached, less what sweeps through', () => {
    expect(computeReach(40, takers)).toBeCloseTo(0.1353353, 7);
    expect(computeSweep(25, 10, takers)).toBeCloseTo(0.1737739, 7);
    expect(placeValue({ half: 0.01, ahead: 40, behind: 10 }, 25, takers)).toBeCloseTo(0.0092443, 7);
    expect(placeValue({ half: 0.02, ahead: 40, behind: 10 }, 25, takers)).toBeCloseTo(0.0285566, 7);
  });

  it('is larger a tick inside with 50 shares behind than at the best price with 40 before', () =>
    expect(placeValue({ half: 0.01, ahead: 0, behind: 50 }, 25, takers)).toBeCloseTo(0.1326312, 7));

  it('is less by all shares of the order times what the price goes beyond it before the order can move', () => {
    const place = { half: 0.02, ahead: 0, behind: 50 };
    const lost = placeValue(place, 25, takers) - placeValue(place, 25, { ...takers, staleSigma: 0.02 });
    // 25 x 0.02 x (phi(1) - Phi(-1))
    expect(lost).toBeCloseTo(0.0416577, 7);
  });
});

describe('touch-maker', () => {
  it('stands a tick inside of a long queue where the spread is wide enough, and joins where it is not', () => {
    const wide = made().quote(traded(book([[0.48, 50]], [[0.52, 50]])));
    expect([wide.bids[0]?.priceMicros, wide.asks[0]?.priceMicros]).toEqual([m(0.49), m(0.51)]);
    const tight = made({ prior_sweep_ticks: 0.5 }).quote(traded(book([[0.49, 10]], [[0.51, 10]])));
    expect([tight.bids[0]?.priceMicros, tight.note]).toEqual([m(0.49), expect.stringMatching(/join.*join/)]);
  });

  it('stands back from a level that is swept too often to pay', () => {
    const thin = stacked(book([[0.49, 1]], [[0.51, 1]]), book([[0.46, 1]], [[0.54, 1]]));
    const { bids, note } = made({ order_shares: '2', prior_sweep_ticks: 2 }).quote(traded(thin));
    expect([bids[0]?.priceMicros, note]).toEqual([m(0.46), expect.stringMatching(/stand back/)]);
  });

  it('quotes nothing where no place earns, and before it has seen five trades', () => {
    const view = traded(book([[0.49, 1]], [[0.51, 1]]));
    const { bids, asks, note } = made({ order_shares: '2', prior_sweep_ticks: 5 }).quote(view);
    expect([bids, asks, note]).toEqual([[], [], expect.stringMatching(/no price has a positive expected gain/)]);
    expect(made().quote({ ...view, trades: view.trades.slice(1) }).note).toBe('4 trades were observed, 5 are needed');
  });

  it('counts the maker fee as a cost of every fill', () => {
    const view = traded(book([[0.48, 50]], [[0.52, 50]]));
    const valueAt = (makerFeeRateMicros: number) =>
      made().quote({ ...view, market: { ...FACTS, makerFeeRateMicros: m(makerFeeRateMicros) } });
    expect(valueAt(0.005).factors['bid_value']).toBeLessThan(valueAt(0).factors['bid_value'] ?? 0);
    expect(valueAt(0.05)).toMatchObject({ bids: [], asks: [], note: expect.stringMatching(/no price has a positive/) });
  });

  it('quotes nothing where the price moves further between two polls than takers pay for, and says so', () => {
    const calm = traded(book([[0.48, 50]], [[0.52, 50]]));
    const { bids, asks, note } = made().quote({ ...calm, estimates: { ...calm.estimates, sigmaPricePerSqrtS: 0.03 } });
    expect([bids, asks, note]).toEqual([[], [], expect.stringMatching(/the price moves too far between two polls/)]);
    // A market near its resolution moves as much, whatever the book has shown.
    expect(made().quote({ ...calm, timeToResolutionMs: 120_000 }).note).toMatch(/moves too far/);
    expect(made().quote({ ...calm, timeToResolutionMs: 600_000_000 }).bids).toHaveLength(1);
    // A faster trader may stay where a slow one may not.
    const slow = { ...calm, estimates: { ...calm.estimates, sigmaPricePerSqrtS: 0.009 } };
    const bidsOf = (lookEveryS: number) => made().quote({ ...slow, pace: { ...slow.pace, lookEveryS } }).bids.length;
    expect([bidsOf(1), bidsOf(60)]).toEqual([1, 0]);
  });

  it('keeps its own place in the queue in mind', () => {
    const others = book([[0.48, 100]], [[0.52, 100]]);
    const own = restingBehind(0);
    expect(made().quote(traded(others)).bids[0]?.priceMicros).toBe(m(0.49));
    expect(made().quote(traded(others, { orders: [own] })).bids[0]?.priceMicros).toBe(m(0.48));
  });

  it('leaves a place only for one that is worth enough more', () => {
    // A tick inside is worth more than the best price behind eighteen shares, but not half as much again.
    const others = book([[0.48, 30]], [[0.52, 30]]);
    const own = restingBehind(18);
    const bidAt = (raw: unknown) => made(raw).quote(traded(others, { orders: [own] })).bids[0]?.priceMicros;
    expect([bidAt({ move_gain: 0 }), bidAt({})]).toEqual([m(0.49), m(0.48)]);
  });

  it('pulls a side that others leave or press, for a while, and never the one that reduces', () => {
    const before = traded(book([[0.48, 100]], [[0.52, 100]]));
    const seenLater = (others: Book, ms: number) => ({ ...traded(others), nowMs: before.nowMs + ms });
    const thinned = book([[0.48, 30]], [[0.52, 100]]);
    const quoter = made();
    quoter.quote(before);
    expect(quoter.quote(seenLater(thinned, 1000)).bids).toEqual([]);
    expect(quoter.quote(seenLater(thinned, 6000)).bids).toHaveLength(1);
    // The asks fall: a buyer here buys from informed sellers.
    expect(quoter.quote(seenLater(book([[0.48, 30]], [[0.51, 100]]), 7000)).bids).toEqual([]);
    expect(quoter.quote(holding(seenLater(book([[0.48, 30]], [[0.51, 100]]), 8000), -50)).bids).toHaveLength(1);
  });
});
