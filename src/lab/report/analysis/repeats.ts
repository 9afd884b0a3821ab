/** Repeats of one backtest under one fill model: what they have in common, and how far they lie apart. */

import { computeMean, computeMoments } from '../../../shared/statistics/moments.js';
import { count, formatGain, formatInterval, formatQuantity } from '../figures.js';
import { drawInterval, eventOf, type Interval, LEAST_EVENTS, resultsByEvent } from './events.js';
import { playedByAll } from './markets.js';
import type { MarkoutHorizon } from './markouts.js';
import type { Figures } from './session-figures.js';
import { sum } from './total.js';

/** What is kept of one repeat. */
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

/** The place of the run with the middle result: of an even number the lower one, of equal ones the first. */
export function findMiddle(runs: readonly RepeatedRun[]): number {
  const order = runs.map(({ resultMicros }, place) => ({ resultMicros, place }));
  order.sort((a, b) => a.resultMicros - b.resultMicros || a.place - b.place);
  return order[Math.floor((order.length - 1) / 2)]?.place ?? 0;
}

export type RepeatFigures = ReturnType<typeof computeRepeats>;

/**
 * One run or more, which differ in when polls fall and how long calls take. `seed` is of the interval, `played` holds the
 * markets that models are compared over; `compared` is null where those are all.
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

type RepeatedResult = ReturnType<typeof resultIn>;

/** Of each run its markets. No interval below `LEAST_EVENTS` events with a fill in at least one run. */
function resultIn(runs: readonly RepeatedRun['markets'][], seed: number) {
  const byEvent = runs.map(resultsByEvent);
  const events = [...new Set(byEvent.flatMap((results) => [...results.keys()]))];
  // The mean of its repeats is one sample of an event: what differs between repeats is no further evidence.
  const means = events.map((event) => computeMean(byEvent.map((results) => results.get(event) ?? 0)) ?? 0);
  return {
    events: events.length,
    resultMicros: spreadIn(runs.map((markets) => sum(markets.map(({ resultMicros }) => resultMicros)))),
    intervalMicros: events.length < LEAST_EVENTS ? null : drawInterval(means, seed),
  };
}

/** Of one figure, over the runs. The deviation is of the sample: null for a single run. */
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

/** Several fill models side by side. */
export interface BracketVerdict {
  /** True when the result is above 0 under one model and below it under another, over the markets that all of them played. */
  readonly signFlips: boolean;
  /** Which way all intervals point; `unclear` when one of them holds 0, or there are too few events to have one. */
  readonly points: 'gain' | 'loss' | 'unclear';
  /** In words; empty for a single session. */
  readonly text: string;
}

/** `gain` or `loss` only where the whole interval lies on that side of 0. */
export function judgeInterval(interval: Interval | null): BracketVerdict['points'] {
  if (interval === null) return 'unclear';
  if (interval[0] > 0) return 'gain';
  return interval[1] < 0 ? 'loss' : 'unclear';
}

export interface RepeatedModel {
  readonly model: string;
  readonly repeats: RepeatFigures;
}

/** What the repeats of all models together say, in words. */
export function repeatVerdict(models: readonly RepeatedModel[]): BracketVerdict {
  const results = models.map(({ model, repeats }) => ({ model, result: repeats.compared ?? repeats }));
  const points = results.map(({ result }) => judgeInterval(result.intervalMicros));
  const signFlips = points.includes('gain') && points.includes('loss');
  const direction = points.every((point) => point === points[0]) ? (points[0] ?? 'unclear') : 'unclear';
  const least = Math.min(...results.map(({ result }) => result.events));
  const few =
    least < LEAST_EVENTS ? ` ${formatQuantity(least, 'event')} with a fill say nothing of the next ones.` : '';
  const figures = results.map(({ model, result }) => `${figureText(result)} (${model})`).join('; ');
  const times = formatQuantity(models[0]?.repeats.count ?? 0, 'repeat');
  return {
    signFlips,
    points: direction,
    text: `${WORDS[signFlips ? 'flips' : direction]} Mean of ${times}: ${figures}.${few}${overText(models)}`,
  };
}

function overText(models: readonly RepeatedModel[]): string {
  const [compared] = models.flatMap(({ repeats }) => repeats.compared ?? []);
  if (compared === undefined) return '';
  const { markets, ofMarkets } = compared;
  const missing = `${count(ofMarkets - markets)} of ${formatQuantity(ofMarkets, 'market')}`;
  return ` Compared over the others: ${missing} were not played in every run of every model.`;
}

const WORDS = {
  gain: 'A gain: every interval lies above 0.',
  loss: 'A loss: every interval lies below 0.',
  unclear: 'Neither a gain nor a loss is shown: not every interval leaves 0 out.',
  flips: 'Fill models contradict each other beyond their intervals, so this test shows neither a gain nor a loss.',
} as const;

function figureText({ resultMicros: { mean, deviation, lowest, highest }, intervalMicros }: RepeatedResult): string {
  const interval = intervalMicros === null ? '' : `, 95 % interval ${formatInterval(intervalMicros)}`;
  const apart = deviation === null ? '' : `, deviation ${formatGain(deviation).replace('+', '')}`;
  return `${formatGain(mean)}, repeats from ${formatGain(lowest)} to ${formatGain(highest)}${apart}${interval}`;
}
