/** Repeats of one backtest under one fill model: what they have in common, and how far they lie apart. */

import { bootstrapByEvent } from '../../../shared/statistics/bootstrap.js';
import { meanOf, momentsOf } from '../../../shared/statistics/moments.js';
import { counted, gain } from '../figures.js';
import type { Analysis, BracketVerdict, MarkoutHorizon, RepeatFigures, RunSpread } from './contract.js';
import { LEAST_EVENTS } from './events.js';

/** What is kept of one repeat. */
export interface RepeatedRun {
  readonly seed: number;
  readonly traceHash: string;
  readonly resultMicros: number;
  readonly spreadMicros: number | null;
  readonly fills: number;
  /** A share. */
  readonly markout5sMicros: number | null;
  readonly markout60sMicros: number | null;
  /** Results of the events with a fill. */
  readonly events: ReadonlyMap<string, number>;
}

export function runFigures(analysis: Analysis, traceHash: string): RepeatedRun {
  const { result, trading, assumptions, markets } = analysis;
  const events = new Map<string, number>();
  for (const { fills, eventTitle, conditionId, result: split } of markets) {
    const event = eventTitle === '' ? conditionId : eventTitle;
    if (fills > 0) events.set(event, (events.get(event) ?? 0) + split.resultMicros);
  }
  return {
    seed: assumptions.seed ?? 0,
    traceHash,
    resultMicros: result.resultMicros,
    spreadMicros: result.spreadMicros,
    fills: trading.fills,
    markout5sMicros: markoutOf(analysis, 5_000),
    markout60sMicros: markoutOf(analysis, 60_000),
    events,
  };
}

const markoutOf = ({ markouts }: Analysis, wanted: MarkoutHorizon): number | null =>
  markouts.find(({ horizon, side }) => horizon === wanted && side === 'all')?.markoutMicros ?? null;

/** The place of the run with the middle result: of an even number the lower one, of equal ones the first. */
export function middleOf(runs: readonly RepeatedRun[]): number {
  const order = runs.map(({ resultMicros }, place) => ({ resultMicros, place }));
  order.sort((a, b) => a.resultMicros - b.resultMicros || a.place - b.place);
  return order[Math.floor((order.length - 1) / 2)]?.place ?? 0;
}

/** One run or more; `seed` is of the interval. */
export function repeatsOf(runs: readonly RepeatedRun[], seed: number): RepeatFigures {
  const events = [...new Set(runs.flatMap((run) => [...run.events.keys()]))];
  // The mean of its repeats is one sample of an event: what differs between repeats is no further evidence.
  const means = events.map((event) => meanOf(runs.map((run) => run.events.get(event) ?? 0)) ?? 0);
  const statistic = (sample: readonly number[]): number => sample.reduce((total, result) => total + result, 0);
  const interval = events.length < LEAST_EVENTS ? null : bootstrapByEvent({ events: means, statistic, seed });
  return {
    count: runs.length,
    events: events.length,
    resultMicros: spreadIn(runs.map(({ resultMicros }) => resultMicros)),
    intervalMicros: interval === null ? null : [Math.round(interval.low), Math.round(interval.high)],
    spreadMicros: spreadIn(runs.map(({ spreadMicros }) => spreadMicros)),
    fills: spreadIn(runs.map(({ fills }) => fills)),
    markout5sMicros: spreadIn(runs.map(({ markout5sMicros }) => markout5sMicros)),
    markout60sMicros: spreadIn(runs.map(({ markout60sMicros }) => markout60sMicros)),
    runs: runs.map((run) => ({
      seed: run.seed,
      resultMicros: run.resultMicros,
      fills: run.fills,
      traceHash: run.traceHash,
    })),
  };
}

function spreadIn(values: readonly (number | null)[]): RunSpread {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return { mean: null, deviation: null, lowest: null, highest: null };
  const { mean, standardDeviation } = momentsOf(known);
  return { mean, deviation: standardDeviation, lowest: Math.min(...known), highest: Math.max(...known) };
}

/** `gain` or `loss` only where the whole interval lies on that side of 0. */
export function directionOf({ intervalMicros }: RepeatFigures): BracketVerdict['points'] {
  if (intervalMicros === null) return 'unclear';
  if (intervalMicros[0] > 0) return 'gain';
  return intervalMicros[1] < 0 ? 'loss' : 'unclear';
}

export interface RepeatedModel {
  readonly model: string;
  readonly repeats: RepeatFigures;
}

/** What the repeats of all models together say, in words. */
export function repeatVerdict(models: readonly RepeatedModel[]): BracketVerdict {
  const points = models.map(({ repeats }) => directionOf(repeats));
  const signFlips = points.includes('gain') && points.includes('loss');
  const direction = points.every((point) => point === points[0]) ? (points[0] ?? 'unclear') : 'unclear';
  const least = Math.min(...models.map(({ repeats }) => repeats.events));
  const few = least < LEAST_EVENTS ? ` ${counted(least, 'event')} with a fill say nothing of the next ones.` : '';
  const figures = models.map(({ model, repeats }) => `${figureText(repeats)} (${model})`).join('; ');
  const times = counted(models[0]?.repeats.count ?? 0, 'repeat');
  return {
    signFlips,
    points: direction,
    text: `${WORDS[signFlips ? 'flips' : direction]} Mean of ${times}: ${figures}.${few}`,
  };
}

const WORDS = {
  gain: 'A gain: every interval lies above 0.',
  loss: 'A loss: every interval lies below 0.',
  unclear: 'Neither a gain nor a loss is shown: not every interval leaves 0 out.',
  flips: 'Fill models contradict each other beyond their intervals, so this test shows neither a gain nor a loss.',
} as const;

function figureText({ resultMicros: { mean, deviation, lowest, highest }, intervalMicros }: RepeatFigures): string {
  const interval =
    intervalMicros === null ? '' : `, 95 % interval ${gain(intervalMicros[0])} … ${gain(intervalMicros[1])}`;
  const apart = deviation === null ? '' : `, deviation ${gain(deviation).replace('+', '')}`;
  return `${gain(mean)}, repeats from ${gain(lowest)} to ${gain(highest)}${apart}${interval}`;
}
