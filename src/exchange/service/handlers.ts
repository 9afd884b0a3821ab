/** Every call of the service with its handler; a declared call without one does not compile. */

import { randomBytes } from 'node:crypto';
import { decodeCursor, encodeCursor } from '../../shared/protocol/cursors.js';
import type { QueryOf } from '../../shared/protocol/endpoints.js';
import type { ServiceFault } from '../../shared/protocol/errors.js';
import { SPORTS } from '../core/market.js';
import { accountPnl, assetPage } from '../core/records/assets.js';
import * as rows from '../core/records/market-rows.js';
import { eventPage, marketPage } from './catalog.js';
import { badField } from './envelope.js';
import { answerFound, BAD_CURSOR, type Handlers, keysetPage, ofMarket, refuse, reply } from './handler-context.js';
import { marginCalls } from './margin-calls.js';
import { searchPage } from './search.js';
import { tradingCalls } from './trading-calls.js';

const MAX_SPAN_S = 30 * 86_400;

/** Candles span from their start, inclusive, to their end, exclusive: not empty, at most 30 days. */
function badSpan({ start_time, end_time }: QueryOf<'markets.candles'>): ServiceFault | null {
  if (end_time <= start_time) return badField('end_time', 'Must be later than start_time.');
  if (end_time - start_time > MAX_SPAN_S) return badField('end_time', 'Must be at most 30 days after start_time.');
  return null;
}

const DEFAULT_DEPTH = 50;

export const HANDLERS: Handlers = {
  'events.list': ({ query, limit, nowMs }, { core }) => eventPage(core, query, limit, nowMs),
  'events.detail': ({ params }, { core }) => {
    const index = core.catalog.findEventIndex(params.condition_id);
    return answerFound(index === null ? null : rows.eventRow(core.catalog, index));
  },
  'markets.list': ({ query, limit, nowMs }, { core }) => marketPage(core, query, limit, nowMs),
  'markets.detail': ({ params }, context) =>
    ofMarket(context, params, (market) => ({ ok: true, data: rows.detailRow(context.core.catalog, market) })),
  'markets.book': ({ params, query }, context) =>
    ofMarket(context, params, (market) => ({
      ok: true,
      data: rows.bookRow(market, query.is_yes ?? true, query.depth ?? DEFAULT_DEPTH),
    })),
  'markets.trades': ({ params, query, limit }, context) =>
    ofMarket(context, params, (market) =>
      keysetPage('markets.trades', query, limit, (page) => rows.publicTradePage(market, page)),
    ),
  'markets.stats': ({ params }, context) =>
    ofMarket(context, params, (market) => ({ ok: true, data: rows.statsRow(market, context.core.nowMs) })),
  'markets.price': ({ params, query }, context) =>
    ofMarket(context, params, (market) => ({ ok: true, data: rows.priceRow(market, query.is_yes ?? true) })),

  'sports.list': () => ({ ok: true, data: SPORTS.map(({ leagues, ...row }) => ({ ...row, leagues: [...leagues] })) }),
  'search.list': ({ query, limit }, { core }) => searchPage(core, query, limit),
  'markets.candles': ({ params, query }, context) => {
    const fault = badSpan(query);
    if (fault !== null) return refuse(fault);
    const isYes = query.is_yes ?? true;
    return ofMarket(context, params, (market) => {
      const { interval, start_time, end_time } = query;
      const data = rows.candleRows(market, interval, start_time * 1000, end_time * 1000, isYes);
      return { ok: true, data, meta: { is_yes: isYes } };
    });
  },
  'account.pnl': ({ account, query }, { core: { catalog, margin } }) => ({
    ok: true,
    data: accountPnl(catalog, margin, account, query),
  }),

  ...tradingCalls,
  ...marginCalls,

  'keys.challenge': ({ nowMs, body }, { core }) =>
    reply(core.at(nowMs).identity.challenge(body.wallet_address, randomBytes(16).toString('hex'))),
  'keys.create': ({ nowMs, body }, { core, wallets }) => {
    const isValid = wallets.isValid(body.wallet_address, body.message, body.signature);
    const apiKey = `key_${randomBytes(12).toString('hex')}`;
    const secret = `secret_${randomBytes(24).toString('hex')}`;
    const request = { wallet_address: body.wallet_address, message: body.message, nonce: body.nonce };
    return reply(core.at(nowMs).identity.createKey(request, isValid, apiKey, secret));
  },
  'keys.list': ({ account }, { core }) => ({ ok: true, data: [...core.identity.keys(account)] }),
  'keys.revoke': ({ nowMs, account, params }, { core }) =>
    reply(core.at(nowMs).identity.revoke(account, params.key_id)),

  'account.detail': ({ account }, { core }) => ({ ok: true, data: core.identity.row(account) }),
  'account.assets': ({ account, query, limit }, { core }) => {
    const offset = query.cursor === undefined ? undefined : decodeCursor(query.cursor, 'o');
    if (offset === null) return refuse(BAD_CURSOR);
    const page = assetPage(core.catalog, account, { ...query, limit, offset });
    const nextCursor = page.nextOffset === null ? null : encodeCursor({ o: page.nextOffset });
    return { ok: true, data: [...page.rows], nextCursor };
  },
};
