import { isDeepStrictEqual } from 'node:util';
import type Database from 'better-sqlite3';
import { assert, messageOf, TwinbookError } from '../../shared/base/errors.js';
import type { CoreSettings } from '../core/contract.js';
import { type Command, type CoreSnapshot, ExchangeCore, findCall, MUTATORS } from '../core/core.js';
import type { Archive } from '../core/records/archive.js';
import { openDatabase, Transactions } from './database.js';
import { openArchive } from './sqlite-archive.js';

/** Number of journal rows per read. A replay writes between reads, because SQLite cannot write during a read. */
const CHUNK = 5_000;

type JournalRow = Readonly<{ seq: number; now_ms: number; method: Command[1]; args: string }>;

/** Stores the newest snapshot and all later state-changing calls. A call is on disk before its answer is sent. */
export class CoreJournal {
  readonly #db: Database.Database;
  readonly #transactions: Transactions;
  readonly #insert: Database.Statement<[number, string, string]>;
  #isBatch = false;
  rows: number;

  constructor(db: Database.Database, transactions: Transactions) {
    this.#db = db;
    this.#transactions = transactions;
    this.#insert = db.prepare('INSERT INTO journal (now_ms, method, args) VALUES (?, ?, ?)');
    this.rows = Number(db.prepare('SELECT count(*) FROM journal').pluck().get());
  }

  /** Core state that the last `save` has stored; null in a new data folder. */
  snapshot(): unknown {
    const rows = this.#db.prepare<[], string>('SELECT state FROM snapshot ORDER BY id').pluck().iterate();
    const [stored = null, ...markets] = Array.from(rows, (text) => JSON.parse(text));
    if (stored !== null) stored.core.catalog.markets = markets;
    return stored;
  }

  *commands(): Iterable<Command> {
    const read = this.#db.prepare<[number, number], JournalRow>(
      'SELECT * FROM journal WHERE seq > ? ORDER BY seq LIMIT ?',
    );
    for (let rows = read.all(0, CHUNK); rows.length > 0; rows = read.all(rows.at(-1)?.seq ?? 0, CHUNK)) {
      for (const { now_ms, method, args } of rows) {
        // The method of each row is checked here, because a replay ignores errors of calls.
        assert(MUTATORS.includes(method), `the stored call is unknown to this version: ${method}`);
        yield [now_ms, method, JSON.parse(args)];
      }
    }
  }

  /** Stores a journaled call, at once or at the end of a batch. After a failed write, every append throws. */
  append([nowMs, method, args]: Command): void {
    const row: [number, string, string] = [nowMs, method, JSON.stringify(args)];
    this.rows += 1;
    const insert = () => void this.#insert.run(...row);
    if (this.#isBatch) this.#transactions.write(insert);
    else this.#transactions.store(insert);
  }

  /** Runs `work` and stores its journaled calls in one transaction at the end, even if `work` throws. */
  batch(work: () => void): void {
    assert(!this.#isBatch, 'a batch must not begin inside another batch');
    this.#isBatch = true;
    try {
      work();
    } finally {
      this.#isBatch = false;
      this.#transactions.commit();
    }
  }

  /** Stores a snapshot of the core and deletes all journaled calls. Each market has its own row. */
  save({ settings, core }: StoredCore): void {
    assert(!this.#isBatch, 'a snapshot must not be taken inside a batch: calls of the batch are stored later');
    const { markets, ...catalog } = core.catalog;
    // One JSON text of all markets would use much memory, and could exceed the longest string (512 MB).
    const text = JSON.stringify({ settings, core: { ...core, catalog } });
    this.#transactions.write(() => {
      this.#db.exec('DELETE FROM snapshot; DELETE FROM journal');
      const insert = this.#db.prepare('INSERT INTO snapshot (state) VALUES (?)');
      insert.run(text);
      for (const market of markets) insert.run(JSON.stringify(market));
    });
    this.#transactions.commit();
    this.rows = 0;
  }

  assertSound(): void {
    this.#transactions.assertSound();
  }

  close(): void {
    this.#db.close();
  }
}

/** Number of journaled calls after which a snapshot is due, so that a restart after a crash takes only seconds. */
const SNAPSHOT_AFTER_ROWS = 20_000;
/** Minimum time between two snapshots, ms, because a fast replay makes thousands of calls in a second. */
const SNAPSHOT_EVERY_MS = 60_000;
/** Calls after which a snapshot is due at once, so that a restart after a crash takes only seconds. */
const MOST_ROWS = 50_000;

type Log = { warn(facts: object, message: string): void };
type StoredCore = Readonly<{ settings: CoreSettings; core: CoreSnapshot }>;

/** A core that stores its state in a data folder, if one is given. */
export class PersistentCore {
  readonly core: ExchangeCore;
  readonly #settings: CoreSettings;
  readonly #journal: CoreJournal | null;
  readonly #log: Log | undefined;
  #savedMs: number;
  /** Duration of the last attempt to save, ms. */
  #savingMs = 0;
  #hasFailed = false;

  /**
   * Restores the core from a data folder, which is created if missing. Without a folder, the core starts empty and
   * stores nothing. Throws TwinbookError `file_unreadable`, `ledger_locked` or `ledger_newer`, and `ledger_broken` for
   * an unreadable state.
   */
  static open(folder: string | null, settings: CoreSettings, log?: Log): PersistentCore {
    if (folder === null) return new PersistentCore(new ExchangeCore(settings), settings, null, log);
    const db = openDatabase(folder);
    try {
      return PersistentCore.#restore(db, settings, log);
    } catch (error) {
      db.close();
      if (error instanceof TwinbookError) throw error;
      const message = `the exchange's state in ${folder} cannot be restored: ${messageOf(error)}`;
      throw new TwinbookError('ledger_broken', message, 'Move the folder to start without state.', { cause: error });
    }
  }

  /** Restores the core. A recovery writes archived rows and the snapshot in one transaction. */
  static #restore(db: Database.Database, settings: CoreSettings, log?: Log): PersistentCore {
    const transactions = new Transactions(db);
    const [journal, archive] = [new CoreJournal(db, transactions), openArchive(db, transactions)];
    // The cast is right: `openDatabase` has checked the format of the file.
    const stored = journal.snapshot() as StoredCore | null;
    const core = stored === null ? null : replayJournal(stored, journal, archive);
    // The journal is replayed with the settings under which it was written. After the replay the new settings apply,
    // except the seed, so that the names of records never repeat.
    const current = { ...settings, seed: stored?.settings.seed ?? settings.seed };
    const opened = new ExchangeCore(current, core?.snapshot(), archive);
    const persistentCore = new PersistentCore(opened, current, journal, log);
    // Without a new snapshot, the next replay would use the old settings.
    if (isDeepStrictEqual(stored?.settings, current)) persistentCore.#trySave(opened.nowMs);
    else persistentCore.save();
    journal.assertSound();
    return persistentCore;
  }

  private constructor(core: ExchangeCore, settings: CoreSettings, journal: CoreJournal | null, log?: Log) {
    this.core = core;
    this.#settings = settings;
    this.#journal = journal;
    this.#log = log;
    this.#savedMs = core.nowMs;
    if (journal !== null) recordMutations(core, journal);
  }

  /** Runs `work` and stores all its journaled calls and archived rows together at the end. */
  batch(work: () => void): void {
    if (this.#journal === null) return work();
    this.#journal.batch(work);
  }

  saveIfDue(nowMs: number): void {
    const rows = this.#journal?.rows ?? 0;
    // A snapshot blocks all calls, so snapshots take at most a twentieth of the time.
    if (rows < SNAPSHOT_AFTER_ROWS || nowMs - this.#savedMs < 20 * this.#savingMs) return;
    const isUrgent = rows >= MOST_ROWS && !this.#hasFailed;
    if (isUrgent || nowMs - this.#savedMs >= SNAPSHOT_EVERY_MS) this.#trySave(nowMs);
  }

  /** Tries to store a snapshot. A failure before the first write is only a warning, once. */
  #trySave(nowMs: number): void {
    this.#savedMs = nowMs;
    const startMs = performance.now();
    try {
      this.save();
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#log?.warn({ err: error }, `no snapshot could be stored: ${messageOf(error)}`);
      this.#hasFailed = true;
    }
    this.#savingMs = performance.now() - startMs;
  }

  save(): void {
    this.#journal?.save({ settings: this.#settings, core: this.core.snapshot() });
  }

  close(): void {
    this.#trySave(this.#savedMs);
    this.#journal?.close();
  }
}

function replayJournal(stored: StoredCore, journal: CoreJournal, archive: Archive): ExchangeCore {
  const core = new ExchangeCore(stored.settings, stored.core, archive);
  for (const command of journal.commands()) {
    try {
      core.apply(command);
    } catch {
      // The call also threw in its first run; the replay repeats its changes. A failed write must not be ignored.
      journal.assertSound();
    }
  }
  return core;
}

/** Records every state-changing call of a core in `sink`, before the caller receives the call's result. */
export function recordMutations(core: ExchangeCore, sink: Pick<CoreJournal, 'append' | 'assertSound'>): void {
  let depth = 0;
  const advance = core.at.bind(core);
  const at = (nowMs: number): ExchangeCore => {
    sink.assertSound();
    try {
      return advance(nowMs);
    } catch (error) {
      // A due task may have changed the state before the task threw. A replay of the journal repeats the change.
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
        // Calls that threw are recorded too. A replay of the journal repeats a failed call's changes up to the error.
        sink.append([nowMs, path, args]);
      }
    };
    Object.defineProperty(receiver, method, { value: recordCall });
  }
}
