/** Everything of a sweep that is known before its first backtest, as plain data: what its result needs beside the outcomes. */

import type { Candidate, Search, SweepAssumptions, SweepPlan, SweepSubject, SweptEvent, Task } from './contract.js';
import { latencyName, makeIdentity, type SweepIdentity } from './identity.js';
import type { NoteFacts } from './notes.js';
import type { PlannedSweep } from './plan.js';
import type { SweepHeader } from './results/store.js';

export interface SweepFacts {
  readonly subject: SweepSubject;
  readonly identity: SweepIdentity;
  readonly title: string;
  readonly search: Search;
  /** From the most pessimistic. */
  readonly fillModels: readonly string[];
  /** In order of time. */
  readonly events: readonly SweptEvent[];
  readonly embargoMs: number;
  readonly assumptions: SweepAssumptions;
  readonly data: NoteFacts['data'];
}

export function makeFacts(plan: SweepPlan, planned: PlannedSweep): SweepFacts {
  const { whole, data, events, folds } = planned;
  const { search, fillModels, embargoMs, seed, repeat, config } = plan;
  const { markets, empty, isStreamed } = data;
  return {
    subject: 'recordings',
    identity: makeIdentity(plan, data.hash, folds),
    title: whole.title,
    search,
    fillModels,
    events,
    embargoMs,
    assumptions: {
      version: whole.trader.version,
      configHash: config.configHash,
      dataHash: data.hash,
      seed,
      repeat,
      fillModels,
      embargoMs,
      latency: latencyName(plan),
      folds,
      data: whole.data,
    },
    data: { markets, empty, isStreamed },
  };
}

export const makeHeader = (facts: SweepFacts, resume: SweepHeader['resume']): SweepHeader => ({
  identity: facts.identity,
  title: facts.title,
  candidates: facts.search.candidates,
  parameters: facts.search.axes.map(({ name }) => name),
  events: facts.events,
  resume,
});

/** Configurations in their order: what is done first is what a user looks at who stops early. */
export const listTasks = (
  candidates: readonly Candidate[],
  folds: number,
  fillModels: readonly string[],
): readonly Task[] =>
  candidates.flatMap((candidate) =>
    Array.from({ length: folds }, (_, fold) => fillModels.map((fillModel) => ({ candidate, fold, fillModel }))).flat(),
  );
