/** What a recorded market is to the rest of the program: its description and one time-ordered, columnar event stream. */

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
  /** Unix ms, as the venue's record says; for a recording without one, the last event. */
  readonly closeTimeMs: number;
  /** What YES resolved to; null when the recording does not know: such a market closes and stays unresolved. */
  readonly outcome: boolean | null;
  readonly source: RecordingSource;
}

export interface RecordingSource {
  readonly kind: 'kalshi' | 'polymarket';
  /** The file that it was read from. */
  readonly path: string;
  /** The venue's own name of the market. */
  readonly ticker: string;
}

/** Something about the data that its user must be told. Never a reason to stop. */
export interface RecordingWarning {
  readonly path: string;
  /** A sentence: what was found and what was done about it. */
  readonly message: string;
}

/** One market's recording. Opening it has read its description, not its events. */
export interface Recording {
  readonly market: RecordedMarket;
  /** Complete once `chunks()` has been read to its end; before that, what is known so far. */
  readonly warnings: readonly RecordingWarning[];
  /**
   * Streams the events from the start; each call starts anew. Memory is bounded by a few chunks. Chunks are the
   * reader's to keep. Throws TwinbookError `file_unreadable` or `recording_invalid` when nothing at all can be read.
   */
  chunks(): AsyncIterable<EventChunk>;
}
