/** Writing recordings in our format: what a recorder or an importer codes against. The files are in docs/recordings.md. */

import type { FeedValue } from '../../shared/protocol/seam.js';
import type { RecordedMarket, RecordedPoll } from '../contract.js';

export interface StoreSettings {
  /** What made the recording: `kalshi`, `polymarket`, or the name of the recorded venue. */
  readonly origin: string;
  /**
   * False for what can be made again, such as an import: events stay in memory until their segment is closed, which is
   * several times faster. Default true.
   */
  readonly crashSafe?: boolean;
  /** A segment that has been open for so long, by our clock, is closed by the next `flush`, ms. Default an hour. */
  readonly rotateAfterMs?: number;
  /** A segment with so many rows is closed by the next `flush`. Default a million; an import holds so many in memory. */
  readonly rotateAfterRows?: number;
  /** Recorded time between two snapshots of the book, ms. Default five minutes. */
  readonly snapshotEveryMs?: number;
  /** Our clock, Unix ms, for the age of a segment. */
  readonly now?: () => number;
}

/**
 * A folder that recordings are written to. One process at a time (the folder is locked while it is open).
 *
 * Calls of a sink only fill memory; `flush` writes and syncs. What was flushed survives a crash of the process or of the
 * machine: it lies in an open segment (a text file, one row a line) that readers understand, and that the next
 * `openRecordingStore` or `twinbook data verify --repair` turns into Parquet.
 */
export interface RecordingStore {
  /**
   * The sink of this market; the same one for the same condition id. A market that was recorded before goes on: the
   * time between is a gap, and the book is not known until it is given anew (`clear`, then levels).
   */
  market(market: RecordedMarket): MarketSink;
  /** For requests that belong to no market, such as the list of markets. */
  poll(poll: RecordedPoll): void;
  /**
   * Writes and syncs everything that was given so far, then closes segments that are old or large enough. Call it about
   * once a second, and wait for it before the next one. Throws TwinbookError `file_unreadable` when the disk is full or
   * the folder is gone: nothing written before is harmed; what could not be written is lost, counted in `lostRows`, and
   * becomes a gap in every market that it belonged to. The store may be used on: the next `flush` tries again.
   */
  flush(): Promise<void>;
  /** `flush`, then turns every open segment into Parquet, whatever its age. Throws as `flush` does. */
  rotate(): Promise<void>;
  /** `rotate`, then gives the folder free. Throws as `flush` does; the folder is free all the same. */
  close(): Promise<void>;
  readonly lostRows: number;
}

/** When something happened: by the venue's clock, and when we could know. */
export interface Stamp {
  /** The venue's clock, Unix ms. Never goes back within a market: an earlier one is raised to the last, and counted. */
  readonly timeMs: number;
  /** Our clock, Unix ms: when the answer that told it had arrived; null when it is not known. */
  readonly seenMs: number | null;
}

/**
 * Takes one market's events in the order of the stream's contract (`EventChunk`): a trade before the decrease that belongs
 * to it, prices in YES space. An event that is none (price off the tick or not within 0 and 1, an amount that is negative or
 * no integer) is not written but counted: the call answers false, the manifest says how many.
 */
export interface MarketSink {
  /** As given last. */
  readonly market: RecordedMarket;
  /**
   * Takes up a new description: the outcome was learnt, a title changed. `notes` are sentences about the data that whoever
   * reads this recording must be told; they are kept with those that were given before. Written by the next `flush`.
   */
  describe(market: RecordedMarket, notes?: readonly string[]): void;
  /** The level now holds `amountMicros` in total; 0: it is gone. `side` as in `SIDE`. */
  level(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean;
  /** `side` is what the taker did (`SIDE.bid`: bought YES). */
  trade(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean;
  /** The book is empty from here on, or what was known of it no longer holds; the new one follows as levels. */
  clear(at: Stamp): void;
  /**
   * From here to the next event nothing is known. `reason` is a short phrase. While a gap is open, another one changes
   * nothing. The book that follows is given anew (`clear`, then levels) or as changes, whichever is known to be true.
   */
  gap(at: Stamp, reason: string): void;
  poll(poll: RecordedPoll): void;
  own(row: OwnRow): void;
  /** What a feed said of this market. */
  feedValue(row: FeedRow): void;
  /** The market closed. Nothing but `describe`, `own`, `poll` and `feedValue` may follow. */
  end(at: Stamp): void;
  /** Events that were refused so far. */
  readonly refused: number;
  /** Events whose time went back so far. */
  readonly steppedBack: number;
}

/**
 * One of the recorder's own orders or trades as an answer showed it, one row each time it was seen with something new.
 * Names as the columns of `own`; amounts and prices in millionths, in the space of the order's own outcome.
 */
export interface OwnRow {
  readonly record: 'order' | 'trade';
  /** Our clock, Unix ms: when the answer had arrived. */
  readonly seen_ms: number;
  readonly pubkey: string;
  /** Of a trade, the order that it filled; null for an order. */
  readonly order_pubkey: string | null;
  /** Of an order its status, of a trade its state. */
  readonly status: string;
  readonly side: 'buy' | 'sell';
  readonly is_yes: boolean;
  readonly price_micros: number | null;
  readonly amount_micros: number | null;
  /** Of orders; null for a trade. */
  readonly filled_amount_micros: number | null;
  readonly remaining_amount_micros: number | null;
  /** Of trades; null for an order. */
  readonly fee_micros: number | null;
  readonly is_maker: boolean | null;
  /** Of a trade: the venue's clock, Unix seconds. */
  readonly timestamp: number | null;
}

/** A value of a feed as it reached the recorder. Its own times, as `seenMs`, are of our clock. */
export interface FeedRow {
  readonly feed: string;
  /** The venue's clock, Unix ms, at `seenMs`. */
  readonly timeMs: number;
  readonly seenMs: number;
  readonly value: FeedValue;
}
