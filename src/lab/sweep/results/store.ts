/**
 * What a sweep has found, in `OUT/sweep.sqlite`: written backtest by backtest, so that nothing that is done is lost, and
 * kept over sweeps, because how many configurations were ever tried decides what the best of them is worth.
 *
 * Rows carry no time and no duration: the same sweep gives the same content, whoever ran it on however many threads.
 */

import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { TwinbookError } from '../../../shared/base/errors.js';
import { makeFolder, SHARED_FOLDER } from '../../../shared/base/folder.js';
import { SqliteDriver } from '../../../shared/base/sqlite-driver.js';
import type { Axis, Candidate, CrossingSums, SweepResult, Task, TaskOutcome, TaskRun } from '../contract.js';
import type { SweepFacts } from '../facts.js';
import { PART_NAMES, type SweepIdentity } from '../identity.js';
import { computeSharpe } from '../judge.js';
import {
  CROSSING_FIELDS,
  RESULT_FIELDS,
  RUN_FIELDS,
  SCHEMA,
  SCHEMA_VERSION,
  type StoredFigures,
  selectList,
  valueList,
} from './schema.js';

const FILE = 'sweep.sqlite';
const LOCK = 'sweep.lock';

/** Whether a sweep must continue an existing one, or must not; `either`: as found, keeping failures. */
export type Resume = boolean | 'either';

/** Stored facts of a sweep besides its backtests. */
type SweepHeader = Pick<SweepFacts, 'identity' | 'title' | 'events'> & {
  readonly search: {
    readonly axes: readonly Pick<Axis, 'name'>[];
    readonly candidates: readonly Candidate[];
  };
};

export type Stored = readonly {
  readonly task: Omit<Task, 'candidate'> & { readonly number: number };
  readonly outcome: TaskOutcome;
}[];

/** Throws TwinbookError `file_unreadable` for a folder that cannot be written or that another sweep writes to. */
export function openStore(outDir: string): SweepStore {
  return guardWrite(outDir, () => {
    makeFolder(outDir, SHARED_FOLDER);
    const lock = takeLock(outDir);
    try {
      return new SweepStore(outDir, lock, openDatabase(outDir));
    } catch (error) {
      lock.close();
      throw error;
    }
  });
}

/** An open write transaction: it ends with the process in any case. */
function takeLock(outDir: string): Sqlite.Database {
  const lock = new SqliteDriver(join(outDir, LOCK), { timeout: 0 });
  try {
    lock.exec('BEGIN IMMEDIATE');
    return lock;
  } catch (cause) {
    lock.close();
    const isBusy = cause instanceof SqliteDriver.SqliteError && cause.code.startsWith('SQLITE_BUSY');
    if (!isBusy) throw cause;
    const hint = 'Wait for it, or give this one another folder with --out; trials are counted by folder.';
    throw new TwinbookError('file_unreadable', `another sweep is writing to ${outDir}`, hint, { cause });
  }
}

function openDatabase(outDir: string): Sqlite.Database {
  const db = new SqliteDriver(join(outDir, FILE));
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('foreign_keys = ON');
    const version = db.pragma('user_version', { simple: true });
    if (version === 0) db.exec(`BEGIN; ${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
    else if (version !== SCHEMA_VERSION) {
      const text = `${join(outDir, FILE)} is of another version of Twinbook (tables ${String(version)}, wanted ${SCHEMA_VERSION})`;
      throw new TwinbookError('file_unreadable', text, 'Give another folder with --out.');
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Error of the file system or SQLite, as a sentence for the user. */
function guardWrite<T>(outDir: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (cause instanceof TwinbookError || !(cause instanceof Error) || !('code' in cause)) throw cause;
    const text = `cannot write the results to ${outDir}: ${cause.message}`;
    throw new TwinbookError('file_unreadable', text, 'Look at the folder and the disk, or give another --out.', {
      cause,
    });
  }
}

export class SweepStore {
  readonly #outDir: string;
  readonly #lock: Sqlite.Database;
  readonly #db: Sqlite.Database;
  #sweep = 0;
  #readRun: Sqlite.Statement<[TaskKey], Buffer> | null = null;

  constructor(outDir: string, lock: Sqlite.Database, db: Sqlite.Database) {
    this.#outDir = outDir;
    this.#lock = lock;
    this.#db = db;
  }

  /**
   * Begins or continues this sweep, and returns its finished backtests. Throws TwinbookError `usage` to resume a
   * different one, or when the same one is unfinished and was not to be resumed.
   */
  begin(header: SweepHeader, resume: Resume): Stored {
    return guardWrite(this.#outDir, () => {
      const { identity } = header;
      const same = this.#find(identity);
      if (same === null) {
        if (resume === true) throw this.#notResumable(identity);
        this.#insert(header);
        return [];
      }
      if (!same.isFinished && resume === false) {
        const hint = 'Go on with it by --resume, or give another folder with --out.';
        throw new TwinbookError('usage', `${this.#outDir} holds this very sweep, unfinished`, hint);
      }
      this.#sweep = same.sweep;
      if (resume === true) this.#forgetFailed();
      return this.#readStored();
    });
  }

  /** Replaces a failed outcome. */
  write({ candidate: { number }, fold, fillModel }: Task, outcome: TaskOutcome): void {
    const key = { sweep: this.#sweep, number, fold, fillModel };
    const insert = (table: string, more: string, row: object) =>
      this.#db
        .prepare(`INSERT INTO ${table} VALUES (@sweep, @number, @fold, @fillModel, ${more})`)
        .run({ ...key, ...row });
    guardWrite(this.#outDir, () =>
      this.#db.transaction(() => {
        this.#db.prepare(`DELETE FROM results WHERE ${IS_TASK} AND status = 'failed'`).run(key);
        const figures = `@status, @error, ${valueList(RESULT_FIELDS)}`;
        if (outcome.kind === 'failed') {
          const nothing = Object.fromEntries(Object.keys(RESULT_FIELDS).map((name) => [name, null]));
          insert('results', figures, { ...nothing, status: 'failed', error: outcome.error });
          return;
        }
        const { crossing, eventResults, runs, ...found } = outcome.figures;
        const sharpe = computeSharpe(eventResults, null)?.sharpe ?? null;
        insert('results', figures, { ...found, sharpe, status: 'done', error: '' });
        insert('event_result_runs', '@packed', { packed: packResults(eventResults) });
        if (crossing !== null) insert('crossings', valueList(CROSSING_FIELDS), crossing);
        for (const [index, run] of runs.entries())
          insert('repeats', `@repeat, ${valueList(RUN_FIELDS)}`, { ...run, repeat: index + 1 });
      })(),
    );
  }

  /** Results by event of a stored backtest; empty for one that is not stored. */
  eventResults(number: number, fold: number, fillModel: string): readonly number[] {
    this.#readRun ??= this.#db
      .prepare<[TaskKey], Buffer>(`SELECT result_micros FROM event_result_runs WHERE ${IS_TASK}`)
      .pluck();
    const bytes = this.#readRun.get({ sweep: this.#sweep, number, fold, fillModel });
    return bytes === undefined ? [] : unpackResults(bytes);
  }

  /** Different configurations ever tried in this folder. */
  get tried(): number {
    const sql = 'SELECT count(DISTINCT hash) FROM results JOIN configurations USING (sweep, configuration)';
    // One whole number, whatever the tables contain.
    return this.#db.prepare(sql).pluck().get() as number;
  }

  /** Number of seeds in this range that were events of an earlier sweep over worlds in this folder. */
  seedsChosenOn(first: number, last: number): number {
    const sql = `SELECT count(DISTINCT title) FROM events WHERE title LIKE 'seed %' AND from_ms BETWEEN ? AND ?`;
    // One whole number, whatever the tables contain.
    return this.#db.prepare(sql).pluck().get(first, last) as number;
  }

  finish(result: SweepResult): void {
    guardWrite(this.#outDir, () =>
      this.#db.transaction(() => {
        this.#db.prepare('DELETE FROM standings WHERE sweep = ?').run(this.#sweep);
        const insert = this.#db.prepare('INSERT INTO standings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
        result.configurations.forEach(({ number, models, signFlips }, place) => {
          for (const [index, model] of models.entries()) {
            const { fillModel, resultMicros, maxDrawdownMicros, fills, sharpe } = model;
            insert.run(
              ...[this.#sweep, number, fillModel, place + 1, resultMicros, maxDrawdownMicros, fills, Number(signFlips)],
              ...[sharpe?.sharpe ?? null, sharpe?.skewness ?? null, sharpe?.kurtosis ?? null, sharpe?.deflated ?? null],
              ...[result.counts.tried, result.models[index]?.sharpeVariance ?? null],
            );
          }
        });
        this.#db.prepare('UPDATE sweeps SET finished = 1 WHERE sweep = ?').run(this.#sweep);
      })(),
    );
  }

  close(): void {
    this.#db.close();
    this.#lock.close();
  }

  #find(identity: SweepIdentity): { readonly sweep: number; readonly isFinished: boolean } | null {
    const columns = Object.keys(identity);
    const where = columns.map((column) => `${column} = @${column}`).join(' AND ');
    const row = this.#db.prepare<[SweepIdentity], SweepRow>(`SELECT * FROM sweeps WHERE ${where}`).get(identity);
    return row === undefined ? null : { sweep: row.sweep, isFinished: row.finished === 1 };
  }

  #notResumable(identity: SweepIdentity): TwinbookError {
    const sql = 'SELECT * FROM sweeps ORDER BY finished, sweep DESC LIMIT 1';
    const last = this.#db.prepare<[], SweepRow>(sql).get();
    if (last === undefined) {
      return new TwinbookError('usage', `there is no sweep in ${this.#outDir} to go on with`, 'Leave --resume out.');
    }
    // The names are those of `PART_NAMES` itself.
    const parts = (Object.keys(PART_NAMES) as (keyof SweepIdentity)[]).filter((part) => last[part] !== identity[part]);
    const changed = parts.map((part) => PART_NAMES[part]).join('; ');
    const hint = 'Restore it, or leave --resume out to begin another sweep in the same folder.';
    return new TwinbookError('usage', `not the sweep that was begun in ${this.#outDir}; changed: ${changed}`, hint);
  }

  #insert({ identity, title, search: { axes, candidates }, events }: SweepHeader): void {
    const columns = Object.keys(identity);
    this.#db.transaction(() => {
      const sql = `INSERT INTO sweeps (title, ${columns.join(', ')}, finished) VALUES (?, ${columns.map(() => '?').join(', ')}, 0)`;
      this.#sweep = Number(this.#db.prepare(sql).run(title, ...Object.values(identity)).lastInsertRowid);
      const insertOne = this.#db.prepare('INSERT INTO configurations VALUES (?, ?, ?, ?)');
      for (const { number, hash, values } of candidates) {
        const named = Object.fromEntries(axes.map(({ name }, index) => [name, values[index]]));
        insertOne.run(this.#sweep, number, hash, JSON.stringify(named));
      }
      const insertEvent = this.#db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)');
      events.forEach(({ title: name, fold, conditionIds, fromMs, toMs }, event) => {
        insertEvent.run(this.#sweep, event, name, fold, conditionIds.length, fromMs, toMs);
      });
    })();
  }

  #forgetFailed(): void {
    this.#db.prepare(`DELETE FROM results WHERE sweep = ? AND status = 'failed'`).run(this.#sweep);
  }

  #readStored(): Stored {
    const fields = `configuration AS number, fold, fill_model AS fillModel, status, error, ${selectList(RESULT_FIELDS)}`;
    const rows = this.#db
      .prepare<[number], ResultRow>(
        `SELECT ${fields} FROM results WHERE sweep = ? ORDER BY configuration, fold, fill_model`,
      )
      .all(this.#sweep);
    const runs = this.#db.prepare<[TaskKey], TaskRun>(
      `SELECT ${selectList(RUN_FIELDS)} FROM repeats WHERE ${IS_TASK} ORDER BY repeat`,
    );
    const crossings = this.#db.prepare<[TaskKey], CrossingSums>(
      `SELECT ${selectList(CROSSING_FIELDS)} FROM crossings WHERE ${IS_TASK}`,
    );
    return rows.map(({ number, fold, fillModel, status, error, sharpe: _, ...found }) => {
      const task = { number, fold, fillModel };
      if (status === 'failed') return { task, outcome: { kind: 'failed', error } };
      const key = { sweep: this.#sweep, ...task };
      const eventResults = this.eventResults(number, fold, fillModel);
      const figures = { ...found, crossing: crossings.get(key) ?? null, eventResults, runs: runs.all(key) };
      return { task, outcome: { kind: 'done', figures } };
    });
  }
}

/** One backtest of a sweep. */
interface TaskKey {
  readonly sweep: number;
  readonly number: number;
  readonly fold: number;
  readonly fillModel: string;
}
const IS_TASK = 'sweep = @sweep AND configuration = @number AND fold = @fold AND fill_model = @fillModel';

/** Figures of a failed one are null and unused. */
interface ResultRow extends Omit<TaskKey, 'sweep'>, StoredFigures {
  readonly status: 'done' | 'failed';
  readonly error: string;
  readonly sharpe: number | null;
}

const BYTES = 8;

/** 64-bit integers, highest byte first, so that SQL can split them too. Throws RangeError for an unsafe integer. */
function packResults(results: readonly number[]): Buffer {
  const bytes = Buffer.alloc(results.length * BYTES);
  for (const [index, result] of results.entries()) bytes.writeBigInt64BE(BigInt(result), index * BYTES);
  return bytes;
}

const unpackResults = (bytes: Buffer): number[] =>
  Array.from({ length: bytes.length / BYTES }, (_, index) => Number(bytes.readBigInt64BE(index * BYTES)));

interface SweepRow extends SweepIdentity {
  readonly sweep: number;
  readonly finished: number;
}
