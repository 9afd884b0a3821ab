/**
 * Who writes into the exchange's file and when it counts. The first write that fails is the last: the core in memory is
 * then ahead of the disk, and nothing of it may be shown or built upon. A retry could seem to work and still have lost
 * what came before.
 */

import type Database from 'better-sqlite3';
import { TwinbookError } from '../../shared/base/errors.js';

/** One transaction at a time on the exchange's file; the first failure is final. */
export class Transactions {
  readonly #db: Database.Database;
  readonly #begin: Database.Statement<[]>;
  readonly #commit: Database.Statement<[]>;
  #failure: unknown = null;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
  }

  /** Runs a write inside the open transaction, which is begun when there is none. Throws for good once one failed. */
  write(action: () => void): void {
    this.#guard(() => {
      if (!this.#db.inTransaction) this.#begin.run();
      action();
    });
  }

  /** Runs a single statement and stores it, with what was written before it; on disk when this returns. */
  store(statement: () => void): void {
    // A statement outside of a transaction is one by itself, which costs least.
    this.#guard(statement);
    this.commit();
  }

  /** Stores what was written since the last commit: on disk when this returns. */
  commit(): void {
    this.#guard(() => {
      if (this.#db.inTransaction) this.#commit.run();
    });
  }

  /** Throws TwinbookError `ledger_broken` when a write failed earlier. */
  assertSound(): void {
    if (this.#failure !== null) {
      throw new TwinbookError('ledger_broken', "the exchange's journal failed a write", 'Restart it.', {
        cause: this.#failure,
      });
    }
  }

  #guard(action: () => void): void {
    this.assertSound();
    try {
      action();
    } catch (error) {
      // What is open is never committed: closing the file drops it.
      this.#failure = error;
      this.assertSound();
    }
  }
}
