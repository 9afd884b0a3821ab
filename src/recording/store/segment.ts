/** An open segment: rows that are not Parquet yet, as JSON lines in a file that survives `kill -9`. */

import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../shared/base/files.js';
import type { FeedValue } from '../../shared/protocol/seam.js';
import { EVENT, type RecordedMarket, type RecordedPoll } from '../contract.js';

/** Times of an event: when it happened, and when the recorder received it. */
export interface Stamp {
  /** Time of the event, venue clock, Unix ms. A time below the previous event's time is raised to that time. */
  readonly timeMs: number;
  /** Time when the answer arrived, recorder's clock, Unix ms; null if unknown. */
  readonly seenMs: number | null;
}

/** Receives one market's events in order of time. An invalid event is counted, not written; the call returns false. */
export interface MarketSink {
  readonly market: RecordedMarket;
  /** Sets the market's description, which the next `flush` writes. `notes` for readers are added to earlier notes. */
  describe(market: RecordedMarket, notes?: readonly string[]): void;
  /** Sets a level's total to `amountMicros`; 0 removes the level. `side`: bid or ask, as in `SIDE`. */
  level(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean;
  /** Adds a trade to the recording. `side`: the taker's action (`SIDE.bid`: bought YES). */
  trade(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean;
  /** Empties the book. Levels of a new book follow. */
  clear(at: Stamp): void;
  /** Begins a gap, which lasts until the next event. `reason`: a short phrase. A gap within a gap has no effect. */
  gap(at: Stamp, reason: string): void;
  poll(poll: RecordedPoll): void;
  own(row: OwnRow): void;
  feedValue(row: FeedRow): void;
  /** Records the market's close. After the close, only `describe`, `own`, `poll` and `feedValue` may be called. */
  end(at: Stamp): void;
}

/** State of a trader's order or trade. docs/recordings.md describes the fields and their nulls. */
export interface OwnRow {
  readonly record: 'order' | 'trade';
  readonly seen_ms: number;
  readonly pubkey: string;
  readonly order_pubkey: string | null;
  readonly status: string;
  readonly side: 'buy' | 'sell';
  readonly is_yes: boolean;
  readonly price_micros: number | null;
  readonly amount_micros: number | null;
  readonly filled_amount_micros: number | null;
  readonly remaining_amount_micros: number | null;
  readonly fee_micros: number | null;
  readonly is_maker: boolean | null;
  readonly timestamp: number | null;
}

/** A feed value as the recorder received it. The value's times are on the recorder's clock, like `seenMs`. */
export interface FeedRow {
  readonly feed: string;
  /** The venue's clock at the time `seenMs`, Unix ms. */
  readonly timeMs: number;
  readonly seenMs: number;
  readonly value: FeedValue;
}

/** Names of kinds of rows, by number: first the kinds of events, then the kinds that exist only in files. */
export const ROW = { ...EVENT, snapshot: 4, snapshot_level: 5, gap: 6 } as const;
const KIND_NAMES = Object.fromEntries(Object.entries(ROW).map(([name, code]) => [code, name]));

export class Segment {
  readonly folder: string;
  readonly path: string;
  readonly number: number;
  readonly openedMs: number;
  rows = 0;
  hasEvents = false;
  #pending: string[] = [];
  #counts = makeCounts(0, 0);
  #durableBytes = 0;
  #file: FileHandle | null = null;

  constructor(folder: string, name: string, number: number, openedMs: number) {
    this.folder = folder;
    this.path = join(folder, name);
    this.number = number;
    this.openedMs = openedMs;
  }

  event(seq: number, at: Stamp, kind: number, side: number, price: number, amount: number, reason?: string): void {
    this.hasEvents = true;
    const priced = kind === ROW.level || kind === ROW.trade || kind === ROW.snapshot_level;
    this.row({
      table: 'events',
      seq,
      time_ms: at.timeMs,
      seen_ms: at.seenMs,
      kind: KIND_NAMES[kind],
      // `JSON.stringify` omits undefined fields.
      side: priced ? (side === 0 ? 'bid' : 'ask') : undefined,
      price_micros: priced ? price : undefined,
      amount_micros: priced ? amount : undefined,
      reason,
    });
  }

  row(row: object): void {
    this.rows++;
    this.#pending.push(`${JSON.stringify(row)}\n`);
  }

  /** Adds a line that counts rejected events and events with a raised time. Only the last line with counts is valid. */
  counts(refused: number, steppedBack: number): void {
    const line = makeCounts(refused, steppedBack);
    if (line !== this.#counts) this.#pending.push(line);
    this.#counts = line;
  }

  /** Returns the lines for the next `write`. */
  takeLines(): readonly string[] {
    const lines = this.#pending;
    this.#pending = [];
    return lines;
  }

  /** Writes and syncs lines. After a failed write, the file has no part of the lines. Throws the system's error. */
  async write(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    const bytes = Buffer.from(lines.join(''));
    this.#file ??= await this.#open();
    try {
      await this.#file.appendFile(bytes);
      await this.#file.datasync();
    } catch (error) {
      await this.#file.truncate(this.#durableBytes).catch(() => undefined);
      throw error;
    }
    this.#durableBytes += bytes.length;
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  /** Creates the segment file, which must not exist: an existing file would belong to another writer. */
  async #open(): Promise<FileHandle> {
    const file = await open(this.path, 'ax');
    syncFolder(this.folder);
    return file;
  }
}

const makeCounts = (refused: number, steppedBack: number) =>
  `${JSON.stringify({ table: 'counts', refused, stepped_back: steppedBack })}\n`;
