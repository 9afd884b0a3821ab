/** What a sweep says of the outcomes that there are: ranking, judgement, walking forward and notes. */

import type { ConfigurationResult, RungResult, SweepResult } from '../contract.js';
import type { SweepFacts } from '../facts.js';
import { foldCount } from '../folds.js';
import type { EndedRung } from '../halving/climb.js';
import type { Rung } from '../halving/rungs.js';
import { judge } from '../judge.js';
import { listNotes, type NoteFacts } from '../notes.js';
import { type WalkForwardQuestion, walkForward } from '../walk-forward.js';
import type { Outcomes } from './outcomes.js';

/** @param tried different configurations that were ever tried in the folder */
export function computeResult(facts: SweepFacts, outcomes: Outcomes, tried: number): SweepResult {
  const { search, events, fillModels, embargoMs, rungs } = facts;
  const { candidates } = search;
  const { models, configurations, trials, ended } = judge(candidates, events, fillModels, outcomes, tried, rungs);
  const done = configurations.filter(({ status }) => status === 'done');
  const count = (wanted: ConfigurationResult['status']) =>
    configurations.filter(({ status }) => status === wanted).length;
  const counts = {
    configurations: configurations.length,
    done: done.length,
    failed: count('failed'),
    dropped: count('dropped'),
    unfinished: count('unfinished'),
    tried,
    flipping: done.filter(({ signFlips }) => signFlips).length,
    events: events.length,
  };
  const halving = rungs.length === 1 ? null : rungResults(rungs, ended, configurations);
  const noted: NoteFacts = {
    subject: 'recordings',
    data: facts.data,
    counts,
    halving,
    best: done[0] ?? null,
    search,
    folds: foldCount(events),
  };
  return {
    format: 1,
    subject: 'recordings',
    title: facts.title,
    assumptions: facts.assumptions,
    search: { kind: search.kind, axes: search.axes, leftOut: search.leftOut },
    counts,
    halving,
    events,
    models,
    configurations,
    walkForward:
      counts.unfinished > 0
        ? null
        : walkForward({ ...chosenFrom(configurations, rungs), events, fillModels, outcomes, trials, embargoMs }),
    fresh: null,
    notes: listNotes(noted),
  };
}

/** In the order of the search: what walking forward may choose where it has come. */
function chosenFrom(
  configurations: readonly ConfigurationResult[],
  rungs: readonly Rung[],
): Pick<WalkForwardQuestion, 'candidates' | 'foldsOf'> {
  const foldsOf = new Map<number, number>();
  for (const { number, status, rungs: ranked } of configurations) {
    const last = status === 'done' ? rungs.at(-1) : status === 'dropped' ? rungs[ranked.length - 1] : undefined;
    if (last !== undefined) foldsOf.set(number, last.folds);
  }
  const candidates = configurations.filter(({ number }) => foldsOf.has(number)).sort((a, b) => a.number - b.number);
  return { candidates, foldsOf: ({ number }) => foldsOf.get(number) ?? 0 };
}

const rungResults = (
  rungs: readonly Rung[],
  ended: readonly EndedRung[],
  configurations: readonly ConfigurationResult[],
): readonly RungResult[] =>
  rungs.map(({ events, folds, decidedBy }, at) => {
    const here = ended[at];
    return {
      events,
      folds,
      decidedBy: at === rungs.length - 1 ? null : decidedBy.length,
      entered: at === 0 ? configurations.length : (ended[at - 1]?.kept ?? null),
      failed: configurations.filter(({ status, rungs: ranked }) => status === 'failed' && ranked.length === at).length,
      dropped: here === undefined ? null : here.ranked.length - here.kept,
    };
  });
