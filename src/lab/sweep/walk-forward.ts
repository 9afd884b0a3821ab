/**
 * Walking forward: before each fold the configuration is chosen that had been best until then, and what it brings in the
 * fold is what a user would have had who chose so. Learned from is every earlier event that was over when the fold began.
 */

import type { Trials } from '../../shared/statistics/deflated-sharpe.js';
import type { Candidate, SweptEvent, WalkForward, WalkForwardStep } from './contract.js';
import { eventsIn, foldCount, trainingFor } from './folds.js';
import type { Outcomes } from './results/outcomes.js';
import { sharpeOf } from './sharpe.js';

export interface WalkForwardQuestion {
  /** Only those that are done. */
  readonly candidates: readonly Candidate[];
  readonly events: readonly SweptEvent[];
  readonly fillModels: readonly string[];
  readonly outcomes: Outcomes;
  readonly embargoMs: number;
  /** For each fill model. */
  readonly trials: readonly (Trials | null)[];
}

/** Null with a single fold, or without any configuration. */
export function walkForward(question: WalkForwardQuestion): WalkForward | null {
  const { candidates, events, fillModels, outcomes, embargoMs, trials } = question;
  const folds = foldCount(events);
  if (folds < 2 || candidates.length === 0) return null;
  // By configuration, then by fill model, then by event.
  const results = new Map(
    candidates.map(({ number }) => [number, fillModels.map((_, model) => outcomes.eventResults(number, model))]),
  );
  const steps: WalkForwardStep[] = [];
  const unseen: number[][] = fillModels.map(() => []);
  for (let fold = 1; fold < folds; fold++) {
    const { learned, purged } = trainingFor(events, fold, embargoMs);
    const tested = events.flatMap((event, index) => (event.fold === fold ? [index] : []));
    const chosen = learned.length === 0 ? null : bestOn(learned, results);
    const rows = chosen === null ? [] : (results.get(chosen) ?? []);
    steps.push({
      fold,
      trainEvents: learned.length,
      purgedEvents: purged.length,
      testEvents: eventsIn(events, fold).length,
      chosen,
      inSampleMicros: rows.map((row) => sumOf(row, learned)),
      outOfSampleMicros: rows.map((row) => sumOf(row, tested)),
    });
    for (const [model, row] of rows.entries()) unseen[model]?.push(...tested.map((index) => row[index] ?? 0));
  }
  const outOfSample = fillModels.map((fillModel, model) => {
    const row = unseen[model] ?? [];
    return {
      fillModel,
      resultMicros: row.reduce((sum, value) => sum + value, 0),
      sharpe: sharpeOf(row, trials[model] ?? null),
    };
  });
  return { steps, outOfSample, testedEvents: unseen[0]?.length ?? 0 };
}

/** The first of those whose lowest result under the fill models is highest. */
function bestOn(learned: readonly number[], results: ReadonlyMap<number, readonly Float64Array[]>): number | null {
  let best: number | null = null;
  let bestMicros = Number.NEGATIVE_INFINITY;
  for (const [number, rows] of results) {
    const worstMicros = Math.min(...rows.map((row) => sumOf(row, learned)));
    if (worstMicros <= bestMicros) continue;
    [best, bestMicros] = [number, worstMicros];
  }
  return best;
}

const sumOf = (row: Float64Array, indices: readonly number[]): number =>
  indices.reduce((sum, index) => sum + (row[index] ?? 0), 0);
