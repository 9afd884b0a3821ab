/** The result by event: the only independent samples that there are. */

import { bootstrapByEvent } from '../../../shared/statistics/bootstrap.js';
import { computeMoments } from '../../../shared/statistics/moments.js';
import { sharpePerSample } from '../../../shared/statistics/sharpe.js';
import type { MarketAnalysis } from './markets.js';

/** With fewer events the interval itself is a guess. */
export const FEW_EVENTS = 20;

/** With fewer events no figure about their spread is shown: it would be meaningless. */
export const LEAST_EVENTS = 8;

/** Ends of a 95 % interval over 2,000 resampled sets of events. */
export type Interval = readonly [low: number, high: number];
export type EventFigures = ReturnType<typeof computeEventFigures>;

/** Null when the interval is unknown or events are too few. */
export const shownInterval = ({ events, intervalMicros }: EventFigures): Interval | null =>
  events < LEAST_EVENTS ? null : intervalMicros;

/** Sharpe ratio per event; null when unknown or events are too few. */
export const shownSharpe = ({ events, sharpe }: EventFigures): number | null => (events < LEAST_EVENTS ? null : sharpe);

/**
 * Of the events with a fill. `sharpe`: mean / deviation of the results per event, not per year; null below two.
 * `caveat`: limits of these few numbers.
 */
export function computeEventFigures(markets: readonly MarketAnalysis[], seed: number) {
  const byEvent = resultsByEvent(
    markets.map((market) => ({
      event: eventOf(market),
      resultMicros: market.result.resultMicros,
      fills: market.fills,
    })),
  );
  const results = [...byEvent.values()];
  const { mean, standardDeviation } = computeMoments(results);
  return {
    events: results.length,
    won: results.filter((result) => result > 0).length,
    lost: results.filter((result) => result < 0).length,
    meanMicros: mean,
    deviationMicros: standardDeviation,
    sharpe: sharpePerSample(results),
    intervalMicros: drawInterval(results, seed),
    caveat: caveatFor(results.length),
  };
}

/** Markets of one event resolve together; a market without one is its own event. */
export const eventOf = ({ eventTitle, conditionId }: MarketAnalysis): string =>
  eventTitle === '' ? conditionId : eventTitle;

export interface EventResult {
  readonly event: string;
  readonly resultMicros: number;
  readonly fills: number;
}

/** Of the events with a fill. */
export function resultsByEvent(markets: readonly EventResult[]): ReadonlyMap<string, number> {
  const results = new Map<string, number>();
  for (const { event, fills, resultMicros } of markets)
    if (fills > 0) results.set(event, (results.get(event) ?? 0) + resultMicros);
  return results;
}

/** Null for fewer than two results. */
export function drawInterval(results: readonly number[], seed: number): Interval | null {
  const statistic = (sample: readonly number[]): number => sample.reduce((total, result) => total + result, 0);
  const interval = bootstrapByEvent({ events: results, statistic, seed });
  return interval === null ? null : [Math.round(interval.low), Math.round(interval.high)];
}

function caveatFor(events: number): string {
  if (events === 0) return 'Nothing was filled, so there is no result per event.';
  const jumps =
    'A settlement is a jump, and the markets of one event settle together: a Sharpe ratio of daily returns would flatter. This one is per event and must not be annualised.';
  if (events === 1) return `${jumps} One event is one sample: neither a deviation nor an interval can be had from it.`;
  if (events < FEW_EVENTS) return `${jumps} With ${events} events it says little, and the interval is too narrow.`;
  return jumps;
}
