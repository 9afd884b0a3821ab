/**
 * The lists of events and markets: which a filter shows, how a sort orders them, where a page goes on.
 *
 * What the interface leaves open is fixed here. An event has the category of the market that opened it, and belongs to
 * every sport and league that one of its markets belongs to. A market is *closed* when it no longer trades and is not
 * settled, *resolved* when it is settled. An event is open when any of its markets is, resolved when all are settled,
 * closed when none is open and one at least is closed. `ending_soon` and `ended_recently` look 7 days ahead of and behind
 * the resolution date, `newest` shows everything.
 *
 * Without a sort a walk through the pages survives whatever happens meanwhile. With one it survives new markets; a market
 * whose rank changes between two pages may be shown twice or be missed, as with every offset.
 */

import type { QueryOf } from '../../shared/protocol/endpoints.js';
import type { ServiceFault } from '../../shared/protocol/errors.js';
import type { Result, Wire } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import { SPORTS } from '../core/market.js';
import { eventListRow, listRow, type MarketFacts } from '../core/records/market-rows.js';
import { badField } from './envelope.js';
import { BAD_CURSOR, refuse } from './handler-context.js';
import { cursorAt, cursorPosition } from './list-cursors.js';
import {
  cut,
  isClosed,
  isOpen,
  isResolved,
  isWithin,
  type OffsetList,
  type Ranked,
  readPlace,
  sortedBy,
} from './ranking.js';

type CatalogQuery = QueryOf<'events.list'>;

/** Fields for filters and sorts: an event is the sum of its markets. */
interface Entry extends Ranked {
  readonly index: number;
  readonly category: string;
}

interface Listing<R> extends OffsetList {
  readonly count: number;
  /** With its markets before `until`. */
  readonly readEntry: (index: number, until: number) => Entry;
  readonly readRow: (index: number) => R;
}

interface CatalogAsk {
  readonly query: CatalogQuery;
  readonly limit: number;
  readonly nowMs: number;
  readonly marketCount: number;
}

const SOON_S = 7 * 86_400;
/** The interface: "The events list shows at most two market summaries per event". */
const SUMMARIES_PER_EVENT = 2;

/** An event as the sum of its markets before `until`. */
export function eventEntry(core: ExchangeCore, index: number, until: number): Entry {
  const { category, createdMs, markets } = core.catalog.event(index);
  const known = markets.filter((market) => market < until);
  return { index, category, createdMs, markets: known.map((market) => core.marketFacts(market)) };
}

/** One page of the list of events. */
export const eventPage = (core: ExchangeCore, query: CatalogQuery, limit: number, nowMs: number) =>
  catalogPage<Wire<'eventRow'>>(
    { query, limit, nowMs, marketCount: core.catalog.markets.length },
    {
      list: 'events.list',
      key: 'e_offset',
      count: core.catalog.events.length,
      readEntry: (index, until) => eventEntry(core, index, until),
      readRow: (index) => eventListRow(core.catalog, index, SUMMARIES_PER_EVENT),
    },
  );

/** One page of the list of markets. */
export const marketPage = (core: ExchangeCore, query: CatalogQuery, limit: number, nowMs: number) =>
  catalogPage<Wire<'marketListRow'>>(
    { query, limit, nowMs, marketCount: core.catalog.markets.length },
    {
      list: 'markets.list',
      key: 'm_offset',
      count: core.catalog.markets.length,
      readEntry: (index, until) => {
        const facts = core.marketFacts(index);
        const { category, createdMs } = facts;
        return { index, category, createdMs, markets: index < until ? [facts] : [] };
      },
      readRow: (index) => listRow(core.catalog, core.catalog.market(index)),
    },
  );

/** Checks the sport and the league, then the cursor. */
function catalogPage<R>(ask: CatalogAsk, listing: Listing<R>) {
  const sports = sportFilter(ask.query);
  if (!sports.ok) return refuse(sports.fault);
  return ask.query.sort === undefined ? newestPage(ask, listing, sports.value) : sortedPage(ask, listing, sports.value);
}

/** Newest first by id, which is the index plus one: `before_id` survives later creations. */
function newestPage<R>(ask: CatalogAsk, { list, count, readEntry, readRow }: Listing<R>, sports: SportFilter) {
  const beforeId = cursorPosition(list, ask.query.cursor, 'before_id');
  if (beforeId === null) return refuse(BAD_CURSOR);
  const data: R[] = [];
  let lastIndex = 0;
  for (let index = Math.min(count, (beforeId ?? count + 1) - 1) - 1; index >= 0; index--) {
    if (!matches(readEntry(index, ask.marketCount), ask, sports)) continue;
    // One more than the page: a next page exists.
    if (data.length === ask.limit) {
      return { ok: true as const, data, nextCursor: cursorAt(list, 'before_id', lastIndex + 1) };
    }
    data.push(readRow(index));
    lastIndex = index;
  }
  return { ok: true as const, data, nextCursor: null };
}

function sortedPage<R>(ask: CatalogAsk, listing: Listing<R>, sports: SportFilter) {
  const { count, readEntry, readRow } = listing;
  const place = readPlace(listing, ask.query.cursor, ask.marketCount);
  if (place === null) return refuse(BAD_CURSOR);
  const found: Entry[] = [];
  for (let index = count - 1; index >= 0; index--) {
    const entry = readEntry(index, place.until);
    if (matches(entry, ask, sports)) found.push(entry);
  }
  const sorted = sortedBy(found, ask.query.sort ?? 'created');
  return cut(sorted, place, ask.limit, listing, (entry) => readRow(entry.index));
}

function matches(entry: Entry, { query, nowMs }: CatalogAsk, sports: SportFilter): boolean {
  if (entry.markets.length === 0) return false;
  if (query.category !== undefined && entry.category !== query.category) return false;
  if (query.state !== undefined && !isIn(query.state, entry, nowMs / 1000)) return false;
  return entry.markets.some(sports);
}

function isIn(filter: NonNullable<CatalogQuery['state']>, { markets }: Entry, nowS: number): boolean {
  switch (filter) {
    case 'newest':
      return true;
    case 'open':
      return markets.some(isOpen);
    case 'resolved':
      return markets.every(isResolved);
    case 'closed':
      return !markets.some(isOpen) && markets.some(isClosed);
    case 'ending_soon':
      return markets.some((market) => isOpen(market) && isWithin(market.resolutionDate, nowS, nowS + SOON_S));
    case 'ended_recently':
      return (
        !markets.some(isOpen) &&
        (markets.some(isClosed) || markets.every(isResolved)) &&
        markets.some((market) => isWithin(market.resolutionDate, nowS - SOON_S, nowS))
      );
  }
}

/** True for markets of one of the sports, and of one of the leagues if given. */
export type SportFilter = (market: MarketFacts) => boolean;

/** 400 for a league without a sport, an unknown slug, or a league of no given sport. */
export function sportFilter({ sport, league }: Pick<CatalogQuery, 'sport' | 'league'>): Result<SportFilter> {
  if (sport === undefined) {
    if (league === undefined) return { ok: true, value: () => true };
    return refuse(badField('league', 'A league can only be given together with its sport.'));
  }
  const sports = splitSlugs(sport);
  const known = SPORTS.filter(({ slug }) => sports.includes(slug));
  if (known.length !== new Set(sports).size) return refuse(refuseUnknown('sport', SPORTS));
  if (league === undefined) return { ok: true, value: (market) => isOne(sports, market.sport) };
  const leagues = splitSlugs(league);
  const own = known.flatMap((row) => row.leagues);
  if (!leagues.every((slug) => own.some((row) => row.slug === slug))) return refuse(refuseUnknown('league', own));
  return { ok: true, value: (market) => isOne(leagues, market.league) };
}

const splitSlugs = (list: string): readonly string[] => list.split(',').map((slug) => slug.trim().toLowerCase());
const isOne = (slugs: readonly string[], slug: string | null): boolean => slug !== null && slugs.includes(slug);

const refuseUnknown = (field: string, rows: readonly { readonly slug: string }[]): ServiceFault =>
  badField(field, `Must be a comma-separated list of: ${rows.map(({ slug }) => slug).join(', ')}.`);
