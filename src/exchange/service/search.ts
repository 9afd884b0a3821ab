/**
 * `GET /search/`: markets and events by what they say and what they are.
 *
 * A market is found when every filter holds for it, and an event when one of its markets is. Words are looked for as parts
 * of words, in any case, in the titles and descriptions of the market and of its event; every word of `q` must be there.
 * States mean what they mean in the lists, and `under_review` those that await their answer's approval. Prices are YES
 * mark prices; a market without any price is never within a price filter, one without a date never within a time.
 * Leverage is 1 where there is none. Rows come newest first unless sorted, an event before a market of the same age.
 */

import type { QueryOf } from '../../shared/protocol/endpoints.js';
import type { Wire } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import { detailRow, eventRow, type MarketFacts } from '../core/records/market-rows.js';
import { eventEntry, type SportFilter, sportFilter } from './catalog.js';
import { badField } from './envelope.js';
import { BAD_CURSOR, refuse } from './handler-context.js';
import {
  cut,
  isClosed,
  isOpen,
  isResolved,
  isUnderReview,
  type OffsetList,
  type Ranked,
  readPlace,
  sortedBy,
} from './ranking.js';

/** Parsed parameters of a search. */
type SearchQuery = QueryOf<'search.list'>;

interface Hit extends Ranked {
  readonly type: 'market' | 'event';
  readonly index: number;
}

type Row =
  | { readonly result_type: 'market'; readonly summary: Wire<'marketDetail'> }
  | { readonly result_type: 'event'; readonly summary: Wire<'eventRow'> };

const MIN_WORDS_LENGTH = 2;
const SEARCH: OffsetList = { list: 'search.list', key: 'm_offset' };
const NO_FILTERS: readonly string[] = ['sort', 'limit', 'cursor'];

/** Checks in this order: at least one filter, non-empty `q`, sport and league, cursor. */
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

/** Events and markets among the first `until` markets, newest first. */
function findHits(
  core: ExchangeCore,
  until: number,
  query: SearchQuery,
  isFound: (market: MarketFacts) => boolean,
): Hit[] {
  const hits: Hit[] = [];
  const events = new Set<number>();
  for (let index = until - 1; index >= 0; index--) {
    const facts = core.marketFacts(index);
    if (!isFound(facts)) continue;
    if (query.result_type !== 'market') events.add(facts.eventIndex);
    if (query.result_type !== 'event') {
      hits.push({ type: 'market', index, createdMs: facts.createdMs, markets: [facts] });
    }
  }
  const found = [...events]
    .sort((a, b) => b - a)
    .map((index): Hit => ({ type: 'event', ...eventEntry(core, index, until) }));
  return [...sortedBy([...found, ...hits], 'created')];
}

const makeRow = (core: ExchangeCore, { type, index }: Hit): Row =>
  type === 'market'
    ? { result_type: type, summary: detailRow(core.catalog, core.catalog.market(index)) }
    : { result_type: type, summary: eventRow(core.catalog, index) };

function marketFilter(query: SearchQuery, words: readonly string[], sports: SportFilter) {
  return (market: MarketFacts): boolean =>
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
