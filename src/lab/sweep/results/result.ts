/** What a sweep says of the outcomes that there are: ranking, judgement, walking forward and notes. */

import type { SweepResult } from '../contract.js';
import type { SweepFacts } from '../facts.js';
import { foldCount } from '../folds.js';
import { judge } from '../judge.js';
import { listNotes, type NoteFacts } from '../notes.js';
import { walkForward } from '../walk-forward.js';
import type { Outcomes } from './outcomes.js';

/** @param tried different configurations that were ever tried in the folder */
export function computeResult(facts: SweepFacts, outcomes: Outcomes, tried: number): SweepResult {
  const { search, events, fillModels, embargoMs } = facts;
  const { candidates } = search;
  const { models, configurations, trials } = judge(candidates, events, fillModels, outcomes, tried);
  const done = configurations.filter(({ status }) => status === 'done');
  const failed = configurations.filter(({ status }) => status === 'failed').length;
  const counts = {
    configurations: configurations.length,
    done: done.length,
    failed,
    unfinished: configurations.length - done.length - failed,
    tried,
    flipping: done.filter(({ signFlips }) => signFlips).length,
    events: events.length,
  };
  const chosenFrom = candidates.filter((candidate) => outcomes.findStatus(candidate).status === 'done');
  const question = { candidates: chosenFrom, events, fillModels, outcomes, trials };
  const noted: NoteFacts = {
    subject: 'recordings',
    data: facts.data,
    counts,
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
    events,
    models,
    configurations,
    walkForward: counts.unfinished > 0 ? null : walkForward({ ...question, embargoMs }),
    fresh: null,
    notes: listNotes(noted),
  };
}
