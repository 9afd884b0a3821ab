/** Every endpoint of the documents: its callers, its answers, and the query it allows. Transcribed by hand. */

import * as rows from './records.js';
import { flag, integer, listOf, nullOr, record, type Shape, text } from './shapes.js';

export interface Values {
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

export interface Page {
  readonly standard: number;
  readonly most: number;
}

export interface Endpoint {
  readonly method: string;
  /** With `{…}` for variable parts. */
  readonly path: string;
  readonly access: 'public' | 'bootstrap' | 'signed';
  readonly status: 200 | 201;
  /** The path that a 201 names; `{pubkey}` is that of the answer. */
  readonly location: string | null;
  readonly data: Shape;
  readonly meta: Shape;
  readonly page: Page | null;
  /** Query parameters except `limit` and `cursor`, with allowed and rejected values. */
  readonly query: Readonly<Record<string, Values>>;
  /** Other requirements of the call. */
  readonly needs: string;
}

const FIFTY: Page = { standard: 50, most: 100 };
const TWENTY: Page = { standard: 20, most: 100 };
const ASSETS: Page = { standard: 50, most: 200 };

const yesNo: Values = { good: ['true', 'false'], bad: ['maybe', '2', 'TRUE', ''] };
const anId: Values = { good: ['4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi'], bad: [] };
const number: Values = { good: ['2', '2.5'], bad: ['much', 'NaN', '-1', '1e400', ''] };
const sort: Values = { good: ['created', '-created'], bad: ['Created', '-Created', 'pubkey', '+created', ''] };
const exact = (names: readonly string[]): Values => ({
  good: names,
  bad: [...names.map((name) => name.toUpperCase()), 'nonsense', ''],
});
const anyCase = (names: readonly string[]): Values => ({
  good: [...names, ...names.map((name) => name.toUpperCase())],
  bad: ['nonsense', `${names[0]}x`],
});
const anyCaseList = (names: readonly string[]): Values => ({
  good: [...names, names.join(','), names.join(',').toUpperCase()],
  bad: ['nonsense', `${names[0]},nonsense`],
});
const CATEGORIES = ['politics', 'sports', 'crypto', 'wtf', 'tech', 'finance'];

type Access = Endpoint['access'];
type Told = Partial<Omit<Endpoint, 'method' | 'path' | 'access' | 'data'>>;

function endpoint(access: Access, call: string, data: Shape, told: Told = {}): Endpoint {
  const [method = '', path = ''] = call.split(' ');
  const rest = { status: 200 as const, location: null, meta: rows.nothingMore, page: null, query: {}, needs: '' };
  return { method, path, access, data, ...rest, ...told };
}
const open = (call: string, data: Shape, told?: Told) => endpoint('public', call, data, told);
const signed = (call: string, data: Shape, told?: Told) => endpoint('signed', call, data, told);

function list(who: Access, path: string, row: Shape, query: Endpoint['query'] = {}, page = FIFTY, needs = '') {
  const meta = record({ limit: integer, next_cursor: nullOr(text) });
  return endpoint(who, `GET ${path}`, listOf(row), { page, query, meta, needs });
}
const created = (location: string): Told => ({ status: 201, location });

const eitherId = { market_condition_id: anId, event_condition_id: anId };
const conversionQuery = { market_condition_id: anId, state: exact(rows.conversionStates) };
const catalogQuery = {
  state: anyCase(['open', 'closed', 'resolved', 'newest', 'ending_soon', 'ended_recently']),
  category: { good: CATEGORIES, bad: ['weather', ''] },
  sort: {
    good: ['market_cap', 'last_trade', 'total_volume', 'live_stream', 'trending', 'leverage', 'ending_soon'],
    bad: ['volume', ''],
  },
};
const searchSorts = ['created', 'ending_soon', 'last_trade', 'leverage', 'market_cap', 'total_volume', 'trending'];
const aTime: Values = { good: ['1700000000'], bad: ['soon'] };
const aPrice: Values = { good: ['0.2'], bad: ['cheap', '-1'] };
const searchQuery = {
  q: { good: ['ra', 'rain'], bad: ['r', ''] },
  category: catalogQuery.category,
  state: { good: ['open', 'under_review', 'resolved', 'closed', 'open,closed'], bad: ['newest', 'open,ajar'] },
  resolution_time_gt: aTime,
  resolution_time_lt: aTime,
  price_gte: aPrice,
  price_lte: aPrice,
  leveraged: yesNo,
  max_leverage_yes_gte: number,
  max_leverage_yes_lte: number,
  max_leverage_no_gte: number,
  max_leverage_no_lte: number,
  result_type: { good: ['market', 'event'], bad: ['trade', ''] },
  sort: { good: searchSorts, bad: ['live_stream', 'volume', ''] },
};

export const ENDPOINTS: readonly Endpoint[] = [
  endpoint('bootstrap', 'POST /auth/keys/challenge/', rows.challenge),
  endpoint('bootstrap', 'POST /auth/keys/create/', rows.credential, { status: 201 }),
  signed('GET /auth/keys/', listOf(rows.keyRow)),
  signed('DELETE /auth/keys/{key_id}/', rows.keyRow),

  list('signed', '/share-merges/', rows.conversion, conversionQuery),
  signed('POST /share-merges/', rows.draft, created('/share-merges/{pubkey}/')),
  signed('POST /share-merges/{pubkey}/submit/', rows.conversion),
  signed('GET /share-merges/{pubkey}/', rows.conversion),
  list('signed', '/share-splits/', rows.conversion, conversionQuery),
  signed('POST /share-splits/', rows.draft, created('/share-splits/{pubkey}/')),
  signed('POST /share-splits/{pubkey}/submit/', rows.conversion),
  signed('GET /share-splits/{pubkey}/', rows.conversion),

  list('signed', '/orders/', rows.order, {
    market_condition_id: anId,
    status: anyCaseList(rows.orderStatuses),
    is_yes: yesNo,
    side: { good: ['buy', 'sell'], bad: ['hold', ''] },
  }),
  signed('POST /orders/', rows.draft, created('/orders/{pubkey}/')),
  signed('POST /orders/{pubkey}/submit/', rows.order),
  signed('GET /orders/{pubkey}/', rows.order),
  signed('POST /orders/{pubkey}/cancel/', rows.draft),
  signed('POST /orders/{pubkey}/cancel/submit/', rows.order),
  list('signed', '/trades/', rows.fill, { market_condition_id: anId }),

  list('signed', '/redeems/', rows.redeem, { market_condition_id: anId, state: anyCase(rows.redeemStates) }),
  signed('POST /redeems/', rows.draft, created('/redeems/{pubkey}/')),
  signed('POST /redeems/{pubkey}/submit/', rows.redeemed),
  signed('GET /redeems/{pubkey}/', rows.redeem),

  list('signed', '/margin/positions/', rows.position, { ...eitherId, is_closed: yesNo, sort }),
  signed('GET /margin/positions/{pubkey}/', rows.position),
  signed('DELETE /margin/positions/{pubkey}/', rows.closed),
  signed('POST /margin/positions/{pubkey}/tp-sl/', rows.tpSl),
  signed('DELETE /margin/positions/{pubkey}/tp-sl/', rows.tpSl),
  list('signed', '/margin/positions/settlements/', rows.settlement, {
    position_pubkey: anId,
    market_condition_id: anId,
    states: anyCaseList(rows.settlementStates),
    market_state: { good: ['open', 'resolved', 'OPEN', 'Resolved'], bad: ['closed', 'canceled', 'nonsense'] },
    position_leverage: number,
    sort,
  }),
  signed('POST /margin/positions/{pubkey}/settlements/', rows.claimed),
  list('signed', '/margin/positions/requests/', rows.positionRequest, {
    market_condition_id: anId,
    states: { good: [...rows.requestStates, rows.requestStates.join(',')], bad: ['nonsense', 'created,nonsense'] },
    is_yes: yesNo,
    leverage: number,
    sort,
  }),
  signed('POST /margin/positions/requests/', rows.positionRequest, created('/margin/positions/requests/{pubkey}/')),
  signed('POST /margin/positions/requests/{pubkey}/submit/', rows.positionRequest),
  signed('GET /margin/positions/requests/{pubkey}/', rows.positionRequest),
  signed('DELETE /margin/positions/requests/{pubkey}/', rows.cancelledRequest),
  open('GET /margin/positions/estimate/', rows.estimate),

  signed('GET /account/', rows.account),
  list('signed', '/account/assets/', rows.asset, { market_condition_id: anId }, ASSETS),
  signed('GET /account/pnl/', rows.pnl),

  list('public', '/markets/', rows.marketRow, catalogQuery, TWENTY),
  open('GET /markets/{market}/', rows.marketDetail),
  list('public', '/markets/{market}/trades/', rows.publicTrade),
  open('GET /markets/{market}/book/', rows.book, {
    query: { depth: { good: ['1', '100'], bad: ['0', '101', '-1', '1.5', 'deep', ''] }, is_yes: yesNo },
  }),
  open('GET /markets/{market}/stats/', rows.stats),
  open('GET /markets/{market}/price/', rows.price, { query: { is_yes: yesNo } }),
  open('GET /markets/{market}/candles/', listOf(rows.candle), {
    needs: 'start_time=1700000000&end_time=1700003600&interval=5m',
    meta: record({ is_yes: flag }),
    query: {
      start_time: { good: ['1700000000'], bad: ['soon', '-1', '1.5'] },
      end_time: { good: ['1700003600'], bad: ['late', '1800000000'] },
      interval: { good: ['5m', '30m'], bad: ['1m', '5M', ''] },
      is_yes: yesNo,
    },
  }),
  list('public', '/markets/{market}/margin-activity/', rows.activity, {
    activity_type: anyCase(['opened', 'increased', 'decreased', 'closed', 'liquidated']),
  }),
  list('public', '/events/', rows.eventRow, catalogQuery, TWENTY),
  open('GET /events/{event}/', rows.eventDetail),
  open('GET /sports/', listOf(rows.sport)),
  list('public', '/search/', rows.found, searchQuery, TWENTY, 'category=politics'),
];

const PATTERNS = ENDPOINTS.map((each) => ({
  endpoint: each,
  // A fixed path precedes one with a parameter in the same place: `/orders/x/cancel/`, `/margin/positions/estimate/`.
  holes: each.path.split('{').length,
  pattern: new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
})).sort((one, other) => one.holes - other.holes);

export function endpointOf(method: string, path: string): Endpoint | undefined {
  const [bare = ''] = path.split('?');
  return PATTERNS.find(({ endpoint: { method: its }, pattern }) => its === method && pattern.test(bare))?.endpoint;
}

export const callOf = ({ method, path }: Endpoint): string => `${method} ${path}`;
