/**
 * Every call of the service as one declaration: the exchange serves what stands here, the client calls what stands
 * here, and nothing else knows a path.
 */

import { z } from 'zod';
import * as record from './records.js';
import {
  CATEGORIES,
  CONVERSION_STATES,
  EVENT_FILTERS,
  EVENT_SORTS,
  ORDER_STATUSES,
  ORDER_TYPES,
  REDEEM_STATES,
  SIDES,
} from './states.js';
import { anyCase, commaList, decimalText, money, queryBoolean, queryInteger, text } from './wire.js';

/** Who may call, and which request budget the call uses. */
export type Scope = 'public' | 'signed' | 'bootstrap';

interface Declaration {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: `/${string}/`;
  readonly scope: Scope;
  /** Status of success. 201 answers of draft calls carry a `Location` header with the path of `location`. */
  readonly status: 200 | 201;
  readonly location?: `/${string}/`;
  /** Default page size of a list. A list's `data` is an array and its `meta` has `limit` and `next_cursor`. */
  readonly page?: number;
  readonly query: z.ZodObject;
  readonly body: z.ZodObject | null;
  readonly data: z.ZodType;
}

const none = z.object({});
const id = text(128);
const cursor = text(256).optional();
const limit = (max = 100) => queryInteger(1, max).optional();
const signature = z.object({ signature: z.string({ error: 'This field is required.' }) });
const conversionBody = z.object({ market_condition_id: id, amount: decimalText });
const conversionQuery = z.object({
  market_condition_id: id.optional(),
  state: z.enum(CONVERSION_STATES, { error: `Must be one of: ${CONVERSION_STATES.join(', ')}.` }).optional(),
  limit: limit(),
  cursor,
});
const catalogQuery = z.object({
  limit: limit(),
  cursor,
  state: anyCase(EVENT_FILTERS).optional(),
  category: z.enum(CATEGORIES, { error: `Must be one of: ${CATEGORIES.join(', ')}.` }).optional(),
  sort: z.enum(EVENT_SORTS, { error: `Must be one of: ${EVENT_SORTS.join(', ')}.` }).optional(),
  sport: text(256).optional(),
  league: text(256).optional(),
});

type Path = `/${string}/`;

/** A read of one record. */
const detail = <const S extends Scope, const P extends Path, D extends z.ZodType>(scope: S, path: P, data: D) => ({
  ...({ method: 'GET', status: 200, body: null } as const),
  scope,
  path,
  query: none,
  data,
});

/** A read of one record that takes query parameters. */
const query = <const P extends Path, Q extends z.ZodObject, D extends z.ZodType>(path: P, parameters: Q, data: D) => ({
  ...detail('public', path, data),
  query: parameters,
});

/** A paginated list, newest first unless sorted. */
const list = <const S extends Scope, const P extends Path, Q extends z.ZodObject, R extends z.ZodType>(
  scope: S,
  path: P,
  page: number,
  parameters: Q,
  row: R,
) => ({ ...detail(scope, path, z.array(row)), page, query: parameters });

/** The first step of a change: answers the draft to sign, 201 with its `Location`. */
const start = <const P extends Path, const L extends Path, B extends z.ZodObject>(path: P, location: L, body: B) => ({
  ...({ method: 'POST', status: 201, scope: 'signed' } as const),
  path,
  location,
  query: none,
  body,
  data: record.draft,
});

/** The last step of a change: takes the signature over the draft's message, answers the record. */
const submit = <const P extends Path, D extends z.ZodType>(path: P, data: D) => ({
  ...({ method: 'POST', status: 200, scope: 'signed' } as const),
  path,
  query: none,
  body: signature,
  data,
});

const orderBody = z.object({
  market_condition_id: id,
  is_yes: z.boolean(),
  side: anyCase(SIDES),
  order_type: anyCase(ORDER_TYPES),
  price: money.optional(),
  amount: money.optional(),
  funds: money.optional(),
});
const orderQuery = z.object({
  market_condition_id: id.optional(),
  status: commaList(ORDER_STATUSES).optional(),
  is_yes: queryBoolean.optional(),
  side: z.enum(SIDES, { error: 'Must be buy or sell.' }).optional(),
  limit: limit(),
  cursor,
});
const redeemQuery = conversionQuery.extend({
  state: z.enum(REDEEM_STATES, { error: `Must be one of: ${REDEEM_STATES.join(', ')}.` }).optional(),
});
const challengeBody = z.object({ wallet_address: z.string({ error: 'This field is required.' }) });
const createKeyBody = challengeBody.extend({ message: z.string(), signature: z.string(), nonce: z.string() });
const bookQuery = z.object({ depth: queryInteger(1, 100).optional(), is_yes: queryBoolean.optional() });
const pageQuery = z.object({ limit: limit(), cursor });
const marketPageQuery = pageQuery.extend({ market_condition_id: id.optional() });
const assetQuery = marketPageQuery.extend({ limit: limit(200) });
const bootstrap = { method: 'POST', scope: 'bootstrap', query: none } as const;

export const ENDPOINTS = {
  'keys.challenge': {
    ...bootstrap,
    ...{ path: '/auth/keys/challenge/' as const, status: 200 as const },
    body: challengeBody,
    data: record.authChallenge,
  },
  'keys.create': {
    ...bootstrap,
    ...{ path: '/auth/keys/create/' as const, status: 201 as const },
    body: createKeyBody,
    data: record.credential,
  },
  'keys.list': detail('signed', '/auth/keys/', z.array(record.apiKeyRow)),
  'keys.revoke': { ...detail('signed', '/auth/keys/{key_id}/', record.apiKeyRow), method: 'DELETE' as const },

  'events.list': list('public', '/events/', 20, catalogQuery, record.eventRow),
  'events.detail': detail('public', '/events/{condition_id}/', record.eventRow),
  'markets.list': list('public', '/markets/', 20, catalogQuery, record.marketListRow),
  'markets.detail': detail('public', '/markets/{condition_id}/', record.marketDetail),
  'markets.book': query('/markets/{condition_id}/book/', bookQuery, record.orderbook),
  'markets.trades': list('public', '/markets/{condition_id}/trades/', 50, pageQuery, record.publicTradeRow),
  'markets.stats': detail('public', '/markets/{condition_id}/stats/', record.marketStats),
  'markets.price': query(
    '/markets/{condition_id}/price/',
    z.object({ is_yes: queryBoolean.optional() }),
    record.marketPrice,
  ),

  'orders.list': list('signed', '/orders/', 50, orderQuery, record.orderRow),
  'orders.create': start('/orders/', '/orders/{pubkey}/', orderBody),
  'orders.submit': submit('/orders/{pubkey}/submit/', record.orderRow),
  'orders.detail': detail('signed', '/orders/{pubkey}/', record.orderRow),
  'orders.cancel': { ...detail('signed', '/orders/{pubkey}/cancel/', record.draft), method: 'POST' as const },
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
} as const satisfies Record<string, Declaration>;

export type EndpointName = keyof typeof ENDPOINTS;
export type Endpoint<N extends EndpointName = EndpointName> = (typeof ENDPOINTS)[N];

/** Path parameters by name, from the path template itself. */
export type ParamsOf<N extends EndpointName> = PathParams<Endpoint<N>['path']>;
type PathParams<P extends string> = P extends `${string}{${infer K}}${infer R}`
  ? { readonly [key in K]: string } & PathParams<R>
  : unknown;

/** Query as numbers, booleans and arrays; it is written to text in one place. */
export type QueryOf<N extends EndpointName> = Readonly<z.output<Endpoint<N>['query']>>;
/** Body as sent: decimal strings. */
export type BodyOf<N extends EndpointName> = Endpoint<N>['body'] extends z.ZodObject
  ? Readonly<z.input<NonNullable<Endpoint<N>['body']>>>
  : undefined;
/** The answer as read: Micros. */
export type DataOf<N extends EndpointName> = z.output<Endpoint<N>['data']>;
/** The answer as sent: decimal strings. */
export type WireOf<N extends EndpointName> = z.input<Endpoint<N>['data']>;

/** The declaration under its general type, for code that serves or calls any endpoint. */
export const declarationOf = (name: EndpointName): Declaration => ENDPOINTS[name];
export type { Declaration };

/** Fills a path template; every value is percent-encoded. */
export function fillPath(template: string, params: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

/** Writes a query as `?a=1&b=true`, in the order of the object, leaving out undefined; empty text for none. */
export function writeQuery(query: Readonly<Record<string, unknown>>): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const written = Array.isArray(value) ? value.join(',') : String(value);
    pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(written)}`);
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
