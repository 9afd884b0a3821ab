import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLACE_CONTROLS, type RiskFacts } from '../../../src/trader/risk/controls.js';
import type { Intent, PlaceIntent } from '../../../src/trader/risk/intent.js';
import type { RiskLimits } from '../../../src/trader/risk/limits.js';
import { isApproved, judge } from '../../../src/trader/risk/risk.js';
import { exposureOf, factsOf, holdingOf, limitsOf, m, ONE, orderOf, placeOf, sight } from './states.js';

const shares = (count: number) => m(count * ONE);
const held = holdingOf({ yesMicros: shares(100), noMicros: shares(40), costMicros: shares(50) });

type Refusal = readonly [control: number, name: string, limit: number, found: number | null];
type Case = readonly [what: string, place: Partial<PlaceIntent>, facts: Partial<RiskFacts>, refused: Refusal | null];

/** Facts with this order beside the new one. */
const beside = (order: Parameters<typeof orderOf>[0]) => ({ exposure: exposureOf([], [orderOf(order)]) });
const HOLDING = { exposure: exposureOf([held]) };
const REDUCING = { stance: 'reduce-only', stanceReason: 'difference', ...HOLDING } as const;
const LEVEL = { priceMicros: m(440_000), amountMicros: m(1) };
const SELL = { side: 'sell', priceMicros: m(430_000) } as const;
const selling = (count: number) => ({ ...SELL, amountMicros: shares(count) });
const IN_FLIGHT = { priceMicros: m(410_000), phase: 'in_flight' } as const;
const INTERRUPTED = { ...sight().market, phase: 'interrupted' } as const;
const bidOf = (price: number, fair: number) => ({ priceMicros: m(price), fairYesMicros: m(fair) });
const askOf = (price: number, fair: number) => ({ isYes: false, ...bidOf(price, fair) });
const buysNo = (price: number) => beside({ isYes: false, priceMicros: m(price) });
const seen = (changes: Partial<NonNullable<RiskFacts['sight']>>) => ({ sight: sight(changes) });
const UNVALUED = { side: 'sell', fairYesMicros: null } as const;
const NO_BOOK = seen({ book: { bids: [], asks: [] } });
const limited = (limits: Partial<RiskLimits>) => ({ limits: limitsOf(limits) });
const upToFour = (limit: keyof RiskLimits) => limited({ [limit]: shares(4) });
/** A holding above this limit. */
const above = (limit: keyof RiskLimits) => ({ ...limited({ [limit]: shares(20) }), ...HOLDING });
const paceOf = (lastSecond: number, lastMinute: number) => ({ pace: { lastSecond, lastMinute } });
const lossOf = (loss: Partial<RiskFacts['loss']>) => ({ loss: { ...factsOf().loss, ...loss } });
const healthOf = (health: Partial<NonNullable<RiskFacts['sight']>['health']>) =>
  seen({ health: { ...sight().health, ...health } });

const CASES: readonly Case[] = [
  ['a sane order', {}, {}, null],
  ['1: too many shares in one order', { amountMicros: shares(251) }, {}, [1, 'max_order_shares', 250 * ONE, 251 * ONE]],
  ['2: too large a notional', {}, upToFour('maxOrderNotionalMicros'), [2, 'max_order_notional', 4 * ONE, 4_100_000]],
  [
    '2: a notional that only its rounding up brings over the limit',
    { priceMicros: m(410_001), amountMicros: m(10 * ONE + 1) },
    limited({ maxOrderNotionalMicros: m(4_100_010) }),
    [2, 'max_order_notional', 4_100_010, 4_100_011],
  ],
  ['3: a bid above our own fair value', { fairYesMicros: m(359_999) }, {}, [3, 'price_collar_fair', 409_999, 410_000]],
  ['3: a bid within the collar', { fairYesMicros: m(360_000) }, {}, null],
  ['3: buying NO, an ask, below fair value', askOf(560_000, 490_001), {}, [3, 'price_collar_fair', 440_001, 440_000]],
  ['3: a bid through the book', bidOf(460_001, 500_000), {}, [3, 'price_collar_book', 460_000, 460_001]],
  ['3: an ask far through the book', askOf(620_001, 380_000), {}, [3, 'price_collar_book', 380_000, 379_999]],
  ['3: a bid at any price without asks', bidOf(700_000, 700_000), NO_BOOK, null],
  ['3: a sale without fair value or book', UNVALUED, { ...NO_BOOK, ...HOLDING }, [3, 'price_collar_book', 0, 1]],
  [
    '4: one order too many',
    {},
    { ...limited({ maxOpenOrders: 1 }), ...beside({ marketConditionId: 'b' }) },
    [4, 'max_open_orders', 1, 2],
  ],
  [
    '5: a position that unknown orders may bring about',
    {},
    {
      ...limited({ maxPositionSharesMicros: shares(100) }),
      exposure: exposureOf([held], [orderOf({ remainingMicros: shares(31), phase: 'unknown' })]),
    },
    [5, 'max_position_shares', 100 * ONE, 101 * ONE],
  ],
  ['5: selling down a position over its limit', SELL, above('maxPositionSharesMicros'), null],
  [
    '6: a position of the whole event',
    {},
    {
      ...limited({ maxEventPositionSharesMicros: shares(65) }),
      exposure: exposureOf([{ ...held, marketConditionId: 'b' }]),
    },
    [6, 'max_event_position_shares', 65 * ONE, 70 * ONE],
  ],
  ['6: selling down in an event over its limit', SELL, above('maxEventPositionSharesMicros'), null],
  ['6: a loss that its event may bring', {}, upToFour('maxEventLossMicros'), [6, 'max_event_loss', 4 * ONE, 4_141_000]],
  ['7: a loss of everything', {}, upToFour('maxTotalCostMicros'), [7, 'max_total_cost', 4 * ONE, 4_141_000]],
  ['7: a sale while the total exceeds its limit', SELL, above('maxTotalCostMicros'), null],
  ['8: a halted trader', {}, lossOf({ halted: 'lost 50 today' }), [8, 'halted', 0, 1]],
  ['8: a kill', {}, { stance: 'halted', stanceReason: 'killed' }, [8, 'halted', 0, 1]],
  ["8: a day's loss at its limit", {}, lossOf({ dayLossMicros: m(5e7) }), [8, 'max_loss_day', 5e7 - 1, 5e7]],
  ['8: a drawdown at its limit', {}, lossOf({ drawdownMicros: m(1e8) }), [8, 'max_drawdown', 1e8 - 1, 1e8]],
  [
    '22: more than is left of the day limit, if it fills and the price is back at its average',
    {},
    { ...lossOf({ dayLossMicros: shares(48) }), findCaps: () => ({ yesMicros: m(200_000), noMicros: m(500_000) }) },
    [22, 'loss_to_average', 50 * ONE - 1, 48 * ONE + 2_141_000],
  ],
  ['9: the most allowed within a second', {}, paceOf(40, 40), [9, 'max_actions_per_second', 39, 40]],
  ['9: the most allowed within a minute', {}, paceOf(0, 200), [9, 'max_actions_per_minute', 199, 200]],
  ['11: a burst of fills that halted us', {}, { fills: { halted: '41 fills within 10 s' } }, [11, 'max_fills', 0, 1]],
  ['10: too few requests left to cancel it again', {}, { requestHeadroom: 3 }, [10, 'request_reserve', 4, 3]],
  ['12: the same order in flight', {}, beside(IN_FLIGHT), [12, 'duplicate_intent', 0, 1]],
  ['12: a resting order at the same price', {}, beside({ priceMicros: m(410_000) }), null],
  ['12: the same price in flight for the other outcome', {}, beside({ isYes: false, ...IN_FLIGHT }), null],
  ['12: an intent that is under way', {}, beside({ intentId: 'new' }), [12, 'duplicate_intent', 0, 1]],
  ['13: a bid against our purchase of NO, p + q = 1', {}, buysNo(590_000), [13, 'self_cross', 409_999, 410_000]],
  ['13: ... but not with p + q < 1', {}, buysNo(589_999), null],
  [
    '13: buying YES against our own sale in flight at the same price',
    {},
    { exposure: exposureOf([held], [orderOf({ side: 'sell', priceMicros: m(410_000), phase: 'in_flight' })]) },
    [13, 'self_cross', 409_999, 410_000],
  ],
  [
    '13: an ask at the price of our own bid',
    { isYes: false, priceMicros: m(560_000) },
    beside({ priceMicros: m(440_000) }),
    [13, 'self_cross', 440_001, 440_000],
  ],
  ['14: no view', {}, { sight: null }, [14, 'sane_input', 0, 1]],
  ['14: the view of another market', {}, { sight: sight({}, 'b') }, [14, 'sane_input', 0, 1]],
  ['14: a price of one', { priceMicros: m(ONE) }, {}, [14, 'sane_input', ONE - 1, ONE]],
  ['14: an old book', {}, healthOf({ bookAgeMs: 30_001 }), [14, 'max_book_age_ms', 30_000, 30_001]],
  ['14: a book from the future', {}, healthOf({ bookAgeMs: -1 }), [14, 'max_book_age_ms', 0, -1]],
  ['14: a locked book', {}, seen({ book: { bids: [LEVEL], asks: [LEVEL] } }), [14, 'book_crossed', 439_999, 440_000]],
  ['14: a frozen book', {}, healthOf({ frozen: true }), [14, 'book_frozen', 0, 1]],
  ['14: a jump without confirmation', {}, healthOf({ sinceJumpMs: 999 }), [14, 'min_time_since_jump_ms', 1000, 999]],
  ['15: a market that is not open', {}, seen({ market: INTERRUPTED }), [15, 'market_open', 0, 1]],
  ['15: a market about to resolve', {}, seen({ timeToResolutionMs: 59_000 }), [15, 'min_time_to_resolution_s', 60, 59]],
  ['15: a market without a date', {}, seen({ timeToResolutionMs: null }), null],
  ['17: an order that adds while only reducing is allowed', {}, REDUCING, [17, 'reduce_only', 0, 10 * ONE]],
  ['17: an order that turns the position over', selling(61), REDUCING, [17, 'reduce_only', 60 * ONE, 61 * ONE]],
  ['17: one that brings it to zero', selling(60), REDUCING, null],
  [
    '17: flattening without a fair value, after a loss that halted us',
    { side: 'sell', priceMicros: m(390_000), amountMicros: shares(60), fairYesMicros: null },
    {
      stance: 'flatten',
      stanceReason: 'operator',
      ...lossOf({ dayLossMicros: shares(60), drawdownMicros: shares(160), halted: 'lost 60 today' }),
      fills: { halted: '99 fills within 10 s' },
      ...HOLDING,
    },
    null,
  ],
  ['17: an order that adds without a fair value', { fairYesMicros: null }, {}, [17, 'reduce_only', 0, 10 * ONE]],
  [
    '19: more than our currency',
    {},
    { cashMicros: m(8_140_000), ...beside({ phase: 'unknown' }) },
    [19, 'available_cash', 8_140_000, 8_181_000],
  ],
  ['19: a sale, whatever the buys need', SELL, { cashMicros: m(1), exposure: exposureOf([held], [orderOf()]) }, null],
  [
    '20: more shares than are free',
    selling(20),
    { exposure: exposureOf([held], [orderOf({ side: 'sell', priceMicros: m(440_000), remainingMicros: shares(90) })]) },
    [20, 'available_shares', 10 * ONE, 20 * ONE],
  ],
];

describe('the table of controls', () => {
  it.each(CASES)('judges %s', (_, place, facts, refused) => {
    const verdict = judge(placeOf(place), factsOf(facts));
    const found = verdict.verdict === 'approved' ? null : [verdict.control, verdict.name, verdict.limit, verdict.found];
    expect(found).toEqual(refused);
  });

  it('has a case that every control refuses', () => {
    const names = new Set(CASES.flatMap(([, , , refused]) => (refused === null ? [] : [refused[1]])));
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

const price = fc.integer({ min: 1, max: ONE - 1 }).map(m);
const leg = fc.record({
  isYes: fc.boolean(),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  priceMicros: price,
});

it('two of our orders that would trade with each other are never left, in mirrored space', () =>
  fc.assert(
    fc.property(leg, leg, fc.constantFrom('resting' as const, 'unknown' as const), (old, fresh, phase) => {
      const exposure = exposureOf([held], [orderOf({ ...old, phase, remainingMicros: m(1) })]);
      const verdict = judge(placeOf({ ...fresh, amountMicros: m(1), fairYesMicros: m(500_000) }), {
        ...factsOf({ exposure, ...NO_BOOK }),
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
  ));

describe('an approval', () => {
  it('is never refused to a cancel, whatever the state', () => {
    const cancel: Extract<Intent, { kind: 'cancel' }> = {
      kind: 'cancel',
      intentId: 'c',
      orderPubkey: 'order',
      marketConditionId: 'a',
    };
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
    const facts = factsOf({ stance: 'halted', exposure: exposureOf([held]) });
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
