/** Writes recordings in Twinbook's format (docs/recordings.md). Flushed rows survive `kill -9` and a full disk. */

import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeFolder } from '../../shared/base/files.js';
import type { RecordedMarket } from '../contract.js';
import { closeSegment, openSegments, readCounts, unreadableFolder } from './day-folder.js';
import { loadDuckDb } from './duckdb.js';
import { dayFolders, lockFolder, MANIFEST, marketFolders, parseName, segmentName } from './layout.js';
import { readManifest } from './manifest.js';
import { DEFAULT_RULES, MarketWriter, type WriterRules } from './market-writer.js';
import type { MarketSink } from './segment.js';

type StoreSettings = Partial<WriterRules> & Pick<WriterRules, 'origin'>;

/**
 * Opens or creates a folder, and converts an earlier writer's open segments to Parquet. Throws TwinbookError
 * `file_unreadable` if the folder is not writable, another process writes to it, or DuckDB is missing.
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
      await nextTurn(); // The trader's event loop must not wait for thousands of folders.
    }
    return { release, recovered };
  } catch (error) {
    release();
    throw error;
  }
}

/** Converts a dead writer's segments into Parquet, and removes incomplete files. Returns the segments' number. */
async function recoverFolder(folder: string): Promise<number> {
  const names = readdirSync(folder);
  // Manifests are read only if necessary: reading thousands of them takes seconds.
  if (!names.some((name) => name.endsWith('.tmp') || parseName(name)?.table === 'segment')) return 0;
  const open = openSegments(folder, readManifest(join(folder, MANIFEST)));
  for (const name of names) {
    const file = parseName(name);
    const isOpen = file !== null && open.includes(file.number);
    // An open segment has no complete Parquet files yet.
    const isLeftOver = file?.table === 'segment' ? !isOpen : isOpen;
    if (isLeftOver || name.endsWith('.tmp')) await rm(join(folder, name), { force: true });
  }
  for (const number of open) await closeSegment(folder, number, readCounts(join(folder, segmentName(number))));
  return open.length;
}

/**
 * Writer of a folder of recordings. The folder is locked while the store is open. The methods of a sink only store rows
 * in memory; `flush` writes and syncs these rows. Flushed rows are in an open segment, which readers can read. The next
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
      known.describe(market);
      return known;
    }
    const writer = new MarketWriter(this.#folder, market, this.#rules);
    this.#writers.set(market.conditionId, writer);
    return writer;
  }

  /**
   * Writes and syncs all rows, and closes old or large segments. Must be awaited. Throws TwinbookError
   * `file_unreadable`, for example for a full disk; the rows of the failed write are then lost.
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
