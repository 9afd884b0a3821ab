/** Handlers of all calls of the service. The code does not compile if a declared call has no handler. */

import { randomBytes } from 'node:crypto';
import { ONE } from '../../shared/base/micros.js';
import { decodeCursor, encodeCursor } from '../../shared/protocol/cursors.js';
import type { EndpointName, QueryOf } from '../../shared/protocol/endpoints.js';
import { submittedSignature } from '../../shared/protocol/signing.js';
import {
  ASK,
  BID,
  type DraftKind,
  invalid,
  type MarginPage,
  type MarginPageQuery,
  type MarginSize,
  ok,
  type RecordPage,
  type Refusal,
  type Result,
  refuse,
} from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import { type Market, SPORTS } from '../core/market.js';
import { accountPnl, assetPage } from '../core/records/assets.js';
import * as rows from '../core/records/market-rows.js';
import {
  BAD_CURSOR,
  type CursorList,
  cursorAt,
  cursorBehind,
  cursorPlace,
  cursorPosition,
  type HandlerContext,
  type Reply,
  type ServiceCall,
  successText,
} from './answers.js';
import { catalogPage, EVENTS, MARKETS, searchPage } from './catalog.js';

type RequestBody = ServiceCall<'requests.create'>['body'];

/** Reads the size of a position request. Refuses missing fields, and fields that the request's type does not have. */
function readSize({ type, funds, price, shares }: RequestBody): Result<MarginSize> {
  const missing = (field: string) => invalid(field, `This field is required for a ${type} request.`);
  const extra = (field: string) => invalid(field, `Not a field of a ${type} request.`);
  if (type === 'market') {
    if (funds === undefined) return missing('funds');
    if (price !== undefined) return extra('price');
    return shares === undefined ? ok({ type, funds }) : extra('shares');
  }
  if (funds !== undefined) return extra('funds');
  if (price === undefined) return missing('price');
  return shares === undefined ? missing('shares') : ok({ type, price, shares });
}

type SortedQuery = Pick<QueryOf<'positions.list'>, 'sort' | 'cursor'>;

/** Answers with one page of a list in order of creation. The list's cursor contains the last listed record. */
function sortedPage<T>(
  list: CursorList,
  query: SortedQuery,
  limit: number,
  read: (page: MarginPageQuery) => MarginPage<T>,
) {
  const after = cursorPlace(list, query.cursor);
  if (after === null) return BAD_CURSOR;
  const page = read({ limit, after, oldestFirst: query.sort === 'created' });
  const nextCursor = page.next === null ? null : cursorBehind(list, page.next);
  return { ok: true as const, value: [...page.rows], nextCursor };
}

type SubmitCall = ServiceCall<
  'orders.submit' | 'merges.submit' | 'splits.submit' | 'redeems.submit' | 'requests.submit'
>;

type SignedDraft = readonly [account: number, pubkey: string, signatureValid: boolean];

/** Makes a handler that submits a signed draft. The handler checks the signature, and the core receives the result. */
function submitSigned<T>(kind: DraftKind, submit: (core: ExchangeCore, ...signed: SignedDraft) => Result<T>) {
  return ({ nowMs, account, params, body }: SubmitCall, { core, wallets }: HandlerContext) => {
    if (submittedSignature(body.signature) === null) return invalid('signature', SIGNATURE_WANTED);
    const message = core.draftMessage(kind, account, params.pubkey);
    const { wallet } = core.identity.account(account);
    const isValid = message !== null && wallet !== null && wallets.signsDraft(wallet, message, body.signature);
    return submit(core.at(nowMs), account, params.pubkey, isValid);
  };
}

const SIGNATURE_WANTED = '128 hex characters are required: the 64-byte signature over the message of the draft.';

const MAX_SPAN_S = 30 * 86_400;

function badSpan({ start_time, end_time }: QueryOf<'markets.candles'>): Refusal | null {
  if (end_time <= start_time) return invalid('end_time', 'Must be later than start_time.');
  if (end_time - start_time > MAX_SPAN_S) return invalid('end_time', 'Must be at most 30 days after start_time.');
  return null;
}

/** A handler for every declared call. */
type Handlers = { readonly [N in EndpointName]: (call: ServiceCall<N>, context: HandlerContext) => Reply<N> };

/** Returns a reply with the record; for null, the error `not_found`. */
const answerFound = <T>(record: T | null) => (record === null ? refuse('not_found') : ok(record));

/** Makes a handler that calls `answer` with the market that the path names; `not_found` for an unknown market. */
function ofMarket<C extends { readonly params: { readonly condition_id: string } }, T>(
  answer: (market: Market, call: C, core: ExchangeCore) => T,
) {
  return (call: C, { core }: HandlerContext) => {
    const market = core.catalog.byId(call.params.condition_id);
    return market === null ? refuse('not_found') : answer(market, call, core);
  };
}

/** Answers with one page of a list: decodes the cursor, reads the page and encodes the next cursor. */
function keysetPage<Q extends { readonly cursor?: string | undefined }, T>(
  list: CursorList,
  query: Q,
  limit: number,
  read: (query: Q & { readonly limit: number; readonly beforeId: number | undefined }) => RecordPage<T>,
) {
  const beforeId = cursorPosition(list, query.cursor, 'before_id');
  if (beforeId === null) return BAD_CURSOR;
  const page = read({ ...query, limit, beforeId });
  const nextCursor = page.nextBeforeId === null ? null : cursorAt(list, 'before_id', page.nextBeforeId);
  return { ok: true as const, value: [...page.rows], nextCursor };
}

const answerCandles: Handlers['markets.candles'] = ofMarket((market, { query }) => {
  const { interval, start_time, end_time, is_yes: isYes = true } = query;
  const value = rows.candleRows(market, interval, start_time * 1000, end_time * 1000, isYes);
  return { ok: true, value, meta: { is_yes: isYes } };
});

/** Reused buffers for the levels of one side of a book: prices and amounts, micros. */
const PRICES = new Int32Array(100);
const AMOUNTS = new Float64Array(100);
/** Buffer of the book that was read last: its outcome, then for each side the number of levels and the levels. */
const shown = new Float64Array(3 + 4 * PRICES.length);

/** Last book answer of each market, and the numbers of `shown` from which the answer was made. */
const sentBooks = new WeakMap<Market, { readonly numbers: Float64Array; readonly reply: Reply<'markets.book'> }>();

/** Answers with a book. If the book is unchanged, the last answer's text is reused, because serializing is slow. */
function answerBook(market: Market, isYes: boolean, depth: number): Reply<'markets.book'> {
  let size = 0;
  shown[size++] = isYes ? 1 : 0;
  for (const side of [BID, ASK] as const) {
    const count = market.readLevels(side, depth, PRICES, AMOUNTS);
    shown[size++] = count;
    for (let level = 0; level < count; level++) {
      shown[size++] = PRICES[level] ?? 0;
      shown[size++] = AMOUNTS[level] ?? 0;
    }
  }
  const sent = sentBooks.get(market);
  if (sent?.numbers.every((number, at) => number === shown[at])) return sent.reply;
  const value = rows.bookRow(market, isYes, depth);
  const reply = { ok: true as const, value, text: successText(value, {}) };
  sentBooks.set(market, { numbers: shown.slice(0, size), reply });
  return reply;
}

/** Returns an amount's text, or `invalid` for a 7th decimal place. The core's parser accepts a zero at that place. */
const sixPlaces = (amount: string): string => (/\.\d{7}/.test(amount) ? 'invalid' : amount);

const HANDLERS: Handlers = {
  'events.list': (call, { core }) => catalogPage({ ...call, core }, EVENTS),
  'events.detail': ({ params }, { core }) => {
    const index = core.catalog.findEventIndex(params.condition_id);
    return answerFound(index === null ? null : rows.eventRow(core.catalog, index));
  },
  'markets.list': (call, { core }) => catalogPage({ ...call, core }, MARKETS),
  'markets.detail': ofMarket((market, _call, core) => ok(rows.detailRow(core.catalog, market))),
  'markets.book': ofMarket((market, { query }) => answerBook(market, query.is_yes ?? true, query.depth ?? 50)),
  'markets.trades': ofMarket((market, { query, limit }) =>
    keysetPage('markets.trades', query, limit, (page) => rows.publicTradePage(market, page)),
  ),
  'markets.stats': ofMarket((market, _call, core) => ok(rows.statsRow(market, core.nowMs))),
  'markets.price': ofMarket((market, { query }) => ok(rows.priceRow(market, query.is_yes ?? true))),

  'sports.list': () => ok(SPORTS.map(({ leagues, ...row }) => ({ ...row, leagues: [...leagues] }))),
  'search.list': ({ query, limit }, { core }) => searchPage(core, query, limit),
  'markets.candles': (call, context) => badSpan(call.query) ?? answerCandles(call, context),
  'account.pnl': ({ account, query }, { core: { catalog, margin } }) => ok(accountPnl(catalog, margin, account, query)),

  'orders.list': ({ account, query, limit }, { core }) =>
    keysetPage('orders.list', query, limit, (page) => core.orders.page(account, page)),
  'orders.create': ({ nowMs, account, body }, { core }) => core.at(nowMs).orders.draft(account, body),
  'orders.submit': submitSigned('order', ({ orders }, ...signed) => orders.submit(...signed)),
  'orders.detail': ({ account, params }, { core }) => answerFound(core.orders.row(account, params.pubkey)),
  'orders.cancel': ({ nowMs, account, params }, { core }) => core.at(nowMs).orders.draftCancel(account, params.pubkey),
  'orders.cancelSubmit': submitSigned('cancel', ({ orders }, ...signed) => orders.submitCancel(...signed)),

  'trades.list': ({ account, query, limit }, { core }) =>
    keysetPage('trades.list', query, limit, (page) => core.orders.trades(account, page)),

  'merges.list': ({ account, query, limit }, { core }) =>
    keysetPage('merges.list', query, limit, (page) => core.conversions.records.merge.page(account, page)),
  'merges.create': ({ nowMs, account, body }, { core }) =>
    core.at(nowMs).conversions.draft('merge', account, body.market_condition_id, sixPlaces(body.amount)),
  'merges.submit': submitSigned('merge', ({ conversions }, ...signed) => conversions.submit('merge', ...signed)),
  'merges.detail': ({ account, params }, { core }) =>
    answerFound(core.conversions.records.merge.row(account, params.pubkey)),

  'splits.list': ({ account, query, limit }, { core }) =>
    keysetPage('splits.list', query, limit, (page) => core.conversions.records.split.page(account, page)),
  'splits.create': ({ nowMs, account, body }, { core }) =>
    core.at(nowMs).conversions.draft('split', account, body.market_condition_id, sixPlaces(body.amount)),
  'splits.submit': submitSigned('split', ({ conversions }, ...signed) => conversions.submit('split', ...signed)),
  'splits.detail': ({ account, params }, { core }) =>
    answerFound(core.conversions.records.split.row(account, params.pubkey)),

  'redeems.list': ({ account, query, limit }, { core }) =>
    keysetPage('redeems.list', query, limit, (page) => core.redeems.page(account, page)),
  'redeems.create': ({ nowMs, account, body }, { core }) =>
    core.at(nowMs).redeems.draft(account, body.market_condition_id),
  'redeems.submit': submitSigned('redeem', ({ redeems }, ...signed) => redeems.submit(...signed)),
  'redeems.detail': ({ account, params }, { core }) => answerFound(core.redeems.row(account, params.pubkey)),

  'requests.list': ({ account, query, limit }, { core }) =>
    sortedPage('requests.list', query, limit, (page) => core.margin.requestPage(account, { ...query, ...page })),
  'requests.create': ({ nowMs, account, body }, { core }) => {
    const size = readSize(body);
    if (!size.ok) return size;
    const { is_yes: isYes = true, leverage = ONE, market_condition_id: marketConditionId } = body;
    const triggers = { takeProfit: body.take_profit_price, stopLoss: body.stop_loss_price };
    const draft = { marketConditionId, isYes, leverage, ...size.value, ...triggers };
    return core.at(nowMs).margin.requests.draft(account, draft);
  },
  'requests.submit': submitSigned('request', ({ margin }, ...signed) => margin.requests.submit(...signed)),
  'requests.detail': ({ account, params }, { core }) => answerFound(core.margin.requests.row(account, params.pubkey)),
  'requests.cancel': ({ nowMs, account, params }, { core }) =>
    core.at(nowMs).margin.requests.cancel(account, params.pubkey),

  'positions.list': ({ account, query, limit }, { core }) =>
    sortedPage('positions.list', query, limit, (page) => core.margin.positionPage(account, { ...query, ...page })),
  'positions.estimate': ({ query }, { core }) => {
    const { market_condition_id: marketConditionId, is_yes: isYes = true, leverage = ONE, funds } = query;
    return core.margin.estimate({ marketConditionId, isYes, leverage, funds });
  },
  'positions.detail': ({ account, params }, { core }) => answerFound(core.margin.positions.row(account, params.pubkey)),
  'positions.close': ({ nowMs, account, params, query }, { core }) =>
    core.at(nowMs).margin.positions.close(account, params.pubkey, query.price ?? null),
  'positions.setTpSl': ({ nowMs, account, params, body }, { core }) => {
    const { take_profit_price: takeProfit, stop_loss_price: stopLoss } = body;
    if (takeProfit === undefined && stopLoss === undefined)
      return invalid('take_profit_price', 'take_profit_price or stop_loss_price is required.');
    return core.at(nowMs).margin.positions.setTpSl(account, params.pubkey, { takeProfit, stopLoss });
  },
  'positions.deleteTpSl': ({ nowMs, account, params }, { core }) =>
    core.at(nowMs).margin.positions.deleteTpSl(account, params.pubkey),
  'positions.claim': ({ nowMs, account, params }, { core }) =>
    core.at(nowMs).margin.claimSettlement(account, params.pubkey),

  'settlements.list': ({ account, query, limit }, { core }) => {
    const { market_state: state } = query;
    // Without a market or position filter, the list contains the settlements of both margin backends.
    const isMerged = query.market_condition_id === undefined && query.position_pubkey === undefined;
    if (isMerged && state !== undefined && state !== 'open' && state !== 'resolved')
      return invalid('market_state', 'Must be open or resolved unless a market or a position is given.');
    return sortedPage('settlements.list', query, limit, (page) =>
      core.margin.settlementPage(account, { ...query, ...page }),
    );
  },

  'markets.marginActivity': ofMarket(({ index }, { query, limit }, { margin }) =>
    keysetPage('markets.marginActivity', query, limit, (page) => margin.activityPage(index, page)),
  ),

  'keys.challenge': ({ nowMs, body }, { core }) =>
    core.at(nowMs).identity.challenge(body.wallet_address, randomBytes(16).toString('hex')),
  'keys.create': ({ nowMs, body }, { core, wallets }) => {
    const isValid = wallets.isValid(body.wallet_address, body.message, body.signature);
    const apiKey = `key_${randomBytes(12).toString('hex')}`;
    const secret = `secret_${randomBytes(24).toString('hex')}`;
    const request = { wallet_address: body.wallet_address, message: body.message, nonce: body.nonce };
    return core.at(nowMs).identity.createKey(request, isValid, apiKey, secret);
  },
  'keys.list': ({ account }, { core }) => ok([...core.identity.keys(account)]),
  'keys.revoke': ({ nowMs, account, params }, { core }) => core.at(nowMs).identity.revoke(account, params.key_id),

  'account.detail': ({ account }, { core }) => ok(core.identity.row(account)),
  'account.assets': ({ account, query, limit }, { core }) => {
    const offset = query.cursor === undefined ? undefined : decodeCursor(query.cursor, 'o');
    if (offset === null) return BAD_CURSOR;
    const page = assetPage(core.catalog, account, { ...query, limit, offset });
    const nextCursor = page.nextOffset === null ? null : encodeCursor({ o: page.nextOffset });
    return { ok: true, value: [...page.rows], nextCursor };
  },
};

/** Calls the handler of an endpoint. `call` must have the types of this endpoint's `ServiceCall`. */
export const passCall = <N extends EndpointName>(name: N, call: object, context: HandlerContext): Reply<N> =>
  HANDLERS[name](call as ServiceCall<N>, context);
