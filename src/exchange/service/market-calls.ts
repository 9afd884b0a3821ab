/** What everybody may read: events, markets, books, trades. */

import { eventPage, marketPage } from './catalog.js';
import { found, type Handlers, keysetPage, ofMarket } from './handler-context.js';

type MarketCall =
  | `events.${'list' | 'detail'}`
  | `markets.${'list' | 'detail' | 'book' | 'trades' | 'stats' | 'price'}`;

/** Levels of each side of a book when the caller does not say. */
const DEFAULT_DEPTH = 50;

export const marketCalls: Handlers<MarketCall> = {
  'events.list': ({ query, limit, nowMs }, { core }) => eventPage(core, query, limit, nowMs),
  'events.detail': ({ params }, { core }) => {
    const index = core.eventIndexOf(params.condition_id);
    return found(index === null ? null : core.eventRow(index));
  },
  'markets.list': ({ query, limit, nowMs }, { core }) => marketPage(core, query, limit, nowMs),
  'markets.detail': ({ params }, desk) =>
    ofMarket(desk, params, (index) => ({ ok: true, data: desk.core.detailRow(index) })),
  'markets.book': ({ params, query }, desk) =>
    ofMarket(desk, params, (index) => ({
      ok: true,
      text: desk.books.textOf(index, query.is_yes ?? true, query.depth ?? DEFAULT_DEPTH),
    })),
  'markets.trades': ({ params, query, limit }, desk) =>
    ofMarket(desk, params, (index) =>
      keysetPage('markets.trades', query.cursor, (beforeId) => desk.core.publicTrades(index, { limit, beforeId })),
    ),
  'markets.stats': ({ params }, desk) =>
    ofMarket(desk, params, (index) => ({ ok: true, data: desk.core.statsRow(index) })),
  'markets.price': ({ params, query }, desk) =>
    ofMarket(desk, params, (index) => ({ ok: true, data: desk.core.priceRow(index, query.is_yes ?? true) })),
};
