/**
 * Walking forward: before each fold the configuration is chosen that had been best until then, and what it brings in the
 * fold is what a user would have had who chose so. Learned from is every earlier event that was over when the fold began.
 */

import type { Trials } from '../../shared/statistics/deflated-sharpe.js';
import type { Candidate, SweptEvent, WalkForward, WalkForwardStep } from './contract.js';
import { eventsIn, foldCount, trainingFor } from './folds.js';
import { computeSharpe } from './judge.js';
import type { Outcomes } from './results/outcomes.js';

interface WalkForwardQuestion {
  /** Those that are done, in the order of the search. */
  readonly candidates: readonly Candidate[];
  readonly events: readonly SweptEvent[];
  readonly fillModels: readonly string[];
  readonly outcomes: Outcomes;
  readonly embargoMs: number;
  readonly trials: readonly (Trials | null)[];
}

export function walkForward(question: WalkForwardQuestion): WalkForward | null {
  const { candidates, events, fillModels, outcomes, embargoMs, trials } = question;
  const folds = foldCount(events);
  if (folds < 2 || candidates.length === 0) return null;
  const readRows = (number: number) => fillModels.map((_, model) => outcomes.eventResults(number, model));
  const trained = Array.from({ length: folds - 1 }, (_, index) => trainingFor(events, index + 1, embargoMs));
  const best = bestOn(candidates, trained, readRows);
  const steps: WalkForwardStep[] = [];
  const unseen: number[][] = fillModels.map(() => []);
  for (const [index, { learned, purged }] of trained.entries()) {
    const fold = index + 1;
    const tested = events.flatMap((event, at) => (event.fold === fold ? [at] : []));
    const chosen = best[index] ?? null;
    const rows = chosen === null ? [] : readRows(chosen);
    steps.push({
      fold,
      trainEvents: learned.length,
      purgedEvents: purged.length,
      testEvents: eventsIn(events, fold).length,
      chosen,
      inSampleMicros: rows.map((row) => sumAt(row, learned)),
      outOfSampleMicros: rows.map((row) => sumAt(row, tested)),
    });
    for (const [model, row] of rows.entries()) unseen[model]?.push(...tested.map((index) => row[index] ?? 0));
  }
  const outOfSample = fillModels.map((fillModel, model) => {
    const row = unseen[model] ?? [];
    return {
      fillModel,
      resultMicros: row.reduce((sum, value) => sum + value, 0),
      sharpe: computeSharpe(row, trials[model] ?? null),
    };
  });
  return { steps, outOfSample, testedEvents: unseen[0]?.length ?? 0 };
}

/**
 * For each step the first configuration whose lowest result under the fill models is highest; null where there is nothing to
 * learn from. Each configuration's results are read once and not kept.
 */
function bestOn(
  candidates: readonly Candidate[],
  trained: readonly { readonly learned: readonly number[] }[],
  readRows: (number: number) => readonly Float64Array[],
): readonly (number | null)[] {
  const best = trained.map(() => ({ number: null as number | null, micros: Number.NEGATIVE_INFINITY }));
  for (const { number } of candidates) {
    const rows = readRows(number);
    for (const [step, { learned }] of trained.entries()) {
      const leader = best[step];
      if (leader === undefined || learned.length === 0) continue;
      const worstMicros = lowestAt(rows, learned);
      if (worstMicros > leader.micros) Object.assign(leader, { number, micros: worstMicros });
    }
  }
  return best.map(({ number }) => number);
}

/** Lowest result at these events under the fill models; configurations are chosen by it. `rows`: results by event, one row a model. */
const lowestAt = (rows: readonly Float64Array[], places: readonly number[]): number =>
  Math.min(...rows.map((row) => sumAt(row, places)));

const sumAt = (row: Float64Array, places: readonly number[]): number =>
  places.reduce((sum, place) => sum + (row[place] ?? 0), 0);
