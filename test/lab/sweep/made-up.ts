/** Made-up results of a sweep, without a backtest: for the store, the judgement, the page and the tables. */

import type { Axis, SweptEvent, TaskFigures } from '../../../src/lab/sweep/contract.js';
import { assignFolds, foldCount } from '../../../src/lab/sweep/facts.js';
import { Outcomes, type SweepResult } from '../../../src/lab/sweep/result.js';
import { computeResult } from '../../../src/lab/sweep/sweep.js';
import { Random } from '../../../src/shared/base/random.js';
import { FIRST_MS, market } from '../backtest/recordings.js';

export const MODELS = ['risk-averse', 'power:3'];
export const HOUR_MS = 3_600_000;

/** Figures with these results by event, and a matching trace. */
export function figuresOf(eventResults: readonly number[], changes: Partial<TaskFigures> = {}): TaskFigures {
  return {
    resultMicros: eventResults.reduce((sum, value) => sum + value, 0),
    maxDrawdownMicros: 12_340_000,
    fills: 40,
    alarms: 0,
    traceHash: eventResults.join(' '),
    eventResults,
    ...changes,
  };
}

/** One market as a sweep plans it, from and to hours after `FIRST_MS`. */
export const plannedMarket = (
  name: string,
  fromHour: number,
  toHour: number,
  eventTitle = name,
): Parameters<typeof assignFolds>[0][number] => ({
  market: market({ conditionId: `id of ${name}`, eventTitle }),
  firstMs: FIRST_MS + fromHour * HOUR_MS,
  lastMs: FIRST_MS + toHour * HOUR_MS,
  events: 10,
  hash: '',
});

/** The outcomes of configurations; `resultOf` gives the result of an event, null for a configuration that failed. */
export function outcomesOf(
  configurations: number,
  events: readonly SweptEvent[],
  resultOf: (number: number, model: number, event: number) => number | null,
  error = 'broken',
): Outcomes {
  const folds = foldCount(events);
  const kept = new Map<string, readonly number[]>();
  const outcomes = new Outcomes(folds, MODELS, (...at) => kept.get(at.join()) ?? []);
  for (let number = 1; number <= configurations; number++) {
    for (const [model, fillModel] of MODELS.entries()) {
      for (let fold = 0; fold < folds; fold++) {
        const places = [...events.keys()].filter((place) => events[place]?.fold === fold);
        const results = places.map((place) => resultOf(number, model, place));
        const found = results.filter((result) => result !== null);
        kept.set([number, fold, fillModel].join(), found);
        const isKnown = number + model + fold > 1;
        const isDone = found.length === results.length;
        outcomes.set(
          { number, fold, fillModel },
          isDone
            ? { kind: 'done', figures: figuresOf(found, { maxDrawdownMicros: isKnown ? fold + 1 : null, fills: 2 }) }
            : { kind: 'failed', error },
        );
      }
    }
  }
  return outcomes;
}

export interface Wanted {
  readonly events: number;
  readonly sizes: readonly number[];
  /** Title of the strategy, of the first event and of the first axis. */
  readonly title?: string;
  readonly failed?: number;
}

const NAMES = ['half_spread_ticks', 'risk_aversion', 'improve_ticks', 'stale_sigmas'];

/** Results with a hill in the middle of the space, and noise. */
export function madeUp({ events: count, sizes, title = 'maker', failed = 0 }: Wanted): SweepResult {
  const markets = Array.from({ length: count }, (_, n) =>
    plannedMarket(`market ${n}`, n, n + 0.8, n === 0 ? title : `Event ${n}`),
  );
  const events = assignFolds(markets, null);
  const axes = sizes.map((size, index): Axis => {
    const name = index === 0 && title !== 'maker' ? title : (NAMES[index] ?? `parameter_${index}`);
    return { name: `maker.${name}`, strategy: 'maker', path: [name], choice: { kind: 'values', values: range(size) } };
  });
  const candidates = combinations(sizes).map((values, index) => ({ number: index + 1, values, hash: `${index}` }));
  const hills = candidates.map(({ values }) =>
    values.reduce((sum, value, axis) => sum - ((value - (sizes[axis] ?? 0) / 2) / (sizes[axis] ?? 1)) ** 2, 0.25),
  );
  const random = Random.fromSeed(3, 'sweep page');
  const draw = (number: number, model: number) =>
    number <= failed ? null : Math.round(((hills[number - 1] ?? 0) * 8 + 6 * random.normal() + model) * 1e6);
  const outcomes = outcomesOf(candidates.length, events, draw, `the thread ended: <b>${title}</b>`);
  const facts = {
    subject: 'recordings' as const,
    title,
    search: { kind: 'grid' as const, axes, candidates, leftOut: [], wanted: candidates.length },
    events,
    data: { markets, empty: [] },
    assumptions: {
      version: '0',
      configHash: 'c'.repeat(64),
      dataHash: 'd'.repeat(64),
      seed: 1,
      repeat: 1,
      fillModels: MODELS,
      latency: 'constant:150',
      folds: foldCount(events),
      embargoMs: 0,
      data: [`${count} markets from a recording of ${title}`],
    },
  };
  return computeResult(facts, outcomes, candidates.length);
}

const range = (size: number): number[] => Array.from({ length: size }, (_, index) => index + 1);

function combinations(sizes: readonly number[]): number[][] {
  const [first, ...rest] = sizes;
  if (first === undefined) return [[]];
  const others = combinations(rest);
  return range(first).flatMap((value) => others.map((values) => [value, ...values]));
}
