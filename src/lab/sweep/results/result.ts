/** Results from the present outcomes: ranking, judgement, walk-forward and notes. */

import type { ConfigurationResult, SweepResult } from '../contract.js';
import type { SweepFacts } from '../facts.js';
import { foldCount } from '../folds.js';
import { judge } from '../judge.js';
import { listNotes, type NoteFacts } from '../notes.js';
import { walkForward } from '../walk-forward.js';
import type { Outcomes } from './outcomes.js';

export function computeResult(facts: Omit<SweepFacts, 'identity'>, outcomes: Outcomes, tried: number): SweepResult {
  const { search, events, fillModels } = facts;
  const { embargoMs } = facts.assumptions;
  const { candidates } = search;
  const { models, configurations, trials } = judge(candidates, events, fillModels, outcomes, tried);
  const done = configurations.filter(({ status }) => status === 'done');
  const count = (wanted: ConfigurationResult['status']) =>
    configurations.filter(({ status }) => status === wanted).length;
  const counts = {
    configurations: configurations.length,
    done: done.length,
    failed: count('failed'),
    unfinished: count('unfinished'),
    tried,
    flipping: done.filter(({ signFlips }) => signFlips).length,
    events: events.length,
  };
  const noted: NoteFacts = {
    subject: facts.subject,
    data: facts.data,
    counts,
    best: done[0] ?? null,
    search,
    folds: foldCount(events),
  };
  return {
    format: 1,
    subject: facts.subject,
    title: facts.title,
    assumptions: facts.assumptions,
    search: { kind: search.kind, axes: search.axes, leftOut: search.leftOut },
    counts,
    events,
    models,
    configurations,
    walkForward:
      counts.unfinished > 0
        ? null
        : walkForward({ candidates: inOrder(done), events, fillModels, outcomes, trials, embargoMs }),
    fresh: null,
    notes: listNotes(noted),
  };
}

const inOrder = (done: readonly ConfigurationResult[]): readonly ConfigurationResult[] =>
  [...done].sort((a, b) => a.number - b.number);
