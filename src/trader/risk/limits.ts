/** Parses the risk limits of a trader file, and tightens them by the limits of a strategy file. */

import { z } from 'zod';
import { TwinbookError } from '../../shared/base/errors.js';
import { formatDecimal, type Micros, ONE, parseDecimal } from '../../shared/base/micros.js';
import { AMOUNT, settingKey, toSettings } from '../../shared/base/settings.js';

/** Schema of a positive decimal string, parsed into Micros. A number is rejected, because 0.1 in YAML is a float. */
const amount = (what: string, max: Micros | null = null) =>
  z
    .string({ error: ({ input }) => `must be ${what} as a decimal string such as "50", got ${JSON.stringify(input)}` })
    .transform((text, context): Micros => {
      const value = parseDecimal(text);
      if (value !== null && value > 0 && (max === null || value <= max)) return value;
      const top = max === null ? '' : ` and at most ${formatDecimal(max)}`;
      context.addIssue({
        code: 'custom',
        message: `must be ${what}, above 0${top}, with at most 6 decimals, got ${JSON.stringify(text)}`,
      });
      return z.NEVER;
    })
    .meta(AMOUNT);

const count = (min: number, max: number) => z.number().int().min(min).max(max);

/** Schemas of the limits of one order or one market, which a strategy file may tighten. */
const perMarket = {
  max_order_shares: amount('shares'),
  max_order_notional: amount('currency'),
  price_collar_fair: amount('a price difference', ONE),
  price_collar_book: amount('a price difference', ONE),
  max_position_shares: amount('shares'),
  max_event_position_shares: amount('shares'),
  max_event_loss: amount('currency'),
  max_core_sets: amount('complete sets'),
  max_book_age_ms: count(100, 600_000),
  min_time_since_jump_ms: count(0, 600_000),
  min_time_to_resolution_s: count(0, 31_536_000),
};

const limitsSchema = z.strictObject({
  max_order_shares: perMarket.max_order_shares.prefault('250').describe('1: maximum shares of one order.'),
  max_order_notional: perMarket.max_order_notional
    .prefault('250')
    .describe('2: maximum price x amount of one order, in currency.'),
  price_collar_fair: perMarket.price_collar_fair
    .prefault('0.05')
    .describe('3: maximum distance of a bid above, or an ask below, the fair value; 0.05 is five cents.'),
  price_collar_book: perMarket.price_collar_book
    .prefault('0.02')
    .describe('3: maximum distance of a bid above the best ask, or of an ask below the best bid.'),
  max_open_orders: count(1, 10_000)
    .prefault(40)
    .describe('4: maximum number of orders in all markets that rest, are in flight or have an unknown state.'),
  max_position_shares: perMarket.max_position_shares
    .prefault('500')
    .describe('5: maximum |YES - NO| of one market, in shares.'),
  max_event_position_shares: perMarket.max_event_position_shares
    .prefault('1000')
    .describe('6: maximum sum of |YES - NO| over the markets of one event, in shares.'),
  max_event_loss: perMarket.max_event_loss
    .prefault('1000')
    .describe(
      '6: maximum currency that one event can lose; exclusive outcomes hedge each other if `events` declares them.',
    ),
  max_total_cost: amount('currency')
    .prefault('1000')
    .describe('7: maximum loss if every order filled at its worst price and every market resolved against us.'),
  max_loss_day: amount('currency')
    .prefault('50')
    .describe('8: loss of equity (at current marks) in one UTC day that halts trading, in currency.'),
  max_drawdown: amount('currency')
    .prefault('100')
    .describe('8: fall of equity (at current marks) below its highest value that halts trading, in currency.'),
  widen_at_loss: amount('a fraction of the loss limits', ONE)
    .prefault('1')
    .describe('8: once this part of a loss limit is used, quotes keep widen_distance from the fair value; "1": never.'),
  reduce_at_loss: amount('a fraction of the loss limits', ONE)
    .prefault('1')
    .describe('8: once this part of a loss limit is used, only position-reducing orders are sent; "1": never.'),
  widen_distance: amount('a price difference', ONE)
    .prefault('0.02')
    .describe('8: minimum distance of a quote from the fair value in the mode `widen`; 0.02 is two cents.'),
  max_actions_per_second: count(1, 10_000)
    .prefault(40)
    .describe('9: maximum orders and cancels in a second; further orders are refused, cancels are not.'),
  max_actions_per_minute: count(1, 100_000)
    .prefault(200)
    .describe('9: maximum orders and cancels in a minute; further orders are refused, cancels are not.'),
  max_fills: count(1, 10_000)
    .prefault(100)
    .describe('11: maximum fills within fills_window_s, by the exchange’s clock; one more halts quoting.'),
  fills_window_s: count(1, 3600).prefault(10).describe('11: window in which max_fills counts fills, in seconds.'),
  max_book_age_ms: perMarket.max_book_age_ms
    .prefault(30_000)
    .describe('14: maximum age of the book at which an order is sent, in ms.'),
  min_time_since_jump_ms: perMarket.min_time_since_jump_ms
    .prefault(1_000)
    .describe('14: minimum time from a price jump until the next order in this market, in ms.'),
  min_time_to_resolution_s: perMarket.min_time_to_resolution_s
    .prefault(60)
    .describe('15: minimum time from a new order to the market’s resolution, in seconds.'),
  max_core_sets: perMarket.max_core_sets
    .prefault('100')
    .describe('21: maximum complete sets in one market, including the sets that a split adds.'),
});

/** Schema of `risk:` in a trader's file. Money, shares and prices are decimal strings; all have defaults. */
export const riskLimitsSchema = limitsSchema.transform((file) => Object.freeze(toSettings(limitsSchema, file)));

/** Values of all risk limits, named after their settings. Amounts and prices are Micros. */
export type RiskLimits = z.output<typeof riskLimitsSchema>;

export const LIMIT_NAMES: readonly (keyof RiskLimits)[] =
  // The cast is right, because the schema's output has exactly the keys of `RiskLimits`.
  Object.keys(riskLimitsSchema.parse({})) as (keyof RiskLimits)[];

/** Schema of `risk:` in a strategy file. Limits that the strategy file does not name keep the trader's value. */
export const riskOverrideSchema = z.strictObject(perMarket).partial();

type RiskOverride = Readonly<z.output<typeof riskOverrideSchema>>;

/** Risk limits for which a higher value is tighter. For all other limits a lower value is tighter. */
const HIGHER_IS_TIGHTER: readonly (keyof RiskLimits)[] = [
  'minTimeSinceJumpMs',
  'minTimeToResolutionS',
  'fillsWindowS',
  'widenDistanceMicros',
];

const RULES = Object.entries(perMarket).map(([key, schema]) => {
  // `name` is a setting's name in the file, `limit` its key in the result of `toSettings`.
  const [name, limit] = [key as keyof RiskOverride, settingKey(key, schema) as keyof RiskLimits];
  return { name, limit, isHigherTighter: HIGHER_IS_TIGHTER.includes(limit) };
});

/** Lists the changed risk limits; each entry says whether the new value is looser. */
export function limitChanges(before: RiskLimits, after: RiskLimits) {
  return LIMIT_NAMES.filter((limit) => before[limit] !== after[limit]).map((limit) => ({
    limit,
    isLooser: after[limit] > before[limit] !== HIGHER_IS_TIGHTER.includes(limit),
  }));
}

/** Lists a strategy's settings that are looser than the trader's limits, with one sentence each; empty if none. */
export function findLoosenings(base: RiskLimits, override: RiskOverride) {
  const found: { readonly name: keyof RiskOverride; readonly text: string }[] = [];
  for (const { name, limit, isHigherTighter } of RULES) {
    const wanted = override[name];
    if (wanted === undefined || (isHigherTighter ? wanted >= base[limit] : wanted <= base[limit])) continue;
    // Limits whose name ends with `Micros` have values in Micros, so the cast is right.
    const figure = (value: number) => (limit.endsWith('Micros') ? `"${formatDecimal(value as Micros)}"` : value);
    const bound = isHigherTighter ? 'at least' : 'at most';
    found.push({
      name,
      text: `${name} is ${figure(wanted)}, but a strategy may only tighten the trader's limit: ${bound} ${figure(base[limit])}`,
    });
  }
  return found;
}

/** Returns the trader's limits with a strategy's override. Throws `config_invalid` if an override is looser. */
export function tighten(base: RiskLimits, override: RiskOverride): RiskLimits {
  const [first] = findLoosenings(base, override);
  const hint = 'tighten this limit, or loosen the limit in the trader file';
  if (first !== undefined) throw new TwinbookError('config_invalid', `risk.${first.text}`, hint);
  const changed = RULES.filter(({ name }) => override[name] !== undefined);
  return Object.freeze({ ...base, ...Object.fromEntries(changed.map(({ name, limit }) => [limit, override[name]])) });
}
