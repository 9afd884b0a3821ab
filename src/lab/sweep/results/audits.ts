/** Which worker ran which backtest, as far as a sweep is audited, and which of them are doubted. */

import type Sqlite from 'better-sqlite3';
import type { Task } from '../contract.js';

/** A row for each backtest that somebody else ran while the sweep was audited. */
export interface AuditRows {
  note(task: Task, worker: string): void;
  /** It was run here too, and is the same. */
  same(task: Task): void;
  isSame(task: Task): boolean;
  /** Null where nobody has noted it. */
  workerOf(task: Task): string | null;
  /** Marks it, and what else came of this worker's machine and is not known to be the same. Returns how many those are. */
  differs(task: Task, worker: string, traceHere: string | null): number;
}

/** What comes before the process in the name of a worker. */
const machineOf = (name: string): string => `substr(${name}, 1, instr(${name} || ', process ', ', process '))`;

const OF_TASK = 'sweep = ? AND configuration = ? AND fold = ? AND fill_model = ?';

export class StoredAudits implements AuditRows {
  readonly #db: Sqlite.Database;
  readonly #sweep: number;

  constructor(db: Sqlite.Database, sweep: number) {
    this.#db = db;
    this.#sweep = sweep;
  }

  note(task: Task, worker: string): void {
    const sql = `INSERT INTO audits VALUES (?, ?, ?, ?, ?, 'not audited', NULL)
      ON CONFLICT DO UPDATE SET worker = excluded.worker, state = excluded.state, trace_hash = NULL`;
    this.#db.prepare(sql).run(...this.#key(task), worker);
  }

  same(task: Task): void {
    this.#db.prepare(`UPDATE audits SET state = 'same' WHERE ${OF_TASK}`).run(...this.#key(task));
  }

  isSame(task: Task): boolean {
    return (
      this.#db.prepare(`SELECT 1 FROM audits WHERE ${OF_TASK} AND state = 'same'`).get(...this.#key(task)) !== undefined
    );
  }

  workerOf(task: Task): string | null {
    const found = this.#db
      .prepare(`SELECT worker FROM audits WHERE ${OF_TASK}`)
      .pluck()
      .get(...this.#key(task));
    return found === undefined ? null : String(found);
  }

  differs(task: Task, worker: string, traceHere: string | null): number {
    return this.#db.transaction(() => {
      const others = `UPDATE audits SET state = 'suspect'
        WHERE sweep = @sweep AND ${machineOf('worker')} = ${machineOf('@worker')} AND state = 'not audited'`;
      const marked = this.#db.prepare(others).run({ sweep: this.#sweep, worker }).changes;
      const sql = `UPDATE audits SET state = 'differs', trace_hash = ? WHERE ${OF_TASK}`;
      const own = this.#db.prepare(sql).run(traceHere, ...this.#key(task)).changes;
      this.#db.prepare('DELETE FROM standings WHERE sweep = ?').run(this.#sweep);
      this.#db.prepare('UPDATE sweeps SET finished = 0 WHERE sweep = ?').run(this.#sweep);
      return marked - own;
    })();
  }

  #key({ candidate: { number }, fold, fillModel }: Task): [number, number, number, string] {
    return [this.#sweep, number, fold, fillModel];
  }
}

const DOUBTED = `(configuration, fold, fill_model) IN
  (SELECT configuration, fold, fill_model FROM audits WHERE sweep = @sweep AND state IN ('differs', 'suspect'))`;

/** What is doubted is as if it had never come: whoever goes on runs it again. */
export function forgetDoubted(db: Sqlite.Database, sweep: number): void {
  db.transaction(() => {
    for (const table of ['results', 'event_result_runs', 'crossings', 'repeats'])
      db.prepare(`DELETE FROM ${table} WHERE sweep = @sweep AND ${DOUBTED}`).run({ sweep });
    db.prepare(`DELETE FROM audits WHERE sweep = @sweep AND ${DOUBTED}`).run({ sweep });
  })();
}
