/** Leveraged positions: estimates, requests, positions, triggers, settlements and claims. */

import { ONE } from '../../shared/base/micros.js';
import type { QueryOf } from '../../shared/protocol/endpoints.js';
import type { MarginPage, MarginPageQuery, MarginSize, Result } from '../core/contract.js';
import { badField } from './envelope.js';
import {
  answerFound,
  BAD_CURSOR,
  type Handlers,
  keysetPage,
  ofMarket,
  refuse,
  reply,
  type ServiceCall,
} from './handler-context.js';
import { type CursorList, cursorBehind, cursorPlace } from './list-cursors.js';
import { submitSigned } from './trading-calls.js';

export const marginCalls = {
  'requests.list': ({ account, query, limit }, { core }) =>
    sortedPage('requests.list', query, limit, (page) => core.margin.requestPage(account, { ...query, ...page })),
  'requests.create': ({ nowMs, account, body }, { core }) => {
    const size = readSize(body);
    if (!size.ok) return refuse(size.fault);
    const { is_yes: isYes = true, leverage = ONE, market_condition_id: marketConditionId } = body;
    const triggers = { takeProfit: body.take_profit_price, stopLoss: body.stop_loss_price };
    return reply(
      core.at(nowMs).margin.requests.draft(account, { marketConditionId, isYes, leverage, ...size.value, ...triggers }),
    );
  },
  'requests.submit': (call, context) =>
    submitSigned('request', call, context, ({ margin }, ...signed) => margin.requests.submit(...signed)),
  'requests.detail': ({ account, params }, { core }) => answerFound(core.margin.requests.row(account, params.pubkey)),
  'requests.cancel': ({ nowMs, account, params }, { core }) =>
    reply(core.at(nowMs).margin.requests.cancel(account, params.pubkey)),

  'positions.list': ({ account, query, limit }, { core }) =>
    sortedPage('positions.list', query, limit, (page) => core.margin.positionPage(account, { ...query, ...page })),
  'positions.estimate': ({ query }, { core }) => {
    const { market_condition_id: marketConditionId, is_yes: isYes = true, leverage = ONE, funds } = query;
    return reply(core.margin.estimate({ marketConditionId, isYes, leverage, funds }));
  },
  'positions.detail': ({ account, params }, { core }) => answerFound(core.margin.positions.row(account, params.pubkey)),
  'positions.close': ({ nowMs, account, params, query }, { core }) =>
    reply(core.at(nowMs).margin.positions.close(account, params.pubkey, query.price ?? null)),
  'positions.setTpSl': ({ nowMs, account, params, body }, { core }) => {
    const { take_profit_price: takeProfit, stop_loss_price: stopLoss } = body;
    if (takeProfit === undefined && stopLoss === undefined) return refuse(NO_TRIGGER);
    return reply(core.at(nowMs).margin.positions.setTpSl(account, params.pubkey, { takeProfit, stopLoss }));
  },
  'positions.deleteTpSl': ({ nowMs, account, params }, { core }) =>
    reply(core.at(nowMs).margin.positions.deleteTpSl(account, params.pubkey)),
  'positions.claim': ({ nowMs, account, params }, { core }) =>
    reply(core.at(nowMs).margin.claimSettlement(account, params.pubkey)),

  'settlements.list': (call, { core }) => {
    const { account, query, limit } = call;
    const { market_state: state } = query;
    if (isMerged(call) && state !== undefined && state !== 'open' && state !== 'resolved') {
      return refuse(badField('market_state', 'Must be open or resolved unless a market or a position is given.'));
    }
    return sortedPage('settlements.list', query, limit, (page) =>
      core.margin.settlementPage(account, { ...query, ...page }),
    );
  },

  'markets.marginActivity': ({ params, query, limit }, context) =>
    ofMarket(context, params, ({ index }) =>
      keysetPage('markets.marginActivity', query, limit, (page) => context.core.margin.activityPage(index, page)),
    ),
} satisfies Partial<Handlers>;

const NO_TRIGGER = badField('take_profit_price', 'take_profit_price or stop_loss_price is required.');

/** Without a market or a position a list covers the markets of both backends. */
const isMerged = ({ query }: ServiceCall<'settlements.list'>): boolean =>
  query.market_condition_id === undefined && query.position_pubkey === undefined;

type RequestBody = ServiceCall<'requests.create'>['body'];

/** Exactly the sizes of a request's type; the fields are checked in this order. */
function readSize({ type, funds, price, shares }: RequestBody): Result<MarginSize> {
  const isMarket = type === 'market';
  const missing = (field: string) => badField(field, `This field is required for a ${type} request.`);
  const extra = (field: string) => badField(field, `Not a field of a ${type} request.`);
  if (isMarket) {
    if (funds === undefined) return refuse(missing('funds'));
    if (price !== undefined) return refuse(extra('price'));
    return shares === undefined ? { ok: true, value: { type, funds } } : refuse(extra('shares'));
  }
  if (funds !== undefined) return refuse(extra('funds'));
  if (price === undefined) return refuse(missing('price'));
  return shares === undefined ? refuse(missing('shares')) : { ok: true, value: { type, price, shares } };
}

type SortedQuery = Pick<QueryOf<'positions.list'>, 'sort' | 'cursor'>;

/** A list in order of creation; its cursor names the last record shown. */
function sortedPage<T>(
  list: CursorList,
  query: SortedQuery,
  limit: number,
  read: (page: MarginPageQuery) => MarginPage<T>,
) {
  const after = cursorPlace(list, query.cursor);
  if (after === null) return refuse(BAD_CURSOR);
  const page = read({ limit, after, oldestFirst: query.sort === 'created' });
  return {
    ok: true as const,
    data: [...page.rows],
    nextCursor: page.next === null ? null : cursorBehind(list, page.next),
  };
}
