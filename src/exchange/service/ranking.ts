/** Sort orders of lists and search results, and their pages. */

import { type EVENT_SORTS, isSettledMarket, type SEARCH_SORTS } from '../../shared/protocol/states.js';
import type { MarketFacts } from '../core/records/market-rows.js';
import { type CursorList, cursorAt, cursorPosition } from './list-cursors.js';

/** A sort order of lists and searches. */
export type Sort = (typeof EVENT_SORTS)[number] | (typeof SEARCH_SORTS)[number];

/** A market, or an event as the sum of its markets. */
export interface Ranked {
  readonly createdMs: number;
  readonly markets: readonly MarketFacts[];
}

/** Greatest rank first; ties in the given order, newest first. */
export function sortedBy<R extends Ranked>(rows: readonly R[], sort: Sort): readonly R[] {
  const rankEntry = RANKS[sort];
  return rows
    .map((row) => ({ row, rank: rankEntry(row) }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ row }) => row);
}

/** An event sums volumes and caps; its age, leverage and end are those of its first market. */
const RANKS: Readonly<Record<Sort, (row: Ranked) => number>> = {
  created: (row) => row.createdMs,
  market_cap: ({ markets }) => sum(markets, (market) => market.setsOutstanding),
  total_volume: ({ markets }) => sum(markets, (market) => market.totalVolume),
  /** Traded in the last 24 hours. */
  trending: ({ markets }) => sum(markets, (market) => market.volume24h),
  last_trade: ({ markets }) => most(markets, (market) => market.lastTradeMs ?? 0),
  leverage: ({ markets }) => most(markets, (market) => Math.max(market.maxLeverageYes, market.maxLeverageNo)),
  /** The soonest first; markets without a date, and settled ones, last. */
  ending_soon: ({ markets }) => most(markets, (market) => -(getEndDate(market) ?? Number.MAX_SAFE_INTEGER)),
  /** The paper exchange has no streams: all are equal. */
  live_stream: () => 0,
};

const getEndDate = (market: MarketFacts): number | null => (isResolved(market) ? null : market.resolutionDate);
const sum = (markets: readonly MarketFacts[], of: (market: MarketFacts) => number): number =>
  markets.reduce((total, market) => total + of(market), 0);
const most = (markets: readonly MarketFacts[], of: (market: MarketFacts) => number): number =>
  markets.reduce((greatest, market) => Math.max(greatest, of(market)), Number.NEGATIVE_INFINITY);

/** Position where a sorted list continues. */
export interface Place {
  readonly offset: number;
  /** Number of markets at the first page: later ones are excluded, so that pages do not shift. */
  readonly until: number;
}

/** A sorted list, and the key of its cursors. */
export interface OffsetList {
  readonly list: CursorList;
  readonly key: 'e_offset' | 'm_offset';
}

/** Offsets are below it in a cursor's number, the number of markets above: 16 million of either. */
const PER_MARKET = 2 ** 24;

/** ExchangeCore the cursor of a sorted list; null when it is not one. One that is an offset alone is about all markets. */
export function readPlace({ list, key }: OffsetList, cursor: string | undefined, marketCount: number): Place | null {
  const position = cursorPosition(list, cursor, key);
  if (position === null) return null;
  if (position === undefined) return { offset: 0, until: marketCount };
  const until = Math.floor(position / PER_MARKET);
  return { offset: position % PER_MARKET, until: until === 0 ? marketCount : Math.min(until, marketCount) };
}

/** One page of the found rows, and the cursor of the next. */
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

/** Whether the market trades now. */
export const isOpen = ({ state }: MarketFacts): boolean => state === 'open';

/** An answer was given or is awaited, and nothing is paid yet. */
export const isUnderReview = ({ state }: MarketFacts): boolean =>
  state === 'answer_proposed' || state === 'waiting_to_resolve';

/** It traded, does not now, and is not settled: under review or interrupted. */
export const isClosed = (market: MarketFacts): boolean => isUnderReview(market) || market.state === 'interrupted';

/** Settled: resolved or canceled. */
export const isResolved = ({ state }: MarketFacts): boolean => isSettledMarket(state);

/** Whether a time is between two others, inclusive, all Unix seconds; false for null. */
export const isWithin = (second: number | null, from: number, to: number): boolean =>
  second !== null && second >= from && second <= to;
