import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLACE_CONTROLS, type RiskFacts } from '../../../src/trader/risk/controls.js';
import type { CancelIntent, PlaceIntent } from '../../../src/trader/risk/intent.js';
import { isApproved, judge } from '../../../src/trader/risk/risk.js';
import { exposureOf, factsOf, holdingOf, limitsOf, m, ONE, orderOf, placeOf, sight } from './states.js';

const shares = (count: number) => m(count * ONE);
const held = holdingOf({ yesMicros: shares(100), noMicros: shares(40), costMicros: shares(50) });

interface Case {
  readonly what: string;
  readonly place?: Partial<PlaceIntent>;
  readonly facts?: Partial<RiskFacts>;
  readonly refused: readonly [control: number, name: string, limit: number, found: number | null] | null;
}

const CASES: readonly Case[] = [
  { what: 'a sane order', refused: null },
  {
    what: '1: more shares than one order may have',
    place: { amountMicros: shares(251) },
    refused: [1, 'max_order_shares', 250 * ONE, 251 * ONE],
  },
  {
    what: '2: a larger notional than one order may have',
    facts: { limits: limitsOf({ maxOrderNotionalMicros: shares(4) }) },
    refused: [2, 'max_order_notional', 4 * ONE, 4_100_000],
  },
  {
    what: '2: a notional that only its rounding up brings over the limit',
    place: { priceMicros: m(410_001), amountMicros: m(10 * ONE + 1) },
    facts: { limits: limitsOf({ maxOrderNotionalMicros: m(4_100_010) }) },
    refused: [2, 'max_order_notional', 4_100_010, 4_100_011],
  },
  {
    what: '3: a bid above our own fair value',
    place: { fairYesMicros: m(359_999) },
    refused: [3, 'price_collar_fair', 409_999, 410_000],
  },
  { what: '3: a bid within the collar', place: { fairYesMicros: m(360_000) }, refused: null },
  {
    what: '3: buying NO, an ask in YES space, below our own fair value',
    place: { isYes: false, priceMicros: m(560_000), fairYesMicros: m(490_001) },
    refused: [3, 'price_collar_fair', 440_001, 440_000],
  },
  {
    what: '3: a bid far through the book',
    place: { priceMicros: m(460_001), fairYesMicros: m(500_000) },
    refused: [3, 'price_collar_book', 460_000, 460_001],
  },
  {
    what: '3: an ask far through the book',
    place: { isYes: false, priceMicros: m(620_001), fairYesMicros: m(380_000) },
    refused: [3, 'price_collar_book', 380_000, 379_999],
  },
  {
    what: '3: a bid anywhere when nobody offers',
    place: { priceMicros: m(700_000), fairYesMicros: m(700_000) },
    facts: { sight: sight({ book: { bids: [], asks: [] } }) },
    refused: null,
  },
  {
    what: '3: a sale without a fair value and without a book',
    place: { side: 'sell', fairYesMicros: null },
    facts: { sight: sight({ book: { bids: [], asks: [] } }), exposure: exposureOf([held], []) },
    refused: [3, 'price_collar_book', 0, 1],
  },
  {
    what: '4: one order too many',
    facts: { limits: limitsOf({ maxOpenOrders: 1 }), exposure: exposureOf([], [orderOf({ marketConditionId: 'b' })]) },
    refused: [4, 'max_open_orders', 1, 2],
  },
  {
    what: '5: a position that unknown orders may bring about',
    facts: {
      limits: limitsOf({ maxPositionSharesMicros: shares(100) }),
      exposure: exposureOf([held], [orderOf({ remainingMicros: shares(31), phase: 'unknown' })]),
    },
    refused: [5, 'max_position_shares', 100 * ONE, 101 * ONE],
  },
  {
    what: '5: selling down a position that is over its limit',
    place: { side: 'sell', priceMicros: m(430_000) },
    facts: { limits: limitsOf({ maxPositionSharesMicros: shares(20) }), exposure: exposureOf([held], []) },
    refused: null,
  },
  {
    what: '6: a position of the whole event',
    facts: {
      limits: limitsOf({ maxEventPositionSharesMicros: shares(65) }),
      exposure: exposureOf([{ ...held, marketConditionId: 'b' }], []),
    },
    refused: [6, 'max_event_position_shares', 65 * ONE, 70 * ONE],
  },
  {
    what: '6: selling down in an event that is over its limit',
    place: { side: 'sell', priceMicros: m(430_000) },
    facts: { limits: limitsOf({ maxEventPositionSharesMicros: shares(20) }), exposure: exposureOf([held], []) },
    refused: null,
  },
  {
    what: '6: a loss that its event may bring',
    facts: { limits: limitsOf({ maxEventLossMicros: shares(4) }) },
    refused: [6, 'max_event_loss', 4 * ONE, 4_141_000],
  },
  {
    what: '7: a loss that everything together may bring',
    facts: { limits: limitsOf({ maxTotalCostMicros: shares(4) }) },
    refused: [7, 'max_total_cost', 4 * ONE, 4_141_000],
  },
  {
    what: '7: selling down what is over the limit of everything',
    place: { side: 'sell', priceMicros: m(430_000) },
    facts: { limits: limitsOf({ maxTotalCostMicros: shares(4) }), exposure: exposureOf([held], []) },
    refused: null,
  },
  {
    what: '8: a halted trader',
    facts: { loss: { dayLossMicros: m(0), drawdownMicros: m(0), halted: 'lost 50 today' } },
    refused: [8, 'halted', 0, 1],
  },
  { what: '8: a kill', facts: { stance: 'halted', stanceReason: 'killed' }, refused: [8, 'halted', 0, 1] },
  {
    what: "8: a day's loss at its limit",
    facts: { loss: { dayLossMicros: shares(50), drawdownMicros: m(0), halted: null } },
    refused: [8, 'max_loss_day', 50 * ONE - 1, 50 * ONE],
  },
  {
    what: '8: a drawdown at its limit',
    facts: { loss: { dayLossMicros: m(0), drawdownMicros: shares(100), halted: null } },
    refused: [8, 'max_drawdown', 100 * ONE - 1, 100 * ONE],
  },
  {
    what: '22: more than is left of the day limit, if it fills and the price is back at its average',
    facts: {
      loss: { dayLossMicros: shares(48), drawdownMicros: m(0), halted: null },
      findCaps: () => ({ yesMicros: m(200_000), noMicros: m(500_000) }),
    },
    refused: [22, 'loss_to_average', 50 * ONE - 1, 48 * ONE + 2_141_000],
  },
  {
    what: '9: as many orders and cancels within a second as are allowed',
    facts: { pace: { lastSecond: 40, lastMinute: 40 } },
    refused: [9, 'max_actions_per_second', 39, 40],
  },
  {
    what: '9: as many within a minute as are allowed',
    facts: { pace: { lastSecond: 0, lastMinute: 200 } },
    refused: [9, 'max_actions_per_minute', 199, 200],
  },
  {
    what: '11: more fills in a short time than are allowed',
    facts: { fills: { inWindow: 101, halted: null } },
    refused: [11, 'max_fills', 100, 101],
  },
  { what: '11: as many as are allowed', facts: { fills: { inWindow: 100, halted: null } }, refused: null },
  {
    what: '11: a burst that nobody has looked at yet',
    facts: { fills: { inWindow: 0, halted: '41 fills within 10 s' } },
    refused: [11, 'max_fills', 0, 1],
  },
  {
    what: '10: too few requests left to cancel it again',
    facts: { requestHeadroom: 3 },
    refused: [10, 'request_reserve', 4, 3],
  },
  {
    what: '12: an order in flight with the same outcome, side and price',
    facts: { exposure: exposureOf([], [orderOf({ priceMicros: m(410_000), phase: 'in_flight' })]) },
    refused: [12, 'duplicate_intent', 0, 1],
  },
  {
    what: '12: a resting order at the same price',
    facts: { exposure: exposureOf([], [orderOf({ priceMicros: m(410_000) })]) },
    refused: null,
  },
  {
    what: '12: an order in flight at the same price for the other outcome',
    facts: { exposure: exposureOf([], [orderOf({ isYes: false, priceMicros: m(410_000), phase: 'in_flight' })]) },
    refused: null,
  },
  {
    what: '12: an intent that is under way',
    facts: { exposure: exposureOf([], [orderOf({ intentId: 'new' })]) },
    refused: [12, 'duplicate_intent', 0, 1],
  },
  {
    what: '13: buying YES against our own purchase of NO, p + q = 1',
    facts: { exposure: exposureOf([], [orderOf({ isYes: false, priceMicros: m(590_000) })]) },
    refused: [13, 'self_cross', 409_999, 410_000],
  },
  {
    what: '13: ... but not with p + q < 1',
    facts: { exposure: exposureOf([], [orderOf({ isYes: false, priceMicros: m(589_999) })]) },
    refused: null,
  },
  {
    what: '13: buying YES against our own sale in flight at the same price',
    facts: { exposure: exposureOf([held], [orderOf({ side: 'sell', priceMicros: m(410_000), phase: 'in_flight' })]) },
    refused: [13, 'self_cross', 409_999, 410_000],
  },
  {
    what: '13: an ask at the price of our own bid',
    place: { isYes: false, priceMicros: m(560_000) },
    facts: { exposure: exposureOf([], [orderOf({ priceMicros: m(440_000) })]) },
    refused: [13, 'self_cross', 440_001, 440_000],
  },
  { what: '14: no view', facts: { sight: null }, refused: [14, 'sane_input', 0, 1] },
  { what: '14: the view of another market', facts: { sight: sight({}, 'b') }, refused: [14, 'sane_input', 0, 1] },
  { what: '14: a price of one', place: { priceMicros: m(ONE) }, refused: [14, 'sane_input', ONE - 1, ONE] },
  {
    what: '14: an old book',
    facts: { sight: sight({ health: { bookAgeMs: 30_001, frozen: false, sinceJumpMs: null } }) },
    refused: [14, 'max_book_age_ms', 30_000, 30_001],
  },
  {
    what: '14: a book from the future',
    facts: { sight: sight({ health: { bookAgeMs: -1, frozen: false, sinceJumpMs: null } }) },
    refused: [14, 'max_book_age_ms', 0, -1],
  },
  {
    what: '14: a locked book',
    facts: {
      sight: sight({
        book: {
          bids: [{ priceMicros: m(440_000), amountMicros: m(1) }],
          asks: [{ priceMicros: m(440_000), amountMicros: m(1) }],
        },
      }),
    },
    refused: [14, 'book_crossed', 439_999, 440_000],
  },
  {
    what: '14: a frozen book',
    facts: { sight: sight({ health: { bookAgeMs: 1, frozen: true, sinceJumpMs: null } }) },
    refused: [14, 'book_frozen', 0, 1],
  },
  {
    what: '14: a jump that nothing confirmed yet',
    facts: { sight: sight({ health: { bookAgeMs: 1, frozen: false, sinceJumpMs: 999 } }) },
    refused: [14, 'min_time_since_jump_ms', 1000, 999],
  },
  {
    what: '15: a market that is not open',
    facts: { sight: sight({ market: { ...sight().market, phase: 'interrupted' } }) },
    refused: [15, 'market_open', 0, 1],
  },
  {
    what: '15: a market about to resolve',
    facts: { sight: sight({ timeToResolutionMs: 59_000 }) },
    refused: [15, 'min_time_to_resolution_s', 60, 59],
  },
  { what: '15: a market without a date', facts: { sight: sight({ timeToResolutionMs: null }) }, refused: null },
  {
    what: '17: an order that adds while only reducing is allowed',
    facts: { stance: 'reduce-only', stanceReason: 'difference', exposure: exposureOf([held], []) },
    refused: [17, 'reduce_only', 0, 10 * ONE],
  },
  {
    what: '17: an order that would turn the position over',
    place: { side: 'sell', priceMicros: m(430_000), amountMicros: shares(61) },
    facts: { stance: 'reduce-only', stanceReason: 'difference', exposure: exposureOf([held], []) },
    refused: [17, 'reduce_only', 60 * ONE, 61 * ONE],
  },
  {
    what: '17: one that brings it to zero',
    place: { side: 'sell', priceMicros: m(430_000), amountMicros: shares(60) },
    facts: { stance: 'reduce-only', stanceReason: 'difference', exposure: exposureOf([held], []) },
    refused: null,
  },
  {
    what: '17: flattening without a fair value, after a loss that halted us',
    place: { side: 'sell', priceMicros: m(390_000), amountMicros: shares(60), fairYesMicros: null },
    facts: {
      stance: 'flatten',
      stanceReason: 'operator',
      loss: { dayLossMicros: shares(60), drawdownMicros: shares(160), halted: 'lost 60 today' },
      fills: { inWindow: 99, halted: '99 fills within 10 s' },
      exposure: exposureOf([held], []),
    },
    refused: null,
  },
  {
    what: '17: an order that adds without a fair value',
    place: { fairYesMicros: null },
    refused: [17, 'reduce_only', 0, 10 * ONE],
  },
  {
    what: '19: more than our currency',
    facts: { cashMicros: m(8_140_000), exposure: exposureOf([], [orderOf({ phase: 'unknown' })]) },
    refused: [19, 'available_cash', 8_140_000, 8_181_000],
  },
  {
    what: '19: a sale, however much the working buys need',
    place: { side: 'sell', priceMicros: m(430_000) },
    facts: { cashMicros: m(1), exposure: exposureOf([held], [orderOf()]) },
    refused: null,
  },
  {
    what: '20: more shares than are free',
    place: { side: 'sell', priceMicros: m(430_000), amountMicros: shares(20) },
    facts: {
      exposure: exposureOf([held], [orderOf({ side: 'sell', priceMicros: m(440_000), remainingMicros: shares(90) })]),
    },
    refused: [20, 'available_shares', 10 * ONE, 20 * ONE],
  },
];

describe('the table of controls', () => {
  it.each(CASES)('judges $what', ({ place, facts, refused }) => {
    const verdict = judge(placeOf(place), factsOf(facts));
    const found = verdict.verdict === 'approved' ? null : [verdict.control, verdict.name, verdict.limit, verdict.found];
    expect(found).toEqual(refused);
  });

  it('has a case that every control refuses', () => {
    const names = new Set(CASES.flatMap(({ refused }) => (refused === null ? [] : [refused[1]])));
    expect(PLACE_CONTROLS.filter(({ name }) => !names.has(name))).toEqual([]);
  });

  it('says both numbers in a sentence', () => {
    const verdict = judge(placeOf({ amountMicros: shares(300) }), factsOf());
    expect(verdict.verdict === 'refused' && verdict.text).toBe('the amount is 300 shares, the maximum is 250 shares');
  });
});

describe('an input that is missing or not finite', () => {
  const crowded = () =>
    factsOf({
      sight: sight({ health: { bookAgeMs: 1, frozen: false, sinceJumpMs: 5000 } }),
      exposure: exposureOf([held], [orderOf()]),
    });

  /** Returns every path to a number in this object. */
  const paths = (value: unknown, path: readonly string[] = []): string[][] =>
    typeof value === 'number'
      ? [[...path]]
      : typeof value === 'object' && value !== null && Object.getPrototypeOf(value) !== null
        ? Object.entries(value).flatMap(([key, inner]) => paths(inner, [...path, key]))
        : [];

  const replaced = (value: unknown, path: readonly string[], by: unknown): unknown => {
    const [key, ...rest] = path;
    if (key === undefined) return by;
    if (Array.isArray(value)) return value.map((inner, i) => (String(i) === key ? replaced(inner, rest, by) : inner));
    const entries = Object.entries(value as object);
    return Object.fromEntries(entries.map(([name, inner]) => [name, name === key ? replaced(inner, rest, by) : inner]));
  };

  /** Only the best prices of a book's levels are compared. */
  const compared = (path: readonly string[]) => path.at(-1) !== 'amountMicros' || path[0] === 'place';
  const { exposure, ...plain } = crowded();
  const all = paths({ place: placeOf(), facts: plain }).filter(compared);
  const bad = [undefined, null, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '1'];
  /** Fields in which null has a meaning: no date, no jump, no fair value. */
  const nullMeansNone = ['timeToResolutionMs', 'sinceJumpMs'];

  it.each(all.map((path) => ({ name: path.join('.'), path })))('refuses: $name', ({ path }) => {
    expect(judge(placeOf(), crowded()).verdict).toBe('approved');
    for (const by of bad) {
      if (by === null && nullMeansNone.includes(path.at(-1) ?? '')) continue;
      // An infinite limit, age, wait or headroom has no meaning, so all are rejected.
      const state = replaced({ place: placeOf(), facts: plain }, path, by) as { place: PlaceIntent; facts: RiskFacts };
      expect([by, judge(state.place, { ...state.facts, exposure }).verdict]).toEqual([by, 'refused']);
    }
  });
});

describe('self-crossing in mirrored space', () => {
  const price = fc.integer({ min: 1, max: ONE - 1 }).map(m);
  const leg = fc.record({
    isYes: fc.boolean(),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    priceMicros: price,
  });

  it('never leaves two of our orders that would trade with each other', () => {
    fc.assert(
      fc.property(leg, leg, fc.constantFrom('resting' as const, 'unknown' as const), (old, fresh, phase) => {
        const exposure = exposureOf([held], [orderOf({ ...old, phase, remainingMicros: m(1) })]);
        const verdict = judge(placeOf({ ...fresh, amountMicros: m(1), fairYesMicros: m(500_000) }), {
          ...factsOf({ exposure, sight: sight({ book: { bids: [], asks: [] } }) }),
          limits: limitsOf({ priceCollarFairMicros: m(ONE) }),
        });
        // The cost is computed order by order, as the exchange would match the orders.
        const [p, q] = [old.priceMicros, fresh.priceMicros];
        const sameOutcome = old.isYes === fresh.isYes;
        const meets = sameOutcome
          ? old.side !== fresh.side && (old.side === 'buy' ? p >= q : q >= p)
          : old.side === fresh.side && (old.side === 'buy' ? p + q >= ONE : p + q <= ONE);
        if (verdict.verdict === 'approved') expect(meets).toBe(false);
        else if (verdict.name === 'self_cross') expect(meets).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('an approval', () => {
  it('is never refused to a cancel, whatever the state', () => {
    const cancel: CancelIntent = { kind: 'cancel', intentId: 'c', orderPubkey: 'order', marketConditionId: 'a' };
    const worst = factsOf({
      sight: null,
      stance: 'halted',
      cashMicros: m(Number.NaN),
      requestHeadroom: 0,
      loss: { dayLossMicros: m(Number.NaN), drawdownMicros: m(Number.NaN), halted: 'lost' },
    });
    expect(judge(cancel, worst)).toMatchObject({ verdict: 'approved', intent: cancel });
  });

  it.each([
    ['a merge of shares we hold', { kind: 'merge', amountMicros: shares(40) }, 'approved'],
    ['a merge of more', { kind: 'merge', amountMicros: m(40 * ONE + 1) }, 'refused'],
    ['a merge of nothing', { kind: 'merge', amountMicros: m(0) }, 'refused'],
    ['a merge of NaN', { kind: 'merge', amountMicros: m(Number.NaN) }, 'refused'],
    ['a redeem of shares we hold', { kind: 'redeem', yesMicros: shares(100), noMicros: m(0) }, 'approved'],
    ['a redeem of more', { kind: 'redeem', yesMicros: shares(101), noMicros: m(0) }, 'refused'],
    ['a redeem of less than nothing', { kind: 'redeem', yesMicros: shares(1), noMicros: m(-1) }, 'refused'],
    ['a redeem of nothing', { kind: 'redeem', yesMicros: m(0), noMicros: m(0) }, 'refused'],
  ] as const)('of conversions looks at what we hold: %s', (_, conversion, verdict) => {
    const facts = factsOf({ stance: 'halted', exposure: exposureOf([held], []) });
    expect(judge({ ...conversion, intentId: 'x', marketConditionId: 'a' }, facts).verdict).toBe(verdict);
  });

  it('cannot be made or changed by anyone else', () => {
    const verdict = judge(placeOf(), factsOf());
    expect(isApproved(verdict)).toBe(true);
    expect(isApproved({ ...verdict, intent: placeOf({ amountMicros: shares(9999) }) })).toBe(false);
    expect(isApproved({ verdict: 'approved', intent: placeOf() })).toBe(false);
    expect(Object.isFrozen(verdict)).toBe(true);
  });
});
