/** Random states for property tests of risk, and a slow, simple model for comparison. */

import fc from 'fast-check';
import type { Micros } from '../../../src/shared/base/micros.js';
import type { RiskFacts } from '../../../src/trader/risk/controls.js';
import { type EventRule, Exposure, type WorkingOrder } from '../../../src/trader/risk/exposure.js';
import type { PlaceIntent } from '../../../src/trader/risk/intent.js';
import { type RiskLimits, riskLimitsSchema } from '../../../src/trader/risk/limits.js';

type Holding = ReturnType<Exposure['holding']>;
type MarketSight = NonNullable<RiskFacts['sight']>;

export const m = (value: number) => value as Micros;
export const ONE = 1_000_000;

export const MARKETS = ['a', 'b', 'c'] as const;
/** Event of each market: a and b belong to one event, c to none. */
export const eventOf = (market: string): string | null => (market === 'c' ? null : 'event');

export const limitsOf = (changes: Partial<RiskLimits> = {}): RiskLimits => ({
  ...riskLimitsSchema.parse({}),
  ...changes,
});

export const sight = (changes: Partial<MarketSight> = {}, conditionId = 'a'): MarketSight => ({
  market: {
    conditionId,
    phase: 'open',
    makerFeeRateMicros: m(0),
    takerFeeRateMicros: m(10_000),
    feeSchedule: 'notional',
  },
  book: {
    bids: [{ priceMicros: m(400_000), amountMicros: m(100 * ONE) }],
    asks: [{ priceMicros: m(440_000), amountMicros: m(100 * ONE) }],
  },
  health: { bookAgeMs: 500, frozen: false, sinceJumpMs: null },
  timeToResolutionMs: 86_400_000,
  ...changes,
});

export const factsOf = (changes: Partial<RiskFacts> = {}): RiskFacts => ({
  sight: sight(),
  limits: limitsOf(),
  exposure: new Exposure(),
  cashMicros: m(1000 * ONE),
  loss: { dayLossMicros: m(0), drawdownMicros: m(0), halted: null },
  findCaps: () => ({ yesMicros: m(ONE), noMicros: m(ONE) }),
  fills: { halted: null },
  pace: { lastSecond: 0, lastMinute: 0 },
  stance: 'normal',
  stanceReason: '',
  requestHeadroom: 100,
  ...changes,
});

const BUY = { marketConditionId: 'a', eventConditionId: 'event', isYes: true, side: 'buy' } as const;

export const placeOf = (changes: Partial<PlaceIntent> = {}): PlaceIntent => ({
  kind: 'place',
  intentId: 'new',
  ...BUY,
  priceMicros: m(410_000),
  amountMicros: m(10 * ONE),
  fairYesMicros: m(420_000),
  strategy: 'maker',
  ...changes,
});

export const holdingOf = (changes: Partial<Holding> = {}): Holding => ({
  marketConditionId: 'a',
  eventConditionId: 'event',
  yesMicros: m(0),
  noMicros: m(0),
  costMicros: m(0),
  lockedYesMicros: m(0),
  lockedNoMicros: m(0),
  splittingMicros: m(0),
  ...changes,
});

export const orderOf = (changes: Partial<WorkingOrder> = {}): WorkingOrder => ({
  intentId: 'old',
  ...BUY,
  priceMicros: m(400_000),
  remainingMicros: m(10 * ONE),
  feeRateMicros: m(10_000),
  phase: 'resting',
  ...changes,
});

export const exposureOf = (
  holdings: readonly Holding[],
  orders: readonly WorkingOrder[] = [],
  rules: readonly EventRule[] = [],
): Exposure => {
  const exposure = new Exposure(rules);
  for (const holding of holdings) exposure.setHolding(holding);
  for (const order of orders) exposure.addOrder(order);
  return exposure;
};

/** Ids of a market and of its event. */
export const ids = (market: string) => ({ marketConditionId: market, eventConditionId: eventOf(market) });

const shares = fc.integer({ min: 0, max: 300 * ONE }).map(m);
const price = fc.integer({ min: 1, max: ONE - 1 }).map(m);

const holdingIn = (marketConditionId: string): fc.Arbitrary<Holding> =>
  fc
    .record({
      yesMicros: shares,
      noMicros: shares,
      costMicros: shares,
      splittingMicros: fc.constantFrom(0, 0, 7 * ONE).map(m),
    })
    .map((held) => holdingOf({ ...ids(marketConditionId), ...held }));

const anyOrder = (index: number): fc.Arbitrary<WorkingOrder> =>
  fc
    .record({
      market: fc.constantFrom(...MARKETS),
      isYes: fc.boolean(),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      priceMicros: price,
      remainingMicros: fc.integer({ min: 1, max: 200 * ONE }).map(m),
      feeRateMicros: fc.constantFrom(0, 10_000, 33_333).map(m),
      phase: fc.constantFrom('resting' as const, 'in_flight' as const, 'unknown' as const, 'abandoned' as const),
    })
    .map(({ market, ...rest }) => ({ intentId: `old-${index}`, ...ids(market), ...rest }));

export interface RandomState {
  readonly holdings: readonly Holding[];
  readonly orders: readonly WorkingOrder[];
  readonly place: PlaceIntent;
}

/** Generates up to five working orders in three markets, and one new order. */
export const randomState: fc.Arbitrary<RandomState> = fc.record({
  holdings: fc.tuple(...MARKETS.map(holdingIn)),
  orders: fc
    .integer({ min: 0, max: 5 })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, i) => anyOrder(i)))),
  place: anyOrder(99).map(({ phase, intentId, feeRateMicros, remainingMicros: amountMicros, ...terms }) =>
    placeOf({ ...terms, amountMicros, fairYesMicros: m(ONE / 2) }),
  ),
});

/** Returns limits of which only the named ones can refuse an order, so that a property tests one control. */
export const only = (changes: Partial<RiskLimits>): RiskLimits => ({
  ...limitsOf(),
  maxOrderSharesMicros: m(1e15),
  maxOrderNotionalMicros: m(1e15),
  priceCollarFairMicros: m(ONE),
  priceCollarBookMicros: m(ONE),
  maxOpenOrders: 1e6,
  maxPositionSharesMicros: m(1e15),
  maxEventPositionSharesMicros: m(1e15),
  maxEventLossMicros: m(1e15),
  maxTotalCostMicros: m(1e15),
  maxCoreSetsMicros: m(1e15),
  maxLossDayMicros: m(1e15),
  maxDrawdownMicros: m(1e15),
  maxActionsPerSecond: 1e6,
  maxActionsPerMinute: 1e6,
  maxFills: 1e6,
  ...changes,
});

/** Returns the new order as a working order. */
export const working = ({ kind, strategy, fairYesMicros, amountMicros, ...terms }: PlaceIntent): WorkingOrder => ({
  ...terms,
  remainingMicros: amountMicros,
  feeRateMicros: m(10_000),
  phase: 'in_flight',
});

const ceilDiv = (a: bigint, b: bigint) => (a + b - 1n) / b;

/** Returns the currency of a complete fill with its fee, rounded against us: positive if paid, negative if received. */
export function paid(order: WorkingOrder): bigint {
  const product = BigInt(order.priceMicros) * BigInt(order.remainingMicros);
  const notional = order.side === 'buy' ? ceilDiv(product, 1_000_000n) : product / 1_000_000n;
  const fee = ceilDiv(BigInt(order.feeRateMicros) * notional, 1_000_000n);
  return order.side === 'buy' ? notional + fee : fee - notional;
}

interface Sums {
  yes: bigint;
  no: bigint;
  cost: bigint;
}

const size = (value: bigint) => (value < 0n ? -value : value);
const most = (a: bigint, b: bigint) => (a > b ? a : b);

export interface BruteWorst {
  readonly position: ReadonlyMap<string, bigint>;
  readonly event: bigint;
  readonly loss: bigint;
  readonly cash: bigint;
}

/** Returns the currency of splits in flight. */
const splitting = (holdings: readonly Holding[]): bigint =>
  holdings.reduce((sum, { splittingMicros }) => sum + BigInt(splittingMicros), 0n);

/** Tries every subset of fills and every resolution, and returns the worst value of each figure. */
export function bruteWorst(holdings: readonly Holding[], orders: readonly WorkingOrder[]): BruteWorst {
  const fillable = orders.filter((order) => order.phase !== 'abandoned');
  const position = new Map<string, bigint>();
  let event = 0n;
  let loss = 0n;
  for (let subset = 0; subset < 2 ** fillable.length; subset++) {
    const sums = new Map<string, Sums>(
      MARKETS.map((market) => {
        const held = holdings.find((holding) => holding.marketConditionId === market);
        return [
          market,
          { yes: BigInt(held?.yesMicros ?? 0), no: BigInt(held?.noMicros ?? 0), cost: BigInt(held?.costMicros ?? 0) },
        ];
      }),
    );
    fillable.forEach((order, i) => {
      const sum = sums.get(order.marketConditionId);
      if (sum === undefined || (subset >> i) % 2 === 0) return;
      const moved = BigInt(order.remainingMicros) * (order.side === 'buy' ? 1n : -1n);
      if (order.isYes) sum.yes += moved;
      else sum.no += moved;
      sum.cost += paid(order);
    });
    let inEvent = 0n;
    let lost = 0n;
    for (const [market, { yes, no, cost }] of sums) {
      const net = size(yes - no);
      position.set(market, most(position.get(market) ?? 0n, net));
      if (eventOf(market) === 'event') inEvent += net;
      lost += most(0n, most(cost - yes, cost - no));
    }
    event = most(event, inEvent);
    loss = most(loss, lost);
  }
  const splits = splitting(holdings);
  const cash = orders.filter((order) => order.side === 'buy').reduce((sum, order) => sum + paid(order), splits);
  return { position, event, loss, cash };
}
