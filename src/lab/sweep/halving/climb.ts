/** Who goes on from each rung of a sweep: decided by what had come of its events when those of the next one begin. */

import type { Candidate, RungStanding } from '../contract.js';
import { lowestAt } from '../lowest.js';
import type { Outcomes } from '../results/outcomes.js';
import { keptOf, type Rung } from './rungs.js';

export interface EndedRung {
  /** How many were to be played on it. */
  readonly entered: number;
  /** Those that have not failed, best first; of equals the one that the search found first. */
  readonly ranked: readonly RankedCandidate[];
  /** The first so many of these go on. */
  readonly kept: number;
}

export interface RankedCandidate {
  readonly candidate: Candidate;
  /** The lowest of its results under the fill models, of the events that the rung decides by. */
  readonly worstMicros: number;
}

export interface Climb {
  /** From the first rung on; never the last one, which decides nothing. */
  readonly ended: readonly EndedRung[];
  /** Who is to be played on the rung that follows, in the order of the search. */
  readonly entered: readonly Candidate[];
}

/** As far as the outcomes go: a rung has ended once every backtest of those who entered it is there. */
export function climb(
  rungs: readonly Rung[],
  candidates: readonly Candidate[],
  models: number,
  outcomes: Outcomes,
): Climb {
  const ended: EndedRung[] = [];
  let entered = candidates;
  for (const [at, rung] of rungs.entries()) {
    const next = rungs[at + 1];
    if (next === undefined || entered.some((candidate) => !outcomes.hasEnded(candidate, rung.folds))) break;
    const ranked = rank(entered, rung, models, outcomes);
    const kept = Math.min(ranked.length, keptOf(entered.length, rung, next));
    ended.push({ entered: entered.length, ranked, kept });
    const goOn = ranked.slice(0, kept).map(({ candidate }) => candidate);
    entered = goOn.sort((a, b) => a.number - b.number);
  }
  return { ended, entered };
}

function rank(entered: readonly Candidate[], { folds, decidedBy }: Rung, models: number, outcomes: Outcomes) {
  const ranked = entered.flatMap((candidate): RankedCandidate[] => {
    if (outcomes.findStatus(candidate, folds).status !== 'done') return [];
    const rows = Array.from({ length: models }, (_, model) => outcomes.eventResults(candidate.number, model, folds));
    return [{ candidate, worstMicros: lowestAt(rows, decidedBy) }];
  });
  return ranked.sort((a, b) => b.worstMicros - a.worstMicros || a.candidate.number - b.candidate.number);
}

/** What each configuration was in the rungs that it was ranked in, and whether it was dropped in the last of these. */
export function standingsIn(
  ended: readonly EndedRung[],
): (candidate: Candidate) => { readonly rungs: readonly RungStanding[]; readonly isDropped: boolean } {
  const found = new Map<number, { rungs: RungStanding[]; isDropped: boolean }>();
  for (const { ranked, kept } of ended) {
    for (const [at, { candidate, worstMicros }] of ranked.entries()) {
      const before = found.get(candidate.number)?.rungs ?? [];
      found.set(candidate.number, { rungs: [...before, { place: at + 1, worstMicros }], isDropped: at >= kept });
    }
  }
  return ({ number }) => found.get(number) ?? { rungs: [], isDropped: false };
}
