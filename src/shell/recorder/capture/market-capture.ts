/**
 * Converts one market's reads into events. A trade must precede the decrease of the book that it caused. Therefore a
 * book waits up to `HOLD_MS` for a later read of the trades. Trades up to the book's time are written first.
 */

import { SIDE } from '../../../recording/contract.js';
import type { MarketSink, Stamp } from '../../../recording/store/segment.js';
import type { Orderbook, PublicTradeRow } from '../../../shared/protocol/records.js';
import { EMPTY_BOOK, readBook } from '../../../trader/market/book.js';
import { Tape } from '../../../trader/market/tape.js';
import type { Book, BookLevel, TapeTrade } from '../../../trader/market/view.js';
import type { OwnAtPrice, OwnInBook, OwnOrders, PolledAt } from './own-capture.js';

/** Maximum wait of a book for a later read of the trades, ms. After it, trades may follow the book. */
export const HOLD_MS = 20_000;
/** A book that is later than this multiple of the usual interval causes a gap. */
export const LATE_FACTOR = 3;
/** A larger step back means that our clock was set back, ms; answers are only slightly out of order. */
const STEP_BACK_MS = 60_000;
/** Possible error of the estimated venue clock, ms. In doubt a trade comes before a book. */
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
  /** The newest book with own orders, which shows whether a trade's taker bought or sold. */
  #latest: Book = EMPTY_BOOK;
  #latestAt: PolledAt | null = null;
  /** Our clock at the last call, ms. */
  #nowMs = Number.NEGATIVE_INFINITY;
  /** Time when the newest answered read of the trades was sent, our clock, ms. */
  #tradesSentMs = Number.NEGATIVE_INFINITY;
  /** Time of the last written data, venue clock, ms; null before the first book. */
  #knownMs: number | null = null;
  /** Reason of the present gap; null without a gap. */
  #gap: string | null = null;
  counts = { levels: 0, trades: 0, gaps: 0, refused: 0 };

  constructor(sink: MarketSink, own: OwnOrders) {
    this.sink = sink;
    this.#own = own;
  }

  /** Records a book as answered. `depth`: requested levels per side; `usualMs`: usual interval between reads, ms. */
  onBook(answer: Orderbook, depth: number, at: PolledAt, usualMs: number): void {
    this.#note(at.seenMs);
    // Answers may overtake each other; the later request has the later book.
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

  /** Records a page of public trades, newest first. `isLast`: no page follows. */
  onTrades(rows: readonly PublicTradeRow[], isLast: boolean, at: PolledAt): void {
    this.#note(at.seenMs);
    const { trades, missed } = this.#pages.add(rows, isLast, at.seenMs, this.#latest);
    if (missed && this.#knownMs !== null) this.onGap('more trades than a page shows', at.seenMs);
    this.#trades = [...this.#trades, ...trades].sort((a, b) => a.venueTimeMs - b.venueTimeMs);
    this.#tradesSentMs = Math.max(this.#tradesSentMs, at.sentMs);
    this.#release(at.seenMs);
  }

  /** Records a gap from the last known book to the next book. */
  onGap(reason: string, nowMs: number): void {
    this.flush(nowMs);
    if (this.#gap !== null || this.#knownMs === null) return;
    this.#gap = reason;
    this.counts.gaps += 1;
    this.sink.gap({ timeMs: this.#knownMs, seenMs: nowMs }, reason);
  }

  /** Writes books and trades that have waited long enough. */
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
    // The memory is freed, because many markets end while a recorder runs for months.
    this.#levels = new KnownLevels();
    this.#pages = new TradePages();
    this.#latest = EMPTY_BOOK;
  }

  /** Detects a clock set back, and then writes all waiting data: it must not wait for hours. */
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
    // The first book includes the effect of earlier trades, so they are dropped.
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

  /** Writes due trades in order. Their second's middle is their time, not before written data or after `latestMs`. */
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
      // The gap continues after the trade, because the book is still unknown.
      if (this.#gap !== null) this.sink.gap(stamp, this.#gap);
    }
  }
}

/** Merges overlapping pages of one market's public trades. Returns each trade once, and whether trades are missing. */
class TradePages {
  readonly #tape = new Tape();
  #newestMs: number | null = null;

  /** Adds a page. `isLast`: no page follows. `book` shows whether a trade's taker bought or sold. */
  add(rows: readonly PublicTradeRow[], isLast: boolean, seenMs: number, book: Book) {
    const known = this.#newestMs;
    const times = rows.map((row) => row.timestamp * 1000);
    const trades = this.#tape.add(rows, seenMs, book);
    for (const time of times) this.#newestMs = Math.max(this.#newestMs ?? time, time);
    // Rows have no id. No trade is missing if the page reaches the second of the newest known trade.
    const reaches = known === null || isLast || rows.length === 0 || Math.min(...times) <= known;
    return { trades, missed: !reaches };
  }
}

/** Change of a level between the known book and a newly read book, in YES space. */
interface LevelChange {
  readonly side: number;
  readonly priceMicros: number;
  /** New total amount of the level, micros; 0 removes the level. */
  readonly amountMicros: number;
}

/** Known levels of a book. An answer with the requested number of levels leaves deeper levels unknown. */
class KnownLevels {
  #sides: [Map<number, number>, Map<number, number>] = [new Map(), new Map()];

  /** Stores a book and returns its changes, removals first, so that the book is never crossed. */
  changes(book: Book, depth: number, own: OwnInBook): LevelChange[] {
    const bids = this.#side(SIDE.bid, book.bids, depth, own[0]);
    const asks = this.#side(SIDE.ask, book.asks, depth, own[1]);
    const all = [...bids, ...asks];
    return [
      ...all.filter(({ amountMicros }) => amountMicros === 0),
      ...all.filter(({ amountMicros }) => amountMicros > 0),
    ];
  }

  /** Forgets all levels and stores a book; all its levels are changes. */
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
      // While our part of the level is uncertain, the others' last known amount stays.
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
