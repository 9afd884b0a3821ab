import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Exposure } from '../../../src/trader/risk/exposure.js';
import type { PlaceIntent } from '../../../src/trader/risk/intent.js';
import type { RiskLimits } from '../../../src/trader/risk/limits.js';
import { judge } from '../../../src/trader/risk/risk.js';
import {
  type BruteWorst,
  bruteWorst,
  exposureOf,
  factsOf,
  holdingOf,
  MARKETS,
  m,
  ONE,
  only,
  orderOf,
  type RandomState,
  randomState,
  sight,
  working,
} from './states.js';

const RUNS = { numRuns: 300 };

/** Judges the order of a state under these limits only. Market data and request budget are fine. */
const verdictOf = (
  { holdings, orders, place }: RandomState,
  changes: Parameters<typeof only>[0],
  facts: Parameters<typeof factsOf>[0] = {},
) =>
  judge(place, {
    ...factsOf({ limits: only(changes), cashMicros: m(1e15), exposure: exposureOf(holdings, orders), ...facts }),
    sight: sight({ book: { bids: [], asks: [] } }, place.marketConditionId),
  });

/** True if the named control refused the order, or if the order was approved. Tests skip any other verdict. */
const speaks = (verdict: ReturnType<typeof judge>, name: string): boolean =>
  verdict.verdict === 'approved' || verdict.name === name;

describe('the exposure', () => {
  it('is the worst over every subset of fills and every resolution', () =>
    fc.assert(
      fc.property(randomState, ({ holdings, orders }) => {
        const exposure = exposureOf(holdings, orders);
        const brute = bruteWorst(holdings, orders);
        for (const market of MARKETS)
          expect(BigInt(exposure.worstCase(market).positionMicros)).toBe(brute.position.get(market));
        expect(BigInt(exposure.eventPosition('event'))).toBe(brute.event);
        expect(BigInt(exposure.totalLossMicros)).toBe(brute.loss);
        expect(BigInt(exposure.reservedCashMicros)).toBe(brute.cash);
        expect(exposure.workingOrders).toBe(orders.filter((order) => order.phase !== 'abandoned').length);
      }),
      RUNS,
    ));

  it('does not depend on how it came about', () =>
    fc.assert(
      fc.property(randomState, fc.array(fc.nat(), { maxLength: 8 }), ({ holdings, orders }, detours) => {
        const plain = exposureOf(holdings, orders);
        const winding = exposureOf([], orders);
        for (const detour of detours) {
          const order = orders[detour % Math.max(1, orders.length)];
          if (order === undefined) continue;
          winding.addOrder({ ...order, remainingMicros: m(1 + (detour % ONE)) });
          // Reads of a market and of the sums in between must have no effect.
          if (detour % 3 === 0) winding.worstCase(order.marketConditionId);
          if (detour % 3 === 1) expect(winding.totalLossMicros).toBeGreaterThanOrEqual(0);
          winding.setHolding(holdingOf({ yesMicros: m(detour % ONE) }));
        }
        for (const holding of holdings) winding.setHolding(holding);
        for (const order of orders) winding.addOrder(order);
        for (const market of MARKETS) expect(winding.worstCase(market)).toEqual(plain.worstCase(market));
        expect(winding.totalLossMicros).toBe(plain.totalLossMicros);
        expect(winding.eventPosition('event')).toBe(plain.eventPosition('event'));
        expect(winding.reservedCashMicros).toBe(plain.reservedCashMicros);
        expect(winding.workingOrders).toBe(plain.workingOrders);
      }),
      RUNS,
    ));

  it('offers only shares that no conversion and no working sell holds', () => {
    const exposure = exposureOf(
      [holdingOf({ yesMicros: m(100), noMicros: m(50), lockedYesMicros: m(20), lockedNoMicros: m(20) })],
      [
        orderOf({ side: 'sell', remainingMicros: m(30) }),
        orderOf({ intentId: 'x', side: 'sell', isYes: false, remainingMicros: m(10), phase: 'abandoned' }),
      ],
    );
    expect([exposure.freeShares('a', true), exposure.freeShares('a', false)]).toEqual([50, 20]);
    expect(exposure.freeShares('nowhere', true)).toBe(0);
    expect(new Exposure().worstCase('nowhere').positionMicros).toBe(0);
  });
});

describe('a limit holds even if every working order fills in the worst order', () => {
  const limit = fc.integer({ min: 1, max: 900 * ONE }).map(m);

  it.each<[string, string, keyof RiskLimits, (worst: BruteWorst, place: PlaceIntent) => bigint | null]>([
    [
      '5: position of a market',
      'max_position_shares',
      'maxPositionSharesMicros',
      ({ position }, place) => position.get(place.marketConditionId) ?? 0n,
    ],
    [
      '6: position of an event',
      'max_event_position_shares',
      'maxEventPositionSharesMicros',
      ({ event }, place) => (place.eventConditionId === null ? null : event),
    ],
    ['7: loss of everything', 'max_total_cost', 'maxTotalCostMicros', ({ loss }) => loss],
  ])('%s', (_, name, field, figureOf) => {
    fc.assert(
      fc.property(randomState, limit, (state, most) => {
        const verdict = verdictOf(state, { [field]: most });
        const before = figureOf(bruteWorst(state.holdings, state.orders), state.place);
        const after = figureOf(bruteWorst(state.holdings, [...state.orders, working(state.place)]), state.place);
        if (!speaks(verdict, name) || after === null) return;
        // A figure that already exceeds its limit must not grow.
        if (verdict.verdict === 'approved') expect(after <= BigInt(most) || after === before).toBe(true);
        else expect(after > BigInt(most)).toBe(true);
        // A refused position is the one on the side of the order, which may not be the worst.
        if (verdict.verdict === 'refused' && name !== 'max_position_shares')
          expect(after).toBe(BigInt(verdict.found ?? -1));
      }),
      RUNS,
    );
  });

  it('19: currency', () =>
    fc.assert(
      fc.property(randomState, limit, (state, cashMicros) => {
        const verdict = verdictOf(state, {}, { cashMicros });
        if (!speaks(verdict, 'available_cash') || state.place.side === 'sell') return;
        const needed = bruteWorst(state.holdings, [...state.orders, working(state.place)]).cash;
        expect(verdict.verdict === 'approved').toBe(needed <= BigInt(cashMicros));
      }),
      RUNS,
    ));

  it('17: while only reducing is allowed, no fills can bring a position further from zero or past it', () =>
    fc.assert(
      fc.property(randomState, fc.constantFrom('reduce-only' as const, 'flatten' as const), (state, stance) => {
        const { holdings, orders, place } = state;
        if (verdictOf(state, {}, { stance }).verdict !== 'approved') return;
        const position = (all: typeof orders) => bruteWorst(holdings, all).position.get(place.marketConditionId);
        expect(position([...orders, working(place)])).toBe(position(orders));
      }),
      RUNS,
    ));
});
