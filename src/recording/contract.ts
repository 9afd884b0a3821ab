/** A recorded market for the rest of the program: its description and one time-ordered, columnar event stream. */

import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import type { MarketOutcome } from '../shared/protocol/outcome.js';
import type { FeedValue } from '../shared/protocol/seam.js';

/** Base58 of the SHA-256 of the venue and its own name of the market or event. */
export const deriveConditionId = (venue: string, name: string): string =>
  base58.encode(createHash('sha256').update(`${venue}:${name}`).digest());

/** Kinds of events: numbers of the `kind` column. */
export const EVENT = {
  /** New total `amountMicros` of one price level (0: the level is gone). */
  level: 0,
  /** A trade of `amountMicros` at `priceMicros`; the level's own decrease follows as a separate event. */
  trade: 1,
  /** The whole book is empty from here on; a fresh snapshot follows as levels. Side, price and amount are 0. */
  clear: 2,
  /** The market closed. Always the last event, exactly once. Side, price and amount are 0. */
  end: 3,
} as const;

/** The `side` column, in YES space: a level's side, or the taker's action of a trade (`bid`: bought YES). */
export const SIDE = { bid: 0, ask: 1 } as const;

/** Events as columns; only the first `length` entries count. Times never go back. A trade precedes its level decrease. */
export interface EventChunk {
  readonly length: number;
  /** Venue clock, Unix ms. */
  readonly timeMs: Float64Array;
  readonly kind: Uint8Array;
  readonly side: Uint8Array;
  /** YES price in millionths, on the market's tick, strictly between 0 and 1,000,000. */
  readonly priceMicros: Int32Array;
  /** New total of the level, or the traded amount, in millionths of a share. */
  readonly amountMicros: Float64Array;
}

export interface RecordedMarket {
  /** Base58 of 32 bytes derived from source and ticker: the same recording is always the same market. */
  readonly conditionId: string;
  /** Title of the event; all markets of one event have the same title. */
  readonly eventTitle: string;
  /** The venue's own id of the event, if recorded. */
  readonly eventConditionId?: string;
  readonly title: string;
  /** A category of the service; recordings without a matching one are `finance` or `sports`. */
  readonly category: 'politics' | 'sports' | 'crypto' | 'wtf' | 'tech' | 'finance';
  readonly rules: readonly string[];
  /** Decimals of a price: 2 means a tick of 0.01. */
  readonly tickPrecision: number;
  /** Decimals of a share amount; every amount of the stream is a multiple of it. */
  readonly amountPrecision: number;
  /** Unix ms, from the venue's record; without one, the first event. */
  readonly openTimeMs: number;
  /** Unix ms, from the venue's record; without one, the last event or when it was first seen. */
  readonly closeTimeMs: number;
  /** No record contains `closeTimeMs`: traders of this market must not see it either. */
  readonly closeIsGuessed?: true;
  /** Outcome; null when unknown: such a market closes and stays unresolved. */
  readonly outcome: MarketOutcome | null;
  /** Fractions of the traded value, in millionths: 10,000 is one per cent. */
  readonly fees?: { readonly makerRateMicros: number; readonly takerRateMicros: number };
  readonly source: {
    /** Kind of its files: a venue's own messages, or our format (`store/`). */
    readonly kind: 'kalshi' | 'polymarket' | 'twinbook';
    /** The file that it was read from, or the folder of its files. */
    readonly path: string;
    /** The venue's own name of the market. */
    readonly ticker: string;
    /** Source of the events in our format: `kalshi` or `polymarket` if imported, else the recorded venue's name. */
    readonly origin?: string;
  };
}

/** A warning about the data for its user; never a reason to stop. */
export interface RecordingWarning {
  readonly path: string;
  /** A sentence: the finding and its consequence. */
  readonly message: string;
  /** A damaged file: cut, or with unreadable lines. */
  readonly isDamage?: true;
}

/** A span of the venue's time without data: the book at its end is new, not a change. */
export interface RecordedGap {
  /** Unix ms of the last known data before it. */
  readonly fromMs: number;
  /** Unix ms of the first event after it; null without one. */
  readonly toMs: number | null;
  /** The recorder's reason: a short phrase. */
  readonly reason: string;
}

/** One request of the recorder, with the clocks on both sides. */
export interface RecordedPoll {
  /** The call by its name in `protocol/endpoints.ts`, such as `markets.book`. */
  readonly endpoint: string;
  /** Time when the request left, our clock, Unix ms. */
  readonly sentMs: number;
  /** Time when the answer or failure was known, our clock, Unix ms. `seenMs - sentMs` is the round trip. */
  readonly seenMs: number;
  /** Venue clock in the answer, Unix ms; null without one. */
  readonly venueMs: number | null;
  readonly outcome: 'answered' | 'refused' | 'unknown';
}

/** A feed's value for a market. */
export interface RecordedFeedValue {
  readonly feed: string;
  /** Time of receipt by the recorder, venue clock, Unix ms. The value must not be used before this time. */
  readonly timeMs: number;
  /** The feed value, whose times are on the venue's clock too. */
  readonly value: FeedValue;
}

/** Facts of a recording without decoding its events. */
export interface RecordingSummary {
  /** Venue clock, Unix ms, of the first and last event; null without any. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** Events by kind (`EVENT`), without snapshots and gaps. */
  readonly events: Readonly<Record<'level' | 'trade' | 'clear' | 'end', number>>;
  readonly gaps: readonly RecordedGap[];
  /** Events rejected when it was written, because they were invalid (price off its tick). */
  readonly refused: number;
  /** Compressed size of all files, bytes. */
  readonly bytes: number;
}

/** Findings of a reader of a venue's files; a gap is known before the chunk with its end is returned. */
export interface ReadFindings {
  readonly warnings: RecordingWarning[];
  gaps: readonly RecordedGap[];
}

/** One market's recording. Opening a recording reads its description, not its events. */
export interface Recording {
  readonly market: RecordedMarket;
  /** Summary; only for recordings in our format. */
  readonly summary?: RecordingSummary;
  /** Hex SHA-256 over the checksums of the played files; absent unless a manifest lists every file with its size. */
  readonly fingerprint?: string;
  /** Gaps found by `chunks()`, for a recording without a summary; known before the chunk with the gap's end. */
  readonly gaps?: readonly RecordedGap[];
  /** Requests of this recording, oldest first; only in our format, if the recorder kept them. */
  polls?(): AsyncIterable<RecordedPoll>;
  /** Feed values of this market by day; only in our format, if the recorder had feeds. */
  feedValues?(): AsyncIterable<RecordedFeedValue>;
  /** Complete once `chunks()` was read to its end; before that, the known ones. */
  readonly warnings: readonly RecordingWarning[];
  /** Streams the events from the start. Throws TwinbookError `file_unreadable` or `recording_invalid` without any. */
  chunks(): AsyncIterable<EventChunk>;
}

/** Gaps of any recording; of a raw one, those found so far. */
export const gapsIn = (recording: Pick<Recording, 'gaps'> & { readonly summary?: RecordingSummary | null }) =>
  recording.summary?.gaps ?? recording.gaps ?? [];

/** Maximum difference between the recorder's clock and the venue's. */
const CLOCKS_APART_MS = 5_000;

/**
 * The close as the venue announced it, Unix ms; null without one. A close about the first event (`firstMs`) is when the
 * recorder first saw the market.
 */
export const toldCloseMs = ({ closeIsGuessed, closeTimeMs }: RecordedMarket, firstMs: number): number | null =>
  closeIsGuessed !== true && closeTimeMs > firstMs + CLOCKS_APART_MS ? closeTimeMs : null;
