/**
 * Recordings in our own format: a folder of Parquet files in which flushed rows survive `kill -9` and a full disk. No
 * event is invented, no file is partly there, and a folder has one writer. docs/recordings.md describes the files.
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
 * Opens (and creates) a folder of recordings for writing. Open files of an earlier writer become Parquet first. Throws
 * TwinbookError `file_unreadable` when the folder cannot be written, another process writes it, or DuckDB is missing.
 */
export async function openRecordingStore(folder: string, settings: StoreSettings): Promise<RecordingStore> {
  const { release } = await takeFolder(folder);
  return new RecordingStore(folder, release, { ...DEFAULT_RULES, ...settings });
}

/** Turns a dead writer's open segments into Parquet. Returns their number. Throws as `openRecordingStore`. */
export async function repairFolder(folder: string): Promise<number> {
  const { release, recovered } = await takeFolder(folder);
  release();
  return recovered;
}

async function takeFolder(folder: string): Promise<{ release: () => void; recovered: number }> {
  // Now instead of in an hour, when the first segment would become Parquet.
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
 * A folder that recordings are written to, locked while it is open. Calls of a sink only fill memory; `flush` writes
 * and syncs. Flushed rows are in an open segment, which readers understand and the next `openRecordingStore` turns into
 * Parquet.
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

  /** Returns the market's sink. A market with earlier rows continues with a gap; its book is unknown until written. */
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
   * Writes and syncs all rows so far, then closes segments that are old or large enough. Call it about once a second,
   * and await it. Throws TwinbookError `file_unreadable` for a full disk or a missing folder: lost rows are counted in
   * `lostRows` and become a gap in their market. The next `flush` tries again.
   */
  flush(): Promise<void> {
    return this.#inTurn(() => this.#each((writer) => writer.flush(false)));
  }

  /** Flushes, then turns every open segment of any age into Parquet. Throws like `flush`. */
  rotate(): Promise<void> {
    return this.#inTurn(() => this.#each((writer) => writer.flush(true)));
  }

  #inTurn(run: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(run);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** `rotate`, then releases the folder. Throws as `flush` does; the folder is released anyway. */
  async close(): Promise<void> {
    try {
      await this.rotate();
    } finally {
      for (const writer of this.#writers.values()) await writer.release();
      this.#release();
    }
  }

  /** All of them, even when one fails; then throws the first failure. */
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
  /** Open segments by UTC day; two around midnight, because the venue's clock decides. */
  readonly #open = new Map<string, Segment>();
  /** Segments that take no more rows; a failed conversion to Parquet is retried. */
  #closing: Segment[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #described = new Set<string>();

  constructor(root: string, market: RecordedMarket, rules: WriterRules) {
    this.#root = root;
    this.#rules = rules;
    const days = listDays(root, market);
    const openSegment = (date: string) => this.#openSegment(date);
    this.sink = new RecordingSink(market, findLast(days), rules.snapshotEveryMs, openSegment);
    // Outcome and notes of earlier writers; the newest description decides.
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

  /** Writes pending rows, and closes due segments, or all. Throws TwinbookError `file_unreadable`. */
  async flush(everything: boolean): Promise<void> {
    // The oldest segment is closed first; then its manifest has them.
    const [oldest] = [...this.#open.keys()].sort();
    if (oldest !== undefined) this.#open.get(oldest)?.counts(this.sink.refused, this.sink.steppedBack);
    // They stop taking rows before the write: rows that arrive meanwhile belong to the next ones.
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
      // All or nothing: rows are numbered, and a number must not be used twice.
      for (const segment of segments) this.lostRows += await segment.undo();
      // Together with later rows, which follow the lost ones.
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
    // Other rows may have been refused meanwhile.
    this.sink.refused -= refused;
    this.sink.steppedBack -= steppedBack;
  }
}

function listDays(root: string, { conditionId }: RecordedMarket): string[] {
  const folder = marketFolder(root, conditionId);
  return existsSync(folder) ? dayFolders(folder) : [];
}

/** End of the files of these days; null without any. */
function findLast(days: readonly string[]): Continuation | null {
  const rows = days.map(lastRow).filter((row) => row !== null);
  return rows.sort((a, b) => a.lastSeq - b.lastSeq).at(-1) ?? null;
}
