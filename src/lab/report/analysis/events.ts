/** The result by event: the only independent samples that there are. */

import { bootstrapByEvent } from '../../../shared/statistics/bootstrap.js';
import { computeMoments } from '../../../shared/statistics/moments.js';
import { sharpePerSample } from '../../../shared/statistics/sharpe.js';
import type { EventFigures, MarketAnalysis } from './contract.js';

/** Fewer events than this and the interval itself is a guess. */
export const FEW_EVENTS = 20;

/** Fewer events than this, and no figure about their spread is shown: it would be read as if it meant something. */
export const LEAST_EVENTS = 8;

/** Result of the 95 % interval by event, each end; null where it is not known or events are too few to show one. */
export const shownInterval = ({ events, intervalMicros }: EventFigures): EventFigures['intervalMicros'] =>
  events < LEAST_EVENTS ? null : intervalMicros;

/** Sharpe ratio per event; null where it is not known or events are too few to show one. */
export const shownSharpe = ({ events, sharpe }: EventFigures): number | null => (events < LEAST_EVENTS ? null : sharpe);

export function computeEventFigures(markets: readonly MarketAnalysis[], seed: number): EventFigures {
  const results = resultsByEvent(markets.filter((market) => market.fills > 0));
  const { mean, standardDeviation } = computeMoments(results);
  const statistic = (sample: readonly number[]): number => sample.reduce((total, result) => total + result, 0);
  const interval = bootstrapByEvent({ events: results, statistic, seed });
  return {
    events: results.length,
    won: results.filter((result) => result > 0).length,
    lost: results.filter((result) => result < 0).length,
    meanMicros: mean,
    deviationMicros: standardDeviation,
    sharpe: sharpePerSample(results),
    intervalMicros: interval === null ? null : [Math.round(interval.low), Math.round(interval.high)],
    caveat: caveatFor(results.length),
  };
}

function resultsByEvent(markets: readonly MarketAnalysis[]): readonly number[] {
  const results = new Map<string, number>();
  for (const { eventTitle, conditionId, result } of markets) {
    const event = eventTitle === '' ? conditionId : eventTitle;
    results.set(event, (results.get(event) ?? 0) + result.resultMicros);
  }
  return [...results.values()];
}

function caveatFor(events: number): string {
  if (events === 0) return 'Nothing was filled, so there is no result per event.';
  const jumps =
    'A settlement is a jump, and the markets of one event settle together: a Sharpe ratio of daily returns would flatter. This one is per event and must not be annualised.';
  if (events === 1) return `${jumps} One event is one sample: neither a deviation nor an interval can be had from it.`;
  if (events < FEW_EVENTS) return `${jumps} With ${events} events it says little, and the interval is too narrow.`;
  return jumps;
}
