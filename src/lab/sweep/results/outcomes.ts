/** Outcomes of a sweep's backtests by configuration, fold and fill model. */

import { computeMoments } from '../../../shared/statistics/moments.js';
import type { Candidate, Task, TaskFigures, TaskOutcome } from '../contract.js';

/** Reads the results by event of a finished backtest: they are not kept in memory. */
type EventResultsAt = (number: number, fold: number, fillModel: string) => readonly number[];

export class Outcomes {
  readonly #folds: number;
  readonly #models: readonly string[];
  readonly #eventsAt: EventResultsAt;
  readonly #byNumber = new Map<number, (TaskOutcome | undefined)[]>();
  count = 0;
  failed = 0;

  constructor(folds: number, models: readonly string[], eventsAt: EventResultsAt) {
    this.#folds = folds;
    this.#models = models;
    this.#eventsAt = eventsAt;
  }

  set({ fold, fillModel, number }: Omit<Task, 'candidate'> & { readonly number: number }, outcome: TaskOutcome): void {
    const row = this.#byNumber.get(number) ?? [];
    const place = fold * this.#models.length + this.#models.indexOf(fillModel);
    const before = row[place];
    row[place] =
      outcome.kind === 'failed' ? outcome : { kind: 'done', figures: { ...outcome.figures, eventResults: [] } };
    this.#byNumber.set(number, row);
    if (before === undefined) this.count++;
    this.failed += Number(outcome.kind === 'failed') - Number(before?.kind === 'failed');
  }

  has(task: Task): boolean {
    return this.get(task) !== undefined;
  }

  get({ candidate, fold, fillModel }: Task): TaskOutcome | undefined {
    return this.#at(candidate.number, fold, this.#models.indexOf(fillModel));
  }

  #at(number: number, fold: number, model: number): TaskOutcome | undefined {
    return this.#byNumber.get(number)?.[fold * this.#models.length + model];
  }

  /** `error` is that of the first failed backtest, in task order. */
  findStatus({ number }: Candidate): { readonly status: 'done' | 'failed' | 'unfinished'; readonly error: string } {
    const outcomes = (this.#byNumber.get(number) ?? []).filter((outcome) => outcome !== undefined);
    for (const outcome of outcomes) if (outcome.kind === 'failed') return { status: 'failed', error: outcome.error };
    return { status: outcomes.length === this.#folds * this.#models.length ? 'done' : 'unfinished', error: '' };
  }

  /** By event, over all folds of a finished configuration. */
  eventResults(number: number, model: number): Float64Array {
    const fillModel = this.#models[model] ?? '';
    const found = Array.from({ length: this.#folds }, (_, fold) => this.#eventsAt(number, fold, fillModel));
    return Float64Array.from(found.flat());
  }

  /** All folds together, for finished configurations. */
  modelResult(number: number, model: number) {
    const folds = this.#figures(number, model);
    const total = (figure: (figures: TaskFigures) => number) => folds.reduce((sum, each) => sum + figure(each), 0);
    return {
      fillModel: this.#models[model] ?? '',
      resultMicros: total(({ resultMicros }) => resultMicros),
      /** Maximum over the folds. */
      maxDrawdownMicros: Math.max(...folds.map(({ maxDrawdownMicros }) => maxDrawdownMicros)),
      fills: total(({ fills }) => fills),
      alarms: total(({ alarms }) => alarms),
      /** Deviation of the result between repeats; null without any. */
      repeatDeviationMicros: deviationBetween(folds),
    };
  }

  #figures(number: number, model: number): readonly TaskFigures[] {
    return Array.from({ length: this.#folds }, (_, fold) => this.#at(number, fold, model)).flatMap((outcome) =>
      outcome?.kind === 'done' ? [outcome.figures] : [],
    );
  }
}

/** Of the sums over all folds, one per repeat; null without repeats. */
function deviationBetween(folds: readonly TaskFigures[]): number | null {
  const repeats = Math.min(...folds.map(({ runs }) => runs.length));
  const sums = Array.from({ length: folds.length === 0 ? 0 : repeats }, (_, at) =>
    folds.reduce((sum, { runs }) => sum + (runs[at]?.resultMicros ?? 0), 0),
  );
  return computeMoments(sums).standardDeviation;
}
