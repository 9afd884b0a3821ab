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
import { type MarketSink, Segment, type StoreSettings } from './segment.js';

const HOUR_MS = 3_600_000;
const DEFAULT_RULES = {
  rotateAfterMs: HOUR_MS,
  rotateAfterRows: 1_000_000,
  snapshotEveryMs: 300_000,
  now: Date.now,
};

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
 * `openRecordingStore` converts it to Parquet.
 */
export class RecordingStore {
  lostRows = 0;
  readonly #folder: string;
  readonly #release: () => void;
  readonly #rules: WriterRules;
  readonly #writers = new Map<string, MarketWriter>();
  #turn: Promise<unknown> = Promise.resolve();

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
   * and awaited. Throws TwinbookError `file_unreadable`, for example for a full disk. Rows of a failed write are lost,
   * counted in `lostRows`, and marked as a gap. The next `flush` writes again.
   */
  flush(): Promise<void> {
    return this.#inTurn(() => this.#each((writer) => writer.flush(false)));
  }

  /** Flushes rows, then converts all open segments to Parquet, whatever their age. Throws the errors of `flush`. */
  rotate(): Promise<void> {
    return this.#inTurn(() => this.#each((writer) => writer.flush(true)));
  }

  #inTurn(run: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(run);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Calls `rotate`, then unlocks the folder. Throws the errors of `flush`, but always unlocks the folder. */
  async close(): Promise<void> {
    try {
      await this.rotate();
    } finally {
      for (const writer of this.#writers.values()) await writer.release();
      this.#release();
    }
  }

  /** Calls `run` for every writer, even if one fails, and then throws the first error. */
  async #each(run: (writer: MarketWriter) => Promise<void>): Promise<void> {
    const failures: unknown[] = [];
    for (const writer of this.#writers.values()) {
      await run(writer).catch((error: unknown) => failures.push(error));
    }
    this.lostRows = [...this.#writers.values()].reduce((sum, writer) => sum + writer.lostRows, 0);
    if (failures.length > 0) throw failures[0];
  }
}

type WriterRules = Required<StoreSettings>;

class MarketWriter {
  lostRows = 0;
  readonly #root: string;
  readonly sink: RecordingSink;
  readonly #rules: WriterRules;
  /** Open segments by UTC day. Around midnight two are open, because the venue's clock determines the day. */
  readonly #open = new Map<string, Segment>();
  /** Segments that accept no more rows and must be converted to Parquet. A failed conversion is retried. */
  #closing: Segment[] = [];
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
    // Due segments accept no more rows before the write. Rows that arrive during the write are added to new segments.
    for (const [date, segment] of this.#open) {
      if (!everything && !this.#isDue(date, segment)) continue;
      this.#open.delete(date);
      segment.closing = true;
      this.#closing.push(segment);
    }
    await this.#write();
    for (const segment of this.#closing) {
      await this.#toParquet(segment);
      this.#closing = this.#closing.filter((other) => other !== segment);
    }
  }

  async release(): Promise<void> {
    for (const segment of [...this.#open.values(), ...this.#closing]) await segment.close();
  }

  #isDue(date: string, segment: Segment): boolean {
    const today = this.sink.date ?? date;
    const isOld = this.#rules.now() - segment.openedMs >= this.#rules.rotateAfterMs;
    return isOld || segment.rows >= this.#rules.rotateAfterRows || date < today;
  }

  async #write(): Promise<void> {
    const segments = [...this.#open.values(), ...this.#closing];
    for (const segment of segments) segment.begin();
    const position = this.sink.position();
    try {
      for (const segment of segments) makeFolder(segment.folder);
      this.#describe(segments);
      for (const segment of segments) await segment.write();
      this.sink.onFlush(position);
    } catch (error) {
      // A failed write removes all rows of all segments, because a row number must not be used twice.
      for (const segment of segments) this.lostRows += await segment.undo();
      // Rows after the lost rows are removed too.
      for (const segment of new Set([...segments, ...this.#open.values()])) {
        this.lostRows += segment.pendingRows;
        segment.discard();
      }
      this.sink.onLost();
      throw unreadableFolder(this.#root, error);
    }
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
    await segment.close();
    const { folder, number, path } = segment;
    if (!existsSync(path)) return;
    const { refused, steppedBack } = this.sink;
    await closeSegment(folder, this.#rules.origin, number, path, { refused, steppedBack, brokenLines: 0 });
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
