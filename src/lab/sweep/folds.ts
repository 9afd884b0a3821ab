/**
 * Assigns events to folds. An event resolves at once, so it is never cut: all its markets are in one fold. Folds are
 * consecutive and of about equal size.
 */

import { TwinbookError } from '../../shared/base/errors.js';
import { LEAST_EVENTS_PER_FOLD, USUAL_FOLDS } from './bounds.js';
import type { SweptEvent } from './contract.js';
import type { PlannedMarket } from './reading.js';

/**
 * Ordered by their beginning.
 *
 * @param wish null: by the number of events
 *
 * Throws TwinbookError `usage` for too many.
 */
export function assignFolds(markets: readonly PlannedMarket[], wish: number | null): readonly SweptEvent[] {
  const events = groupEvents(markets);
  const folds = wish ?? usualFolds(events.length);
  if (folds > events.length) {
    const hint = 'An event is never cut: every fold needs at least one. Leave --folds out to have as many as possible.';
    throw new TwinbookError('usage', `${folds} folds of ${events.length} events`, hint);
  }
  return events.map((event, index) => ({ ...event, fold: Math.floor((index * folds) / events.length) }));
}

const usualFolds = (events: number): number =>
  Math.max(1, Math.min(USUAL_FOLDS, Math.floor(events / LEAST_EVENTS_PER_FOLD)));

export const foldCount = (events: readonly SweptEvent[]): number => (events.at(-1)?.fold ?? 0) + 1;

export const eventsIn = (events: readonly SweptEvent[], fold: number): readonly SweptEvent[] =>
  events.filter((event) => event.fold === fold);

function groupEvents(markets: readonly PlannedMarket[]): readonly Omit<SweptEvent, 'fold'>[] {
  const byTitle = new Map<string, PlannedMarket[]>();
  for (const read of markets) {
    const { eventTitle, conditionId } = read.market;
    // A market without an event's name is its own event, as in the report.
    const title = eventTitle === '' ? conditionId : eventTitle;
    const together = byTitle.get(title);
    if (together === undefined) byTitle.set(title, [read]);
    else together.push(read);
  }
  const events = [...byTitle].map(([title, together]) => ({
    title,
    conditionIds: together.map(({ market }) => market.conditionId),
    fromMs: Math.min(...together.map(({ firstMs }) => firstMs)),
    toMs: Math.max(...together.map(({ lastMs }) => lastMs)),
    played: together.reduce((sum, { events: count }) => sum + count, 0),
  }));
  return events.sort((a, b) => a.fromMs - b.fromMs || (a.title < b.title ? -1 : 1));
}

/** Training events at a fold's beginning, and those that had not ended. */
export function trainingFor(
  events: readonly SweptEvent[],
  fold: number,
  embargoMs: number,
): { readonly learned: readonly number[]; readonly purged: readonly number[] } {
  const beginsMs = Math.min(...eventsIn(events, fold).map(({ fromMs }) => fromMs));
  const [learned, purged]: [number[], number[]] = [[], []];
  events.forEach((event, index) => {
    if (event.fold < fold) (event.toMs + embargoMs <= beginsMs ? learned : purged).push(index);
  });
  return { learned, purged };
}
