/** Results of a sweep that are made up: for the page and the tables, without a backtest. */

import type { Axis, SweepResult } from '../../../src/lab/sweep/contract.js';
import { assignFolds, foldCount } from '../../../src/lab/sweep/folds.js';
import { judge } from '../../../src/lab/sweep/judge.js';
import type { PlannedMarket } from '../../../src/lab/sweep/reading.js';
import { Outcomes } from '../../../src/lab/sweep/results/outcomes.js';
import { walkForward } from '../../../src/lab/sweep/walk-forward.js';
import { Random } from '../../../src/shared/base/random.js';
import { FIRST_MS, market } from '../backtest/recordings.js';
import { figuresOf } from './made-up.js';

const MODELS = ['risk-averse', 'power:3'];
const HOUR_MS = 3_600_000;

export interface Wanted {
  readonly events: number;
  /** Values of each axis. */
  readonly sizes: readonly number[];
  /** Of the strategy, of the first event and of the first axis. */
  readonly title?: string;
  readonly failed?: number;
}

/** Results with a hill somewhere in the middle of the space, and noise. */
export function madeUp({ events: count, sizes, title = 'maker', failed = 0 }: Wanted): SweepResult {
  const events = assignFolds(
    Array.from({ length: count }, (_, n) => readMarket(n, title)),
    null,
  );
  const axes = sizes.map((size, index): Axis => {
    const name = index === 0 && title !== 'maker' ? title : (NAMES[index] ?? `parameter_${index}`);
    return { name: `maker.${name}`, strategy: 'maker', path: [name], choice: { kind: 'values', values: range(size) } };
  });
  const candidates = combinations(sizes).map((values, index) => ({ number: index + 1, values, hash: `${index}` }));
  const folds = foldCount(events);
  const outcomes = new Outcomes(folds, MODELS);
  const random = Random.fromSeed(3, 'sweep page');
  for (const { number, values } of candidates) {
    const hill = values.reduce(
      (sum, value, axis) => sum - ((value - (sizes[axis] ?? 0) / 2) / (sizes[axis] ?? 1)) ** 2,
      0.25,
    );
    for (const [model, fillModel] of MODELS.entries()) {
      for (let fold = 0; fold < folds; fold++) {
        const eventResults = events.flatMap((event) =>
          event.fold === fold ? [Math.round((hill * 8 + 6 * random.normal() + model) * 1e6)] : [],
        );
        const figures = figuresOf(eventResults);
        outcomes.set(
          { number, fold, fillModel },
          number <= failed ? { kind: 'failed', error: `the worker ended: <b>${title}</b>` } : { kind: 'done', figures },
        );
      }
    }
  }
  const judged = judge(candidates, events, MODELS, outcomes, candidates.length);
  const done = judged.configurations.filter(({ status }) => status === 'done');
  const question = {
    candidates: candidates.slice(failed),
    events,
    fillModels: MODELS,
    outcomes,
    embargoMs: 0,
  };
  return {
    format: 1,
    subject: 'recordings',
    title,
    assumptions: {
      version: '0',
      configHash: 'c'.repeat(64),
      dataHash: 'd'.repeat(64),
      seed: 1,
      repeat: 1,
      fillModels: MODELS,
      latency: 'constant:150',
      folds,
      embargoMs: 0,
      data: [`${count} markets from a recording of ${title}`],
    },
    search: { kind: 'grid', axes, leftOut: [] },
    counts: {
      configurations: candidates.length,
      done: done.length,
      failed,
      unfinished: 0,
      tried: candidates.length,
      flipping: done.filter(({ signFlips }) => signFlips).length,
      events: count,
    },
    events,
    models: judged.models,
    configurations: judged.configurations,
    walkForward: walkForward({ ...question, trials: judged.trials }),
    fresh: null,
    notes: [
      { level: 'caution', text: 'Some configurations gain under one fill model and lose under another: reject them.' },
      { level: 'note', text: 'Each fold begins with the whole capital.' },
    ],
  };
}

const NAMES = ['half_spread_ticks', 'risk_aversion', 'improve_ticks', 'stale_sigmas'];

const range = (size: number): number[] => Array.from({ length: size }, (_, index) => index + 1);

function combinations(sizes: readonly number[]): number[][] {
  const [first, ...rest] = sizes;
  if (first === undefined) return [[]];
  const others = combinations(rest);
  return range(first).flatMap((value) => others.map((values) => [value, ...values]));
}

const readMarket = (n: number, title: string): PlannedMarket => ({
  market: market({ conditionId: `market ${n}`, eventTitle: n === 0 ? title : `Event ${n}` }),
  firstMs: FIRST_MS + n * HOUR_MS,
  lastMs: FIRST_MS + (n + 0.8) * HOUR_MS,
  events: 54_321,
  hash: '',
});
