/** Warnings for a reader of a sweep's figures. */

import { LEAST_EVENTS_FOR_OVERFITTING, LEAST_EVENTS_FOR_SHARPE } from './bounds.js';
import type { Search, SweepSubject } from './contract.js';
import { TERMS } from './describe.js';
import type { PlannedData } from './reading.js';
import type { ConfigurationResult, SweepCounts, SweepNote } from './result.js';

export interface NoteFacts {
  readonly subject: SweepSubject;
  readonly data: Pick<PlannedData, 'markets' | 'empty' | 'isStreamed'>;
  readonly counts: SweepCounts;
  readonly best: ConfigurationResult | null;
  readonly search: Search;
  readonly folds: number;
}

const formatCount = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

export function listNotes(facts: NoteFacts): readonly SweepNote[] {
  const cautions = [...incomplete(facts), ...flips(facts), ...fewEvents(facts)];
  const others = [...ofData(facts), ...ofSearch(facts)];
  return [
    ...cautions.map((text) => ({ level: 'caution', text }) as const),
    ...others.map((text) => ({ level: 'note', text }) as const),
  ];
}

function* incomplete({ counts }: NoteFacts): Generator<string> {
  const { failed, unfinished, configurations } = counts;
  if (unfinished > 0) {
    yield `Not finished: ${unfinished} of ${formatCount(configurations, 'configuration')} are not wholly run, and what is said of all of them is not final.`;
  }
  if (failed > 0) yield `${formatCount(failed, 'configuration')} failed and ${failed === 1 ? 'is' : 'are'} not ranked.`;
}

function* flips({ counts, best, subject }: NoteFacts): Generator<string> {
  const { model } = TERMS[subject];
  if (counts.flipping > 0) {
    const verb = counts.flipping === 1 ? 'is' : 'are';
    yield `${formatCount(counts.flipping, 'configuration')} of ${counts.done} ${verb} above 0 under one ${model} and below it under another: reject them.`;
  }
  if (best !== null && (best.worstMicros ?? 0) <= 0) {
    yield `No configuration is above 0 under every ${model}.`;
  }
}

function* fewEvents({ counts, subject }: NoteFacts): Generator<string> {
  const { event } = TERMS[subject];
  const { events } = counts;
  if (events < LEAST_EVENTS_FOR_SHARPE) {
    yield `${formatCount(events, event)}: too few for a Sharpe ratio (${LEAST_EVENTS_FOR_SHARPE} at least); the results are anecdotes.`;
  }
  if (events < LEAST_EVENTS_FOR_OVERFITTING) {
    yield `${formatCount(events, event)}: too few to estimate how probably the search overfits (${LEAST_EVENTS_FOR_OVERFITTING} at least).`;
  }
}

function* ofData({ data }: NoteFacts): Generator<string> {
  const open = data.markets.filter(({ market }) => market.outcome === null).length;
  if (open > 0) {
    yield `${formatCount(open, 'market')} of ${data.markets.length} without a known outcome: what is held there at the end is valued at the last middle.`;
  }
  if (data.empty.length > 0) yield `${formatCount(data.empty.length, 'recording')} without any event left out.`;
  if (data.isStreamed) {
    yield 'The recordings are larger than the memory given (--memory): each worker read its own from the files.';
  }
}

function* ofSearch({ subject, search, folds }: NoteFacts): Generator<string> {
  for (const { why, count } of search.leftOut.slice(0, 3)) {
    yield `${formatCount(count, 'combination')} left out as impossible: ${why}.`;
  }
  const found = search.candidates.length;
  if (search.kind === 'random' && found < search.wanted) {
    yield `${search.wanted} configurations were asked for, but only ${found} different ones were drawn.`;
  }
  if (folds > 1 && subject === 'recordings')
    yield 'Each fold begins with the whole capital; drawdowns are the largest within a fold.';
}
