/**
 * The newest snapshot of the core and every mutator call since. A call is in the journal before its answer leaves, so a
 * process that is killed at any moment has forgotten nothing that it acknowledged. (A power cut may take the last moments:
 * WAL runs `synchronous=NORMAL`, play money is not worth an fsync.)
 */

import type Database from 'better-sqlite3';
import { assert } from '../../shared/base/errors.js';
import { type Command, MUTATORS, type Mutator } from '../core/core.js';
import type { Transactions } from './transactions.js';

/** Rows per read in a recovery: while rows are read nothing can be written, and a replay writes. */
const CHUNK = 5_000;

/** Calls whose effect depends on the fill rules of recorded events. */
const RECORDED: readonly Mutator[] = ['feed.level', 'feed.trade', 'feed.clear'];

interface JournalRow {
  readonly seq: number;
  readonly now_ms: number;
  readonly method: Command[1];
  readonly args: string;
}

/** The snapshot and the later calls on disk; a call is written in the open transaction. */
export class Journal {
  readonly #db: Database.Database;
  readonly #transactions: Transactions;
  readonly #insert: Database.Statement<[number, string, string]>;
  #pending: [nowMs: number, method: string, args: string][] | null = null;
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

  /** Number of calls since the snapshot that played recorded events. */
  get recordedCalls(): number {
    const sql = `SELECT count(*) FROM journal WHERE method IN (${RECORDED.map(() => '?').join(', ')})`;
    return Number(
      this.#db
        .prepare(sql)
        .pluck()
        .get(...RECORDED),
    );
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

  /**
   * Stores one call; on disk at return, or at the end of the surrounding batch. After a failed write it always throws.
   */
  append([nowMs, method, args]: Command): void {
    const row: [number, string, string] = [nowMs, method, JSON.stringify(args)];
    this.rows += 1;
    if (this.#pending !== null) this.#pending.push(row);
    else this.#transactions.store(() => this.#insert.run(...row));
  }

  /** Runs `work`; its appends are stored in one transaction at the end, also when it throws. */
  batch(work: () => void): void {
    assert(this.#pending === null, 'batches do not nest');
    const pending: [number, string, string][] = [];
    this.#pending = pending;
    try {
      work();
    } finally {
      this.#pending = null;
      if (pending.length > 0) this.#store(pending);
    }
  }

  #store(rows: readonly [number, string, string][]): void {
    this.#transactions.write(() => {
      for (const row of rows) this.#insert.run(...row);
    });
    this.#transactions.commit();
  }

  /** Replaces the stored calls by this state. */
  save(state: unknown): void {
    assert(this.#pending === null, 'a snapshot in a batch would hold calls that are then stored behind it');
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
