/**
 * The open end of a recording: rows before their conversion to Parquet, as lines of JSON in a file that survives `kill
 * -9`. docs/recordings.md describes the files.
 */

import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../shared/base/files.js';
import type { FeedValue } from '../../shared/protocol/seam.js';
import { EVENT, type RecordedMarket, type RecordedPoll } from '../contract.js';
import { toColumns } from './manifest.js';

export interface StoreSettings {
  /** Source of the recording: `kalshi`, `polymarket`, or the name of the recorded venue. */
  readonly origin: string;
  /** Age of a segment, by our clock, at which the next `flush` closes the segment, ms. Default: one hour. */
  readonly rotateAfterMs?: number;
  /** Rows of a segment at which the next `flush` closes it. Default a million. */
  readonly rotateAfterRows?: number;
  /** Recorded time between two snapshots of the book, ms. Default five minutes. */
  readonly snapshotEveryMs?: number;
  /** Our clock, Unix ms, which determines a segment's age. */
  readonly now?: () => number;
}

/** Time of an event: by the venue's clock, and when it was known. */
export interface Stamp {
  /** Venue clock, Unix ms. Never goes back within a market: an earlier time is raised to the last, and counted. */
  readonly timeMs: number;
  /** Time when the answer arrived, our clock, Unix ms; null when unknown. */
  readonly seenMs: number | null;
}

/**
 * Takes one market's events in the order of the stream's contract (`EventChunk`). An invalid event (price off the tick,
 * negative amount) is not written but counted: the call answers false.
 */
export interface MarketSink {
  readonly market: RecordedMarket;
  /** Takes up a new description; the next `flush` writes it. `notes` for readers are added to the earlier ones. */
  describe(market: RecordedMarket, notes?: readonly string[]): void;
  /** The level now holds `amountMicros` in total; 0 removes it. `side` as in `SIDE`. */
  level(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean;
  /** `side` is the taker's action (`SIDE.bid`: bought YES). */
  trade(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean;
  /** The book is empty from here on, or its known content is invalid; the new one follows as levels. */
  clear(at: Stamp): void;
  /** Begins a gap until the next event. `reason` is a short phrase. A second gap within a gap changes nothing. */
  gap(at: Stamp, reason: string): void;
  poll(poll: RecordedPoll): void;
  own(row: OwnRow): void;
  feedValue(row: FeedRow): void;
  /** Records the market's close. Only `describe`, `own`, `poll` and `feedValue` may follow. */
  end(at: Stamp): void;
}

/** An own order or trade of the recorder, a row each time it changed; in the order's own outcome space. */
export interface OwnRow {
  readonly record: 'order' | 'trade';
  /** Time when the answer arrived, our clock, Unix ms. */
  readonly seen_ms: number;
  readonly pubkey: string;
  /** Order of a trade; null for an order. */
  readonly order_pubkey: string | null;
  /** Status of an order, state of a trade. */
  readonly status: string;
  readonly side: 'buy' | 'sell';
  readonly is_yes: boolean;
  readonly price_micros: number | null;
  readonly amount_micros: number | null;
  /** Filled amount of an order; null for a trade. */
  readonly filled_amount_micros: number | null;
  readonly remaining_amount_micros: number | null;
  /** Fee of a trade; null for an order. */
  readonly fee_micros: number | null;
  readonly is_maker: boolean | null;
  /** Time of a trade, venue clock, Unix seconds; null for an order. */
  readonly timestamp: number | null;
}

/** A value of a feed as the recorder received it. The value's own times, like `seenMs`, are on our clock. */
export interface FeedRow {
  readonly feed: string;
  /** Venue clock, Unix ms, at `seenMs`. */
  readonly timeMs: number;
  readonly seenMs: number;
  readonly value: FeedValue;
}

/** Kinds of rows as bytes: those of the stream, and those only in files. */
export const ROW = { ...EVENT, snapshot: 4, snapshot_level: 5, gap: 6 } as const;
const KIND_NAMES = Object.fromEntries(Object.entries(ROW).map(([name, code]) => [code, name]));

export class Segment {
  readonly folder: string;
  readonly path: string;
  readonly number: number;
  readonly openedMs: number;
  rows = 0;
  hasEvents = false;
  /** Whether the segment is becoming Parquet and takes no more rows. */
  closing = false;
  #pending: string[] = [];
  #counts = makeCounts(0, 0);
  pendingRows = 0;
  #durableBytes = 0;
  /** Taken by `begin`, written by `write`; the bytes are those on the disk. */
  #batch = { lines: [] as readonly string[], rows: 0, bytes: 0 };
  #file: FileHandle | null = null;

  constructor(folder: string, name: string, number: number, openedMs: number) {
    this.folder = folder;
    this.path = join(folder, name);
    this.number = number;
    this.openedMs = openedMs;
  }

  event(
    seq: number,
    timeMs: number,
    seenMs: number | null,
    kind: number,
    side: number,
    price: number,
    amount: number,
    reason: string | null,
  ): void {
    this.hasEvents = true;
    const priced = kind === ROW.level || kind === ROW.trade || kind === ROW.snapshot_level;
    this.#row({
      table: 'events',
      seq,
      time_ms: timeMs,
      seen_ms: seenMs,
      kind: KIND_NAMES[kind],
      // JSON leaves undefined fields out.
      side: priced ? (side === 0 ? 'bid' : 'ask') : undefined,
      price_micros: priced ? price : undefined,
      amount_micros: priced ? amount : undefined,
      reason: reason ?? undefined,
    });
  }

  poll(poll: RecordedPoll): void {
    this.#row({ table: 'polls', ...toColumns(poll) });
  }

  own(row: OwnRow): void {
    this.#row({ table: 'own', ...row });
  }

  feedValue({ value: { conditionId: _, ...value }, ...row }: FeedRow): void {
    this.#row({ table: 'feeds', ...toColumns(row), ...toColumns(value) });
  }

  /** Rejected and raised events that are in no manifest yet: they survive a crash. The last such line counts. */
  counts(refused: number, steppedBack: number): void {
    const line = makeCounts(refused, steppedBack);
    if (line !== this.#counts) this.#pending.push(line);
    this.#counts = line;
  }

  /** Pending rows are written next; later ones wait for the following write. */
  begin(): void {
    this.#batch = { lines: this.#pending, rows: this.pendingRows, bytes: 0 };
    this.discard();
  }

  /** Writes and syncs the rows of `begin`. Throws the system's error; `undo` then restores the file. */
  async write(): Promise<void> {
    if (this.#batch.lines.length === 0) return;
    const bytes = Buffer.from(this.#batch.lines.join(''));
    this.#file ??= await this.#open();
    await this.#file.appendFile(bytes);
    await this.#file.datasync();
    this.#durableBytes += bytes.length;
    this.#batch = { lines: [], rows: this.#batch.rows, bytes: bytes.length };
  }

  /** Removes the rows of `begin`, written or not; returns the number of lost rows. */
  async undo(): Promise<number> {
    const { rows, bytes } = this.#batch;
    this.#counts = makeCounts(0, 0);
    this.#batch = { lines: [], rows: 0, bytes: 0 };
    this.#durableBytes -= bytes;
    await this.#file?.truncate(this.#durableBytes);
    return rows;
  }

  discard(): void {
    this.#pending = [];
    this.pendingRows = 0;
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  /** Opens only a new file: an existing segment of that name would not be ours. */
  async #open(): Promise<FileHandle> {
    const file = await open(this.path, 'ax');
    syncFolder(this.folder);
    return file;
  }

  #row(row: object): void {
    this.rows++;
    this.pendingRows++;
    this.#pending.push(`${JSON.stringify(row)}\n`);
  }
}

const makeCounts = (refused: number, steppedBack: number) =>
  `${JSON.stringify({ table: 'counts', refused, stepped_back: steppedBack })}\n`;
