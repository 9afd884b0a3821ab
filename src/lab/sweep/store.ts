/** Stores the results of sweeps in `OUT/sweep.sqlite`. Rows omit the time of the run: equal sweeps give equal rows. */

import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { systemCode, TwinbookError, unreadable } from '../../shared/base/errors.js';
import { makeFolder, SHARED_FOLDER } from '../../shared/base/files.js';
import { SqliteDriver } from '../../shared/base/sqlite-driver.js';
import { canonicalJson } from '../../shell/config/shown.js';
import type { StoredTask, Task, TaskOutcome } from './contract.js';
import type { SweepFacts } from './facts.js';
import type { SweepIdentity } from './search.js';

/** Version of the tables, stored in `user_version`; incremented with every change. */
const SCHEMA_VERSION = 5;

const SCHEMA = `
CREATE TABLE sweeps (
  sweep INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  identity TEXT NOT NULL,
  finished INTEGER NOT NULL
) STRICT;

CREATE TABLE configurations (
  sweep INTEGER NOT NULL REFERENCES sweeps,
  configuration INTEGER NOT NULL,
  hash TEXT NOT NULL,
  parameters TEXT NOT NULL,
  PRIMARY KEY (sweep, configuration)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  sweep INTEGER NOT NULL REFERENCES sweeps,
  event INTEGER NOT NULL,
  title TEXT NOT NULL,
  fold INTEGER NOT NULL,
  markets INTEGER NOT NULL,
  from_ms REAL NOT NULL,
  to_ms REAL NOT NULL,
  PRIMARY KEY (sweep, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE results (
  sweep INTEGER NOT NULL,
  configuration INTEGER NOT NULL,
  fold INTEGER NOT NULL,
  fill_model TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('done', 'failed')),
  error TEXT NOT NULL,
  result_micros INTEGER,
  figures TEXT,
  PRIMARY KEY (sweep, configuration, fold, fill_model),
  FOREIGN KEY (sweep, configuration) REFERENCES configurations
) STRICT, WITHOUT ROWID;

CREATE VIEW event_results AS
SELECT results.sweep, configuration, fill_model, event, value AS result_micros
FROM results
JOIN (
  SELECT sweep, fold, event, row_number() OVER (PARTITION BY sweep, fold ORDER BY event) - 1 AS place FROM events
) AS placed ON placed.sweep = results.sweep AND placed.fold = results.fold
JOIN json_each(figures, '$.eventResults') ON key = place;
`;

const FILE = 'sweep.sqlite';
const LOCK = 'sweep.lock';

/** True: continue a sweep, retry failures. False: reject an unfinished sweep. `either`: continue or begin a sweep. */
export type Resume = boolean | 'either';

type SweepHeader = Pick<SweepFacts, 'identity' | 'title' | 'events' | 'search'>;

/** Throws TwinbookError `file_unreadable` if the folder is not writable or another sweep writes to it. */
export function openStore(outDir: string): SweepStore {
  return guardWrite(outDir, () => {
    makeFolder(outDir, SHARED_FOLDER);
    return new SweepStore(outDir);
  });
}

/** Locks the folder with an open write transaction. The lock ends with the process, even after a crash. */
function takeLock(outDir: string): Sqlite.Database {
  const lock = new SqliteDriver(join(outDir, LOCK), { timeout: 0 });
  try {
    lock.exec('BEGIN IMMEDIATE');
    return lock;
  } catch (cause) {
    lock.close();
    const isBusy = cause instanceof SqliteDriver.SqliteError && cause.code.startsWith('SQLITE_BUSY');
    if (!isBusy) throw cause;
    const hint = 'Wait for the other sweep, or use another --out folder. Each folder counts its tried configurations.';
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
      const text = `${join(outDir, FILE)} was written by another version of Twinbook (tables ${String(version)}, wanted ${SCHEMA_VERSION})`;
      throw new TwinbookError('file_unreadable', text, 'Give another folder with --out.');
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

const guardWrite = <T>(outDir: string, act: () => T): T =>
  guardFiles(`cannot write the results to ${outDir}`, 'Check the folder and the disk, or give another --out.', act);

/** Runs `act`. Converts a system error to the TwinbookError `file_unreadable`, with `what` before the reason. */
export function guardFiles<T>(what: string, hint: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (cause instanceof TwinbookError || systemCode(cause) === '') throw cause;
    throw unreadable(what, cause, hint);
  }
}

const PART_NAMES: Readonly<Record<keyof SweepIdentity, string>> = {
  version: "the program's version",
  configHash: 'the configuration, a strategy file or its code',
  dataHash: 'the recordings',
  search: 'the parameters and values (--param, --random)',
  fillModels: 'the fill models',
  latency: 'the latency model, or its measurements',
  seed: 'the seed',
  folds: 'the number of folds',
  embargoMs: 'the embargo',
  others: 'fees, landing time, feeds, the choice of markets, or the time zone of quote hours',
};

export class SweepStore {
  readonly #outDir: string;
  readonly #lock: Sqlite.Database;
  readonly #db: Sqlite.Database;
  #sweep = 0;
  #readRun: Sqlite.Statement<[TaskKey], string | null> | null = null;

  constructor(outDir: string) {
    this.#outDir = outDir;
    this.#lock = takeLock(outDir);
    try {
      this.#db = openDatabase(outDir);
    } catch (error) {
      this.#lock.close();
      throw error;
    }
  }

  /** Returns the stored backtests. Throws `usage` for a changed input, and without `resume` for an unfinished sweep. */
  begin(header: SweepHeader, resume: Resume) {
    return guardWrite(this.#outDir, () => {
      const { identity } = header;
      const find = this.#db.prepare<[string], SweepRow>('SELECT * FROM sweeps WHERE identity = ?');
      const same = find.get(canonicalJson(identity));
      if (same === undefined) {
        if (resume === true) throw this.#notResumable(identity);
        this.#insert(header);
        return [];
      }
      if (same.finished === 0 && resume === false) {
        const hint = 'Continue the sweep with --resume, or give another folder with --out.';
        throw new TwinbookError('usage', `${this.#outDir} already contains this sweep, unfinished`, hint);
      }
      this.#sweep = same.sweep;
      const forget = this.#db.prepare(`DELETE FROM results WHERE sweep = ? AND status = 'failed'`);
      if (resume === true) forget.run(this.#sweep);
      return this.#readStored();
    });
  }

  write({ candidate: { number }, fold, fillModel }: Task, outcome: TaskOutcome): void {
    const row =
      outcome.kind === 'failed'
        ? { status: 'failed', error: outcome.error, result: null, figures: null }
        : { status: 'done', error: '', result: outcome.figures.resultMicros, figures: canonicalJson(outcome.figures) };
    const key = { sweep: this.#sweep, number, fold, fillModel };
    const sql = 'INSERT INTO results VALUES (@sweep, @number, @fold, @fillModel, @status, @error, @result, @figures)';
    guardWrite(this.#outDir, () =>
      this.#db.transaction(() => {
        this.#db.prepare(`DELETE FROM results WHERE ${IS_TASK} AND status = 'failed'`).run(key);
        this.#db.prepare(sql).run({ ...key, ...row });
      })(),
    );
  }

  eventResults(number: number, fold: number, fillModel: string): readonly number[] {
    const sql = `SELECT figures ->> '$.eventResults' FROM results WHERE ${IS_TASK}`;
    this.#readRun ??= this.#db.prepare<[TaskKey], string | null>(sql).pluck();
    return JSON.parse(this.#readRun.get({ sweep: this.#sweep, number, fold, fillModel }) ?? '[]');
  }

  get tried(): number {
    const sql = 'SELECT count(DISTINCT hash) FROM results JOIN configurations USING (sweep, configuration)';
    return this.#db.prepare<[], number>(sql).pluck().get() ?? 0;
  }

  seedsChosenOn(first: number, last: number): number {
    const sql = `SELECT count(DISTINCT title) FROM events WHERE title LIKE 'seed %' AND from_ms BETWEEN ? AND ?`;
    return this.#db.prepare<[number, number], number>(sql).pluck().get(first, last) ?? 0;
  }

  finish(): void {
    guardWrite(this.#outDir, () => this.#db.prepare('UPDATE sweeps SET finished = 1 WHERE sweep = ?').run(this.#sweep));
  }

  close(): void {
    this.#db.close();
    this.#lock.close();
  }

  #notResumable(identity: SweepIdentity): TwinbookError {
    const last = this.#db.prepare<[], SweepRow>('SELECT * FROM sweeps ORDER BY finished, sweep DESC LIMIT 1').get();
    if (last === undefined)
      return new TwinbookError('usage', `there is no sweep in ${this.#outDir} to continue`, 'Leave --resume out.');
    // These casts are safe, because `#insert` wrote the identity and the names are the keys of `PART_NAMES`.
    const before = JSON.parse(last.identity) as SweepIdentity;
    const parts = (Object.keys(PART_NAMES) as (keyof SweepIdentity)[]).filter(
      (part) => canonicalJson(before[part]) !== canonicalJson(identity[part]),
    );
    const changed = parts.map((part) => PART_NAMES[part]).join('; ');
    const hint = 'Restore the input, or leave --resume out to begin another sweep in the same folder.';
    return new TwinbookError('usage', `the sweep in ${this.#outDir} has another input; changed: ${changed}`, hint);
  }

  #insert({ identity, title, search: { axes, candidates }, events }: SweepHeader): void {
    this.#db.transaction(() => {
      const insertSweep = this.#db.prepare('INSERT INTO sweeps (title, identity, finished) VALUES (?, ?, 0)');
      this.#sweep = Number(insertSweep.run(title, canonicalJson(identity)).lastInsertRowid);
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

  #readStored() {
    const sql = `SELECT configuration AS number, fold, fill_model AS fillModel, status, error, figures FROM results
      WHERE sweep = ? ORDER BY configuration, fold, fill_model`;
    const rows = this.#db.prepare<[number], ResultRow>(sql).all(this.#sweep);
    return rows.map(({ status, error, figures, ...task }) => {
      const isFailed = status === 'failed';
      const outcome: TaskOutcome = isFailed ? { kind: status, error } : { kind: status, figures: JSON.parse(figures) };
      return { task, outcome };
    });
  }
}

type TaskKey = StoredTask & { readonly sweep: number };
const IS_TASK = 'sweep = @sweep AND configuration = @number AND fold = @fold AND fill_model = @fillModel';

type ResultRow = StoredTask & Readonly<{ status: 'done' | 'failed'; error: string; figures: string }>;
type SweepRow = Readonly<{ sweep: number; identity: string; finished: number }>;
