/**
 * Interface for writing recordings in our format, for recorders and importers. docs/recordings.md describes the files.
 */

import type { FeedValue } from '../../shared/protocol/seam.js';
import type { RecordedMarket, RecordedPoll } from '../contract.js';

export interface StoreSettings {
  /** Source of the recording: `kalshi`, `polymarket`, or the name of the recorded venue. */
  readonly origin: string;
  /**
   * False for repeatable data such as an import: events stay in memory until their segment is closed, which is several
   * times faster. Default true.
   */
  readonly crashSafe?: boolean;
  /** Age of a segment, by our clock, at which the next `flush` closes it, ms. Default an hour. */
  readonly rotateAfterMs?: number;
  /** Rows of a segment at which the next `flush` closes it. Default a million; an import holds them in memory. */
  readonly rotateAfterRows?: number;
  /** Recorded time between two snapshots of the book, ms. Default five minutes. */
  readonly snapshotEveryMs?: number;
  /** Our clock, Unix ms, for the age of a segment. */
  readonly now?: () => number;
}

/** Time of an event: by the venue's clock, and when it was known. */
export interface Stamp {
  /** Venue clock, Unix ms. Never goes back within a market: an earlier one is raised to the last, and counted. */
  readonly timeMs: number;
  /** Our clock, Unix ms, when its answer had arrived; null when unknown. */
  readonly seenMs: number | null;
}

/**
 * Takes one market's events in the order of the stream's contract (`EventChunk`): a trade before the decrease that belongs
 * to it, prices in YES space. An event that is none (price off the tick or not within 0 and 1, an amount that is negative or
 * no integer) is not written but counted: the call answers false, the manifest says how many.
 */
export interface MarketSink {
  readonly market: RecordedMarket;
  /**
   * Takes up a new description: the outcome was learnt, a title changed. `notes` are sentences about the data that whoever
   * reads this recording must be told; they are kept with those that were given before. Written by the next `flush`.
   */
  describe(market: RecordedMarket, notes?: readonly string[]): void;
  /** The level now holds `amountMicros` in total; 0 removes it. `side` as in `SIDE`. */
  level(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean;
  /** `side` is the taker's action (`SIDE.bid`: bought YES). */
  trade(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean;
  /** The book is empty from here on, or its known content is invalid; the new one follows as levels. */
  clear(at: Stamp): void;
  /**
   * Nothing is known until the next event. `reason` is a short phrase. A second gap within one changes nothing. The
   * following book is written again (`clear`, then levels) or as changes, whichever is known to be true.
   */
  gap(at: Stamp, reason: string): void;
  poll(poll: RecordedPoll): void;
  own(row: OwnRow): void;
  feedValue(row: FeedRow): void;
  /** The market closed. Only `describe`, `own`, `poll` and `feedValue` may follow. */
  end(at: Stamp): void;
  readonly refused: number;
  readonly steppedBack: number;
}

/**
 * An own order or trade of the recorder in an answer: one row each time it was seen with changes. Names as the columns
 * of `own`; amounts and prices in millionths, in the order's own outcome space.
 */
export interface OwnRow {
  readonly record: 'order' | 'trade';
  /** Our clock, Unix ms, when the answer had arrived. */
  readonly seen_ms: number;
  readonly pubkey: string;
  /** Of a trade, its order; null for an order. */
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
  /** Venue clock, Unix ms, at `seenMs`. */
  readonly timeMs: number;
  readonly seenMs: number;
  readonly value: FeedValue;
}
