/** Declares every call of the service, for the paper exchange and the client. No other module has service paths. */

import { z } from 'zod';
import { type Micros, parseDecimal } from '../base/micros.js';
import * as record from './records.js';
import * as states from './states.js';
import { decimalText, money, text, ungiven } from './wire.js';

/** Scope of a call: who may make the call, and which request budget it uses. */
export type Scope = 'public' | 'signed' | 'bootstrap';
type Path = `/${string}/`;

/** Declaration of a call, without the exact types of query, body and answer. */
interface Declaration {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: Path;
  readonly scope: Scope;
  /** HTTP status of a successful call. A 201 answer has a `Location` header with the path `location`. */
  readonly status: 200 | 201;
  readonly location?: Path;
  /** Default page size of a list. The `data` of a list is an array; its `meta` has `limit` and `next_cursor`. */
  readonly page?: number;
  /** Schema of the rows, for lists whose unreadable rows the client omits. Absent if every row must be readable. */
  readonly looseRow?: z.ZodType;
  /** Set if the list has no pages, and its `meta` is the requested outcome `{is_yes}`. */
  readonly outcomeMeta?: true;
  readonly query: z.ZodObject;
  readonly body: z.ZodObject | null;
  readonly data: z.ZodType;
}

const makeEnum = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, { error: `Must be one of: ${words.join(', ')}.` });

const none = z.object({});
const id = text(128);
const cursor = text(256).optional();

/** Schema of a query parameter that is sent as `true` or `false`. */
const queryBoolean = z
  .enum(['true', 'false'], { error: 'Must be true or false.' })
  .transform((value) => value === 'true')
  .meta({ type: 'boolean', enum: undefined });

/** Schema of an integer query parameter. A value outside the bounds is rejected, not clamped. */
const queryInteger = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, 'A valid integer is required.')
    .transform(Number)
    .pipe(
      z
        .number()
        .min(min, `Ensure this value is greater than or equal to ${min}.`)
        .max(max, `Ensure this value is less than or equal to ${max}.`),
    )
    .meta({ type: 'integer', pattern: undefined, minimum: min, maximum: max });

/** Schema of one of the listed words, in upper or lower case. The parsed word is lower case. */
const anyCase = <const T extends readonly [string, ...string[]]>(words: T) =>
  z
    .string()
    .transform((value) => value.toLowerCase())
    .pipe(z.enum(words, { error: `Must be one of: ${words.join(', ')}.` }))
    .meta({ enum: words });

/** Schema of a comma-separated list of at least one of the given words, in upper or lower case. */
const commaList = <const T extends readonly [string, ...string[]]>(words: T) =>
  z
    .string()
    .transform((value) => value.split(',').map((word) => word.trim().toLowerCase()))
    .pipe(z.array(z.enum(words, { error: `Must be a comma-separated list of: ${words.join(', ')}.` })).min(1))
    .meta({ type: 'array', minItems: 1, items: { type: 'string', enum: words } });

/** Schema of a decimal query parameter of 0 or more, parsed into exact Micros. */
const queryDecimal = money
  .refine((value) => value >= 0, 'Ensure this value is greater than or equal to 0.')
  .meta({ pattern: '^\\d{1,16}(\\.\\d{1,6}0*)?$' });

/** Schema of a leverage: a JSON number from 1 to 1000 with at most six decimals, parsed into exact Micros. */
const leverageNumber = z
  .number()
  .min(1, 'Ensure this value is greater than or equal to 1.')
  .max(1000, 'Ensure this value is less than or equal to 1000.')
  .transform((value, context): Micros => {
    const micros = parseDecimal(String(value));
    if (micros !== null) return micros;
    context.addIssue({ code: 'custom', message: 'Ensure that there are no more than 6 decimal places.' });
    return z.NEVER;
  });

const limit = (max = 100) => queryInteger(1, max).optional();
const signature = z.object({ signature: z.string({ error: 'A string is required.' }) });
const conversionBody = z.object({ market_condition_id: id, amount: decimalText });
const conversionQuery = z.object({
  market_condition_id: id.optional(),
  state: makeEnum(states.CONVERSION_STATES).optional(),
  limit: limit(),
  cursor,
});
const catalogQuery = z.object({
  limit: limit(),
  cursor,
  state: anyCase(['open', 'closed', 'resolved', 'newest', 'ending_soon', 'ended_recently']).optional(),
  category: makeEnum(states.CATEGORIES).optional(),
  sort: makeEnum(states.EVENT_SORTS).optional(),
  sport: text(256).optional(),
  league: text(256).optional(),
});

const detail = <const S extends Scope, const P extends Path, D extends z.ZodType>(scope: S, path: P, data: D) => ({
  ...({ method: 'GET', status: 200, body: null } as const),
  scope,
  path,
  query: none,
  data,
});

const change = <const M extends Declaration['method'], const P extends Path, D extends z.ZodType>(
  method: M,
  path: P,
  data: D,
) => ({ ...detail('signed', path, data), method });

const bootstrap = <const P extends Path, const C extends 200 | 201, B extends z.ZodObject, D extends z.ZodType>(
  path: P,
  status: C,
  body: B,
  data: D,
) => ({ ...({ method: 'POST', scope: 'bootstrap', query: none } as const), path, status, body, data });

/** Declares a list that has pages. The list shows the newest rows first unless a sort is requested. */
const list = <const S extends Scope, const P extends Path, Q extends z.ZodObject, R extends z.ZodType>(
  scope: S,
  path: P,
  page: number,
  parameters: Q,
  row: R,
) => ({ ...detail(scope, path, z.array(row)), page, query: parameters });

/** Declares the first call of a signed change. The call returns the draft, with status 201 and a `Location` header. */
const start = <const P extends Path, const L extends Path, B extends z.ZodObject>(path: P, location: L, body: B) => ({
  ...change('POST', path, record.draft),
  status: 201 as const,
  location,
  body,
});

/** Declares the last call of a signed change. The call sends the draft's signature and returns the record. */
const submit = <const P extends Path, D extends z.ZodType>(path: P, data: D) => ({
  ...change('POST', path, data),
  body: signature,
});

const orderBody = z.object({
  market_condition_id: id,
  is_yes: z.boolean(),
  side: anyCase(states.SIDES),
  order_type: anyCase(states.ORDER_TYPES),
  price: ungiven(money),
  amount: ungiven(money),
  funds: ungiven(money),
});
const orderQuery = z.object({
  market_condition_id: id.optional(),
  status: commaList(states.ORDER_STATUSES).optional(),
  is_yes: queryBoolean.optional(),
  side: z.enum(states.SIDES, { error: 'Must be buy or sell.' }).optional(),
  limit: limit(),
  cursor,
});
const redeemQuery = conversionQuery.extend({ state: anyCase(states.REDEEM_STATES).optional() });
const challengeBody = z.object({ wallet_address: z.string({ error: 'A string is required.' }) });
const createKeyBody = challengeBody.extend({ message: z.string(), signature: z.string(), nonce: z.string() });
const priceQuery = z.object({ is_yes: queryBoolean.optional() });
const bookQuery = z.object({ depth: queryInteger(1, 100).optional(), is_yes: queryBoolean.optional() });
const pageQuery = z.object({ limit: limit(), cursor });
const marketPageQuery = pageQuery.extend({ market_condition_id: id.optional() });
const assetQuery = marketPageQuery.extend({ limit: limit(200) });

const candleQuery = z.object({
  start_time: queryInteger(0, 100_000_000_000),
  end_time: queryInteger(0, 100_000_000_000),
  interval: makeEnum(states.CANDLE_INTERVALS),
  is_yes: queryBoolean.optional(),
});
const activityQuery = pageQuery.extend({ activity_type: anyCase(states.MARGIN_ACTIVITIES).optional() });
const searchQuery = z.object({
  q: text(200).min(2, 'Ensure this field has at least 2 characters.').optional(),
  category: makeEnum(states.CATEGORIES).optional(),
  state: commaList(['open', 'under_review', 'resolved', 'closed']).optional(),
  sport: text(256).optional(),
  league: text(256).optional(),
  resolution_time_gt: queryInteger(0, 100_000_000_000).optional(),
  resolution_time_lt: queryInteger(0, 100_000_000_000).optional(),
  price_gte: queryDecimal.optional(),
  price_lte: queryDecimal.optional(),
  leveraged: queryBoolean.optional(),
  max_leverage_yes_gte: queryDecimal.optional(),
  max_leverage_yes_lte: queryDecimal.optional(),
  max_leverage_no_gte: queryDecimal.optional(),
  max_leverage_no_lte: queryDecimal.optional(),
  result_type: makeEnum(['market', 'event']).optional(),
  sort: makeEnum(states.SEARCH_SORTS).optional(),
  limit: limit(),
  cursor,
});
const pnlQuery = z.object({ market_condition_id: id.optional(), event_condition_id: id.optional() });

const createdSort = z.enum(['created', '-created'], { error: 'Must be created or -created.' }).optional();
const sortedPageQuery = marketPageQuery.extend({ sort: createdSort });
const positionQuery = sortedPageQuery.extend({
  event_condition_id: id.optional(),
  is_closed: queryBoolean.optional(),
});
const settlementQuery = sortedPageQuery.extend({
  position_pubkey: id.optional(),
  states: commaList(states.SETTLEMENT_STATES).optional(),
  market_state: anyCase(states.MARKET_STATES).optional(),
  position_leverage: queryDecimal.optional(),
});
const requestQuery = sortedPageQuery.extend({
  states: commaList(states.REQUEST_STATES).optional(),
  is_yes: queryBoolean.optional(),
  leverage: queryDecimal.optional(),
});
const estimateQuery = z.object({
  market_condition_id: id,
  funds: queryDecimal,
  is_yes: queryBoolean.optional(),
  leverage: queryDecimal.optional(),
});
const triggerPrice = money.nullable().optional();
const closeQuery = z.object({ price: queryDecimal.optional() });
const tpSlBody = z.object({ take_profit_price: triggerPrice, stop_loss_price: triggerPrice });
const requestBody = z.object({
  type: makeEnum(states.ORDER_TYPES),
  market_condition_id: id,
  is_yes: z.boolean().optional(),
  leverage: leverageNumber.optional(),
  take_profit_price: triggerPrice,
  stop_loss_price: triggerPrice,
  funds: ungiven(money),
  price: ungiven(money),
  shares: ungiven(money),
});

const ACTIVITY = '/markets/{condition_id}/margin-activity/';
const PNL = '/account/pnl/';
const POSITIONS = '/margin/positions/';
const ESTIMATE = '/margin/positions/estimate/';
const POSITION = '/margin/positions/{pubkey}/';
const TP_SL = '/margin/positions/{pubkey}/tp-sl/';
const REQUESTS = '/margin/positions/requests/';
const REQUEST = '/margin/positions/requests/{pubkey}/';

export const ENDPOINTS = {
  'keys.challenge': bootstrap('/auth/keys/challenge/', 200, challengeBody, record.authChallenge),
  'keys.create': bootstrap('/auth/keys/create/', 201, createKeyBody, record.credential),
  'keys.list': detail('signed', '/auth/keys/', z.array(record.apiKeyRow)),
  'keys.revoke': change('DELETE', '/auth/keys/{key_id}/', record.apiKeyRow),

  'events.list': list('public', '/events/', 20, catalogQuery, record.eventRow),
  'events.detail': detail('public', '/events/{condition_id}/', record.eventRow),
  'markets.list': {
    ...list('public', '/markets/', 20, catalogQuery, record.marketListRow),
    looseRow: record.marketListRow as z.ZodType,
  },
  'markets.detail': detail('public', '/markets/{condition_id}/', record.marketDetail),
  'markets.book': { ...detail('public', '/markets/{condition_id}/book/', record.orderbook), query: bookQuery },
  'markets.trades': list('public', '/markets/{condition_id}/trades/', 50, pageQuery, record.publicTradeRow),
  'markets.stats': detail('public', '/markets/{condition_id}/stats/', record.marketStats),
  'markets.price': { ...detail('public', '/markets/{condition_id}/price/', record.marketPrice), query: priceQuery },
  'markets.candles': {
    ...detail('public', '/markets/{condition_id}/candles/', z.array(record.candle)),
    query: candleQuery,
    outcomeMeta: true as const,
  },
  'markets.marginActivity': list('public', ACTIVITY, 50, activityQuery, record.marginActivityRow),
  'sports.list': detail('public', '/sports/', z.array(record.sportRow)),
  'search.list': {
    ...list('public', '/search/', 20, searchQuery, record.searchResult),
    looseRow: record.searchResult as z.ZodType,
  },

  'orders.list': list('signed', '/orders/', 50, orderQuery, record.orderRow),
  'orders.create': start('/orders/', '/orders/{pubkey}/', orderBody),
  'orders.submit': submit('/orders/{pubkey}/submit/', record.orderRow),
  'orders.detail': detail('signed', '/orders/{pubkey}/', record.orderRow),
  'orders.cancel': change('POST', '/orders/{pubkey}/cancel/', record.draft),
  'orders.cancelSubmit': submit('/orders/{pubkey}/cancel/submit/', record.orderRow),
  'trades.list': list('signed', '/trades/', 50, marketPageQuery, record.ownTradeRow),

  'merges.list': list('signed', '/share-merges/', 50, conversionQuery, record.conversionRow),
  'merges.create': start('/share-merges/', '/share-merges/{pubkey}/', conversionBody),
  'merges.submit': submit('/share-merges/{pubkey}/submit/', record.conversionRow),
  'merges.detail': detail('signed', '/share-merges/{pubkey}/', record.conversionRow),
  'splits.list': list('signed', '/share-splits/', 50, conversionQuery, record.conversionRow),
  'splits.create': start('/share-splits/', '/share-splits/{pubkey}/', conversionBody),
  'splits.submit': submit('/share-splits/{pubkey}/submit/', record.conversionRow),
  'splits.detail': detail('signed', '/share-splits/{pubkey}/', record.conversionRow),
  'redeems.list': list('signed', '/redeems/', 50, redeemQuery, record.redeemRow),
  'redeems.create': start('/redeems/', '/redeems/{pubkey}/', z.object({ market_condition_id: id })),
  'redeems.submit': submit('/redeems/{pubkey}/submit/', record.redeemRow),
  'redeems.detail': detail('signed', '/redeems/{pubkey}/', record.redeemRow),

  'account.detail': detail('signed', '/account/', record.accountSummary),
  'account.assets': list('signed', '/account/assets/', 50, assetQuery, record.assetRow),
  'account.pnl': { ...detail('signed', PNL, record.accountPnl), query: pnlQuery },

  'positions.list': list('signed', POSITIONS, 50, positionQuery, record.positionRow),
  'positions.estimate': { ...detail('public', ESTIMATE, record.marginEstimate), query: estimateQuery },
  'positions.detail': detail('signed', POSITION, record.positionRow),
  'positions.close': { ...change('DELETE', POSITION, record.closeResult), query: closeQuery },
  'positions.setTpSl': { ...change('POST', TP_SL, record.tpSlRow), body: tpSlBody },
  'positions.deleteTpSl': change('DELETE', TP_SL, record.tpSlRow),
  'positions.claim': change('POST', '/margin/positions/{pubkey}/settlements/', record.claimResult),
  'settlements.list': list('signed', '/margin/positions/settlements/', 50, settlementQuery, record.settlementRow),
  'requests.list': list('signed', REQUESTS, 50, requestQuery, record.requestRow),
  'requests.create': { ...start(REQUESTS, REQUEST, requestBody), data: record.requestRow },
  'requests.submit': submit('/margin/positions/requests/{pubkey}/submit/', record.requestRow),
  'requests.detail': detail('signed', REQUEST, record.requestRow),
  'requests.cancel': change('DELETE', REQUEST, record.cancelledRequestRow),
} as const satisfies Record<string, Declaration>;

/** Name of a call, such as `orders.create`. The client has a method of the same name. */
export type EndpointName = keyof typeof ENDPOINTS;
/** Declaration of one call, with the exact types of its query, body and answer. */
export type Endpoint<N extends EndpointName = EndpointName> = (typeof ENDPOINTS)[N];

/** Path parameters of a call, derived from the call's path template. */
export type PathParamsOf<N extends EndpointName> = PathParams<Endpoint<N>['path']>;
type PathParams<P extends string> = P extends `${string}{${infer K}}${infer R}`
  ? { readonly [key in K]: string } & PathParams<R>
  : unknown;

/** Parsed query of a call: numbers, booleans, arrays, and Micros for decimals. */
export type QueryOf<N extends EndpointName> = Readonly<z.output<Endpoint<N>['query']>>;
/** Query of a call as a caller writes it, with decimals as text. `writeQuery` converts the query to text. */
export type QueryInput<N extends EndpointName> = { readonly [K in keyof QueryOf<N>]: Written<QueryOf<N>[K]> };
type Written<T> = T extends Micros ? string : T extends readonly (infer U)[] ? readonly U[] : T;
/** Body of a call as it is sent, with decimal strings. */
export type BodyOf<N extends EndpointName> = Endpoint<N>['body'] extends z.ZodObject
  ? Readonly<z.input<NonNullable<Endpoint<N>['body']>>>
  : undefined;
/** Parsed data of a call's answer, with Micros for decimals. */
export type DataOf<N extends EndpointName> = z.output<Endpoint<N>['data']>;
/** Data of a call's answer as it is sent, with decimal strings. */
export type WireOf<N extends EndpointName> = z.input<Endpoint<N>['data']>;

/** Returns a call's declaration without its exact types, for code that handles any endpoint. */
export const declarationOf = (name: EndpointName): Declaration => ENDPOINTS[name];
export type { Declaration };

/** Fills percent-encoded parameters into a path template. */
export function fillPath(template: string, params: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

/** Returns a query as text such as `?a=1&b=true`, without undefined values; empty if all values are undefined. */
export function writeQuery(query: Readonly<Record<string, unknown>>): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const written = Array.isArray(value) ? value.join(',') : String(value);
    pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(written)}`);
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
