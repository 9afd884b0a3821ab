/**
 * Recordings in our own format: a folder of Parquet files that DuckDB, pandas and Spark read without us, written so that
 * whatever was flushed survives `kill -9` and a full disk. `contract.ts` says what may be written, docs/recordings.md
 * which files come of it.
 *
 * Never: an event that was not given, a file that is there only in part, a second writer in the same folder.
 */

import { makeFolder } from '../../shared/base/folder.js';
import type { RecordedMarket, RecordedPoll } from '../contract.js';
import type { MarketSink, RecordingStore, StoreSettings } from './contract.js';
import { recoverFolder, unreadableFolder } from './day-folder.js';
import { loadDuckDb } from './duckdb.js';
import { type FolderLock, lockFolder } from './folder-lock.js';
import { dayFolders, formatDate, marketFolders, NO_MARKET } from './layout.js';
import { MarketWriter, type WriterRules } from './market-writer.js';

const HOUR_MS = 3_600_000;
const DEFAULT_RULES = {
  crashSafe: true,
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
  const { lock } = await takeFolder(folder);
  return new RecordingFolder(folder, lock, { ...DEFAULT_RULES, ...settings });
}

/** Turns a dead writer's open segments into Parquet. Returns their number. Throws as `openRecordingStore`. */
export async function repairFolder(folder: string): Promise<number> {
  const { lock, recovered } = await takeFolder(folder);
  lock.release();
  return recovered;
}

async function takeFolder(folder: string): Promise<{ lock: FolderLock; recovered: number }> {
  // Now instead of in an hour, when the first segment would become Parquet.
  await loadDuckDb();
  let lock: FolderLock;
  try {
    makeFolder(folder);
    lock = lockFolder(folder);
  } catch (error) {
    throw unreadableFolder(folder, error);
  }
  try {
    let recovered = 0;
    for (const market of marketFolders(folder)) {
      for (const day of dayFolders(market)) recovered += await recoverFolder(day);
    }
    return { lock, recovered };
  } catch (error) {
    lock.release();
    throw error;
  }
}

class RecordingFolder implements RecordingStore {
  lostRows = 0;
  readonly #folder: string;
  readonly #lock: FolderLock;
  readonly #rules: WriterRules;
  readonly #writers = new Map<string, MarketWriter>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(folder: string, lock: FolderLock, rules: WriterRules) {
    this.#folder = folder;
    this.#lock = lock;
    this.#rules = rules;
  }

  market(market: RecordedMarket): MarketSink {
    const known = this.#writers.get(market.conditionId);
    if (known !== undefined) {
      known.sink.describe(market);
      return known.sink;
    }
    return this.#openWriter(market.conditionId, market).sink;
  }

  poll(poll: RecordedPoll): void {
    const writer = this.#writers.get(NO_MARKET) ?? this.#openWriter(NO_MARKET, null);
    writer.openSegment(formatDate(poll.sentMs), 0).poll(poll);
  }

  flush(): Promise<void> {
    return this.#inTurn(() => this.#each((writer) => writer.flush(false)));
  }

  rotate(): Promise<void> {
    return this.#inTurn(() => this.#each((writer) => writer.flush(true)));
  }

  #inTurn(run: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(run);
    this.#turn = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  async close(): Promise<void> {
    try {
      await this.rotate();
    } finally {
      for (const writer of this.#writers.values()) await writer.release();
      this.#lock.release();
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

  #openWriter(conditionId: string, market: RecordedMarket | null): MarketWriter {
    const writer = new MarketWriter(this.#folder, conditionId, market, this.#rules);
    this.#writers.set(conditionId, writer);
    return writer;
  }
}
