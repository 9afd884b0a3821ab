/**
 * Transactions on the exchange's file. The first failed write is final: the core in memory is then ahead of the disk
 * and must not be shown or changed. A retry could seem to work although earlier writes are lost.
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

  /** Runs a write in the open transaction, or begins one. After a failure it always throws. */
  write(action: () => void): void {
    this.#guard(() => {
      if (!this.#db.inTransaction) this.#begin.run();
      action();
    });
  }

  /** Runs and stores a single statement with all earlier writes; on disk at return. */
  store(statement: () => void): void {
    // A statement outside a transaction is its own transaction, which costs least.
    this.#guard(statement);
    this.commit();
  }

  /** Stores the writes since the last commit; on disk at return. */
  commit(): void {
    this.#guard(() => {
      if (this.#db.inTransaction) this.#commit.run();
    });
  }

  /** Throws TwinbookError `ledger_broken` after a failed write. */
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
      // Open writes are never committed: closing the file drops them.
      this.#failure = error;
      this.assertSound();
    }
  }
}
