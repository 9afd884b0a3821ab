/**
 * The lists of events and markets, and the search.
 *
 * An event has the category of its first market, and the sports and leagues of all its markets. A market is *closed* if
 * it no longer trades and is not settled. An event is open if any market is open, and resolved if all are settled. An
 * event is closed if no market is open and at least one is closed. `ending_soon` means a resolution date at most 7 days
 * ahead, `ended_recently` a resolution date at most 7 days ago.
 *
 * While a caller reads the pages of a list without `sort`, no change makes the list repeat or skip a market. A list with
 * `sort` can repeat or skip markets unless new markets are the only change.
 */

import { ONE } from '../../shared/base/micros.js';
import type { QueryOf } from '../../shared/protocol/endpoints.js';
import { type EVENT_SORTS, isSettledMarket, type SEARCH_SORTS } from '../../shared/protocol/states.js';
import { invalid, ok, type Refusal, type Result, type Wire } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import { type Market, SPORTS } from '../core/market.js';
import { detailRow, eventListRow, eventRow, listRow, volume24h } from '../core/records/market-rows.js';
import { BAD_CURSOR, type CursorList, cursorAt, cursorPosition, type ServiceCall } from './answers.js';

type Sort = (typeof EVENT_SORTS)[number] | (typeof SEARCH_SORTS)[number];

/** An entry of a list: a market, or an event with its markets. */
interface CatalogEntry {
  readonly index: number;
  readonly category: string;
  readonly createdMs: number;
  readonly markets: readonly Market[];
}

/** Sorts entries by rank, greatest first. Entries of equal rank keep the given order, newest first. */
function sortedBy<R extends CatalogEntry>(rows: readonly R[], sort: Sort, nowMs: number): readonly R[] {
  const rankEntry = RANKS[sort];
  return rows
    .map((row) => ({ row, rank: rankEntry(row, nowMs) }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ row }) => row);
}

/** Rank of an entry in each sort. An event's rank is the sum or maximum over its markets, or its creation time. */
const RANKS: Readonly<Record<Sort, (row: CatalogEntry, nowMs: number) => number>> = {
  created: (row) => row.createdMs,
  market_cap: ({ markets }) => sum(markets, (market) => market.collateral),
  total_volume: ({ markets }) => sum(markets, (market) => market.tape.volume),
  trending: ({ markets }, nowMs) => sum(markets, (market) => volume24h(market, nowMs)),
  last_trade: ({ markets }) => most(markets, (market) => market.tape.lastMs),
  leverage: ({ markets }) => most(markets, (market) => Math.max(maxLeverage(market, true), maxLeverage(market, false))),
  /** Earliest resolution first. Markets without a date and settled markets are last in the sort `ending_soon`. */
  ending_soon: ({ markets }) => most(markets, (market) => -(getEndDate(market) ?? Number.MAX_SAFE_INTEGER)),
  /** All entries are equal in the sort `live_stream`, because the paper exchange has no streams. */
  live_stream: () => 0,
};

const getEndDate = (market: Market): number | null => (isResolved(market) ? null : market.card.resolutionDate);
const sum = (markets: readonly Market[], of: (market: Market) => number): number =>
  markets.reduce((total, market) => total + of(market), 0);
const most = (markets: readonly Market[], of: (market: Market) => number): number =>
  markets.reduce((greatest, market) => Math.max(greatest, of(market)), Number.NEGATIVE_INFINITY);

/** `until`: number of markets at the time of the list's first page. Later markets are excluded from all its pages. */
type PagePlace = Readonly<{ offset: number; until: number }>;

type OffsetList = Readonly<{ list: CursorList; key: 'e_offset' | 'm_offset' }>;

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
  return { ok: true as const, value: found.slice(offset, end).map(makeRow), nextCursor };
}

const isOpen = ({ state }: Market): boolean => state === 'open';

const isUnderReview = ({ state }: Market) => state === 'answer_proposed' || state === 'waiting_to_resolve';

/** Returns true for a market that is under review or interrupted: it no longer trades and is not settled. */
const isClosed = (market: Market): boolean => isUnderReview(market) || market.state === 'interrupted';

const isResolved = ({ state }: Market): boolean => isSettledMarket(state);

type CatalogQuery = QueryOf<'events.list'>;

interface Listing<R> extends OffsetList {
  readonly count: (core: ExchangeCore) => number;
  /** Reads an entry with those of its markets whose index is below `until`. */
  readonly readEntry: (core: ExchangeCore, index: number, until: number) => CatalogEntry;
  readonly readRow: (core: ExchangeCore, index: number) => R;
}

type CatalogAsk = Pick<ServiceCall<'events.list'>, 'query' | 'limit' | 'nowMs'> & { readonly core: ExchangeCore };

const SOON_S = 7 * 86_400;
/** Rule of the venue's interface: "The events list shows at most two market summaries per event". */
const SUMMARIES_PER_EVENT = 2;

function eventEntry(core: ExchangeCore, index: number, until: number): CatalogEntry {
  const { category, createdMs, markets } = core.catalog.event(index);
  const known = markets.filter((market) => market < until);
  return { index, category, createdMs, markets: known.map((market) => core.catalog.market(market)) };
}

export const EVENTS: Listing<Wire<'eventRow'>> = {
  list: 'events.list',
  key: 'e_offset',
  count: ({ catalog }) => catalog.events.length,
  readEntry: eventEntry,
  readRow: ({ catalog }, index) => eventListRow(catalog, index, SUMMARIES_PER_EVENT),
};

export const MARKETS: Listing<Wire<'marketListRow'>> = {
  list: 'markets.list',
  key: 'm_offset',
  count: ({ catalog }) => catalog.markets.length,
  readEntry: marketEntry,
  readRow: ({ catalog }, index) => listRow(catalog, catalog.market(index)),
};

function marketEntry(core: ExchangeCore, index: number, until: number): CatalogEntry {
  const market = core.catalog.market(index);
  const { category, createdMs } = market.card;
  return { index, category, createdMs, markets: index < until ? [market] : [] };
}

/** One page of the list of events or markets. The filters sport and league are checked first, then the cursor. */
export function catalogPage<R>(ask: CatalogAsk, listing: Listing<R>) {
  const sports = sportFilter(ask.query);
  if (!sports.ok) return sports;
  return ask.query.sort === undefined ? newestPage(ask, listing, sports.value) : sortedPage(ask, listing, sports.value);
}

/** One page of an unsorted list, newest first. Cursors contain indexes, so new entries do not shift pages. */
function newestPage<R>(ask: CatalogAsk, { list, count, readEntry, readRow }: Listing<R>, sports: SportFilter) {
  const { core } = ask;
  const total = count(core);
  const beforeId = cursorPosition(list, ask.query.cursor, 'before_id');
  if (beforeId === null) return BAD_CURSOR;
  const value: R[] = [];
  let lastIndex = 0;
  for (let index = Math.min(total, (beforeId ?? total + 1) - 1) - 1; index >= 0; index--) {
    if (!matches(readEntry(core, index, core.catalog.markets.length), ask, sports)) continue;
    if (value.length === ask.limit)
      return { ok: true as const, value, nextCursor: cursorAt(list, 'before_id', lastIndex + 1) };
    value.push(readRow(core, index));
    lastIndex = index;
  }
  return { ok: true as const, value, nextCursor: null };
}

function sortedPage<R>(ask: CatalogAsk, listing: Listing<R>, sports: SportFilter) {
  const { core } = ask;
  const place = readPlace(listing, ask.query.cursor, core.catalog.markets.length);
  if (place === null) return BAD_CURSOR;
  const found: CatalogEntry[] = [];
  for (let index = listing.count(core) - 1; index >= 0; index--) {
    const entry = listing.readEntry(core, index, place.until);
    if (matches(entry, ask, sports)) found.push(entry);
  }
  const sorted = sortedBy(found, ask.query.sort ?? 'created', core.nowMs);
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
      return markets.some((market) => isOpen(market) && isFrom(market.card.resolutionDate, nowS, nowS + SOON_S));
    case 'ended_recently':
      return (
        !markets.some(isOpen) &&
        (markets.some(isClosed) || markets.every(isResolved)) &&
        markets.some((market) => isFrom(market.card.resolutionDate, nowS - SOON_S, nowS))
      );
  }
}

type SportFilter = (market: Market) => boolean;

/** Filter by sport and league. Refuses a league without its sport, and unknown slugs. */
function sportFilter({ sport, league }: Pick<CatalogQuery, 'sport' | 'league'>): Result<SportFilter> {
  if (sport === undefined) {
    if (league === undefined) return ok(() => true);
    return invalid('league', 'A league can only be given together with its sport.');
  }
  const sports = splitSlugs(sport);
  const known = SPORTS.filter(({ slug }) => sports.includes(slug));
  if (known.length !== new Set(sports).size) return refuseUnknown('sport', SPORTS);
  if (league === undefined) return ok((market) => isOne(sports, market.card.sport));
  const leagues = splitSlugs(league);
  const own = known.flatMap((row) => row.leagues);
  if (!leagues.every((slug) => own.some((row) => row.slug === slug))) return refuseUnknown('league', own);
  return ok((market) => isOne(leagues, market.card.league));
}

const splitSlugs = (list: string): readonly string[] => list.split(',').map((slug) => slug.trim().toLowerCase());
const isOne = (slugs: readonly string[], slug: string | null): boolean => slug !== null && slugs.includes(slug);

const refuseUnknown = (field: string, rows: readonly { readonly slug: string }[]): Refusal =>
  invalid(field, `Must be a comma-separated list of: ${rows.map(({ slug }) => slug).join(', ')}.`);

type SearchQuery = QueryOf<'search.list'>;

interface Hit extends CatalogEntry {
  readonly type: 'market' | 'event';
}

const MIN_WORDS_LENGTH = 2;
const SEARCH: OffsetList = { list: 'search.list', key: 'm_offset' };
const NO_FILTERS: readonly string[] = ['sort', 'limit', 'cursor'];

/**
 * One page of the search. The search finds a market if all filters match, and an event if one of its markets is found.
 * Each word of the search text `q` must occur in a title or description of the market or its event. Price filters apply
 * to the YES mark. A market without price matches no price filter, and a market without date no date filter.
 *
 * A search is checked in this order: at least one filter, length of `q`, sport and league, cursor.
 */
export function searchPage(core: ExchangeCore, query: SearchQuery, limit: number) {
  const isFiltered = Object.entries(query).some(([name, value]) => value !== undefined && !NO_FILTERS.includes(name));
  if (!isFiltered) return invalid('q', 'At least one filter is required.');
  const text = query.q?.trim().toLowerCase();
  if (text !== undefined && text.length < MIN_WORDS_LENGTH)
    return invalid('q', `Ensure this field has at least ${MIN_WORDS_LENGTH} characters.`);
  const sports = sportFilter(query);
  if (!sports.ok) return sports;
  const place = readPlace(SEARCH, query.cursor, core.catalog.markets.length);
  if (place === null) return BAD_CURSOR;
  const words = text?.split(/\s+/) ?? [];
  const hits = findHits(core, place.until, query, marketFilter(core, query, words, sports.value));
  return cut(sortedBy(hits, query.sort ?? 'created', core.nowMs), place, limit, SEARCH, (hit) => makeRow(core, hit));
}

function findHits(core: ExchangeCore, until: number, query: SearchQuery, isFound: (market: Market) => boolean) {
  const hits: Hit[] = [];
  const events = new Set<number>();
  for (let index = until - 1; index >= 0; index--) {
    const market = core.catalog.market(index);
    if (!isFound(market)) continue;
    if (query.result_type !== 'market') events.add(market.card.eventIndex);
    if (query.result_type !== 'event') hits.push({ type: 'market', ...marketEntry(core, index, until) });
  }
  const found = [...events]
    .sort((a, b) => b - a)
    .map((index): Hit => ({ type: 'event', ...eventEntry(core, index, until) }));
  return [...sortedBy([...found, ...hits], 'created', core.nowMs)];
}

const makeRow = (core: ExchangeCore, { type, index }: Hit): Wire<'searchResult'> =>
  type === 'market'
    ? { result_type: type, summary: detailRow(core.catalog, core.catalog.market(index)) }
    : { result_type: type, summary: eventRow(core.catalog, index) };

function marketFilter(core: ExchangeCore, query: SearchQuery, words: readonly string[], sports: SportFilter) {
  return (market: Market): boolean =>
    (words.length === 0 || hasWords(core, market, words)) &&
    (query.category === undefined || market.card.category === query.category) &&
    (query.state === undefined || query.state.some((state) => STATES[state](market))) &&
    sports(market) &&
    isBetween(market.card.resolutionDate, query.resolution_time_gt, query.resolution_time_lt) &&
    isFrom(market.markPrice, query.price_gte, query.price_lte) &&
    (query.leveraged === undefined || market.card.marginEnabled === query.leveraged) &&
    isFrom(maxLeverage(market, true), query.max_leverage_yes_gte, query.max_leverage_yes_lte) &&
    isFrom(maxLeverage(market, false), query.max_leverage_no_gte, query.max_leverage_no_lte);
}

function hasWords({ catalog }: ExchangeCore, { card }: Market, words: readonly string[]): boolean {
  const event = catalog.event(card.eventIndex);
  const text = [card.title, card.description ?? '', event.title, event.description].join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Maximum leverage of an outcome, micros; 1,000,000 without margin trading. */
const maxLeverage = ({ margin }: Market, isYes: boolean): number => margin?.maxLeverage(isYes) ?? ONE;

const STATES = { open: isOpen, under_review: isUnderReview, resolved: isResolved, closed: isClosed };

const isBetween = (second: number | null, after: number | undefined, before: number | undefined): boolean =>
  (after === undefined || (second !== null && second > after)) &&
  (before === undefined || (second !== null && second < before));
const isFrom = (value: number | null, least: number | undefined, most: number | undefined): boolean =>
  (least === undefined || (value !== null && value >= least)) &&
  (most === undefined || (value !== null && value <= most));
