/**
 * The lists of events and markets: which a filter shows, how a sort orders them, where a page goes on.
 *
 * What the interface leaves open is fixed here. A market is *closed* when it no longer trades and is not settled,
 * *resolved* when it is settled. An event is open when any of its markets is, resolved when all are settled, closed when
 * none is open and one at least is closed. `ending_soon` and `ended_recently` look 7 days ahead of and behind the
 * resolution date, `newest` shows everything. Nothing here belongs to a sport, so a `sport` matches nothing.
 */

import { encodeCursor } from '../../protocol/cursors.js';
import type { QueryOf } from '../../protocol/endpoints.js';
import { isSettledMarket, type MarketState } from '../../protocol/states.js';
import type { CoreReads, MarketFacts, WireEvent, WireListRow } from '../core/contract.js';
import { BAD_CURSOR, cursorPosition, refuse } from './calls.js';
import { badField } from './envelope.js';

type CatalogQuery = QueryOf<'events.list'>;

/** What filters and sorts look at: an event is the sum of its markets. */
interface Entry {
  readonly index: number;
  readonly category: string;
  readonly markets: readonly MarketFacts[];
}

const SOON_S = 7 * 86_400;
/** The interface: "The events list shows at most two market summaries per event". */
const SUMMARIES_PER_EVENT = 2;

export const eventPage = (core: CoreReads, query: CatalogQuery, limit: number, nowMs: number) =>
  catalogPage<WireEvent>(
    { core, query, limit, nowMs, offsetKey: 'e_offset' },
    core.eventCount,
    (index) => {
      const { category, markets } = core.eventFacts(index);
      return { index, category, markets: markets.map((market) => core.marketFacts(market)) };
    },
    (index) => core.eventRow(index, SUMMARIES_PER_EVENT),
  );

export const marketPage = (core: CoreReads, query: CatalogQuery, limit: number, nowMs: number) =>
  catalogPage<WireListRow>(
    { core, query, limit, nowMs, offsetKey: 'm_offset' },
    core.marketCount,
    (index) => {
      const facts = core.marketFacts(index);
      return { index, category: facts.category, markets: [facts] };
    },
    (index) => core.listRow(index),
  );

interface CatalogAsk {
  readonly core: CoreReads;
  readonly query: CatalogQuery;
  readonly limit: number;
  readonly nowMs: number;
  readonly offsetKey: 'e_offset' | 'm_offset';
}

function catalogPage<R>(
  ask: CatalogAsk,
  count: number,
  entryOf: (index: number) => Entry,
  rowOf: (index: number) => R,
) {
  const { query, limit } = ask;
  if (query.league !== undefined && query.sport === undefined) {
    return refuse(badField('league', 'A league can only be given together with its sport.'));
  }
  const key = query.sort === undefined ? 'before_id' : ask.offsetKey;
  const position = cursorPosition(query.cursor, key);
  if (position === null) return refuse(BAD_CURSOR);
  const found = query.sport === undefined ? matching(ask, count, entryOf) : [];
  if (query.sort === undefined) {
    // Newest first by id, which is the index plus one: `before_id` survives what is created meanwhile.
    const left = position === undefined ? found : found.filter((entry) => entry.index + 1 < position);
    const page = left.slice(0, limit);
    const last = page.at(-1);
    const nextCursor = left.length > limit && last !== undefined ? encodeCursor({ before_id: last.index + 1 }) : null;
    return { ok: true, data: page.map((entry) => rowOf(entry.index)), nextCursor } as const;
  }
  const offset = position ?? 0;
  const page = sorted(ask.core, found, query.sort).slice(offset, offset + limit);
  const nextCursor = found.length > offset + limit ? encodeCursor({ [key]: offset + limit }) : null;
  return { ok: true, data: page.map((entry) => rowOf(entry.index)), nextCursor } as const;
}

/** Newest first. */
function matching(ask: CatalogAsk, count: number, entryOf: (index: number) => Entry): Entry[] {
  const { category, state } = ask.query;
  const entries: Entry[] = [];
  for (let index = count - 1; index >= 0; index--) {
    const entry = entryOf(index);
    if (category !== undefined && entry.category !== category) continue;
    if (state === undefined || matches(entry, state, ask.nowMs / 1000)) entries.push(entry);
  }
  return entries;
}

function matches(entry: Entry, filter: NonNullable<CatalogQuery['state']>, nowS: number): boolean {
  switch (filter) {
    case 'newest':
      return true;
    case 'open':
      return isOpen(entry);
    case 'resolved':
      return isResolved(entry);
    case 'closed':
      return isClosed(entry);
    case 'ending_soon':
      return isOpen(entry) && entry.markets.some((market) => isWithin(market.resolutionDate, nowS, nowS + SOON_S));
    case 'ended_recently':
      return (
        (isClosed(entry) || isResolved(entry)) &&
        entry.markets.some((market) => isWithin(market.resolutionDate, nowS - SOON_S, nowS))
      );
  }
}

/** States of a market that traded and is not settled yet. */
const CLOSED: readonly MarketState[] = ['answer_proposed', 'waiting_to_resolve', 'interrupted'];

const isOpen = ({ markets }: Entry): boolean => markets.some((market) => market.state === 'open');
const isResolved = ({ markets }: Entry): boolean =>
  markets.length > 0 && markets.every((market) => isSettledMarket(market.state));
const isClosed = (entry: Entry): boolean =>
  !isOpen(entry) && entry.markets.some((market) => CLOSED.includes(market.state));
const isWithin = (second: number | null, from: number, to: number): boolean =>
  second !== null && second >= from && second <= to;

/** Greatest first, but for `ending_soon`; equals newest first. Sorting is stable. */
function sorted(core: CoreReads, entries: readonly Entry[], sort: NonNullable<CatalogQuery['sort']>): Entry[] {
  const rank = new Map(entries.map((entry) => [entry, rankOf(core, entry, sort)]));
  return [...entries].sort((a, b) => (rank.get(b) ?? 0) - (rank.get(a) ?? 0));
}

function rankOf(core: CoreReads, { markets }: Entry, sort: NonNullable<CatalogQuery['sort']>): number {
  switch (sort) {
    case 'market_cap':
      return sum(markets, (market) => market.setsOutstanding);
    case 'total_volume':
      return sum(markets, (market) => market.totalVolume);
    case 'trending':
      return sum(markets, (market) => Number(core.statsRow(market.index).total_volume_24h));
    case 'last_trade':
      return Math.max(0, ...markets.map((market) => market.lastTradeMs ?? 0));
    case 'leverage':
      return Math.max(0, ...markets.map((market) => maxLeverage(core, market)));
    case 'ending_soon':
      // The soonest first; those without a date last.
      return -Math.min(...markets.map((market) => market.resolutionDate ?? Number.MAX_SAFE_INTEGER));
    case 'live_stream':
      // The paper exchange has no streams: all are equal.
      return 0;
  }
}

/** Order-book markets are traded without leverage. */
function maxLeverage(core: CoreReads, market: MarketFacts): number {
  if (market.kind === 'orderbook') return 1;
  const { config } = core.detailRow(market.index);
  if (config.kind === 'orderbook') return 1;
  return Math.max(Number(config.max_leverage_yes), Number(config.max_leverage_no));
}

const sum = (markets: readonly MarketFacts[], of: (market: MarketFacts) => number): number =>
  markets.reduce((total, market) => total + of(market), 0);
