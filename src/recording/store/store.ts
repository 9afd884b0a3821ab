/**
 * Writes recordings in Twinbook's own format: a folder of Parquet files, in which flushed rows survive `kill -9` and a
 * full disk. No event is invented, no file is incomplete, and a folder has only one writer (see docs/recordings.md).
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../shared/base/files.js';
import type { RecordedMarket } from '../contract.js';
import { closeSegment, lastRow, nextNumber, recoverFolder, unreadableFolder } from './day-folder.js';
import { loadDuckDb } from './duckdb.js';
import { dayFolder, dayFolders, lockFolder, MARKET, marketFolder, marketFolders, segmentName } from './layout.js';
import { readMarket, writeMarket } from './manifest.js';
import { type Continuation, RecordingSink } from './market-sink.js';
import { type MarketSink, Segment } from './segment.js';

const DEFAULT_RULES = {
  /** Age of a segment at which the next `flush` closes it, our clock, ms. */
  rotateAfterMs: 3_600_000,
  /** Number of rows at which the next `flush` closes a segment. */
  rotateAfterRows: 1_000_000,
  /** Recorded time between two snapshots of the book, ms. */
  snapshotEveryMs: 300_000,
  now: Date.now,
};

/** `origin`: source of the recording, `kalshi` or `polymarket` if imported, else the name of the recorded venue. */
type WriterRules = typeof DEFAULT_RULES & { readonly origin: string };
export type StoreSettings = Partial<WriterRules> & Pick<WriterRules, 'origin'>;

/**
 * Opens or creates a folder of recordings for writing, and converts an earlier writer's open segments to Parquet.
 * Throws TwinbookError `file_unreadable` if the folder is not writable, another process writes to it, or DuckDB is
 * missing.
 */
export async function openRecordingStore(folder: string, settings: StoreSettings): Promise<RecordingStore> {
  const { release } = await takeFolder(folder);
  return new RecordingStore(folder, release, { ...DEFAULT_RULES, ...settings });
}

/** Converts a dead writer's segments to Parquet. Returns their number. Throws the errors of `openRecordingStore`. */
export async function repairFolder(folder: string): Promise<number> {
  const { release, recovered } = await takeFolder(folder);
  release();
  return recovered;
}

async function takeFolder(folder: string): Promise<{ release: () => void; recovered: number }> {
  // A missing DuckDB is reported now, not an hour later when the first segment is converted.
  await loadDuckDb();
  let release: () => void;
  try {
    makeFolder(folder);
    release = lockFolder(folder);
  } catch (error) {
    throw unreadableFolder(folder, error);
  }
  try {
    let recovered = 0;
    for (const market of marketFolders(folder)) {
      for (const day of dayFolders(market)) recovered += await recoverFolder(day);
    }
    return { release, recovered };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Writer of a folder of recordings, which is locked while the store is open. The methods of a sink only store rows in
 * memory; `flush` writes and syncs these rows. Flushed rows are in an open segment, which readers can read. The next
 * `openRecordingStore` converts it to Parquet. A failed write ends the recording: only `close` may follow.
 */
export class RecordingStore {
  readonly #folder: string;
  readonly #release: () => void;
  readonly #rules: WriterRules;
  readonly #writers = new Map<string, MarketWriter>();
  #hasFailed = false;

  constructor(folder: string, release: () => void, rules: WriterRules) {
    this.#folder = folder;
    this.#release = release;
    this.#rules = rules;
  }

  /** Returns the market's sink. If the folder has earlier rows of the market, a gap follows these rows. */
  market(market: RecordedMarket): MarketSink {
    const known = this.#writers.get(market.conditionId);
    if (known !== undefined) {
      known.sink.describe(market);
      return known.sink;
    }
    const writer = new MarketWriter(this.#folder, market, this.#rules);
    this.#writers.set(market.conditionId, writer);
    return writer.sink;
  }

  /**
   * Writes and syncs all rows, then closes segments that are old or large enough. Must be called about once a second,
   * and awaited. Throws TwinbookError `file_unreadable`, for example for a full disk; the rows of the failed write are
   * then lost.
   */
  flush(): Promise<void> {
    return this.#write(false);
  }

  /** Flushes rows, then converts all open segments to Parquet, whatever their age. Throws the errors of `flush`. */
  rotate(): Promise<void> {
    return this.#write(true);
  }

  async #write(everything: boolean): Promise<void> {
    try {
      for (const writer of this.#writers.values()) await writer.flush(everything);
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  /** Calls `rotate` unless a write has failed, and unlocks the folder in any case. Throws the errors of `flush`. */
  async close(): Promise<void> {
    try {
      if (!this.#hasFailed) await this.rotate();
    } finally {
      for (const writer of this.#writers.values()) await writer.release();
      this.#release();
    }
  }
}

class MarketWriter {
  readonly #root: string;
  readonly sink: RecordingSink;
  readonly #rules: WriterRules;
  /** Open segments by UTC day. Around midnight two are open, because the venue's clock determines the day. */
  readonly #open = new Map<string, Segment>();
  readonly #numbers = new Map<string, number>();
  readonly #described = new Set<string>();

  constructor(root: string, market: RecordedMarket, rules: WriterRules) {
    this.#root = root;
    this.#rules = rules;
    const days = listDays(root, market);
    const openSegment = (date: string) => this.#openSegment(date);
    this.sink = new RecordingSink(market, findLast(days), rules.snapshotEveryMs, openSegment);
    // Outcome and notes of earlier writers are kept. The newest description of the market takes precedence.
    for (const day of days.reverse()) {
      const earlier = readMarket(join(day, MARKET), day);
      if (earlier === null) continue;
      const outcome = this.sink.market.outcome ?? earlier.market.outcome;
      this.sink.describe({ ...this.sink.market, outcome }, earlier.notes);
    }
  }

  #openSegment(date: string): Segment {
    const open = this.#open.get(date);
    if (open !== undefined) return open;
    const folder = dayFolder(this.#root, this.sink.market.conditionId, date);
    const number = Math.max(existsSync(folder) ? nextNumber(folder) : 1, (this.#numbers.get(date) ?? 0) + 1);
    const segment = new Segment(folder, segmentName(number), number, this.#rules.now());
    this.#numbers.set(date, number);
    this.#open.set(date, segment);
    return segment;
  }

  /** Writes pending rows, then closes the due segments, or all segments. Throws TwinbookError `file_unreadable`. */
  async flush(everything: boolean): Promise<void> {
    // The oldest segment stores the counts of bad events; it is closed first, so that a manifest contains them.
    const [oldest] = [...this.#open.keys()].sort();
    if (oldest !== undefined) this.#open.get(oldest)?.counts(this.sink.refused, this.sink.steppedBack);
    const segments = [...this.#open.values()];
    // Due segments accept no more rows before the write. Rows that arrive during the write are added to new segments.
    const due = [...this.#open].filter(([date, segment]) => everything || this.#isDue(date, segment));
    for (const [date, segment] of due) {
      this.#open.delete(date);
      segment.closing = true;
    }
    // All lines are taken before the first write, because no row may be written before an earlier row.
    const batches = segments.map((segment) => ({ segment, lines: segment.takeLines() }));
    try {
      for (const { folder } of segments) makeFolder(folder);
      this.#describe(segments);
      for (const { segment, lines } of batches) await segment.write(lines);
    } catch (error) {
      throw unreadableFolder(this.#root, error);
    } finally {
      for (const [, segment] of due) await segment.close();
    }
    for (const [, segment] of due) await this.#toParquet(segment);
  }

  async release(): Promise<void> {
    for (const segment of this.#open.values()) await segment.close();
  }

  #isDue(date: string, segment: Segment): boolean {
    const today = this.sink.date ?? date;
    const isOld = this.#rules.now() - segment.openedMs >= this.#rules.rotateAfterMs;
    return isOld || segment.rows >= this.#rules.rotateAfterRows || date < today;
  }

  #describe(segments: readonly Segment[]): void {
    const { sink } = this;
    const folders = segments.map((segment) => segment.folder);
    if (sink.changed) {
      this.#described.clear();
      const newest = listDays(this.#root, sink.market).at(-1);
      if (newest !== undefined) folders.push(newest);
    }
    for (const folder of folders) {
      if (this.#described.has(folder)) continue;
      writeMarket(join(folder, MARKET), sink, this.#rules.origin);
      this.#described.add(folder);
      sink.changed = false;
    }
  }

  async #toParquet(segment: Segment): Promise<void> {
    const { folder, number, path } = segment;
    if (!existsSync(path)) return;
    const { refused, steppedBack } = this.sink;
    await closeSegment(folder, number, { refused, steppedBack, brokenLines: 0 });
    // Events may have been rejected during the write, so only the written counts are subtracted.
    this.sink.refused -= refused;
    this.sink.steppedBack -= steppedBack;
  }
}

function listDays(root: string, { conditionId }: RecordedMarket): string[] {
  const folder = marketFolder(root, conditionId);
  return existsSync(folder) ? dayFolders(folder) : [];
}

/** Returns the number and time of the last row in the files of these days; null without files. */
function findLast(days: readonly string[]): Continuation | null {
  const rows = days.map(lastRow).filter((row) => row !== null);
  return rows.sort((a, b) => a.lastSeq - b.lastSeq).at(-1) ?? null;
}
