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

export const ENDPOINTS = {
  'keys.challenge': {
    method: 'POST',
    path: '/auth/keys/challenge/',
    scope: 'bootstrap',
    status: 200,
    query: none,
    body: z.object({ wallet_address: z.string({ error: 'This field is required.' }) }),
    data: record.authChallenge,
  },
  'keys.create': {
    method: 'POST',
    path: '/auth/keys/create/',
    scope: 'bootstrap',
    status: 201,
    query: none,
    body: z.object({ wallet_address: z.string(), message: z.string(), signature: z.string(), nonce: z.string() }),
    data: record.credential,
  },
  'keys.list': {
    method: 'GET',
    path: '/auth/keys/',
    scope: 'signed',
    status: 200,
    query: none,
    body: null,
    data: z.array(record.apiKeyRow),
  },
  'keys.revoke': {
    method: 'DELETE',
    path: '/auth/keys/{key_id}/',
    scope: 'signed',
    status: 200,
    query: none,
    body: null,
    data: record.apiKeyRow,
  },
  'events.list': {
    method: 'GET',
    path: '/events/',
    scope: 'public',
    status: 200,
    page: 20,
    query: catalogQuery,
    body: null,
    data: z.array(record.eventRow),
  },
  'events.detail': {
    method: 'GET',
    path: '/events/{condition_id}/',
    scope: 'public',
    status: 200,
    query: none,
    body: null,
    data: record.eventRow,
  },
  'markets.list': {
    method: 'GET',
    path: '/markets/',
    scope: 'public',
    status: 200,
    page: 20,
    query: catalogQuery,
    body: null,
    data: z.array(record.marketListRow),
  },
  'markets.detail': {
    method: 'GET',
    path: '/markets/{condition_id}/',
    scope: 'public',
    status: 200,
    query: none,
    body: null,
    data: record.marketDetail,
  },
  'markets.book': {
    method: 'GET',
    path: '/markets/{condition_id}/book/',
    scope: 'public',
    status: 200,
    query: z.object({ depth: queryInteger(1, 100).optional(), is_yes: queryBoolean.optional() }),
    body: null,
    data: record.orderbook,
  },
  'markets.trades': {
    method: 'GET',
    path: '/markets/{condition_id}/trades/',
    scope: 'public',
    status: 200,
    page: 50,
    query: z.object({ limit: limit(), cursor }),
    body: null,
    data: z.array(record.publicTradeRow),
  },
  'markets.stats': {
    method: 'GET',
    path: '/markets/{condition_id}/stats/',
    scope: 'public',
    status: 200,
    query: none,
    body: null,
    data: record.marketStats,
  },
  'markets.price': {
    method: 'GET',
    path: '/markets/{condition_id}/price/',
    scope: 'public',
    status: 200,
    query: z.object({ is_yes: queryBoolean.optional() }),
    body: null,
    data: record.marketPrice,
  },
  'orders.list': {
    method: 'GET',
    path: '/orders/',
    scope: 'signed',
    status: 200,
    page: 50,
    query: z.object({
      market_condition_id: id.optional(),
      status: commaList(ORDER_STATUSES).optional(),
      is_yes: queryBoolean.optional(),
      side: z.enum(SIDES, { error: 'Must be buy or sell.' }).optional(),
      limit: limit(),
      cursor,
    }),
    body: null,
    data: z.array(record.orderRow),
  },
  'orders.create': {
    method: 'POST',
    path: '/orders/',
    scope: 'signed',
    status: 201,
    location: '/orders/{pubkey}/',
    query: none,
    body: z.object({
      market_condition_id: id,
      is_yes: z.boolean(),
      side: anyCase(SIDES),
      order_type: anyCase(ORDER_TYPES),
      price: money.optional(),
      amount: money.optional(),
      funds: money.optional(),
    }),
    data: record.draft,
  },
  'orders.submit': {
    method: 'POST',
    path: '/orders/{pubkey}/submit/',
    scope: 'signed',
    status: 200,
    query: none,
    body: signature,
    data: record.orderRow,
  },
  'orders.detail': {
    method: 'GET',
    path: '/orders/{pubkey}/',
    scope: 'signed',
    status: 200,
    query: none,
    body: null,
    data: record.orderRow,
  },
  'orders.cancel': {
    method: 'POST',
    path: '/orders/{pubkey}/cancel/',
    scope: 'signed',
    status: 200,
    query: none,
    body: null,
    data: record.draft,
  },
  'orders.cancelSubmit': {
    method: 'POST',
    path: '/orders/{pubkey}/cancel/submit/',
    scope: 'signed',
    status: 200,
    query: none,
    body: signature,
    data: record.orderRow,
  },
  'trades.list': {
    method: 'GET',
    path: '/trades/',
    scope: 'signed',
    status: 200,
    page: 50,
    query: z.object({ market_condition_id: id.optional(), limit: limit(), cursor }),
    body: null,
    data: z.array(record.ownTradeRow),
  },
  'merges.list': {
    method: 'GET',
    path: '/share-merges/',
    scope: 'signed',
    status: 200,
    page: 50,
    query: conversionQuery,
    body: null,
    data: z.array(record.conversionRow),
  },
  'merges.create': {
    method: 'POST',
    path: '/share-merges/',
    scope: 'signed',
    status: 201,
    location: '/share-merges/{pubkey}/',
    query: none,
    body: conversionBody,
    data: record.draft,
  },
  'merges.submit': {
    method: 'POST',
    path: '/share-merges/{pubkey}/submit/',
    scope: 'signed',
    status: 200,
    query: none,
    body: signature,
    data: record.conversionRow,
  },
  'merges.detail': {
    method: 'GET',
    path: '/share-merges/{pubkey}/',
    scope: 'signed',
    status: 200,
    query: none,
    body: null,
    data: record.conversionRow,
  },
  'splits.list': {
    method: 'GET',
    path: '/share-splits/',
    scope: 'signed',
    status: 200,
    page: 50,
    query: conversionQuery,
    body: null,
    data: z.array(record.conversionRow),
  },
  'splits.create': {
    method: 'POST',
    path: '/share-splits/',
    scope: 'signed',
    status: 201,
    location: '/share-splits/{pubkey}/',
    query: none,
    body: conversionBody,
    data: record.draft,
  },
  'splits.submit': {
    method: 'POST',
    path: '/share-splits/{pubkey}/submit/',
    scope: 'signed',
    status: 200,
    query: none,
    body: signature,
    data: record.conversionRow,
  },
  'splits.detail': {
    method: 'GET',
    path: '/share-splits/{pubkey}/',
    scope: 'signed',
    status: 200,
    query: none,
    body: null,
    data: record.conversionRow,
  },
  'redeems.list': {
    method: 'GET',
    path: '/redeems/',
    scope: 'signed',
    status: 200,
    page: 50,
    query: z.object({
      market_condition_id: id.optional(),
      state: z.enum(REDEEM_STATES, { error: `Must be one of: ${REDEEM_STATES.join(', ')}.` }).optional(),
      limit: limit(),
      cursor,
    }),
    body: null,
    data: z.array(record.redeemRow),
  },
  'redeems.create': {
    method: 'POST',
    path: '/redeems/',
    scope: 'signed',
    status: 201,
    location: '/redeems/{pubkey}/',
    query: none,
    body: z.object({ market_condition_id: id }),
    data: record.draft,
  },
  'redeems.submit': {
    method: 'POST',
    path: '/redeems/{pubkey}/submit/',
    scope: 'signed',
    status: 200,
    query: none,
    body: signature,
    data: record.redeemRow,
  },
  'redeems.detail': {
    method: 'GET',
    path: '/redeems/{pubkey}/',
    scope: 'signed',
    status: 200,
    query: none,
    body: null,
    data: record.redeemRow,
  },
  'account.detail': {
    method: 'GET',
    path: '/account/',
    scope: 'signed',
    status: 200,
    query: none,
    body: null,
    data: record.accountSummary,
  },
  'account.assets': {
    method: 'GET',
    path: '/account/assets/',
    scope: 'signed',
    status: 200,
    page: 50,
    query: z.object({ market_condition_id: id.optional(), limit: limit(200), cursor }),
    body: null,
    data: z.array(record.assetRow),
  },
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
