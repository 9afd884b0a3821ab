/** Views for strategies: written by hand for one aspect, and arbitrary possible ones. */

import fc from 'fast-check';
import { complement, type Micros, micros, ONE } from '../../../src/shared/base/micros.js';
import { touch } from '../../../src/trader/market/book.js';
import {
  type Book,
  type FeedView,
  type FeedViews,
  type MarketFacts,
  type MarketView,
  type OwnOrderView,
  USUAL_PACE,
} from '../../../src/trader/market/view.js';
import type { ParamValues } from '../../../src/trader/strategy/contract.js';
import { defineStrategy, type MarketStrategy, type Strategy } from '../../../src/trader/strategy/contract.js';
import { readParams } from '../../../src/trader/strategy/read-params.js';
import { book, m } from '../market/fixtures.js';

export const FACTS: MarketFacts = {
  conditionId: 'M',
  eventConditionId: null,
  title: 'Will it?',
  category: null,
  phase: 'open',
  tickMicros: m(0.01),
  lotMicros: m(0.01),
  minPriceMicros: m(0.01),
  maxPriceMicros: m(0.99),
  minAmountMicros: m(1),
  maxAmountMicros: m(10_000),
  makerFeeRateMicros: m(0),
  takerFeeRateMicros: m(0.01),
  feeSchedule: 'notional',
  resolutionTimeMs: null,
};

export const VIEW: MarketView = viewOf(book([[0.45, 100]], [[0.55, 100]]));

/** A view of this book without holdings and trades. */
export function viewOf(others: Book, changes: Partial<MarketView> = {}): MarketView {
  const best = touch(others);
  const mid = best === null ? null : (best.bid.priceMicros + best.ask.priceMicros) / (2 * ONE);
  return {
    nowMs: 1_000_000,
    timeToResolutionMs: null,
    market: FACTS,
    book: others,
    others,
    trades: [],
    estimates: {
      mid,
      microprice: mid,
      spread: best === null ? null : (best.ask.priceMicros - best.bid.priceMicros) / ONE,
      sigmaLogOddsPerSqrtS: 0.001,
      sigmaPricePerSqrtS: 0.00025,
      tradePrice: null,
      tradeWeightShares: 0,
      flowImbalance: 0,
      flowSharesPerS: 0,
    },
    health: {
      bookAgeMs: 200,
      tradesAgeMs: 200,
      unchangedMs: 0,
      crossed: false,
      locked: false,
      frozen: false,
      jumpLogOdds: 0,
      sinceJumpMs: null,
      droppedLevels: 0,
    },
    inventory: {
      yesMicros: m(0),
      noMicros: m(0),
      netMicros: m(0),
      pairsMicros: m(0),
      avgYesCostMicros: null,
      avgNoCostMicros: null,
      availableFundsMicros: m(1000),
      maxPositionMicros: m(200),
    },
    stance: 'normal',
    orders: [],
    feeds: {},
    flow: { tradesPerS: 0.02, meanTradeShares: null, kappa: 50, sweepMovePrice: 0.015 },
    pace: { lookEveryS: null, ...USUAL_PACE },
    own: { fillsPerS: null, markouts: { bid: [], ask: [] } },
    event: null,
    ...changes,
  };
}

/** One book of these, the best first. */
export const stacked = (...books: readonly Book[]): Book => ({
  bids: books.flatMap(({ bids }) => bids),
  asks: books.flatMap(({ asks }) => asks),
});

/** A bid of ours of 10 at 0.48. */
export const ownOrder = (changes: Partial<OwnOrderView> = {}): OwnOrderView => ({
  intentId: 'o1',
  side: 'bid',
  priceMicros: m(0.48),
  remainingMicros: m(10),
  isYes: true,
  submittedMs: 0,
  acceptedMs: 0,
  queueAheadMicros: null,
  ageMs: 1000,
  ...changes,
});

/** A value of a user's feed, one second old. */
export const feedOf = (changes: Partial<FeedView> = {}): FeedView => ({
  ...{ p: null, bid: null, ask: null, sd: null },
  ...{ atMs: VIEW.nowMs - 1000, ageMs: 1000, validUntilMs: null },
  ...changes,
});

/** The same view with this net position (positive: YES). */
export function holding(view: MarketView, net: number): MarketView {
  const [yesMicros, noMicros] = net >= 0 ? [m(net), m(0)] : [m(0), m(-net)];
  return { ...view, inventory: { ...view.inventory, yesMicros, noMicros, netMicros: m(net) } };
}

/** Parameters of a strategy file; throws if the strategy rejects them. */
export function paramsFor(strategy: Strategy, raw: unknown = {}): ParamValues {
  const { values, problems } = readParams(strategy, raw);
  if (values === null) throw new Error(JSON.stringify(problems));
  return values;
}

/** A strategy that quotes single markets. */
export function ofMarkets(strategy: Strategy): MarketStrategy {
  if (strategy.scope === 'event') throw new Error(`${strategy.name} quotes whole events`);
  return strategy;
}

/** One of each kind of parameter. */
export const sample = defineStrategy({
  name: 'sample',
  summary: 'For tests.',
  params: {
    half_spread_ticks: { kind: 'integer', unit: 'ticks', min: 1, max: 100, default: 2, help: 'Half-spread.' },
    risk_aversion: { kind: 'number', unit: 'per share', min: 0, max: 1, default: 0.5, help: 'Aversion.' },
    order_shares: { kind: 'shares', min: '1', max: '500', default: '25', help: 'Size.' },
    post_only: { kind: 'boolean', default: true, help: 'Never take.' },
    mode: { kind: 'choice', choices: ['join', 'improve'], default: 'join', help: 'How to compete.' },
    steps: {
      kind: 'rows',
      fields: { at_ticks: { kind: 'integer', unit: 'ticks', min: 0, max: 9, default: 1, help: 'Where.' } },
      minRows: 1,
      maxRows: 2,
      default: [{}],
      help: 'Steps.',
    },
  },
  check: (p) => (p.mode === 'improve' && !p.post_only ? 'mode improve needs post_only' : null),
  create: () => ({ quote: () => ({ ...EMPTY }) }),
});

const EMPTY = {
  fairMicros: null,
  bids: [],
  asks: [],
  keepWithinTicks: 0,
  keepWithinSizeFraction: 0,
  note: '',
  factors: {},
} as const;

/** A property of most views. */
const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 19, arbitrary: usual }, { weight: 1, arbitrary: odd });

/** Two sides around a price, near it or far from it; sometimes one is empty, or they cross. */
const sides = (tick: number): fc.Arbitrary<Book> => {
  const ticks = ONE / tick;
  const side = mostly(fc.constant(1), fc.constant(0)).chain((minLength) =>
    fc.uniqueArray(
      fc.tuple(
        fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: ticks })),
        fc.oneof(fc.integer({ min: 10 ** 6, max: 10 ** 9 }), fc.integer({ min: 1, max: 10 ** 11 })),
      ),
      { minLength, maxLength: 6, selector: ([distance]) => distance },
    ),
  );
  const middle = fc.integer({ min: 1, max: ticks - 1 });
  return fc.tuple(side, side, middle, mostly(fc.constant(0), fc.constant(2))).map(([below, above, mid, overlap]) => {
    const level = (at: number, amount: number) => ({ priceMicros: micros(at * tick), amountMicros: micros(amount) });
    const inside = ({ priceMicros }: { readonly priceMicros: Micros }) => priceMicros > 0 && priceMicros < ONE;
    const bids = below.map(([distance, amount]) => level(mid - distance + overlap, amount)).filter(inside);
    const asks = above.map(([distance, amount]) => level(mid + distance - overlap, amount)).filter(inside);
    bids.sort((x, y) => y.priceMicros - x.priceMicros);
    asks.sort((x, y) => x.priceMicros - y.priceMicros);
    return { bids, asks };
  });
};

const probability = fc.double({ min: 0, max: 1, noNaN: true });
const shares = (max: number) => fc.integer({ min: 0, max: max * ONE }).map(micros);

const facts: fc.Arbitrary<MarketFacts> = fc
  .record({
    tick: fc.constantFrom(1, 100, 1000, 10_000, 100_000),
    lot: fc.constantFrom(1, 10_000, ONE),
    minPrice: fc.integer({ min: 0, max: 50_000 }),
    maxPrice: fc.integer({ min: 900_000, max: ONE }),
    fee: fc.integer({ min: 0, max: 50_000 }),
    resolutionTimeMs: fc.option(fc.integer({ min: 0, max: 10 ** 13 })),
  })
  .map(({ tick, lot, minPrice, maxPrice, fee, resolutionTimeMs }) => ({
    ...FACTS,
    tickMicros: micros(tick),
    lotMicros: micros(lot),
    minPriceMicros: micros(minPrice),
    maxPriceMicros: micros(maxPrice),
    makerFeeRateMicros: micros(fee),
    resolutionTimeMs,
  }));

const anyOrder = (tick: number): fc.Arbitrary<OwnOrderView> =>
  fc.record({
    intentId: fc.uuid(),
    side: fc.constantFrom('bid', 'ask'),
    priceMicros: fc.integer({ min: 1, max: ONE / tick - 1 }).map((n) => micros(n * tick)),
    remainingMicros: shares(100),
    isYes: fc.boolean(),
    submittedMs: fc.constant(0),
    acceptedMs: fc.option(fc.constant(1)),
    queueAheadMicros: fc.option(shares(100)),
    ageMs: fc.constant(5),
  });

/** Possible values of a user's feed for any market: a price, or a bid and an ask. */
const feedView: fc.Arbitrary<FeedView> = fc
  .record({
    price: fc.double({ min: 0.0001, max: 0.9998, noNaN: true }),
    isTwoSided: fc.boolean(),
    sd: fc.option(fc.double({ min: 0, max: 10, noNaN: true })),
    ageMs: mostly(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: 10 ** 9 })),
  })
  .map(({ price, isTwoSided, sd, ageMs }) => ({
    p: isTwoSided ? null : price,
    bid: isTwoSided ? price / 2 : null,
    ask: isTwoSided ? price : null,
    sd,
    atMs: 1_000_000 - ageMs,
    ageMs,
    validUntilMs: null,
  }));

/** Any possible view of a market, including unhealthy ones. */
export const anyView: fc.Arbitrary<MarketView> = facts.chain((market) =>
  fc
    .record({
      others: sides(market.tickMicros),
      orders: fc.array(anyOrder(market.tickMicros), { maxLength: 12 }),
      feed: fc.option(feedView),
      estimates: fc.record({
        sigmaLogOddsPerSqrtS: mostly(
          fc.double({ min: 0.0005, max: 0.05, noNaN: true }),
          fc.double({ min: 0.05, max: 2, noNaN: true }),
        ),
        tradePrice: fc.option(probability),
        tradeWeightShares: fc.double({ min: 0, max: 1e9, noNaN: true }),
        flowImbalance: fc.double({ min: -1, max: 1, noNaN: true }),
      }),
      health: fc.record({
        bookAgeMs: mostly(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 20_000, max: 40_000 })),
        frozen: mostly(fc.constant(false), fc.constant(true)),
        sinceJumpMs: fc.option(fc.integer({ min: 5000, max: 600_000 })),
      }),
      yes: fc.oneof(fc.constant(m(0)), shares(300)),
      no: fc.oneof(fc.constant(m(0)), shares(300)),
      maxPositionMicros: shares(1000),
      stance: fc.constantFrom('normal', 'normal', 'widen', 'reduce-only'),
      timeToResolutionMs: fc.option(
        mostly(fc.integer({ min: 10 ** 6, max: 10 ** 10 }), fc.integer({ min: -10_000, max: 10 ** 6 })),
      ),
    })
    .map(({ others, orders, feed, estimates, health, yes, no, maxPositionMicros, stance, timeToResolutionMs }) => {
      const base = viewOf(others, { market, orders, stance, timeToResolutionMs });
      const best = [others.bids[0]?.priceMicros ?? 0, others.asks[0]?.priceMicros ?? ONE] as const;
      const position = { yesMicros: yes, noMicros: no, netMicros: micros(yes - no), maxPositionMicros };
      const feeds: FeedViews = feed === null ? {} : { model: feed };
      return {
        ...base,
        feeds,
        estimates: { ...base.estimates, ...estimates },
        health: { ...base.health, ...health, crossed: best[0] > best[1], locked: best[0] === best[1] },
        inventory: { ...base.inventory, ...position },
      };
    }),
);

/** The view of a trader who swaps YES and NO. */
export function mirroredView(view: MarketView): MarketView {
  const flip = <T extends { readonly priceMicros: Micros }>(a: T): T => ({
    ...a,
    priceMicros: complement(a.priceMicros),
  });
  const flipped = (b: Book): Book => ({ bids: b.asks.map(flip), asks: b.bids.map(flip) });
  const { estimates, inventory } = view;
  return {
    ...view,
    book: flipped(view.book),
    others: flipped(view.others),
    estimates: { ...estimates, tradePrice: estimates.tradePrice === null ? null : 1 - estimates.tradePrice },
    inventory: {
      ...inventory,
      yesMicros: inventory.noMicros,
      noMicros: inventory.yesMicros,
      netMicros: micros(-inventory.netMicros),
    },
    orders: view.orders.map((order) => ({ ...flip(order), side: order.side === 'bid' ? 'ask' : 'bid' })),
  };
}
