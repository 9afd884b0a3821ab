/** Functions for order books: read, remove own amounts, mirror, and compute mid and microprice. */

import { add, complement, type Micros, micros, minMicros, ONE } from '../../shared/base/micros.js';
import type { Orderbook } from '../../shared/protocol/records.js';
import { LARGEST_AMOUNT } from '../../shared/protocol/wire.js';
import type { Book, BookLevel, BookSide } from './view.js';

export const EMPTY_BOOK: Book = Object.freeze({ bids: Object.freeze([]), asks: Object.freeze([]) });

/** Returns a snapshot as a YES book, best levels first, and the number of invalid levels. A NO book is mirrored. */
export function readBook(snapshot: Orderbook): { readonly book: Book; readonly droppedLevels: number } {
  const bids = readSide(snapshot.bid, 'bid');
  const asks = readSide(snapshot.ask, 'ask');
  const book = { bids: bids.levels, asks: asks.levels };
  return { book: snapshot.is_yes ? book : mirror(book), droppedLevels: bids.dropped + asks.dropped };
}

function readSide(rows: Orderbook['bid'], side: BookSide): { readonly levels: BookLevel[]; readonly dropped: number } {
  const levels: BookLevel[] = [];
  let dropped = 0;
  let isInOrder = true;
  let before = side === 'bid' ? ONE : 0;
  for (const { price, total_amount } of rows) {
    if (price > 0 && price < ONE && total_amount > 0) {
      levels.push({ priceMicros: price, amountMicros: total_amount });
      isInOrder &&= side === 'bid' ? price < before : price > before;
      before = price;
    } else dropped++;
  }
  if (isInOrder) return { levels, dropped };
  // The API documentation says only "typically best bid first", so unsorted levels are sorted here.
  levels.sort((a, b) => (side === 'bid' ? b.priceMicros - a.priceMicros : a.priceMicros - b.priceMicros));
  return { levels: joinLevels(levels), dropped };
}

/** Merges adjacent levels with equal prices; the sum is capped at `LARGEST_AMOUNT`. */
function joinLevels(levels: readonly BookLevel[]): BookLevel[] {
  const result: BookLevel[] = [];
  for (const level of levels) {
    const last = result.at(-1);
    if (last?.priceMicros === level.priceMicros) {
      const amountMicros = minMicros(add(last.amountMicros, level.amountMicros), LARGEST_AMOUNT);
      result[result.length - 1] = { ...last, amountMicros };
    } else result.push(level);
  }
  return result;
}

/** Returns the book of the other outcome: prices become 1 - price, bids become asks. */
export function mirror(book: Book): Book {
  const flip = ({ priceMicros, amountMicros }: BookLevel) => ({ priceMicros: complement(priceMicros), amountMicros });
  return { bids: book.asks.map(flip), asks: book.bids.map(flip) };
}

/** Returns each side's first level where the sum from the best price reaches `dustMicros`; null if none or crossed. */
export function touchOf(book: Book, dustMicros: Micros): ReturnType<typeof touch> {
  return touch({ bids: findBeyondDust(book.bids, dustMicros), asks: findBeyondDust(book.asks, dustMicros) });
}

/** Returns the first level where the sum from the best price reaches `dustMicros`, with this sum; empty if none. */
export function findBeyondDust(levels: readonly BookLevel[], dustMicros: Micros): BookLevel[] {
  let heap = micros(0);
  for (const { priceMicros, amountMicros } of levels) {
    heap = add(heap, amountMicros);
    if (heap >= dustMicros) return [{ priceMicros, amountMicros: heap }];
  }
  return [];
}

/** Returns the best bid and ask level of a book; null if a side is empty or the bid is above the ask. */
export function touch(book: Book): { readonly bid: BookLevel; readonly ask: BookLevel } | null {
  const bid = book.bids[0];
  const ask = book.asks[0];
  return bid === undefined || ask === undefined || bid.priceMicros > ask.priceMicros ? null : { bid, ask };
}

/** Returns the mean of best bid and best ask, as a probability; null if a side is empty or the book is crossed. */
export function midOf(book: Book): number | null {
  const best = touch(book);
  return best === null ? null : (best.bid.priceMicros + best.ask.priceMicros) / (2 * ONE);
}

/** Returns (ask x bid size + bid x ask size) / (bid size + ask size); null if a side is empty or they cross. */
export function micropriceOf(book: Book): number | null {
  const best = touch(book);
  if (best === null) return null;
  const { bid, ask } = best;
  const weight = bid.amountMicros / (bid.amountMicros + ask.amountMicros);
  return (bid.priceMicros + (ask.priceMicros - bid.priceMicros) * weight) / ONE;
}

/** Returns the number of shares at exactly this price on one side of a book; 0 if there is no such level. */
export function amountAt(book: Book, side: BookSide, priceMicros: Micros): Micros {
  const levels = side === 'bid' ? book.bids : book.asks;
  return levels.find((level) => level.priceMicros === priceMicros)?.amountMicros ?? micros(0);
}

/** Returns true if both order books have equal levels. */
export function sameBook(a: Book, b: Book): boolean {
  for (const side of ['bids', 'asks'] as const) {
    const [levels, others] = [a[side], b[side]];
    if (levels.length !== others.length) return false;
    for (let i = 0; i < levels.length; i++)
      if (levels[i]?.priceMicros !== others[i]?.priceMicros || levels[i]?.amountMicros !== others[i]?.amountMicros)
        return false;
  }
  return true;
}
