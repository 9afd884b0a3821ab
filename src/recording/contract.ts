/** What a recorded market is to the rest of the program: its description and one time-ordered, columnar event stream. */

import type { MarketOutcome } from '../shared/protocol/outcome.js';
import type { FeedValue } from '../shared/protocol/seam.js';

/** What happened, as the numbers in the `kind` column. */
export const EVENT = {
  /** One price level now holds `amountMicros` in total (0: the level is gone). */
  level: 0,
  /** Somebody traded `amountMicros` at `priceMicros`; the level's own decrease follows as a separate event. */
  trade: 1,
  /** The whole book is empty from here on; a fresh snapshot follows as levels. Side, price and amount are 0. */
  clear: 2,
  /** The market closed. Always the last event, exactly once. Side, price and amount are 0. */
  end: 3,
} as const;

/**
 * The numbers in the `side` column, in YES space: of a level, the side it rests on; of a trade, what the *taker* did
 * (`bid`: he bought YES from the asks; `ask`: he sold YES to the bids).
 */
export const SIDE = { bid: 0, ask: 1 } as const;

/**
 * A run of events as columns; only the first `length` entries count. Times never go backwards, neither inside a chunk
 * nor from chunk to chunk. A trade always stands before the level decrease that belongs to it, so that a reader who
 * subtracts what was traded from the next decrease of that level counts nothing twice.
 */
export interface EventChunk {
  readonly length: number;
  /** The venue's clock, Unix ms. */
  readonly timeMs: Float64Array;
  readonly kind: Uint8Array;
  readonly side: Uint8Array;
  /** YES price in millionths, on the market's tick, strictly between 0 and 1,000,000. */
  readonly priceMicros: Int32Array;
  /** New total of the level, or the traded amount, in millionths of a share. */
  readonly amountMicros: Float64Array;
}

export interface RecordedMarket {
  /** Base58 of 32 bytes, a function of source and ticker only: the same recording is always the same market. */
  readonly conditionId: string;
  /** Markets of one event share it. */
  readonly eventTitle: string;
  /** The venue's own id of the event, where the recorder was told it. */
  readonly eventConditionId?: string;
  readonly title: string;
  /** A category of the service; recordings without a fitting one are `finance` or `sports`. */
  readonly category: 'politics' | 'sports' | 'crypto' | 'wtf' | 'tech' | 'finance';
  readonly rules: readonly string[];
  /** Decimals of a price: 2 means a tick of 0.01. */
  readonly tickPrecision: number;
  /** Decimals of a share amount; every amount of the stream is a multiple of it. */
  readonly amountPrecision: number;
  /** Unix ms, as the venue's record says; for a recording without one, the first event. */
  readonly openTimeMs: number;
  /** Unix ms, as the venue's record says; for a recording without one, the last event or when it was first seen. */
  readonly closeTimeMs: number;
  /** No record told `closeTimeMs`: whoever trades in this market must not be told it either. */
  readonly closeIsGuessed?: true;
  /** Null when the recording does not know it: such a market closes and stays unresolved. */
  readonly outcome: MarketOutcome | null;
  /** The market's fees, where the recorder knew them. */
  readonly fees?: RecordedFees;
  readonly source: RecordingSource;
}

export interface RecordedFees {
  /** Shares of the traded value, in millionths: 10,000 is one per cent. */
  readonly makerRateMicros: number;
  readonly takerRateMicros: number;
}

export interface RecordingSource {
  /** What its files are: a venue's own messages, or our format (`store/`). */
  readonly kind: 'kalshi' | 'polymarket' | 'twinbook';
  /** The file that it was read from, or the folder of its files. */
  readonly path: string;
  /** The venue's own name of the market. */
  readonly ticker: string;
  /** Of our format: where the events came from, `kalshi` and `polymarket` if imported, else the recorded venue's name. */
  readonly origin?: string;
}

/** Something about the data that its user must be told. Never a reason to stop. */
export interface RecordingWarning {
  readonly path: string;
  /** A sentence: what was found and what was done about it. */
  readonly message: string;
  /** A file is not as it was written: cut, or with lines that cannot be read. */
  readonly isDamage?: true;
}

/** A span of the venue's time about which the recording knows nothing: the book at its end is new, not a change. */
export interface RecordedGap {
  /** Unix ms of the last thing that was known before it. */
  readonly fromMs: number;
  /** Unix ms of the first event after it; null when nothing came after it. */
  readonly toMs: number | null;
  /** Why, as the recorder said it: a short phrase. */
  readonly reason: string;
}

/** One request that the recorder made, with the clocks on both sides. */
export interface RecordedPoll {
  /** The call by its name in `protocol/endpoints.ts`, such as `markets.book`. */
  readonly endpoint: string;
  /** Our clock, Unix ms: when the request left. */
  readonly sentMs: number;
  /** Our clock, Unix ms: when its answer, or its failure, was known. `seenMs - sentMs` is the round trip. */
  readonly seenMs: number;
  /** The venue's clock as the answer told it, Unix ms; null when there was no answer or it told none. */
  readonly venueMs: number | null;
  readonly outcome: 'answered' | 'refused' | 'unknown';
}

/** What a feed of the recorder's user said of a market. */
export interface RecordedFeedValue {
  /** The name of the feed. */
  readonly feed: string;
  /** The venue's clock, Unix ms: when the recorder heard it. Nobody may be told of it before. */
  readonly timeMs: number;
  /** Its own times are by the venue's clock too. */
  readonly value: FeedValue;
}

/** What is known of a recording without decoding its events. */
export interface RecordingSummary {
  /** The venue's clock, Unix ms, of the first and last event; null when there is none. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** Events of the stream by their kind (`EVENT`); snapshots and gaps are not among them. */
  readonly events: Readonly<Record<'level' | 'trade' | 'clear' | 'end', number>>;
  readonly gaps: readonly RecordedGap[];
  /** Events that were left out when it was written, because they were no events of this market (price off its tick). */
  readonly refused: number;
  /** Events whose time was before the one before them; they carry its time. */
  readonly steppedBack: number;
  /** Compressed, of all its files. */
  readonly bytes: number;
}

/** What a reader of a venue's files finds; gaps are there before the chunk with their end is given. */
export interface ReadFindings {
  readonly warnings: RecordingWarning[];
  gaps: readonly RecordedGap[];
}

/** One market's recording. Opening it has read its description, not its events. */
export interface Recording {
  readonly market: RecordedMarket;
  /** Only recordings in our format know it. */
  readonly summary?: RecordingSummary;
  /**
   * Lower-case hex SHA-256 over the checksums of the files that are played: the same for the same data. Only where every one
   * of them is closed, listed by a manifest, and of the size that it says; their content is checked when they are played.
   */
  readonly fingerprint?: string;
  /**
   * Where there is no summary: the gaps that reading `chunks()` found, each known before the chunk with its end is given.
   * A `clear`, or the `end`, stands where one ends.
   */
  readonly gaps?: readonly RecordedGap[];
  /** Where there is no summary: when the first event is, Unix ms; null where there is none. Throws as `chunks()`. */
  findFirstMs?(): Promise<number | null>;
  /** The requests that made this recording, oldest first; only in our format, where the recorder kept them. */
  polls?(): AsyncIterable<RecordedPoll>;
  /** What feeds said of this market, day by day; only in our format, where the recorder had feeds. */
  feedValues?(): AsyncIterable<RecordedFeedValue>;
  /** Complete once `chunks()` has been read to its end; before that, what is known so far. */
  readonly warnings: readonly RecordingWarning[];
  /**
   * Streams the events from the start; each call starts anew. Memory is bounded by a few chunks. Chunks are the
   * reader's to keep. Throws TwinbookError `file_unreadable` or `recording_invalid` when nothing at all can be read.
   */
  chunks(): AsyncIterable<EventChunk>;
}
