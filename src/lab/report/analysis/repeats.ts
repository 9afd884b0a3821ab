/** Repeats of one backtest under one fill model: common figures and their spread. */

import { computeMean, computeMoments } from '../../../shared/statistics/moments.js';
import { drawInterval, eventOf, LEAST_EVENTS, resultsByEvent } from './events.js';
import { playedByAll } from './markets.js';
import type { MarkoutHorizon } from './markouts.js';
import type { Figures } from './session-figures.js';
import { sum } from './total.js';

/** Kept figures of one repeat. */
export type RepeatedRun = ReturnType<typeof runFigures>;

export function runFigures(analysis: Figures, traceHash: string) {
  const { result, trading, assumptions, markets } = analysis;
  return {
    seed: assumptions.seed ?? 0,
    traceHash,
    resultMicros: result.resultMicros,
    spreadMicros: result.spreadMicros,
    fills: trading.fills,
    markout5sMicros: findMarkout(analysis, 5_000),
    markout60sMicros: findMarkout(analysis, 60_000),
    markets: markets.map((market) => ({
      conditionId: market.conditionId,
      event: eventOf(market),
      resultMicros: market.result.resultMicros,
      fills: market.fills,
      isPlayed: market.isPlayed,
    })),
  };
}

const findMarkout = ({ markouts }: Figures, wanted: MarkoutHorizon): number | null =>
  markouts.find(({ horizon, side }) => horizon === wanted && side === 'all')?.markoutMicros ?? null;

/** Index of the run with the middle result: the lower one of an even number, the first on ties. */
export function findMiddle(runs: readonly RepeatedRun[]): number {
  const order = runs.map(({ resultMicros }, place) => ({ resultMicros, place }));
  order.sort((a, b) => a.resultMicros - b.resultMicros || a.place - b.place);
  return order[Math.floor((order.length - 1) / 2)]?.place ?? 0;
}

export type RepeatFigures = ReturnType<typeof computeRepeats>;

/**
 * One or more runs with different poll phases and latencies. `seed`: of the interval. `played`: markets over which
 * models are compared; `compared` is null when those are all.
 */
export function computeRepeats(runs: readonly RepeatedRun[], seed: number, played = playedByAll(runs)) {
  const ofMarkets = Math.max(...runs.map(({ markets }) => markets.length));
  const compared = runs.map(({ markets }) => markets.filter(({ conditionId }) => played.has(conditionId)));
  return {
    count: runs.length,
    ...resultIn(
      runs.map(({ markets }) => markets),
      seed,
    ),
    compared: played.size === ofMarkets ? null : { markets: played.size, ofMarkets, ...resultIn(compared, seed) },
    spreadMicros: spreadIn(runs.map(({ spreadMicros }) => spreadMicros)),
    fills: spreadIn(runs.map(({ fills }) => fills)),
    markout5sMicros: spreadIn(runs.map(({ markout5sMicros }) => markout5sMicros)),
    markout60sMicros: spreadIn(runs.map(({ markout60sMicros }) => markout60sMicros)),
    runs: runs.map(({ seed, resultMicros, fills, traceHash }) => ({ seed, resultMicros, fills, traceHash })),
  };
}

/** Markets of each run. No interval below `LEAST_EVENTS` events with a fill in at least one run. */
function resultIn(runs: readonly RepeatedRun['markets'][], seed: number) {
  const byEvent = runs.map(resultsByEvent);
  const events = [...new Set(byEvent.flatMap((results) => [...results.keys()]))];
  // The mean of its repeats is one sample of an event: differences of repeats are no further evidence.
  const means = events.map((event) => computeMean(byEvent.map((results) => results.get(event) ?? 0)) ?? 0);
  return {
    events: events.length,
    resultMicros: spreadIn(runs.map((markets) => sum(markets.map(({ resultMicros }) => resultMicros)))),
    intervalMicros: events.length < LEAST_EVENTS ? null : drawInterval(means, seed),
  };
}

/** One figure over the runs. The deviation is the sample's: null for a single run. */
export interface RunSpread {
  readonly mean: number | null;
  readonly deviation: number | null;
  readonly lowest: number | null;
  readonly highest: number | null;
}

function spreadIn(values: readonly (number | null)[]): RunSpread {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return { mean: null, deviation: null, lowest: null, highest: null };
  const { mean, standardDeviation } = computeMoments(known);
  return { mean, deviation: standardDeviation, lowest: Math.min(...known), highest: Math.max(...known) };
}
