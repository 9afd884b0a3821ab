/**
 * Turns each call of `ENDPOINTS` into a method: the call `orders.create` becomes `client.orders.create`. Arguments:
 * the call's path key, body and query, if it has them, then `CallOptions`. For a body with one field, pass its value.
 */

import {
  type BodyOf,
  type DataOf,
  type Declaration,
  declarationOf,
  ENDPOINTS,
  type EndpointName,
  type PathParamsOf,
  type QueryInput,
} from '../../shared/protocol/endpoints.js';
import type { Lane } from '../../shared/protocol/seam.js';
import type { Side } from '../../shared/protocol/states.js';
import type { HttpCaller } from './caller.js';
import {
  BrokenList,
  type CallInput,
  type CallOptions,
  type ClientAnswer,
  type ListFault,
  type ListName,
  OutcomeUnknown,
  type Page,
  type RowOf,
  ServiceRefused,
} from './contract.js';

interface OrderHead {
  readonly market_condition_id: string;
  readonly is_yes: boolean;
}

/** A new order, with numbers as decimal texts. The price is a price of the order's outcome, YES or NO. */
export type OrderInput =
  /** An order that stays in the book until a fill or a cancel. */
  | (OrderHead & {
      readonly order_type: 'limit';
      readonly side: Side;
      /** Price: a multiple of the market's tick, between its `min_price` and `max_price`. */
      readonly price: string;
      /** Number of shares: a multiple of the market's lot. */
      readonly amount: string;
    })
  /** Market order that buys for at most `funds` of currency, including fees; the rest is canceled. */
  | (OrderHead & { readonly order_type: 'market'; readonly side: 'buy'; readonly funds: string })
  /** Market order that sells `amount` shares at once; the rest is canceled. */
  | (OrderHead & { readonly order_type: 'market'; readonly side: 'sell'; readonly amount: string });

/** Market and number of complete sets; the number is decimal text, a positive multiple of the market's lot. */
export type ConversionInput = BodyOf<'merges.create'>;

/** Default of `is_yes`: true; default of `leverage`: 1. The signature does not cover take profit and stop loss. */
type MarginHead = Omit<BodyOf<'requests.create'>, 'type' | 'funds' | 'price' | 'shares'>;

/** Request for a margin position: buys for all `funds` now, or buys `shares` once the market reaches `price`. */
export type MarginInput =
  | (MarginHead & { readonly type: 'market'; readonly funds: string })
  | (MarginHead & { readonly type: 'limit'; readonly price: string; readonly shares: string });

/** New take-profit and stop-loss prices, at least one. Null removes a price; an absent price stays unchanged. */
export type TpSlInput = BodyOf<'positions.setTpSl'>;

/** Request bodies with types that are more precise than their schemas. */
interface PreciseBodies {
  readonly 'orders.create': OrderInput;
  readonly 'requests.create': MarginInput;
}
type Body<N extends EndpointName> = N extends keyof PreciseBodies ? PreciseBodies[N] : BodyOf<N>;

type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never;
type BodyArg<B> = [B] extends [undefined] ? [] : [body: IsUnion<keyof B> extends true ? B : B[keyof B]];
type KeyArg<P> = unknown extends P ? [] : [key: string];
/** A query argument; no argument if the endpoint has no query. */
type QueryArg<Q> = string extends keyof Q ? [] : Record<never, never> extends Q ? [query?: Q] : [query: Q];
type Args<N extends EndpointName> = [
  ...KeyArg<PathParamsOf<N>>,
  ...BodyArg<Body<N>>,
  ...QueryArg<QueryInput<N>>,
  options?: CallOptions,
];

type Method<N extends EndpointName> = (...args: Args<N>) => Promise<N extends ListName ? Page<RowOf<N>> : DataOf<N>>;
type RowWalk<N extends ListName> = (...args: Args<N>) => AsyncGenerator<RowOf<N>, void, undefined>;

type GroupOf<N> = N extends `${infer G}.${string}` ? G : never;
type NamesOf<G extends string, N extends EndpointName = EndpointName> = N extends `${G}.${string}` ? N : never;
type MethodName<N> = N extends `${string}.${infer M}` ? M : never;
type WalkName<N> = MethodName<N> extends 'list' ? 'all' : `all${Capitalize<MethodName<N>>}`;

/** Calls of `ServiceClient` by group. Methods throw ServiceRefused or OutcomeUnknown; `all…` also throws BrokenList. */
type Calls = {
  readonly [G in GroupOf<EndpointName>]: { readonly [N in NamesOf<G> as MethodName<N>]: Method<N> } & {
    readonly [N in Extract<NamesOf<G>, ListName> as WalkName<N>]: RowWalk<N>;
  };
};

/** Makes a method for every API call, in groups. */
export function makeCalls(caller: HttpCaller): Calls {
  const groups: Record<string, Record<string, (...args: unknown[]) => unknown>> = {};
  // The cast is safe: the keys of `ENDPOINTS` are the names of the calls, but `Object.keys` returns plain strings.
  for (const endpoint of Object.keys(ENDPOINTS) as EndpointName[]) {
    const declaration = declarationOf(endpoint);
    const [group = '', method = ''] = endpoint.split('.');
    groups[group] ??= {};
    const methods = groups[group];
    const walk = method === 'list' ? 'all' : `all${method.charAt(0).toUpperCase()}${method.slice(1)}`;
    // Only a list call has a page size in its declaration.
    const list = declaration.page === undefined ? null : (endpoint as ListName);
    methods[method] = (...args) => {
      const parts = readArguments(declaration, args);
      return list === null ? readRecord(caller, endpoint, ...parts) : readPage(caller, list, ...parts);
    };
    if (list !== null) methods[walk] = (...args) => walkPages(caller, list, ...readArguments(declaration, args));
  }
  // The cast is safe, because the type `Calls` is derived from the same table `ENDPOINTS`.
  return groups as unknown as Calls;
}

function readArguments({ path, body, query }: Declaration, args: readonly unknown[]) {
  const rest = [...args];
  const [, key] = /\{(\w+)\}/.exec(path) ?? [];
  const input = {
    ...(key === undefined ? {} : { params: { [key]: rest.shift() } }),
    ...(body === null ? {} : { body: nameField(Object.keys(body.shape), rest.shift()) }),
    ...(Object.keys(query.shape).length === 0 ? {} : { query: rest.shift() }),
  };
  // The cast is safe, because the methods' types declare the same arguments in the same order.
  return [input as CallInput<EndpointName>, rest.shift() as CallOptions | undefined] as const;
}

const nameField = ([only = '', ...others]: readonly string[], value: unknown): unknown =>
  others.length === 0 ? { [only]: value } : value;

/** Largest page size that every list allows; it needs the fewest requests. */
const WALK_LIMIT = 100;

/** Lists whose pages may have fewer rows than their size although another page follows. */
const UNEVEN: readonly ListName[] = [
  'search.list',
  'account.assets',
  'positions.list',
  'settlements.list',
  'requests.list',
];

/** Lists whose rows have no ids: two public trades in the same second may be equal in every field. */
const UNKEYED: readonly ListName[] = ['markets.trades', 'markets.marginActivity'];

function keyOf(row: RowOf<ListName>): string | null {
  if ('summary' in row) return `${row.result_type} ${row.summary.condition_id}`;
  if ('token' in row) return row.token.symbol;
  if ('position_pubkey' in row) return row.position_pubkey;
  if ('condition_id' in row) return row.condition_id;
  return 'pubkey' in row ? row.pubkey : null;
}

/** Makes one call and returns the record. Throws ServiceRefused or OutcomeUnknown. */
export async function readRecord<N extends EndpointName>(
  caller: Caller,
  endpoint: N,
  input: CallInput<N>,
  options?: CallOptions,
): Promise<DataOf<N>> {
  return requireRecord(endpoint, await callInLane(caller, endpoint, input, options)).data;
}

/** Reads one page of a list. Throws ServiceRefused or OutcomeUnknown. */
async function readPage<N extends ListName>(
  caller: Caller,
  endpoint: N,
  input: CallInput<N>,
  options?: CallOptions,
): Promise<Page<RowOf<N>>> {
  const answer = await callInLane(caller, endpoint, input, options);
  const { data, nextCursor } = requireRecord(endpoint, answer);
  return { rows: data, nextCursor, limit: answer.pageLimit };
}

/** Number of newest rows that are remembered to detect repeated rows. */
const REMEMBERED_ROWS = 10_000;
/** Maximum number of consecutive empty pages of a list. A list that skips rows may have empty pages, but must end. */
const MOST_EMPTY_PAGES = 1_000;

/**
 * Yields every row of a list. Requests a page only when the page's first row is needed. Throws ServiceRefused,
 * OutcomeUnknown or BrokenList when the iteration reaches the page that fails.
 */
export async function* walkPages<N extends ListName>(
  caller: Caller,
  endpoint: N,
  input: CallInput<N>,
  options?: CallOptions,
): AsyncGenerator<RowOf<N>, void, undefined> {
  // The cast is safe, because every list call declares these query fields.
  const { limit = WALK_LIMIT, ...query } = (input.query ?? {}) as CursorQuery;
  const fail = (fault: ListFault, what: string) => new BrokenList(endpoint, fault, what);
  const cursors = new Set<string>();
  // If a row of the first page is repeated, the list started again under new cursors.
  const first = new Set<string>();
  const recent = new Set<string>();
  let { cursor } = query;
  let emptyPages = 0;
  for (let pages = 1; ; pages++) {
    const paged = { ...query, limit, ...(cursor === undefined ? {} : { cursor }) };
    // The cast is safe: every list call has the fields `limit` and `cursor`, and the caller gave all others.
    const page = await readPage(caller, endpoint, { ...input, query: paged } as CallInput<N>, options);
    const { rows, nextCursor } = page;
    emptyPages = rows.length === 0 ? emptyPages + 1 : 0;
    const size = page.limit ?? limit;
    const found = `a page of at most ${size} rows has ${rows.length} rows`;
    if (rows.length > size) throw fail('page_overfull', found);
    if (nextCursor !== null && !UNEVEN.includes(endpoint) && query['sort'] === undefined && rows.length < size)
      throw fail('page_cut', `${found}, although another page follows`);
    if (nextCursor !== null && emptyPages >= MOST_EMPTY_PAGES)
      throw fail('pages_empty', `${emptyPages} pages in a row are empty, although another page follows`);
    for (const key of UNKEYED.includes(endpoint) ? [] : rows.map(keyOf)) {
      if (key === null) continue;
      if (first.has(key) || recent.has(key)) throw fail('row_repeated', `row ${key.slice(0, 200)} was returned twice`);
      recent.add(key);
      // A Set keeps the order of insertion, so the first key is the oldest.
      const [oldest = ''] = recent;
      if (recent.size > REMEMBERED_ROWS) recent.delete(oldest);
      if (pages === 1) first.add(key);
    }
    if (nextCursor !== null && cursors.has(nextCursor))
      throw fail('cursor_repeated', `the cursor ${nextCursor.slice(0, 100)} was returned twice`);
    yield* rows;
    if (nextCursor === null) return;
    cursor = nextCursor;
    cursors.add(cursor);
  }
}

type Caller = Pick<HttpCaller, 'call'>;

const callInLane = <N extends EndpointName>(
  caller: Caller,
  endpoint: N,
  input: CallInput<N>,
  options: CallOptions = {},
): Promise<ClientAnswer<N>> => caller.call(endpoint, input, { lane: chooseLane(endpoint), ...options });

interface CursorQuery extends Readonly<Record<string, unknown>> {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

function requireRecord<N extends EndpointName>(endpoint: N, { outcome }: ClientAnswer<N>) {
  if (outcome.kind === 'answered') return outcome;
  if (outcome.kind === 'refused') throw new ServiceRefused(endpoint, outcome);
  throw new OutcomeUnknown(endpoint, outcome.reason, { sent: outcome.sent });
}

const LESS_RISK: readonly EndpointName[] = [
  'orders.cancel',
  'orders.cancelSubmit',
  'positions.close',
  'requests.cancel',
  'positions.setTpSl',
];

/** Returns a call's priority class: requests that reduce risk come first, then drafts and submits, then reads. */
function chooseLane(endpoint: EndpointName): Lane {
  if (LESS_RISK.includes(endpoint)) return 'cancel';
  const { method, scope } = declarationOf(endpoint);
  if (scope === 'public') return 'hot';
  if (method === 'GET') return 'own';
  return endpoint.endsWith('.submit') ? 'submit' : 'draft';
}
