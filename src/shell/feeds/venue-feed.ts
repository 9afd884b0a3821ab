/** Reads other venues' public books, one market after the other, at its own pace. It knows no key and places no order. */

import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../shared/base/errors.js';
import type { VenueFeed } from '../config/types.js';
import { nowMs } from '../runtime/clock.js';
import { openAddress } from './http-feed.js';
import type { FeedInbox } from './inbox.js';

/** Between two requests, ms: five a second, well within these venues' public limits. */
const APART_MS = 200;

/** One round; false when something could not be read. Never throws. */
export function makeVenueReader(feed: VenueFeed, inbox: FeedInbox) {
  const get = openAddress(feed);
  const { path, read } = VENUE_BOOKS[feed.kind];
  const ask = async ({ conditionId, nameThere }: VenueFeed['markets'][number], signal: AbortSignal) => {
    // When the request left: the book held then or later.
    const at = nowMs();
    try {
      const prices = read(nameThere, await get(`${feed.url}${path(nameThere)}`, signal));
      // One side alone gives no price: the last value ages.
      if (prices !== null) inbox.row({ market: conditionId, ...prices, at });
      return true;
    } catch (error) {
      if (!signal.aborted) inbox.trouble(`${nameThere}: ${messageOf(error)}`);
      return false;
    }
  };
  return async (signal: AbortSignal): Promise<boolean> => {
    let isRead = true;
    for (const [index, market] of feed.markets.entries()) {
      if (index > 0) await pause(APART_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return isRead;
      isRead = (await ask(market, signal)) && isRead;
    }
    if (isRead) inbox.fine();
    return isRead;
  };
}

/** Of YES, in price. */
export interface BestPrices {
  readonly bid: number;
  readonly ask: number;
}

interface VenueBooks {
  /** Path after the venue's address. */
  readonly path: (nameThere: string) => string;
  /** Null when a side is empty or the two cross. Throws an Error in words for an invalid answer. */
  readonly read: (nameThere: string, answer: unknown) => BestPrices | null;
}

export const VENUE_BOOKS: Readonly<Record<'polymarket' | 'kalshi', VenueBooks>> = {
  polymarket: {
    path: (token) => `/book?token_id=${encodeURIComponent(token)}`,
    read: (token, answer) => {
      const { bids, asks, asset_id: told } = requireFields(answer);
      if (told !== undefined && told !== token) throw new Error('its answer is the book of another token');
      return between(best(readRows(bids), Math.max), best(readRows(asks), Math.min));
    },
  },
  kalshi: {
    path: (ticker) => `/markets/${encodeURIComponent(ticker)}/orderbook`,
    read: (_, answer) => {
      const told = requireFields(answer);
      const book = requireFields(told['orderbook_fp'] ?? told['orderbook']);
      const [yes, no] = [readBids(book, 'yes'), readBids(book, 'no')];
      // Both sides are bids: a bid q for NO is an ask 1 - q for YES.
      const highestNo = best(no, Math.max);
      return between(best(yes, Math.max), highestNo === null ? null : roundPrice(1 - highestNo));
    },
  },
};

type Fields = Readonly<Record<string, unknown>>;
type Row = readonly [price: number, size: number];

function requireFields(value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Error('its answer is no book');
}

/** Rows of a side of Polymarket's. */
function readRows(side: unknown): readonly Row[] {
  if (!Array.isArray(side)) throw new Error('its answer is no book');
  return side.map((row: unknown) => {
    const { price, size } = requireFields(row);
    return readRow(price, size, 1);
  });
}

/** In dollars under one of two names, else in cents; a missing or empty side is null there. */
function readBids(book: Fields, outcome: 'yes' | 'no'): readonly Row[] {
  const dollars = book[`${outcome}_dollars`] ?? book[`${outcome}_dollars_fp`];
  const rows = dollars ?? book[outcome] ?? [];
  if (!Array.isArray(rows)) throw new Error('its answer is no book');
  const unit = dollars === undefined || dollars === null ? 100 : 1;
  return rows.map((row: unknown) => {
    if (!Array.isArray(row)) throw new Error('its answer is no book');
    return readRow(row[0], row[1], unit);
  });
}

function readRow(price: unknown, size: unknown, unit: number): Row {
  const [p, shares] = [toNumber(price) / unit, toNumber(size)];
  if (p > 0 && p < 1 && shares >= 0) return [p, shares];
  throw new Error('a level of its book is none');
}

const toNumber = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value !== '') ? Number(value) : Number.NaN;

function best(rows: readonly Row[], pick: (...prices: number[]) => number): number | null {
  const prices = rows.filter(([, shares]) => shares > 0).map(([price]) => price);
  return prices.length === 0 ? null : pick(...prices);
}

const between = (bid: number | null, ask: number | null): BestPrices | null =>
  bid === null || ask === null || bid >= ask ? null : { bid, ask };

/** 1 - 0.4 is not quite 0.6 in floats. */
const roundPrice = (price: number): number => Math.round(price * 1e6) / 1e6;
