/**
 * Successive halving: every configuration is played on the first events in time, only the best of them on more, and so on
 * up to a few on all. A rung is all events from the first on up to some moment, and it ends where a fold ends, so that the next
 * one plays its new folds alone: each fold begins with the whole capital, and what was played is not played again.
 */

import { TwinbookError } from '../../../shared/base/errors.js';
import type { SweptEvent } from '../contract.js';
import { foldCount, trainingFor } from '../folds.js';

/** Plain data. Without halving there is one, which holds everything. */
export interface Rung {
  /** Folds from the first on. */
  readonly folds: number;
  /** Events from the first on. */
  readonly events: number;
  /** Places of those of its events that were over when the next rung's begin: what it decides by. Empty for the last one. */
  readonly decidedBy: readonly number[];
}

export const wholeRung = (events: readonly SweptEvent[]): Rung => ({
  folds: foldCount(events),
  events: events.length,
  decidedBy: [],
});

/**
 * @param events whose folds end where the rungs do
 * @param ends of `rungEnds`
 *
 * Throws TwinbookError `usage` where a rung would have nothing to decide by.
 */
export function makeRungs(events: readonly SweptEvent[], ends: readonly number[], embargoMs: number): readonly Rung[] {
  const rungs = ends.map((end): Rung => {
    const folds = events[end]?.fold ?? 0;
    const { learned } = trainingFor(events, folds, embargoMs);
    if (learned.length > 0) return { folds, events: end, decidedBy: learned };
    const before = embargoMs > 0 ? `${embargoMs / 60_000} minutes before` : 'when';
    const text = `of the first ${end} of ${events.length} events none was over ${before} the next one began: --halving has nothing to decide by`;
    const hint =
      'Events that are recorded side by side cannot be halved in time. Give a larger fraction, or leave it out.';
    throw new TwinbookError('usage', text, hint);
  });
  return [...rungs, wholeRung(events)];
}

/** How many of those who entered a rung go on, at most: as many as make the next one as much work. */
export const keptOf = (entered: number, rung: Rung, next: Rung): number =>
  Math.max(1, Math.ceil((entered * rung.events) / next.events));

/** How many configurations enter each rung, as long as none fails. */
export function countEntries(rungs: readonly Rung[], configurations: number): readonly number[] {
  const entries: number[] = [];
  for (const [at, rung] of rungs.entries()) {
    const [before, entered] = [rungs[at - 1], entries[at - 1]];
    entries.push(before === undefined || entered === undefined ? configurations : keptOf(entered, before, rung));
  }
  return entries;
}

/** How many configurations play each fold, as long as none fails. */
export function countByFold(rungs: readonly Rung[], configurations: number): readonly number[] {
  const entries = countEntries(rungs, configurations);
  return entries.flatMap((entered, at) => newFolds(rungs, at).map(() => entered));
}

/** The folds of a rung that the one before has not. */
export function newFolds(rungs: readonly Rung[], at: number): readonly number[] {
  const [from, to] = [rungs[at - 1]?.folds ?? 0, rungs[at]?.folds ?? 0];
  return Array.from({ length: to - from }, (_, index) => from + index);
}
