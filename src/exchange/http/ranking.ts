/** How lists and search results are sorted, and how a sorted list is cut into pages. */

import { encodeCursor } from '../../protocol/cursors.js';
import type { EVENT_SORTS, SEARCH_SORTS } from '../../protocol/states.js';
import type { MarketFacts } from '../core/contract.js';
import { cursorPosition } from './calls.js';
import { isResolved } from './market-states.js';

export type Sort = (typeof EVENT_SORTS)[number] | (typeof SEARCH_SORTS)[number];

/** A market, or an event as the sum of its markets. */
export interface Ranked {
  readonly createdMs: number;
  readonly markets: readonly MarketFacts[];
}

/** Greatest rank first; equals in the order given, which is newest first. */
export function sortedBy<R extends Ranked>(rows: readonly R[], sort: Sort): readonly R[] {
  const rankOf = RANKS[sort];
  return rows
    .map((row) => ({ row, rank: rankOf(row) }))
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
  ending_soon: ({ markets }) => most(markets, (market) => -(endOf(market) ?? Number.MAX_SAFE_INTEGER)),
  /** The paper exchange has no streams: all are equal. */
  live_stream: () => 0,
};

const endOf = (market: MarketFacts): number | null => (isResolved(market) ? null : market.resolutionDate);
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

/** Reads the cursor of a sorted list; null when it is not one. */
export function placeOf(cursor: string | undefined, key: 'e_offset' | 'm_offset', marketCount: number): Place | null {
  const offset = cursorPosition(cursor, key);
  if (offset === null) return null;
  const until = cursorPosition(cursor, 'until');
  return { offset: offset ?? 0, until: Math.min(until ?? marketCount, marketCount) };
}

/** One page of all that was found, and the cursor of the next. */
export function cut<R, T>(
  found: readonly R[],
  { offset, until }: Place,
  limit: number,
  key: 'e_offset' | 'm_offset',
  rowOf: (row: R) => T,
) {
  const end = offset + limit;
  const nextCursor = found.length > end ? encodeCursor({ [key]: end, until }) : null;
  return { ok: true as const, data: found.slice(offset, end).map(rowOf), nextCursor };
}
