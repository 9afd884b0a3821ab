/**
 * Converts one market's polls into events. A trade must precede its decrease of the book. So a book waits up to
 * `HOLD_MS` for a later read of the trades. Trades up to the book's time are written before the book's changes.
 */

import { SIDE } from '../../../recording/contract.js';
import type { MarketSink, Stamp } from '../../../recording/store/segment.js';
import type { Orderbook, PublicTradeRow } from '../../../shared/protocol/records.js';
import { EMPTY_BOOK, readBook } from '../../../trader/market/book.js';
import { Tape } from '../../../trader/market/tape.js';
import type { Book, BookLevel, TapeTrade } from '../../../trader/market/view.js';
import type { OwnAtPrice, OwnInBook, OwnOrders, PolledAt } from './own-capture.js';

/** Maximum wait of a book for a later read of the trades, ms; trades may then follow the book. */
export const HOLD_MS = 20_000;
/** Multiple of the usual interval at which a late book is a gap. */
export const LATE_FACTOR = 3;
/** Answers come slightly out of order; a larger step back is our clock's, and invalidates measurements. */
const STEP_BACK_MS = 60_000;
/** Precision of the estimated venue clock; in doubt a trade comes before a book. */
const CLOCK_SLACK_MS = 500;

interface HeldBook {
  readonly book: Book;
  readonly depth: number;
  readonly at: PolledAt;
}

export class MarketCapture {
  readonly sink: MarketSink;
  readonly #own: OwnOrders;
  #levels = new KnownLevels();
  #pages = new TradePages();
  #held: HeldBook[] = [];
  #trades: TapeTrade[] = [];
  /** The newest raw book, to tell buyers from sellers. */
  #latest: Book = EMPTY_BOOK;
  #latestAt: PolledAt | null = null;
  /** Our clock, ms, at the last call. */
  #nowMs = Number.NEGATIVE_INFINITY;
  /** Our clock, ms, when the newest answered read of the trades left. */
  #tradesSentMs = Number.NEGATIVE_INFINITY;
  /** Venue clock, ms, of the last known data. Null before the first book. */
  #knownMs: number | null = null;
  /** Why nothing is known now; null while something is. */
  #gap: string | null = null;
  counts = { levels: 0, trades: 0, gaps: 0, refused: 0 };

  constructor(sink: MarketSink, own: OwnOrders) {
    this.sink = sink;
    this.#own = own;
  }

  /** Takes a raw book, with the requested levels per side; `usualMs`: usual interval. */
  onBook(answer: Orderbook, depth: number, at: PolledAt, usualMs: number): void {
    this.#note(at.seenMs);
    // Two polls may overtake each other; the later request saw the later book.
    if (this.#latestAt !== null && at.sentMs < this.#latestAt.sentMs) return;
    const { book, droppedLevels } = readBook(answer);
    this.counts.refused += droppedLevels;
    const sinceMs = this.#latestAt === null ? 0 : at.seenMs - this.#latestAt.seenMs;
    if (sinceMs > LATE_FACTOR * usualMs)
      this.onGap(`the book was not seen for ${Math.round(sinceMs / 1000)} s`, at.seenMs);
    this.#latest = book;
    this.#latestAt = at;
    this.#held.push({ book, depth, at });
    this.#release(at.seenMs);
  }

  /** A page of public trades, newest first. */
  onTrades(rows: readonly PublicTradeRow[], isLast: boolean, at: PolledAt): void {
    this.#note(at.seenMs);
    const { trades, missed } = this.#pages.add(rows, isLast, at.seenMs, this.#latest);
    if (missed && this.#knownMs !== null) this.onGap('more trades than a page shows', at.seenMs);
    this.#trades = [...this.#trades, ...trades].sort((a, b) => a.venueTimeMs - b.venueTimeMs);
    this.#tradesSentMs = Math.max(this.#tradesSentMs, at.sentMs);
    this.#release(at.seenMs);
  }

  /** Nothing is known from the last known book to the next one. */
  onGap(reason: string, nowMs: number): void {
    this.flush(nowMs);
    if (this.#gap !== null || this.#knownMs === null) return;
    this.#gap = reason;
    this.counts.gaps += 1;
    this.sink.gap({ timeMs: this.#knownMs, seenMs: nowMs }, reason);
  }

  /** Time passes: writes what has waited long enough. */
  tick(nowMs: number): void {
    this.#note(nowMs);
    this.#release(nowMs);
    const late = this.#trades.filter((trade) => trade.seenMs + HOLD_MS <= nowMs);
    if (this.#held.length === 0 && this.#knownMs !== null && late.length > 0) {
      this.#writeTrades((trade) => trade.seenMs + HOLD_MS <= nowMs, Number.POSITIVE_INFINITY);
    }
  }

  flush(nowMs: number): void {
    this.#release(nowMs + HOLD_MS);
  }

  end(at: PolledAt): void {
    this.flush(at.seenMs);
    this.#writeTrades(() => true, at.venueMs);
    this.sink.end({ timeMs: Math.max(at.venueMs, this.#knownMs ?? at.venueMs), seenMs: at.seenMs });
    // A recorder that runs for months sees many markets end.
    this.#levels = new KnownLevels();
    this.#pages = new TradePages();
    this.#latest = EMPTY_BOOK;
  }

  /** Our clock may be set back by hours; nothing may wait that long. */
  #note(nowMs: number): void {
    if (nowMs < this.#nowMs - STEP_BACK_MS) {
      this.flush(Number.POSITIVE_INFINITY);
      this.#tradesSentMs = Number.NEGATIVE_INFINITY;
      this.#latestAt = null;
    }
    this.#nowMs = nowMs;
  }

  #release(nowMs: number): void {
    for (let next = this.#held[0]; next !== undefined; next = this.#held[0]) {
      const { seenMs } = next.at;
      if (this.#tradesSentMs < seenMs && nowMs - seenMs < HOLD_MS) return;
      this.#held.shift();
      this.#write(next);
    }
  }

  #write({ book, depth, at }: HeldBook): void {
    const own = this.#own.inBook(this.sink.market.conditionId, at.sentMs, at.seenMs);
    const first = this.#knownMs === null;
    const untilMs = at.venueMs + CLOCK_SLACK_MS;
    // Trades before the first book are contained in it.
    if (first) this.#trades = this.#trades.filter((trade) => trade.venueTimeMs > untilMs);
    else this.#writeTrades((trade) => trade.venueTimeMs <= untilMs, at.venueMs);
    const timeMs = Math.max(at.venueMs, this.#knownMs ?? at.venueMs);
    const stamp: Stamp = { timeMs, seenMs: at.seenMs };
    const anew = first || this.#gap !== null;
    if (anew) this.sink.clear(stamp);
    for (const change of anew ? this.#levels.anew(book, own) : this.#levels.changes(book, depth, own)) {
      const taken = this.sink.level(stamp, change.side, change.priceMicros, change.amountMicros);
      if (taken) this.counts.levels += 1;
      else this.counts.refused += 1;
    }
    this.#gap = null;
    this.#knownMs = timeMs;
  }

  /** In order of time, which is a whole second: its middle, but never before written data or after `latestMs`. */
  #writeTrades(isDue: (trade: TapeTrade) => boolean, latestMs: number): void {
    const due = this.#trades.filter(isDue);
    if (due.length === 0) return;
    this.#trades = this.#trades.filter((trade) => !isDue(trade));
    for (const trade of due) {
      const timeMs = Math.max(Math.min(trade.venueTimeMs + 500, latestMs), this.#knownMs ?? trade.venueTimeMs);
      const side = trade.taker === 'buy' ? SIDE.bid : SIDE.ask;
      const stamp = { timeMs, seenMs: trade.seenMs };
      if (this.sink.trade(stamp, side, trade.priceMicros, trade.amountMicros)) this.counts.trades += 1;
      else this.counts.refused += 1;
      this.#knownMs = timeMs;
      // The trade is known, the book is not yet.
      if (this.#gap !== null) this.sink.gap(stamp, this.#gap);
    }
  }
}

/** Public trades of one market from overlapping pages: each once, oldest first, and whether some were missed. */
class TradePages {
  readonly #tape = new Tape();
  #newestMs: number | null = null;

  /** `isLast`: no page follows. `book`, the newest raw one, tells buyers from sellers. */
  add(rows: readonly PublicTradeRow[], isLast: boolean, seenMs: number, book: Book) {
    const known = this.#newestMs;
    const times = rows.map((row) => row.timestamp * 1000);
    const trades = this.#tape.add(rows, seenMs, book);
    for (const time of times) this.#newestMs = Math.max(this.#newestMs ?? time, time);
    // Rows have no id: a page reaches back if it shows the second of the newest known trade, or an earlier second.
    const reaches = known === null || isLast || rows.length === 0 || Math.min(...times) <= known;
    return { trades, missed: !reaches };
  }
}

/** Change of a polled book against the known one, in YES space. */
interface LevelChange {
  readonly side: number;
  readonly priceMicros: number;
  /** New total amount of the level; 0 removes the level. */
  readonly amountMicros: number;
}

/** An answer with as many levels as requested says nothing about levels beyond its last one. */
class KnownLevels {
  #sides: [Map<number, number>, Map<number, number>] = [new Map(), new Map()];

  /** Takes in a book and returns the changes: removals first, so that no step crosses. `depth` as requested. */
  changes(book: Book, depth: number, own: OwnInBook): LevelChange[] {
    const bids = this.#side(SIDE.bid, book.bids, depth, own[0]);
    const asks = this.#side(SIDE.ask, book.asks, depth, own[1]);
    const all = [...bids, ...asks];
    return [
      ...all.filter(({ amountMicros }) => amountMicros === 0),
      ...all.filter(({ amountMicros }) => amountMicros > 0),
    ];
  }

  /** Drops everything and takes in a book: all its levels are changes. */
  anew(book: Book, own: OwnInBook): LevelChange[] {
    this.#sides = [new Map(), new Map()];
    return this.changes(book, Number.POSITIVE_INFINITY, own);
  }

  #side(
    side: number,
    levels: readonly BookLevel[],
    depth: number,
    own: ReadonlyMap<number, OwnAtPrice>,
  ): LevelChange[] {
    const known = side === SIDE.bid ? this.#sides[0] : this.#sides[1];
    const last = levels.at(-1);
    const isSeen = (price: number): boolean => {
      if (levels.length < depth || last === undefined) return true;
      return side === SIDE.bid ? price >= last.priceMicros : price <= last.priceMicros;
    };
    const changes: LevelChange[] = [];
    const note = (priceMicros: number, rawMicros: number) => {
      const ours = own.get(priceMicros);
      const before = known.get(priceMicros);
      // Our part of it is unknown now: the others' known amount stays until it is known.
      if (ours !== undefined && ours.sureMicros !== ours.mostMicros && before !== undefined) return;
      const amountMicros = Math.max(0, rawMicros - (ours?.mostMicros ?? 0));
      if (amountMicros === (before ?? 0)) return;
      if (amountMicros === 0) known.delete(priceMicros);
      else known.set(priceMicros, amountMicros);
      changes.push({ side, priceMicros, amountMicros });
    };
    const shown = new Set<number>();
    for (const { priceMicros, amountMicros } of levels) {
      shown.add(priceMicros);
      note(priceMicros, amountMicros);
    }
    for (const price of [...known.keys()]) if (!shown.has(price) && isSeen(price)) note(price, 0);
    return changes;
  }
}
