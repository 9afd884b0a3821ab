/** A core with a memory: restored from its data folder, every change recorded there from then on. */

import { TwinbookError } from '../../base/errors.js';
import type { Core, CoreSettings } from '../core/contract.js';
import { ExchangeCore } from '../core/core.js';
import { Journal } from './journal.js';
import { recordMutations } from './recorder.js';

/** Calls after which a snapshot is due, so that a recovery takes seconds at most. */
const SNAPSHOT_AFTER_ROWS = 50_000;
/** A replay in fast motion makes thousands of calls a second: a snapshot a minute is enough. */
const SNAPSHOT_EVERY_MS = 60_000;

interface Stored {
  readonly settings: CoreSettings;
  readonly core: unknown;
}

export class Keeper {
  readonly core: Core;
  readonly #settings: CoreSettings;
  readonly #journal: Journal | null;
  #savedMs: number;

  /**
   * With a folder (created when missing) the core comes back as it was; without one it starts empty and forgets.
   * Throws TwinbookError `file_unreadable`, `ledger_locked`, `ledger_newer`, and `ledger_broken` for a state that cannot
   * be read back.
   */
  static open(folder: string | null, settings: CoreSettings): Keeper {
    if (folder === null) return new Keeper(new ExchangeCore(settings), settings, null);
    const journal = Journal.open(folder);
    try {
      return Keeper.#restored(journal, settings);
    } catch (error) {
      journal.close();
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

  static #restored(journal: Journal, settings: CoreSettings): Keeper {
    const { snapshot, commands } = journal.recover();
    if (snapshot === null) {
      const keeper = new Keeper(new ExchangeCore(settings), settings, journal);
      keeper.save(0);
      return keeper;
    }
    // Our own file, of the format that was checked at its opening.
    const stored = snapshot as Stored;
    const core = ExchangeCore.restored(stored.settings, stored.core);
    for (const command of commands) {
      try {
        core.apply(command);
      } catch {
        // It threw when it was first called, too: its caller got an error, and what it had changed is changed again.
      }
    }
    // The journal replays under the settings that it was written under; from here on today's count. The seed stays: names
    // given out under it must never be given out again.
    const todays = { ...settings, seed: stored.settings.seed };
    const keeper = new Keeper(ExchangeCore.restored(todays, core.snapshot()), todays, journal);
    keeper.save(core.nowMs);
    return keeper;
  }

  private constructor(core: Core, settings: CoreSettings, journal: Journal | null) {
    this.core = core;
    this.#settings = settings;
    this.#journal = journal;
    this.#savedMs = core.nowMs;
    if (journal !== null) recordMutations(core, journal);
  }

  /** Throws TwinbookError `ledger_broken` once a write has failed: nothing may be shown of a state that is not stored. */
  assertSound(): void {
    this.#journal?.assertSound();
  }

  /** Runs many calls at the price of one write: they are stored together at the end. */
  batch(work: () => void): void {
    if (this.#journal === null) work();
    else this.#journal.batch(work);
  }

  /** Writes a snapshot when enough has happened since the last one. */
  saveIfDue(nowMs: number): void {
    if (this.#journal === null || this.#journal.rows < SNAPSHOT_AFTER_ROWS) return;
    if (nowMs - this.#savedMs >= SNAPSHOT_EVERY_MS) this.save(nowMs);
  }

  save(nowMs: number): void {
    const stored: Stored = { settings: this.#settings, core: this.core.snapshot() };
    this.#journal?.save(stored);
    this.#savedMs = nowMs;
  }

  /** Writes a last snapshot and lets go of the folder. */
  close(): void {
    try {
      this.save(this.#savedMs);
    } finally {
      this.#journal?.close();
    }
  }
}
