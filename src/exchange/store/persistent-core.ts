/** A persistent core: restored from its data folder, with every change recorded there. */

import type Database from 'better-sqlite3';
import { TwinbookError } from '../../shared/base/errors.js';
import type { CoreSettings } from '../core/contract.js';
import { ExchangeCore, findCall, MUTATORS } from '../core/core.js';
import { FILL_RULES } from '../core/matching/fill-model.js';
import type { Archive } from '../core/records/archive.js';
import { openDatabase } from './database.js';
import { Journal } from './journal.js';
import { SqliteArchive } from './sqlite-archive.js';
import { Transactions } from './transactions.js';

/** Calls after which a snapshot is due, so that a recovery takes some seconds at most. */
const SNAPSHOT_AFTER_ROWS = 20_000;
/** A fast replay makes thousands of calls per second: a snapshot per minute is enough. */
const SNAPSHOT_EVERY_MS = 60_000;
/** Maximum calls that a start after a crash replays in a few seconds. */
const MOST_ROWS = 50_000;

interface Stored {
  readonly settings: CoreSettings;
  readonly fillRules: number;
  readonly core: unknown;
}

/** Storage of a core. */
interface Storage {
  readonly db: Database.Database;
  readonly transactions: Transactions;
  readonly journal: Journal;
  readonly archive: SqliteArchive;
}

/** A core that survives its process if it has a data folder. */
export class PersistentCore {
  readonly core: ExchangeCore;
  readonly #settings: CoreSettings;
  readonly #storage: Storage | null;
  #savedMs: number;

  /**
   * With a folder (created if missing) the core is restored; without one it starts empty and keeps nothing. Throws
   * TwinbookError `file_unreadable`, `ledger_locked`, `ledger_newer`, and `ledger_broken` for an unreadable state.
   */
  static open(folder: string | null, settings: CoreSettings): PersistentCore {
    if (folder === null) return new PersistentCore(new ExchangeCore(settings), settings, null);
    const db = openDatabase(folder);
    try {
      return PersistentCore.#restore(db, settings);
    } catch (error) {
      db.close();
      if (error instanceof TwinbookError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new TwinbookError(
        'ledger_broken',
        `the exchange's state in ${folder} cannot be restored: ${reason}`,
        'Move the folder away to start empty.',
        { cause: error },
      );
    }
  }

  /** All writes of a recovery, its archived rows and its snapshot, are one transaction. */
  static #restore(db: Database.Database, settings: CoreSettings): PersistentCore {
    const transactions = new Transactions(db);
    const [journal, archive] = [new Journal(db, transactions), new SqliteArchive(db, transactions)];
    const snapshot = journal.snapshot();
    // Our own file, of the format checked when it was opened.
    const stored = snapshot as Stored | null;
    if (stored !== null) requireSameFills(stored, journal);
    const core = stored === null ? null : replayJournal(stored, journal, archive);
    // The journal is replayed with the settings that it was written under; then the present ones apply. The seed stays:
    // its names must never be reused.
    const todays = { ...settings, seed: stored?.settings.seed ?? settings.seed };
    const opened = new ExchangeCore(todays, core?.snapshot(), archive);
    const persistentCore = new PersistentCore(opened, todays, { db, transactions, journal, archive });
    persistentCore.save(opened.nowMs);
    return persistentCore;
  }

  private constructor(core: ExchangeCore, settings: CoreSettings, storage: Storage | null) {
    this.core = core;
    this.#settings = settings;
    this.#storage = storage;
    this.#savedMs = core.nowMs;
    if (storage !== null) recordMutations(core, storage.journal);
  }

  /** Throws TwinbookError `ledger_broken` after a failed write: unsaved state must not be shown. */
  assertSound(): void {
    this.#storage?.transactions.assertSound();
  }

  /** Runs many calls for the price of one write: they are stored together at the end, with their archived rows. */
  batch(work: () => void): void {
    if (this.#storage === null) return work();
    const { transactions, journal, archive } = this.#storage;
    journal.batch(work);
    archive.flush();
    transactions.commit();
  }

  /** Writes a snapshot when enough has happened since the last one. */
  saveIfDue(nowMs: number): void {
    const rows = this.#storage?.journal.rows ?? 0;
    if (rows < SNAPSHOT_AFTER_ROWS) return;
    if (rows >= MOST_ROWS || nowMs - this.#savedMs >= SNAPSHOT_EVERY_MS) this.save(nowMs);
  }

  save(nowMs: number): void {
    if (this.#storage === null) return;
    const stored: Stored = { settings: this.#settings, fillRules: FILL_RULES, core: this.core.snapshot() };
    // In one transaction: records that the snapshot no longer holds are in the archive.
    this.#storage.archive.flush();
    this.#storage.journal.save(stored);
    this.#savedMs = nowMs;
  }

  /** Writes a last snapshot and releases the folder. */
  close(): void {
    try {
      this.save(this.#savedMs);
    } finally {
      this.#storage?.db.close();
    }
  }
}

/** Recorded events played by other fill rules would now give other fills than those already reported. */
function requireSameFills({ fillRules }: Stored, journal: Journal): void {
  const calls = journal.recordedCalls;
  if (fillRules === FILL_RULES || calls === 0) return;
  throw new TwinbookError(
    'ledger_broken',
    `the exchange's last ${calls} recorded events were played by a version of Twinbook that filled orders by other rules, and it ended without a snapshot`,
    'It was left as it is. Start and stop it once with that version, or move the folder away to start anew.',
  );
}

/** The core of a snapshot and the later calls. */
function replayJournal(stored: Stored, journal: Journal, archive: Archive): ExchangeCore {
  const core = new ExchangeCore(stored.settings, stored.core, archive);
  for (const command of journal.commands()) {
    try {
      core.apply(command);
    } catch {
      // It threw in its first call too: its caller got an error, and its changes are repeated. A file that cannot be
      // written is different.
      journal.assertSound();
    }
  }
  return core;
}

/**
 * From here on each outermost call that changes the core is appended to `sink` after it was done and before its caller
 * sees the result. Calls of one part to another belong to the outer call and are replayed with it.
 */
export function recordMutations(core: ExchangeCore, sink: Pick<Journal, 'append' | 'assertSound'>): void {
  let depth = 0;
  const advance = core.at.bind(core);
  const at = (nowMs: number): ExchangeCore => {
    sink.assertSound();
    try {
      return advance(nowMs);
    } catch (error) {
      // A due task changed state before it threw; a replay repeats the change.
      if (depth === 0) sink.append([core.nowMs, 'advance', [nowMs]]);
      throw error;
    }
  };
  Object.defineProperty(core, 'at', { value: at });
  for (const path of MUTATORS) {
    const [receiver, method] = findCall(core, path);
    const original = receiver[method]?.bind(receiver);
    const recordCall = (...args: readonly unknown[]) => {
      if (depth > 0) return original?.(...args);
      sink.assertSound();
      depth += 1;
      const { nowMs } = core;
      try {
        return original?.(...args);
      } finally {
        depth -= 1;
        // Also when it threw: a replay repeats whatever it had changed by then.
        sink.append([nowMs, path, args]);
      }
    };
    Object.defineProperty(receiver, method, { value: recordCall });
  }
}
