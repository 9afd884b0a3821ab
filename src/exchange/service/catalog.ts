/**
 * The lists of events and markets, and the search.
 *
 * An event has the category of its first market, and the sports and leagues of all its markets. A market is *closed* if
 * it no longer trades and is not settled. An event is open if any market is open, and resolved if all are settled. An
 * event is closed if no market is open and at least one is closed. `ending_soon` means that the resolution date is at
 * most 7 days ahead; `ended_recently` means that it is at most 7 days ago.
 *
 * Without a sort, the pages of a list stay consistent during all changes. With a sort, pages stay consistent only if
 * new markets are the only change.
 */

import type { QueryOf } from '../../shared/protocol/endpoints.js';
import type { ServiceFault } from '../../shared/protocol/errors.js';
import { type EVENT_SORTS, isSettledMarket, type SEARCH_SORTS } from '../../shared/protocol/states.js';
import type { Result, Wire } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import { SPORTS } from '../core/market.js';
import { detailRow, eventListRow, eventRow, type ListedFacts, listRow } from '../core/records/market-rows.js';
import {
  BAD_CURSOR,
  badField,
  type CursorList,
  cursorAt,
  cursorPosition,
  refuse,
  type ServiceCall,
} from './answers.js';

type Sort = (typeof EVENT_SORTS)[number] | (typeof SEARCH_SORTS)[number];

/** An entry of a list: a market, or an event with its markets. */
interface CatalogEntry {
  readonly index: number;
  readonly category: string;
  readonly createdMs: number;
  readonly markets: readonly ListedFacts[];
}

/** Sorts entries by rank, greatest first. Entries of equal rank keep the given order, newest first. */
function sortedBy<R extends CatalogEntry>(rows: readonly R[], sort: Sort): readonly R[] {
  const rankEntry = RANKS[sort];
  return rows
    .map((row) => ({ row, rank: rankEntry(row) }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ row }) => row);
}

/** Rank of an entry in each sort. An event ranks by the sum or maximum of its markets, or by its age. */
const RANKS: Readonly<Record<Sort, (row: CatalogEntry) => number>> = {
  created: (row) => row.createdMs,
  market_cap: ({ markets }) => sum(markets, (market) => market.setsOutstanding),
  total_volume: ({ markets }) => sum(markets, (market) => market.totalVolume),
  /** Trading volume of the last 24 hours. */
  trending: ({ markets }) => sum(markets, (market) => market.volume24h),
  last_trade: ({ markets }) => most(markets, (market) => market.lastTradeMs ?? 0),
  leverage: ({ markets }) => most(markets, (market) => Math.max(market.maxLeverageYes, market.maxLeverageNo)),
  /** Earliest resolution first. Markets without a date and settled markets are last in the sort `ending_soon`. */
  ending_soon: ({ markets }) => most(markets, (market) => -(getEndDate(market) ?? Number.MAX_SAFE_INTEGER)),
  /** All entries are equal in the sort `live_stream`, because the paper exchange has no streams. */
  live_stream: () => 0,
};

const getEndDate = (market: ListedFacts): number | null => (isResolved(market) ? null : market.resolutionDate);
const sum = (markets: readonly ListedFacts[], of: (market: ListedFacts) => number): number =>
  markets.reduce((total, market) => total + of(market), 0);
const most = (markets: readonly ListedFacts[], of: (market: ListedFacts) => number): number =>
  markets.reduce((greatest, market) => Math.max(greatest, of(market)), Number.NEGATIVE_INFINITY);

interface PagePlace {
  readonly offset: number;
  /** Number of markets at the time of the list's first page; later markets are excluded, so that pages do not shift. */
  readonly until: number;
}

interface OffsetList {
  readonly list: CursorList;
  readonly key: 'e_offset' | 'm_offset';
}

/** The number in a sorted list's cursor is `until` × PER_MARKET + offset; `until` and offset are below 2^24. */
const PER_MARKET = 2 ** 24;

/** Decodes a sorted list's cursor; null for an invalid cursor. A cursor without `until` applies to all markets. */
function readPlace({ list, key }: OffsetList, cursor: string | undefined, marketCount: number): PagePlace | null {
  const position = cursorPosition(list, cursor, key);
  if (position === null) return null;
  if (position === undefined) return { offset: 0, until: marketCount };
  const until = Math.floor(position / PER_MARKET);
  return { offset: position % PER_MARKET, until: until === 0 ? marketCount : Math.min(until, marketCount) };
}

function cut<R, T>(
  found: readonly R[],
  { offset, until }: PagePlace,
  limit: number,
  { list, key }: OffsetList,
  makeRow: (row: R) => T,
) {
  const end = offset + limit;
  const nextCursor = found.length > end ? cursorAt(list, key, until * PER_MARKET + end) : null;
  return { ok: true as const, data: found.slice(offset, end).map(makeRow), nextCursor };
}

const isOpen = ({ state }: ListedFacts): boolean => state === 'open';

/** Returns true if the outcome is proposed or awaited, and the market is not settled. */
const isUnderReview = ({ state }: ListedFacts) => state === 'answer_proposed' || state === 'waiting_to_resolve';

/** Returns true for a market that is under review or interrupted: it no longer trades and is not settled. */
const isClosed = (market: ListedFacts): boolean => isUnderReview(market) || market.state === 'interrupted';

const isResolved = ({ state }: ListedFacts): boolean => isSettledMarket(state);

/** Returns true if a time is between two times, inclusive, Unix seconds; false for null. */
const isWithin = (second: number | null, from: number, to: number) => second !== null && second >= from && second <= to;

type CatalogQuery = QueryOf<'events.list'>;

interface Listing<R> extends OffsetList {
  readonly count: (core: ExchangeCore) => number;
  /** Reads an entry with those of its markets whose index is below `until`. */
  readonly readEntry: (core: ExchangeCore, index: number, until: number) => CatalogEntry;
  readonly readRow: (core: ExchangeCore, index: number) => R;
}

type CatalogAsk = Pick<ServiceCall<'events.list'>, 'query' | 'limit' | 'nowMs'> & { readonly core: ExchangeCore };

const SOON_S = 7 * 86_400;
/** The interface: "The events list shows at most two market summaries per event". */
const SUMMARIES_PER_EVENT = 2;

function eventEntry(core: ExchangeCore, index: number, until: number): CatalogEntry {
  const { category, createdMs, markets } = core.catalog.event(index);
  const known = markets.filter((market) => market < until);
  return { index, category, createdMs, markets: known.map((market) => core.marketFacts(market)) };
}

/** The list of events. */
export const EVENTS: Listing<Wire<'eventRow'>> = {
  list: 'events.list',
  key: 'e_offset',
  count: ({ catalog }) => catalog.events.length,
  readEntry: eventEntry,
  readRow: ({ catalog }, index) => eventListRow(catalog, index, SUMMARIES_PER_EVENT),
};

/** The list of markets. */
export const MARKETS: Listing<Wire<'marketListRow'>> = {
  list: 'markets.list',
  key: 'm_offset',
  count: ({ catalog }) => catalog.markets.length,
  readEntry: marketEntry,
  readRow: ({ catalog }, index) => listRow(catalog, catalog.market(index)),
};

function marketEntry(core: ExchangeCore, index: number, until: number): CatalogEntry {
  const facts = core.marketFacts(index);
  const { category, createdMs } = facts;
  return { index, category, createdMs, markets: index < until ? [facts] : [] };
}

/** One page of the list of events or markets. The filters sport and league are checked first, then the cursor. */
export function catalogPage<R>(ask: CatalogAsk, listing: Listing<R>) {
  const sports = sportFilter(ask.query);
  if (!sports.ok) return refuse(sports.fault);
  return ask.query.sort === undefined ? newestPage(ask, listing, sports.value) : sortedPage(ask, listing, sports.value);
}

/** One page of an unsorted list, newest first. Cursors contain indexes, so new entries do not shift pages. */
function newestPage<R>(ask: CatalogAsk, { list, count, readEntry, readRow }: Listing<R>, sports: SportFilter) {
  const { core } = ask;
  const total = count(core);
  const beforeId = cursorPosition(list, ask.query.cursor, 'before_id');
  if (beforeId === null) return refuse(BAD_CURSOR);
  const data: R[] = [];
  let lastIndex = 0;
  for (let index = Math.min(total, (beforeId ?? total + 1) - 1) - 1; index >= 0; index--) {
    if (!matches(readEntry(core, index, core.catalog.markets.length), ask, sports)) continue;
    // At least one more entry matches, so there is a next page.
    if (data.length === ask.limit) {
      return { ok: true as const, data, nextCursor: cursorAt(list, 'before_id', lastIndex + 1) };
    }
    data.push(readRow(core, index));
    lastIndex = index;
  }
  return { ok: true as const, data, nextCursor: null };
}

function sortedPage<R>(ask: CatalogAsk, listing: Listing<R>, sports: SportFilter) {
  const { core } = ask;
  const place = readPlace(listing, ask.query.cursor, core.catalog.markets.length);
  if (place === null) return refuse(BAD_CURSOR);
  const found: CatalogEntry[] = [];
  for (let index = listing.count(core) - 1; index >= 0; index--) {
    const entry = listing.readEntry(core, index, place.until);
    if (matches(entry, ask, sports)) found.push(entry);
  }
  const sorted = sortedBy(found, ask.query.sort ?? 'created');
  return cut(sorted, place, ask.limit, listing, (entry) => listing.readRow(core, entry.index));
}

function matches(entry: CatalogEntry, { query, nowMs }: CatalogAsk, sports: SportFilter): boolean {
  if (entry.markets.length === 0) return false;
  if (query.category !== undefined && entry.category !== query.category) return false;
  if (query.state !== undefined && !isIn(query.state, entry, nowMs / 1000)) return false;
  return entry.markets.some(sports);
}

function isIn(filter: NonNullable<CatalogQuery['state']>, { markets }: CatalogEntry, nowS: number): boolean {
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

/** Returns true for a market of the wanted sports and leagues. */
type SportFilter = (market: ListedFacts) => boolean;

/** Filter by sport and league. Refuses a league without its sport, and unknown slugs. */
function sportFilter({ sport, league }: Pick<CatalogQuery, 'sport' | 'league'>): Result<SportFilter> {
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

type SearchQuery = QueryOf<'search.list'>;

interface Hit extends CatalogEntry {
  readonly type: 'market' | 'event';
}

type CatalogRow =
  | { readonly result_type: 'market'; readonly summary: Wire<'marketDetail'> }
  | { readonly result_type: 'event'; readonly summary: Wire<'eventRow'> };

const MIN_WORDS_LENGTH = 2;
const SEARCH: OffsetList = { list: 'search.list', key: 'm_offset' };
const NO_FILTERS: readonly string[] = ['sort', 'limit', 'cursor'];

/**
 * One page of the search. The search finds a market if all filters match, and an event if one of its markets is found.
 * Each word of the search text `q` must occur in a title or description of the market or its event. Price filters apply
 * to the YES mark. A market without a price matches no price filter; the same holds for dates.
 *
 * A search is checked in this order: at least one filter, length of `q`, sport and league, cursor.
 */
export function searchPage(core: ExchangeCore, query: SearchQuery, limit: number) {
  const isFiltered = Object.entries(query).some(([name, value]) => value !== undefined && !NO_FILTERS.includes(name));
  if (!isFiltered) return refuse(badField('q', 'At least one filter is required.'));
  const text = query.q?.trim().toLowerCase();
  if (text !== undefined && text.length < MIN_WORDS_LENGTH) {
    return refuse(badField('q', `Ensure this field has at least ${MIN_WORDS_LENGTH} characters.`));
  }
  const sports = sportFilter(query);
  if (!sports.ok) return refuse(sports.fault);
  const place = readPlace(SEARCH, query.cursor, core.catalog.markets.length);
  if (place === null) return refuse(BAD_CURSOR);
  const words = text?.split(/\s+/) ?? [];
  const hits = findHits(core, place.until, query, marketFilter(query, words, sports.value));
  return cut(sortedBy(hits, query.sort ?? 'created'), place, limit, SEARCH, (hit) => makeRow(core, hit));
}

/** Finds events and markets among the first `until` markets, newest first. */
function findHits(core: ExchangeCore, until: number, query: SearchQuery, isFound: (market: ListedFacts) => boolean) {
  const hits: Hit[] = [];
  const events = new Set<number>();
  for (let index = until - 1; index >= 0; index--) {
    const facts = core.marketFacts(index);
    if (!isFound(facts)) continue;
    if (query.result_type !== 'market') events.add(facts.eventIndex);
    if (query.result_type !== 'event') hits.push({ type: 'market', ...marketEntry(core, index, until) });
  }
  const found = [...events]
    .sort((a, b) => b - a)
    .map((index): Hit => ({ type: 'event', ...eventEntry(core, index, until) }));
  return [...sortedBy([...found, ...hits], 'created')];
}

const makeRow = (core: ExchangeCore, { type, index }: Hit): CatalogRow =>
  type === 'market'
    ? { result_type: type, summary: detailRow(core.catalog, core.catalog.market(index)) }
    : { result_type: type, summary: eventRow(core.catalog, index) };

function marketFilter(query: SearchQuery, words: readonly string[], sports: SportFilter) {
  return (market: ListedFacts): boolean =>
    words.every((word) => market.searchText.includes(word)) &&
    (query.category === undefined || market.category === query.category) &&
    (query.state === undefined || query.state.some((state) => STATES[state](market))) &&
    sports(market) &&
    isAfter(market.resolutionDate, query.resolution_time_gt) &&
    isBefore(market.resolutionDate, query.resolution_time_lt) &&
    isFrom(market.markPrice, query.price_gte, query.price_lte) &&
    (query.leveraged === undefined || market.marginEnabled === query.leveraged) &&
    isFrom(market.maxLeverageYes, query.max_leverage_yes_gte, query.max_leverage_yes_lte) &&
    isFrom(market.maxLeverageNo, query.max_leverage_no_gte, query.max_leverage_no_lte);
}

const STATES = { open: isOpen, under_review: isUnderReview, resolved: isResolved, closed: isClosed };

const isAfter = (second: number | null, bound: number | undefined): boolean =>
  bound === undefined || (second !== null && second > bound);
const isBefore = (second: number | null, bound: number | undefined): boolean =>
  bound === undefined || (second !== null && second < bound);
const isFrom = (value: number | null, least: number | undefined, most: number | undefined): boolean =>
  (least === undefined || (value !== null && value >= least)) &&
  (most === undefined || (value !== null && value <= most));
