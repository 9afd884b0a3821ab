import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLACE_CONTROLS, toWorkingOrder } from '../../../src/trader/risk/controls.js';
import type { RiskFacts } from '../../../src/trader/risk/facts.js';
import type { RiskLimits } from '../../../src/trader/risk/limits.js';
import { judge } from '../../../src/trader/risk/risk.js';
import { PLAIN, type PlainState } from './plain.js';
import { exposureOf, factsOf, limitsOf, MARKETS, m, ONE, randomState, sight } from './states.js';

const cents = fc.integer({ min: 1, max: 99 }).map((count) => m(count * 10_000));
/** Small figures, so that limits and what they limit meet often. */
const few = fc.integer({ min: 0, max: 4 });
const someShares = fc.integer({ min: 1, max: 700 }).map((count) => m(count * ONE));
const count = fc.integer({ min: 1, max: 4 });

const limits: fc.Arbitrary<RiskLimits> = fc
  .record({
    maxOrderSharesMicros: someShares,
    maxOrderNotionalMicros: someShares,
    priceCollarFairMicros: cents,
    priceCollarBookMicros: cents,
    maxOpenOrders: fc.integer({ min: 1, max: 6 }),
    maxPositionSharesMicros: someShares,
    maxEventPositionSharesMicros: someShares,
    maxEventLossMicros: someShares,
    maxTotalCostMicros: someShares,
    maxLossDayMicros: fc.oneof(count.map(m), someShares),
    maxDrawdownMicros: count.map(m),
    maxActionsPerSecond: count,
    maxActionsPerMinute: count,
    maxFills: count,
    maxBookAgeMs: few,
    minTimeSinceJumpMs: few,
    minTimeToResolutionS: few,
  })
  .map(limitsOf);

const side = fc
  .array(cents, { maxLength: 1 })
  .map((prices) => prices.map((priceMicros) => ({ priceMicros, amountMicros: m(ONE) })));
const halted = fc.constantFrom(null, null, null, 'lost 50 today');

const anySight = fc.record({
  phase: fc.constantFrom('open' as const, 'open' as const, 'interrupted' as const, 'resolved' as const),
  bids: side,
  asks: side,
  bookAgeMs: fc.integer({ min: -1, max: 5 }),
  frozen: fc.boolean(),
  sinceJumpMs: fc.option(few),
  timeToResolutionMs: fc.option(fc.integer({ min: -1000, max: 5000 })),
  fees: fc.constantFrom([0, 10_000], [33_333, 0], [0, 0]),
});

const anyFacts = fc.record({
  limits,
  sight: anySight,
  cashMicros: fc.integer({ min: 0, max: 800 * ONE }).map(m),
  loss: fc.record({ dayLossMicros: fc.integer({ min: -2, max: 5 }).map(m), drawdownMicros: few.map(m), halted }),
  caps: fc.record({ yesMicros: cents, noMicros: cents }),
  fills: fc.record({ inWindow: few, halted }),
  pace: fc.record({ lastSecond: few, lastMinute: few }),
  stance: fc.constantFrom<RiskFacts['stance']>('normal', 'normal', 'widen', 'reduce-only', 'flatten', 'halted'),
  requestHeadroom: fc.integer({ min: 0, max: 8 }),
});

/** Any state whose figures are sane: prices in whole cents, so that equal prices and crossed ones come up often. */
const anyState: fc.Arbitrary<PlainState> = fc
  .tuple(
    randomState,
    anyFacts,
    fc.option(cents, { freq: 5 }),
    cents,
    fc.array(cents, { minLength: 5, maxLength: 5 }),
    fc.boolean(),
  )
  .map(([{ holdings, orders, place }, facts, fairYesMicros, priceMicros, prices, isTwin]) => {
    const working = orders.map((order, i) => ({
      ...order,
      priceMicros: prices[i] ?? order.priceMicros,
      intentId: isTwin && i === 0 ? place.intentId : order.intentId,
    }));
    const { phase, bids, asks, bookAgeMs, frozen, sinceJumpMs, timeToResolutionMs, fees } = facts.sight;
    const [makerFeeRateMicros = 0, takerFeeRateMicros = 0] = fees;
    const { marketConditionId: conditionId } = place;
    return {
      place: { ...place, fairYesMicros, priceMicros },
      holdings,
      orders: working,
      facts: factsOf({
        ...facts,
        findCaps: () => facts.caps,
        sight: sight({
          market: {
            conditionId,
            phase,
            makerFeeRateMicros: m(makerFeeRateMicros),
            takerFeeRateMicros: m(takerFeeRateMicros),
            feeSchedule: 'notional',
          },
          book: { bids, asks },
          health: { bookAgeMs, frozen, sinceJumpMs },
          timeToResolutionMs,
        }),
        exposure: exposureOf(holdings, working),
      }),
    };
  });

describe('over random states', () => {
  it.each(PLACE_CONTROLS.map(({ number, name, check }) => ({ number, name, check })))(
    'control $number, $name, refuses exactly when the plain model says so',
    ({ name, check }) => {
      const seen = { refused: 0, passed: 0 };
      fc.assert(
        fc.property(anyState, (state) => {
          const order = () => toWorkingOrder(state.place, state.facts);
          const refused = check(state.place, state.facts, order) !== null;
          expect(refused).toBe(PLAIN[name]?.(state));
          seen[refused ? 'refused' : 'passed'] += 1;
        }),
        { numRuns: 250 },
      );
      // A property that only ever saw one side has shown nothing.
      if (name !== 'sane_input') expect(Math.min(seen.refused, seen.passed)).toBeGreaterThan(0);
    },
  );

  it('an order passes exactly when no control of the plain model refuses it, and the first that does is named', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        const verdict = judge(state.place, state.facts);
        const first = PLACE_CONTROLS.find(({ name }) => PLAIN[name]?.(state));
        expect(verdict.verdict === 'refused' ? verdict.name : null).toBe(first?.name ?? null);
      }),
      { numRuns: 1000 },
    );
  });

  it('every control has its plain twin', () => {
    expect(Object.keys(PLAIN).sort()).toEqual(PLACE_CONTROLS.map(({ name }) => name).sort());
    expect(MARKETS.length).toBe(3);
  });
});
