/** A persistent core: restored from its data folder, with every change recorded there. */

import type Database from 'better-sqlite3';
import { assert, TwinbookError } from '../../shared/base/errors.js';
import type { CoreSettings } from '../core/contract.js';
import { type Command, ExchangeCore, findCall, MUTATORS } from '../core/core.js';
import type { Archive } from '../core/records/archive.js';
import { openDatabase, Transactions } from './database.js';
import { SqliteArchive } from './sqlite-archive.js';

/** Rows per read in a recovery: while rows are read nothing can be written, and a replay writes. */
const CHUNK = 5_000;

interface JournalRow {
  readonly seq: number;
  readonly now_ms: number;
  readonly method: Command[1];
  readonly args: string;
}

/** The newest snapshot and every mutator call since, on disk. A call is on disk before its answer is sent. */
export class Journal {
  readonly #db: Database.Database;
  readonly #transactions: Transactions;
  readonly #insert: Database.Statement<[number, string, string]>;
  #isBatch = false;
  /** Calls since the last snapshot. */
  rows: number;

  constructor(db: Database.Database, transactions: Transactions) {
    this.#db = db;
    this.#transactions = transactions;
    this.#insert = db.prepare('INSERT INTO journal (now_ms, method, args) VALUES (?, ?, ?)');
    this.rows = Number(db.prepare('SELECT count(*) FROM journal').pluck().get());
  }

  /** State of the last `save`; null in a new data folder. */
  snapshot(): unknown {
    const text = this.#db.prepare('SELECT state FROM snapshot').pluck().get();
    return typeof text === 'string' ? JSON.parse(text) : null;
  }

  /** Calls since the snapshot, in order. */
  *commands(): Iterable<Command> {
    const read = this.#db.prepare<[number, number], JournalRow>(
      'SELECT * FROM journal WHERE seq > ? ORDER BY seq LIMIT ?',
    );
    for (let rows = read.all(0, CHUNK); rows.length > 0; rows = read.all(rows.at(-1)?.seq ?? 0, CHUNK)) {
      for (const { now_ms, method, args } of rows) {
        // Here instead of in the replay, where an error means that the call threw before: this one was never called.
        assert(MUTATORS.includes(method), `a call that this version does not know: ${method}`);
        yield [now_ms, method, JSON.parse(args)];
      }
    }
  }

  /** Stores one call; on disk at return, or at the end of its batch. After a failed write every append throws. */
  append([nowMs, method, args]: Command): void {
    const row: [number, string, string] = [nowMs, method, JSON.stringify(args)];
    this.rows += 1;
    const insert = () => void this.#insert.run(...row);
    if (this.#isBatch) this.#transactions.write(insert);
    else this.#transactions.store(insert);
  }

  /** Runs `work`; its appends are stored in one transaction at the end, also when it throws. */
  batch(work: () => void): void {
    assert(!this.#isBatch, 'batches do not nest');
    this.#isBatch = true;
    try {
      work();
    } finally {
      this.#isBatch = false;
      this.#transactions.commit();
    }
  }

  /** Replaces the stored calls by a snapshot of this state. */
  save(state: unknown): void {
    assert(!this.#isBatch, 'a snapshot in a batch would hold calls that are then stored behind it');
    const text = JSON.stringify(state);
    this.#transactions.write(() => {
      this.#db.prepare('INSERT OR REPLACE INTO snapshot (id, state) VALUES (1, ?)').run(text);
      this.#db.prepare('DELETE FROM journal').run();
    });
    this.#transactions.commit();
    this.rows = 0;
  }

  assertSound(): void {
    this.#transactions.assertSound();
  }
}

/** Calls after which a snapshot is due, so that a recovery takes some seconds at most. */
const SNAPSHOT_AFTER_ROWS = 20_000;
/** A fast replay makes thousands of calls per second: a snapshot per minute is enough. */
const SNAPSHOT_EVERY_MS = 60_000;
/** Maximum calls that a start after a crash replays in a few seconds. */
const MOST_ROWS = 50_000;

interface Stored {
  readonly settings: CoreSettings;
  readonly core: unknown;
}

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
   * Restores the core from a folder (created if missing); without a folder the core starts empty and stores nothing.
   * Throws TwinbookError `file_unreadable`, `ledger_locked`, `ledger_newer`; `ledger_broken` for an unreadable state.
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
    // The snapshot is our own, in the format that was checked when the file was opened.
    const stored = journal.snapshot() as Stored | null;
    const core = stored === null ? null : replayJournal(stored, journal, archive);
    // The journal is replayed with the settings at the time of its writing; then the present settings apply. The seed
    // stays: its names must never be reused.
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
    const stored: Stored = { settings: this.#settings, core: this.core.snapshot() };
    // One transaction writes both: records that the snapshot no longer holds are in the archive.
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

/** The core of a snapshot and the later calls. */
function replayJournal(stored: Stored, journal: Journal, archive: Archive): ExchangeCore {
  const core = new ExchangeCore(stored.settings, stored.core, archive);
  for (const command of journal.commands()) {
    try {
      core.apply(command);
    } catch {
      // The call threw in its first run too: its caller got an error, and its changes are repeated. A file that cannot
      // be written is different.
      journal.assertSound();
    }
  }
  return core;
}

/** Appends every outermost call that changes the core to `sink`, before the caller sees the result. */
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
        // A call that threw is appended too: a replay repeats its changes up to the error.
        sink.append([nowMs, path, args]);
      }
    };
    Object.defineProperty(receiver, method, { value: recordCall });
  }
}
