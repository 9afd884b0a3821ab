/** How lists and search results are sorted, and how a sorted list is cut into pages. */

import type { EVENT_SORTS, SEARCH_SORTS } from '../../shared/protocol/states.js';
import type { MarketFacts } from '../core/market-facts.js';
import { type CursorList, cursorAt, cursorPosition } from './list-cursors.js';
import { isResolved } from './market-states.js';

/** A word that lists and searches may be sorted by. */
export type Sort = (typeof EVENT_SORTS)[number] | (typeof SEARCH_SORTS)[number];

/** A market, or an event as the sum of its markets. */
export interface Ranked {
  readonly createdMs: number;
  readonly markets: readonly MarketFacts[];
}

/** Greatest rank first; equals in the order given, which is newest first. */
export function sortedBy<R extends Ranked>(rows: readonly R[], sort: Sort): readonly R[] {
  const rankEntry = RANKS[sort];
  return rows
    .map((row) => ({ row, rank: rankEntry(row) }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ row }) => row);
}

/** An event adds up volumes and caps, and is as recent, as leveraged and as near its end as the first of its markets. */
const RANKS: Readonly<Record<Sort, (row: Ranked) => number>> = {
  created: (row) => row.createdMs,
  market_cap: ({ markets }) => sum(markets, (market) => market.setsOutstanding),
  total_volume: ({ markets }) => sum(markets, (market) => market.totalVolume),
  /** Traded in the last 24 hours. */
  trending: ({ markets }) => sum(markets, (market) => market.volume24h),
  last_trade: ({ markets }) => most(markets, (market) => market.lastTradeMs ?? 0),
  leverage: ({ markets }) => most(markets, (market) => Math.max(market.maxLeverageYes, market.maxLeverageNo)),
  /** The soonest first; those without a date last, and settled ones, which end no more, with them. */
  ending_soon: ({ markets }) => most(markets, (market) => -(getEndDate(market) ?? Number.MAX_SAFE_INTEGER)),
  /** The paper exchange has no streams: all are equal. */
  live_stream: () => 0,
};

const getEndDate = (market: MarketFacts): number | null => (isResolved(market) ? null : market.resolutionDate);
const sum = (markets: readonly MarketFacts[], of: (market: MarketFacts) => number): number =>
  markets.reduce((total, market) => total + of(market), 0);
const most = (markets: readonly MarketFacts[], of: (market: MarketFacts) => number): number =>
  markets.reduce((greatest, market) => Math.max(greatest, of(market)), Number.NEGATIVE_INFINITY);

/** Where a sorted list goes on. */
export interface Place {
  readonly offset: number;
  /** Markets that there were when the first page was read: later ones stay out, so that no page is shifted by them. */
  readonly until: number;
}

/** A list that is sorted, and the key of its cursors. */
export interface OffsetList {
  readonly list: CursorList;
  readonly key: 'e_offset' | 'm_offset';
}

/** Offsets lie below it in a cursor's number, the markets of the walk above: 16 million of either. */
const PER_MARKET = 2 ** 24;

/** ExchangeCore the cursor of a sorted list; null when it is not one. One that is an offset alone is about all markets. */
export function readPlace({ list, key }: OffsetList, cursor: string | undefined, marketCount: number): Place | null {
  const position = cursorPosition(list, cursor, key);
  if (position === null) return null;
  if (position === undefined) return { offset: 0, until: marketCount };
  const until = Math.floor(position / PER_MARKET);
  return { offset: position % PER_MARKET, until: until === 0 ? marketCount : Math.min(until, marketCount) };
}

/** One page of all that was found, and the cursor of the next. */
export function cut<R, T>(
  found: readonly R[],
  { offset, until }: Place,
  limit: number,
  { list, key }: OffsetList,
  makeRow: (row: R) => T,
) {
  const end = offset + limit;
  const nextCursor = found.length > end ? cursorAt(list, key, until * PER_MARKET + end) : null;
  return { ok: true as const, data: found.slice(offset, end).map(makeRow), nextCursor };
}
