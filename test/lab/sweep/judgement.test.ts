/** Folds, ranking, ratios and walking forward, on made-up results. */

import { describe, expect, it } from 'vitest';
import type { SweptEvent } from '../../../src/lab/sweep/contract.js';
import { assignFolds, foldCount, trainingFor } from '../../../src/lab/sweep/facts.js';
import { judge, walkForward, worstDrawdown } from '../../../src/lab/sweep/result.js';
import { must } from '../../../src/shared/base/errors.js';
import { deflatedSharpe, observedSharpe } from '../../../src/shared/statistics/sharpe.js';
import { FIRST_MS } from '../backtest/recordings.js';
import { HOUR_MS, MODELS, outcomesOf, plannedMarket } from './made-up.js';

const hourly = (count: number): Parameters<typeof assignFolds>[0][number][] =>
  Array.from({ length: count }, (_, n) => plannedMarket(`e${n + 10}`, n, n + 0.9));

const foldOf = (events: readonly SweptEvent[]): Record<string, number> =>
  Object.fromEntries(events.map(({ title, fold }) => [title, fold]));

describe('folds', () => {
  it('hold whole events in order of time, about as many in each', () => {
    const markets = [
      plannedMarket('c', 5, 6),
      plannedMarket('b1', 1, 2, 'b'),
      plannedMarket('a', 0, 3),
      plannedMarket('b2', 2, 9, 'b'),
      plannedMarket('d', 7, 8),
    ];
    const events = assignFolds(markets, 2);
    expect(foldOf(events)).toEqual({ a: 0, b: 0, c: 1, d: 1 });
    expect(events[1]).toMatchObject({ title: 'b', conditionIds: ['id of b1', 'id of b2'], played: 20 });
    expect(events[1]).toMatchObject({ fromMs: FIRST_MS + HOUR_MS, toMs: FIRST_MS + 9 * HOUR_MS });
  });

  it('take events of one title with two ids for two events', () => {
    const [a, b] = [plannedMarket('a', 0, 1, 'Up?'), plannedMarket('b', 1, 2, 'Up?')];
    const withId = (one: typeof a, eventConditionId: string) => ({
      ...one,
      market: { ...one.market, eventConditionId },
    });
    expect(assignFolds([withId(a, 'E1'), withId(b, 'E2')], null).map(({ title }) => title)).toEqual(['Up?', 'Up?']);
    expect(assignFolds([withId(a, 'E1'), withId(b, 'E1')], null)).toHaveLength(1);
  });

  it('take a market without an event for an event of its own', () =>
    expect(assignFolds([plannedMarket('a', 0, 1, ''), plannedMarket('b', 1, 2, '')], null)).toHaveLength(2));

  it.each([
    [1, 1],
    [3, 1],
    [4, 2],
    [7, 3],
    [22, 4],
  ])('of %i events are %i unless told', (events, folds) => {
    expect(foldCount(assignFolds(hourly(events), null))).toBe(folds);
  });

  it('are never more than there are events', () => {
    expect(foldCount(assignFolds(hourly(3), 3))).toBe(3);
    expect(() => assignFolds(hourly(3), 4)).toThrow('cannot divide 3 events into 4 folds');
  });

  it('learn only from what was over, and for as long as was asked, when they begin', () => {
    const markets = [plannedMarket('a', 0, 1), plannedMarket('b', 0.5, 2.5), plannedMarket('c', 2, 3)];
    const events = assignFolds([...markets, plannedMarket('d', 2.2, 4)], 2);
    expect(trainingFor(events, 1, 0)).toEqual({ learned: [0], purged: [1] });
    expect(trainingFor(events, 1, HOUR_MS)).toEqual({ learned: [0], purged: [1] });
    expect(trainingFor(events, 1, HOUR_MS + 1)).toEqual({ learned: [], purged: [0, 1] });
  });
});

/** `results[number - 1][model]` are a configuration's results by event, in currency; null for one that failed. */
function swept(results: readonly (readonly (readonly number[])[] | null)[], folds: number) {
  const events = assignFolds(hourly(results.find((rows) => rows !== null)?.[0]?.length ?? 0), folds);
  const outcomes = outcomesOf(results.length, events, (number, model, event) => {
    const rows = results[number - 1] ?? null;
    return rows === null ? null : (rows[model]?.[event] ?? 0) * 1e6;
  });
  const candidates = results.map((_, index) => ({ number: index + 1, values: [index], hash: String(index) }));
  return { events, outcomes, candidates };
}

const judged = (results: Parameters<typeof swept>[0], folds = 2, tried = results.length) => {
  const { candidates, outcomes } = swept(results, folds);
  return judge(candidates, MODELS, outcomes, tried);
};

const repeated = (count: number, ...pattern: number[]): number[] =>
  Array.from({ length: count }, (_, index) => pattern[index % pattern.length] ?? 0);

/** A configuration's results by event, under each of the two models. */
const both = (...models: readonly [string, string]) => models.map((results) => results.split(' ').map(Number));

describe('a ranking', () => {
  it('goes by the lowest result of the fill models; what failed comes last', () => {
    const { configurations } = judged([both('9 9', '-1 0'), null, both('2 2', '1 4'), both('1 3', '3 1')]);
    expect(configurations).toMatchObject([
      { number: 3, status: 'done', worstMicros: 4e6, signFlips: false },
      { number: 4, status: 'done', worstMicros: 4e6, signFlips: false },
      { number: 1, status: 'done', worstMicros: -1e6, signFlips: true },
      { number: 2, status: 'failed', worstMicros: null, signFlips: false },
    ]);
    expect(configurations[3]).toMatchObject({ error: 'broken', models: [] });
    expect(configurations[0]?.models[1]).toMatchObject({ resultMicros: 5e6, maxDrawdownMicros: 2, fills: 4 });
    const first = configurations[2]?.models ?? [];
    expect([...first.map((one) => one.maxDrawdownMicros), worstDrawdown(first)]).toEqual([null, 2, null]);
  });

  it('says nothing of ratios below eight events, and never NaN', () => {
    const { configurations, models } = judged([
      [repeated(7, 1, 2), repeated(7, 3)],
      [repeated(7, 1), repeated(7, 2)],
    ]);
    for (const { models: results } of configurations) expect(results.map(({ sharpe }) => sharpe)).toEqual([null, null]);
    const none = { sharpeVariance: null, luckySharpe: null };
    expect(models).toMatchObject([none, none]);
    expect(JSON.stringify({ configurations, models })).not.toContain('NaN');
  });

  it('has no ratio for a configuration that never traded, and one for those beside it', () => {
    const { configurations } = judged([
      [repeated(8, 1, 2), repeated(8, 2, 1)],
      [repeated(8, 0), repeated(8, 0)],
    ]);
    expect(configurations[0]?.models[0]?.sharpe?.sharpe).toBeGreaterThan(0);
    expect(configurations[1]?.models[0]?.sharpe).toBeNull();
  });

  it('deflates every ratio by all that were ever tried and by how far the ratios lie apart', () => {
    const rows = [repeated(20, 5, -1, 3), repeated(20, 1, -2, 3), repeated(20, -4, 2, 0)];
    const results = rows.map((row) => [row, row] as const);
    const few = judged(results, 2, 3);
    const many = judged(results, 2, 300);
    const [best] = few.configurations;
    const variance = few.models[0]?.sharpeVariance ?? 0;
    expect(variance).toBeGreaterThan(0);
    const observed = must(observedSharpe(rows[0] ?? []), 'a ratio');
    expect(best?.models[0]?.sharpe?.deflated).toBeCloseTo(deflatedSharpe(observed, { count: 3, variance }) ?? -1, 12);
    expect(many.configurations[0]?.models[0]?.sharpe?.deflated).toBeLessThan(best?.models[0]?.sharpe?.deflated ?? 0);
    expect(many.models[0]?.luckySharpe).toBeGreaterThan(few.models[0]?.luckySharpe ?? 0);
  });

  it('of one configuration, the only one ever tried, knows no luck to be deducted', () => {
    const row = repeated(20, 5, -1, 3);
    const { models, configurations } = judged([[row, row]]);
    expect(models[0]).toMatchObject({ sharpeVariance: null, luckySharpe: 0 });
    expect(configurations[0]?.models[0]?.sharpe?.deflated).toBeGreaterThan(0.9);
  });
});

describe('walking forward', () => {
  const forward = (results: Parameters<typeof swept>[0], folds: number, embargoMs = 0) => {
    const { candidates, events, outcomes } = swept(results, folds);
    return walkForward(candidates, events, { fillModels: MODELS, folds, embargoMs }, outcomes, [null, null]);
  };
  // Four folds of two events. The first configuration is best at first, the second later, the third never.
  const same = (row: number[]) => [row, row] as const;
  const RESULTS = [same([5, 5, -9, 0, -9, 0, 1, 1]), same([1, 1, 7, 7, 2, 3, 4, 4]), same([0, 0, 0, 0, 0, 0, 9, 9])];

  it('chooses what was best on all earlier folds and shows what it then brought', () => {
    const found = forward(RESULTS, 4);
    expect(found?.steps).toMatchObject([
      { fold: 1, chosen: 1, trainEvents: 2, testEvents: 2 },
      { fold: 2, chosen: 2, trainEvents: 4, testEvents: 2 },
      { fold: 3, chosen: 2, trainEvents: 6, testEvents: 2 },
    ]);
    expect(found?.steps.map(({ inSampleMicros }) => inSampleMicros[0])).toEqual([10e6, 16e6, 21e6]);
    expect(found?.steps.map(({ outOfSampleMicros }) => outOfSampleMicros[1])).toEqual([-9e6, 5e6, 8e6]);
    expect(found?.outOfSample[0]).toMatchObject({ fillModel: 'risk-averse', resultMicros: 4e6, sharpe: null });
    expect(found?.testedEvents).toBe(6);
  });

  it('chooses by the worse of two fill models', () => {
    const [flipping, steady] = [both('9 9 1 1', '-9 -9 1 1'), both('1 1 2 2', '1 1 2 2')];
    expect(forward([flipping, steady], 2)?.steps[0]?.chosen).toBe(2);
  });

  it('chooses nothing where everything earlier was purged, and counts it', () => {
    const [step] = forward(RESULTS, 2, 100 * HOUR_MS)?.steps ?? [];
    expect(step).toMatchObject({ chosen: null, trainEvents: 0, purgedEvents: 4, outOfSampleMicros: [] });
  });

  it('needs two folds', () => expect(forward(RESULTS, 1)).toBeNull());
});
