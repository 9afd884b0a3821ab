/** A core with a memory: restored from its data folder, every change recorded there from then on. */

import type Database from 'better-sqlite3';
import { TwinbookError } from '../../shared/base/errors.js';
import type { CoreSettings } from '../core/contract.js';
import { type Command, ExchangeCore, findCall, MUTATORS } from '../core/core.js';
import { FILL_RULES } from '../core/matching/fill-model.js';
import type { Archive } from '../core/records/archive.js';
import { openDatabase } from './database.js';
import { Journal } from './journal.js';
import { SqliteArchive } from './sqlite-archive.js';
import { Transactions } from './transactions.js';

/** Calls after which a snapshot is due, so that a recovery takes seconds at most. */
const SNAPSHOT_AFTER_ROWS = 20_000;
/** A replay in fast motion makes thousands of calls a second: a snapshot a minute is enough. */
const SNAPSHOT_EVERY_MS = 60_000;
/** But not more calls than a start after a crash gets through in a few seconds. */
const MOST_ROWS = 50_000;

interface Stored {
  readonly settings: CoreSettings;
  readonly fillRules: number;
  readonly core: unknown;
}

/** Where a core is kept. */
interface Storage {
  readonly db: Database.Database;
  readonly transactions: Transactions;
  readonly journal: Journal;
  readonly archive: SqliteArchive;
}

/** A core that survives its process when it has a data folder. */
export class PersistentCore {
  readonly core: ExchangeCore;
  readonly #settings: CoreSettings;
  readonly #storage: Storage | null;
  #savedMs: number;

  /**
   * With a folder (created when missing) the core comes back as it was; without one it starts empty and forgets.
   * Throws TwinbookError `file_unreadable`, `ledger_locked`, `ledger_newer`, and `ledger_broken` for a state that cannot
   * be read back.
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
        'Move the folder away to start anew.',
        { cause: error },
      );
    }
  }

  /** All that a recovery writes, what it archives anew and its snapshot, is one transaction. */
  static #restore(db: Database.Database, settings: CoreSettings): PersistentCore {
    const transactions = new Transactions(db);
    const [journal, archive] = [new Journal(db, transactions), new SqliteArchive(db, transactions)];
    const snapshot = journal.snapshot();
    // Our own file, of the format that was checked at its opening.
    const stored = snapshot as Stored | null;
    if (stored !== null) requireSameFills(stored, journal);
    const core = stored === null ? null : replayJournal(stored, journal, archive);
    // The journal replays under the settings that it was written under; from here on today's count. The seed stays: names
    // given out under it must never be given out again.
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

  /** Throws TwinbookError `ledger_broken` once a write has failed: nothing may be shown of a state that is not stored. */
  assertSound(): void {
    this.#storage?.transactions.assertSound();
  }

  /** Runs many calls at the price of one write: they are stored together at the end, and what has been archived so far. */
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
    // In one transaction: what the snapshot no longer holds is in the archive.
    this.#storage.archive.flush();
    this.#storage.journal.save(stored);
    this.#savedMs = nowMs;
  }

  /** Writes a last snapshot and lets go of the folder. */
  close(): void {
    try {
      this.save(this.#savedMs);
    } finally {
      this.#storage?.db.close();
    }
  }
}

/** Recorded events that were played by other rules would fill others now than those who were told of their fills. */
function requireSameFills({ fillRules }: Stored, journal: Journal): void {
  const calls = journal.recordedCalls;
  if (fillRules === FILL_RULES || calls === 0) return;
  throw new TwinbookError(
    'ledger_broken',
    `the exchange's last ${calls} recorded events were played by a version of Twinbook that filled orders by other rules, and it ended without a snapshot`,
    'It was left as it is. Start and stop it once with that version, or move the folder away to start anew.',
  );
}

/** The core of a snapshot and the calls since. */
function replayJournal(stored: Stored, journal: Journal, archive: Archive): ExchangeCore {
  const core = new ExchangeCore(stored.settings, stored.core, archive);
  for (const command of journal.commands()) {
    try {
      core.apply(command);
    } catch {
      // It threw when it was first called, too: its caller got an error, and what it had changed is changed again. A file
      // that cannot be written is another matter.
      journal.assertSound();
    }
  }
  return core;
}

/** Where calls go. */
interface CommandSink {
  append(command: Command): void;
  assertSound(): void;
}

/**
 * From here on each outermost call that changes the core is appended to `sink` after it was done and before its caller
 * sees the result. Calls of one part to another belong to the outer call and are replayed with it.
 */
export function recordMutations(core: ExchangeCore, sink: CommandSink): void {
  let depth = 0;
  const advance = core.at.bind(core);
  const at = (nowMs: number): ExchangeCore => {
    sink.assertSound();
    try {
      return advance(nowMs);
    } catch (error) {
      // What was due has changed things before it threw, and changes them again in a replay.
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
