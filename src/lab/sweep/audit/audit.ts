/** Holds what workers have brought to what the same backtests bring here. */

import { TwinbookError } from '../../../shared/base/errors.js';
import type { Task, TaskOutcome } from '../contract.js';
import type { AuditRows } from '../results/audits.js';

export class Audit {
  readonly #rows: AuditRows;
  readonly #here = new Map<string, TaskOutcome>();
  readonly #there = new Map<string, { readonly outcome: TaskOutcome; readonly worker: string }>();
  #compared = 0;

  constructor(rows: AuditRows) {
    this.#rows = rows;
  }

  /** Backtests that were the same in both places. */
  get compared(): number {
    return this.#compared;
  }

  /** Throws TwinbookError `results_differ` once both are known and not the same. */
  ranThere(task: Task, outcome: TaskOutcome, worker: string): void {
    this.#rows.note(task, worker);
    this.#there.set(keyOf(task), { outcome, worker });
    this.#compare(task);
  }

  /** Throws as `ranThere` does. */
  ranHere(task: Task, outcome: TaskOutcome): void {
    this.#here.set(keyOf(task), outcome);
    this.#compare(task);
  }

  #compare(task: Task): void {
    const [here, there] = [this.#here.get(keyOf(task)), this.#there.get(keyOf(task))];
    if (here === undefined || there === undefined) return;
    if (traceOf(here) === traceOf(there.outcome)) {
      this.#rows.same(task);
      this.#compared += 1;
      return;
    }
    const suspects = this.#rows.differs(task, there.worker, here.kind === 'done' ? here.figures.traceHash : null);
    const { candidate, fold, fillModel } = task;
    throw new TwinbookError(
      'results_differ',
      `configuration ${candidate.number}, fold ${fold + 1}, ${fillModel}: ${there.worker} ${describe(there.outcome)}, here it ${describe(here)}; ` +
        `this row and ${suspects} others of that machine are marked in the table audits`,
      'A machine is broken, or a strategy is not deterministic (`twinbook strategies test` looks for that). Take that machine out; going on with the sweep runs what is marked again.',
    );
  }
}

/** Failures tell of a machine in their words: that both failed is the same. */
const traceOf = (outcome: TaskOutcome): string => (outcome.kind === 'done' ? outcome.figures.traceHash : 'failed');

const describe = (outcome: TaskOutcome): string =>
  outcome.kind === 'done' ? `gave the trace ${outcome.figures.traceHash}` : `failed (${outcome.error})`;

const keyOf = ({ candidate, fold, fillModel }: Task): string => `${candidate.number} ${fold} ${fillModel}`;
