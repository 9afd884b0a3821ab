/** What everybody may read: events, markets, books, trades. */

import { eventPage, marketPage } from './catalog.js';
import { answerFound, type Handlers, keysetPage, ofMarket } from './handler-context.js';

type MarketCall =
  | `events.${'list' | 'detail'}`
  | `markets.${'list' | 'detail' | 'book' | 'trades' | 'stats' | 'price'}`;

/** Levels of each side of a book when the caller does not say. */
const DEFAULT_DEPTH = 50;

export const marketCalls: Handlers<MarketCall> = {
  'events.list': ({ query, limit, nowMs }, { core }) => eventPage(core, query, limit, nowMs),
  'events.detail': ({ params }, { core }) => {
    const index = core.findEventIndex(params.condition_id);
    return answerFound(index === null ? null : core.eventRow(index));
  },
  'markets.list': ({ query, limit, nowMs }, { core }) => marketPage(core, query, limit, nowMs),
  'markets.detail': ({ params }, context) =>
    ofMarket(context, params, (index) => ({ ok: true, data: context.core.detailRow(index) })),
  'markets.book': ({ params, query }, context) =>
    ofMarket(context, params, (index) => ({
      ok: true,
      text: context.books.formatBook(index, query.is_yes ?? true, query.depth ?? DEFAULT_DEPTH),
    })),
  'markets.trades': ({ params, query, limit }, context) =>
    ofMarket(context, params, (index) =>
      keysetPage('markets.trades', query.cursor, (beforeId) => context.core.publicTrades(index, { limit, beforeId })),
    ),
  'markets.stats': ({ params }, context) =>
    ofMarket(context, params, (index) => ({ ok: true, data: context.core.statsRow(index) })),
  'markets.price': ({ params, query }, context) =>
    ofMarket(context, params, (index) => ({ ok: true, data: context.core.priceRow(index, query.is_yes ?? true) })),
};
