/** A recorded market: its description, and a stream of its events in order of time, as columns. */

import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { TwinbookError } from '../shared/base/errors.js';
import type { MarketOutcome } from '../shared/protocol/outcome.js';
import type { FeedValue } from '../shared/protocol/seam.js';

/** Returns an id for a market or event: base58 of the SHA-256 of the venue and the venue's name for it. */
export const deriveConditionId = (venue: string, name: string): string =>
  base58.encode(createHash('sha256').update(`${venue}:${name}`).digest());

/** Kinds of events, with their numbers in the column `kind`. */
export const EVENT = {
  /** A price level has the new total `amountMicros`; 0 removes the level. */
  level: 0,
  /** A trade of `amountMicros` at `priceMicros`. A level event with the level's new total follows. */
  trade: 1,
  /** The book becomes empty; level events of a new snapshot follow. Side, price and amount of this event are 0. */
  clear: 2,
  /** The market closed: always the last event, exactly once. Side, price and amount of this event are 0. */
  end: 3,
} as const;

/** Values of the column `side`, in YES space: side of a level, or taker's action in a trade (`bid`: bought YES). */
export const SIDE = { bid: 0, ask: 1 } as const;

/** Events as columns with `length` valid entries. Times never decrease. A trade comes before its level's decrease. */
export interface EventChunk {
  readonly length: number;
  /** Times of the events, venue clock, Unix ms. */
  readonly timeMs: Float64Array;
  readonly kind: Uint8Array;
  readonly side: Uint8Array;
  /** YES prices of the events, millionths: multiples of the tick, strictly between 0 and 1,000,000. */
  readonly priceMicros: Int32Array;
  /** New totals of levels, or traded amounts, in millionths of a share. */
  readonly amountMicros: Float64Array;
}

export interface RecordedMarket {
  /** Id of the market: base58 of 32 bytes, derived from venue and ticker, so it is the same in every recording. */
  readonly conditionId: string;
  /** Title of the event; the same for all markets of the event. */
  readonly eventTitle: string;
  /** The venue's own id of the event, if recorded. */
  readonly eventConditionId?: string;
  readonly title: string;
  /** Category of the market at the exchange. Kalshi's recordings have `finance`, Polymarket's `sports`. */
  readonly category: 'politics' | 'sports' | 'crypto' | 'wtf' | 'tech' | 'finance';
  readonly rules: readonly string[];
  /** Number of decimals of a price; 2 means that the tick is 0.01. */
  readonly tickPrecision: number;
  /** Maximum number of decimals of a share amount in the stream. */
  readonly amountPrecision: number;
  /** Time when the market opened, Unix ms. Without a record from the venue, the time of the first event. */
  readonly openTimeMs: number;
  /** Closing time of the market, Unix ms. Without a record: time of the last event, or of the recorder's first poll. */
  readonly closeTimeMs: number;
  /** True if the closing time is a guess, because no record has it. The trader must not receive a guess. */
  readonly closeIsGuessed?: true | undefined;
  /** Outcome of the market; null if unknown. A market without a known outcome closes but stays unresolved. */
  readonly outcome: MarketOutcome | null;
  /** Fee rates in millionths of the traded value; 10,000 is one per cent. */
  readonly fees?: { readonly makerRateMicros: number; readonly takerRateMicros: number };
  readonly source: {
    /** Kind of the files: a venue's own messages, or Twinbook's own format (`store/`). */
    readonly kind: 'kalshi' | 'polymarket' | 'twinbook';
    /** Path of the file, or of the folder with the files. */
    readonly path: string;
    /** Name that the venue uses for the market. */
    readonly ticker: string;
    /** Name of the recorded venue, for a recording in Twinbook's format; `kalshi` or `polymarket` if imported. */
    readonly origin?: string;
  };
}

/** A warning for the user about the recorded data; a warning never stops the reading. */
export interface RecordingWarning {
  readonly path: string;
  /** Text of the warning: the finding and its consequence, in one sentence. */
  readonly message: string;
  /** True if the warning is about a damaged file: truncated, or with unreadable lines. */
  readonly isDamage?: true;
}

/** A span of the venue's time without data. After a gap, the book is rebuilt from new data only. */
export interface RecordedGap {
  /** Time of the last data before the gap, Unix ms. */
  readonly fromMs: number;
  /** Time of the first event after the gap, Unix ms; null without an event. */
  readonly toMs: number | null;
  /** Reason of the gap, as a short phrase. */
  readonly reason: string;
}

/** One request of the recorder. All times except `venueMs` are on the recorder's clock. */
export interface RecordedPoll {
  /** Name of the called endpoint, as in `protocol/endpoints.ts`, for example `markets.book`. */
  readonly endpoint: string;
  /** Time when the request was sent, recorder's clock, Unix ms. */
  readonly sentMs: number;
  /** Time of the answer or the failure, recorder's clock, Unix ms. `seenMs - sentMs` is the round trip. */
  readonly seenMs: number;
  /** Time that the venue's answer states, venue clock, Unix ms; null if the answer has no time. */
  readonly venueMs: number | null;
  readonly outcome: 'answered' | 'refused' | 'unknown';
}

export interface RecordedFeedValue {
  readonly feed: string;
  /** Time when the recorder received the value, venue clock, Unix ms. A backtest uses the value only from then on. */
  readonly timeMs: number;
  /** The feed value; its times are also on the venue's clock. */
  readonly value: FeedValue;
}

/** Facts about a recording that are known without decoding its events. */
export interface RecordingSummary {
  /** Times of the first and last event, venue clock, Unix ms; null without events. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** Number of events of each kind (`EVENT`); snapshots and gaps are not counted. */
  readonly events: Readonly<Record<'level' | 'trade' | 'clear' | 'end', number>>;
  readonly gaps: readonly RecordedGap[];
  /** Number of events that the recorder rejected as invalid, for example with a price between two ticks. */
  readonly refused: number;
  /** Compressed size of all files, in bytes. */
  readonly bytes: number;
}

/** Findings of a reader of a venue's files. The reader adds a gap before it yields the chunk in which the gap ends. */
export type ReadFindings = { readonly warnings: RecordingWarning[]; gaps: readonly RecordedGap[] };

/** Adds new gaps. Two readers may share `found`; the slower reader must not remove the gaps of the faster one. */
export function noteGaps(found: ReadFindings, gaps: readonly RecordedGap[]): void {
  if (gaps.length > found.gaps.length) found.gaps = [...gaps];
}

/** The recording of one market. Opening a recording reads its description, but not its events. */
export interface Recording {
  readonly market: RecordedMarket;
  readonly summary?: RecordingSummary;
  /** Hex SHA-256 over the checksums of the read files; absent if a file is in no manifest, or has another size. */
  readonly fingerprint?: string;
  /** Gaps that `chunks()` has found so far, each before the chunk in which it ends; absent if `summary` exists. */
  readonly gaps?: readonly RecordedGap[];
  /** Streams the requests of the recorder, oldest first. Only recordings in Twinbook's format may have requests. */
  polls?(): AsyncIterable<RecordedPoll>;
  /** Streams the feed values of this market, day by day. Only recordings in Twinbook's format may have feed values. */
  feedValues?(): AsyncIterable<RecordedFeedValue>;
  /** Known warnings about the recording. The list is complete after `chunks()` was read to its end. */
  readonly warnings: readonly RecordingWarning[];
  /** Streams all events. Throws TwinbookError `file_unreadable`, or `recording_invalid` if there are no events. */
  chunks(): AsyncIterable<EventChunk>;
}

/** Returns the gaps of a recording. For a venue's own files, these are the gaps that `chunks()` has found. */
export const gapsIn = (recording: Pick<Recording, 'gaps'> & { readonly summary?: RecordingSummary | null }) =>
  recording.summary?.gaps ?? recording.gaps ?? [];

export const invalidRecording = (message: string, hint: string): TwinbookError =>
  new TwinbookError('recording_invalid', message, hint);

/** Maximum difference between the recorder's clock and the venue's, ms. */
const CLOCKS_APART_MS = 5_000;

/** Returns the announced closing time, Unix ms; null if unknown or near `firstMs` (time of the first poll). */
export const toldCloseMs = ({ closeIsGuessed, closeTimeMs }: RecordedMarket, firstMs: number): number | null =>
  closeIsGuessed !== true && closeTimeMs > firstMs + CLOCKS_APART_MS ? closeTimeMs : null;
