import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Exposure } from '../../../src/trader/risk/exposure.js';
import { judge } from '../../../src/trader/risk/risk.js';
import {
  bruteWorst,
  eventOf,
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

const FEE = m(10_000);
const RUNS = { numRuns: 300 };

/** Judges the order of a state under these limits only. Market data and request budget are fine. */
const verdictOf = ({ holdings, orders, place }: RandomState, changes: Parameters<typeof only>[0], cash = m(1e15)) =>
  judge(place, {
    ...factsOf({ limits: only(changes), cashMicros: cash, exposure: exposureOf(holdings, orders) }),
    sight: sight({ book: { bids: [], asks: [] } }, place.marketConditionId),
  });

/** True if the named control refused the order, or if the order was approved. Tests skip any other verdict. */
const speaks = (verdict: ReturnType<typeof judge>, name: string): boolean =>
  verdict.verdict === 'approved' || verdict.name === name;

describe('the exposure', () => {
  it('is the worst over every subset of fills and every resolution', () => {
    fc.assert(
      fc.property(randomState, ({ holdings, orders }) => {
        const exposure = exposureOf(holdings, orders);
        const brute = bruteWorst(holdings, orders);
        for (const market of MARKETS) {
          expect(BigInt(exposure.worstCase(market).positionMicros)).toBe(brute.position.get(market));
        }
        expect(BigInt(exposure.eventPosition('event'))).toBe(brute.event);
        expect(BigInt(exposure.totalLossMicros)).toBe(brute.loss);
        expect(BigInt(exposure.reservedCashMicros)).toBe(brute.cash);
        expect(exposure.workingOrders).toBe(orders.filter((order) => order.phase !== 'abandoned').length);
      }),
      RUNS,
    );
  });

  it('does not depend on how it came about', () => {
    fc.assert(
      fc.property(randomState, fc.array(fc.nat(), { maxLength: 8 }), ({ holdings, orders }, detours) => {
        const plain = exposureOf(holdings, orders);
        const winding = exposureOf([], orders);
        for (const detour of detours) {
          const order = orders[detour % Math.max(1, orders.length)];
          if (order === undefined) continue;
          winding.drop(order.intentId);
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
    );
  });

  it('is empty again when everything is gone', () => {
    fc.assert(
      fc.property(randomState, ({ holdings, orders }) => {
        const exposure = exposureOf(holdings, orders);
        for (const order of orders) exposure.drop(order.intentId);
        for (const { marketConditionId } of holdings) {
          exposure.setHolding(holdingOf({ marketConditionId, eventConditionId: eventOf(marketConditionId) }));
        }
        const figures = [exposure.totalLossMicros, exposure.reservedCashMicros, exposure.workingOrders];
        expect([...figures, exposure.eventPosition('event'), exposure.eventPosition('c')]).toEqual([0, 0, 0, 0, 0]);
      }),
      RUNS,
    );
  });

  it('offers only shares that no conversion and no working sell holds', () => {
    const exposure = exposureOf(
      [holdingOf({ yesMicros: m(100), noMicros: m(50), lockedYesMicros: m(20), lockedNoMicros: m(20) })],
      [
        orderOf({ side: 'sell', remainingMicros: m(30) }),
        orderOf({ intentId: 'x', side: 'sell', isYes: false, remainingMicros: m(10), phase: 'abandoned' }),
      ],
    );
    expect(exposure.freeShares('a', true)).toBe(50);
    expect(exposure.freeShares('a', false)).toBe(20);
    expect(exposure.freeShares('nowhere', true)).toBe(0);
    expect(new Exposure().worstCase('nowhere').positionMicros).toBe(0);
  });
});

describe('a limit holds even if every working order fills in the worst order', () => {
  const limit = fc.integer({ min: 1, max: 900 * ONE }).map(m);

  it('5: position of a market', () => {
    fc.assert(
      fc.property(randomState, limit, (state, maxPositionSharesMicros) => {
        const verdict = verdictOf(state, { maxPositionSharesMicros });
        if (!speaks(verdict, 'max_position_shares')) return;
        const { marketConditionId } = state.place;
        const before = bruteWorst(state.holdings, state.orders).position.get(marketConditionId) ?? 0n;
        const after =
          bruteWorst(state.holdings, [...state.orders, working(state.place, FEE)]).position.get(marketConditionId) ??
          0n;
        // A position that already exceeds its limit must not grow.
        if (verdict.verdict === 'approved')
          expect(after <= BigInt(maxPositionSharesMicros) || after === before).toBe(true);
        else expect(after > BigInt(maxPositionSharesMicros)).toBe(true);
      }),
      RUNS,
    );
  });

  it('6: position of an event', () => {
    fc.assert(
      fc.property(randomState, limit, (state, maxEventPositionSharesMicros) => {
        const verdict = verdictOf(state, { maxEventPositionSharesMicros });
        if (!speaks(verdict, 'max_event_position_shares') || state.place.eventConditionId === null) return;
        const before = bruteWorst(state.holdings, state.orders).event;
        const after = bruteWorst(state.holdings, [...state.orders, working(state.place, FEE)]).event;
        if (verdict.verdict === 'approved')
          expect(after <= BigInt(maxEventPositionSharesMicros) || after === before).toBe(true);
        else expect(after).toBe(BigInt(verdict.found ?? -1));
      }),
      RUNS,
    );
  });

  it('7: loss of everything', () => {
    fc.assert(
      fc.property(randomState, limit, (state, maxTotalCostMicros) => {
        const verdict = verdictOf(state, { maxTotalCostMicros });
        if (!speaks(verdict, 'max_total_cost')) return;
        const before = bruteWorst(state.holdings, state.orders).loss;
        const after = bruteWorst(state.holdings, [...state.orders, working(state.place, FEE)]).loss;
        if (verdict.verdict === 'approved') expect(after <= BigInt(maxTotalCostMicros) || after === before).toBe(true);
        else expect(after).toBe(BigInt(verdict.found ?? -1));
      }),
      RUNS,
    );
  });

  it('19: currency', () => {
    fc.assert(
      fc.property(randomState, limit, (state, cash) => {
        const verdict = verdictOf(state, {}, cash);
        if (!speaks(verdict, 'available_cash') || state.place.side === 'sell') return;
        const needed = bruteWorst(state.holdings, [...state.orders, working(state.place, FEE)]).cash;
        expect(verdict.verdict === 'approved').toBe(needed <= BigInt(cash));
      }),
      RUNS,
    );
  });

  it('17: while only reducing is allowed, no fills can bring a position further from zero or past it', () => {
    fc.assert(
      fc.property(randomState, fc.constantFrom('reduce-only' as const, 'flatten' as const), (state, stance) => {
        const { holdings, orders, place } = state;
        const verdict = judge(place, {
          ...factsOf({ limits: only({}), cashMicros: m(1e15), exposure: exposureOf(holdings, orders), stance }),
          sight: sight({ book: { bids: [], asks: [] } }, place.marketConditionId),
        });
        if (verdict.verdict !== 'approved') return;
        const position = (all: typeof orders) => bruteWorst(holdings, all).position.get(place.marketConditionId);
        expect(position([...orders, working(place, FEE)])).toBe(position(orders));
      }),
      RUNS,
    );
  });
});
