/** Repeats: their draws, their reproducibility, and the rule by which their mean is a gain. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { type BacktestOptions, type BacktestResult, backtest } from '../../../src/lab/backtest/backtest.js';
import { repeatVerdict } from '../../../src/lab/report/analysis/analyse.js';
import { playedByAll } from '../../../src/lab/report/analysis/markets.js';
import {
  computeRepeats,
  findMiddle,
  type RepeatFigures,
  type runFigures,
} from '../../../src/lab/report/analysis/session-figures.js';
import { reportHtml } from '../../../src/lab/report/html/report-html.js';
import { summaryTable } from '../../../src/lab/report/summary.js';
import { must } from '../../../src/shared/base/errors.js';
import { record, sweepPlace } from '../sweep/place.js';

type RepeatedRun = ReturnType<typeof runFigures>;

const REPEAT = 3;

async function runAnew(options: Partial<BacktestOptions>): Promise<readonly BacktestResult[]> {
  const place = sweepPlace();
  onTestFinished(() => place.remove());
  await record(place.data, { events: 1 });
  const files = { config: place.config, data: [place.data] };
  return backtest({ ...files, latency: 'constant:120', fillModels: ['risk-averse'], ...options });
}

/** Runs are slow: runs for several tests are played once. */
const done = new Map<string, Promise<readonly BacktestResult[]>>();

function run(options: Partial<BacktestOptions>): Promise<readonly BacktestResult[]> {
  const key = JSON.stringify(options);
  const results = done.get(key) ?? runAnew(options);
  done.set(key, results);
  return results;
}

const hashesOf = (repeats: RepeatFigures | undefined) => repeats?.runs.map(({ traceHash }) => traceHash) ?? [];

describe('repeats of a backtest', () => {
  it('are the same again, to the byte, and others with another seed', async () => {
    const [first] = await run({ repeat: REPEAT });
    const [again] = await runAnew({ repeat: REPEAT });
    const [other] = await run({ repeat: REPEAT, seed: 2 });
    expect(again?.analysis.repeats).toEqual(first?.analysis.repeats);
    expect(again?.traceHash).toBe(first?.traceHash);
    expect(new Set([...hashesOf(first?.analysis.repeats), ...hashesOf(other?.analysis.repeats)]).size).toBe(2 * REPEAT);
  });

  it('draw the same for every fill model, and more of them begin with the same ones', async () => {
    const both = await run({ repeat: 2, fillModels: ['risk-averse', 'optimistic'] });
    const [more] = await run({ repeat: REPEAT });
    const seeds = both.map(({ analysis }) => analysis.repeats?.runs.map(({ seed }) => seed));
    expect(seeds[1]).toEqual(seeds[0]);
    expect(hashesOf(more?.analysis.repeats).slice(0, 2)).toEqual(hashesOf(both[0]?.analysis.repeats));
  });

  it('leave a single run what it was', async () => {
    const [plain] = await run({});
    const [one] = await run({ repeat: 1 });
    expect(one?.traceHash).toBe(plain?.traceHash);
    expect(one?.analysis.repeats).toBeUndefined();
  });

  it('show the run with the middle result in detail, and their mean and spread above it', async () => {
    const result = must((await run({ repeat: REPEAT }))[0], 'a result');
    const { repeats, result: shown } = result.analysis;
    const results = repeats?.runs.map(({ resultMicros }) => resultMicros).sort((a, b) => a - b) ?? [];
    expect(shown.resultMicros).toBe(results[1]);
    const mean = results.reduce((sum, each) => sum + each, 0) / REPEAT;
    expect(repeats?.resultMicros.mean).toBeCloseTo(mean, 6);
    expect([repeats?.resultMicros.lowest, repeats?.resultMicros.highest]).toEqual([results[0], results[2]]);
    expect(summaryTable([result.analysis])).toMatch(/^3 repeats +risk-averse\nResult, mean .* ± /);
    expect(reportHtml({ sessions: [result.session] }, [result.analysis])).toContain('id="repeats"');
  });
});

/** Runs with these results of their events, in currency. */
const runs = (results: readonly (readonly number[])[]): RepeatedRun[] =>
  results.map((events, index) => ({
    seed: index,
    traceHash: String(index),
    resultMicros: events.reduce((sum, event) => sum + event * 1e6, 0),
    spreadMicros: 1,
    fills: events.length,
    markout5sMicros: null,
    markout60sMicros: null,
    markets: events.map((event, at) => ({
      conditionId: `market ${at}`,
      event: `event ${at}`,
      resultMicros: event * 1e6,
      fills: 1,
      isPlayed: true,
    })),
  }));

const withoutFills = ({ markets, ...run }: RepeatedRun): RepeatedRun => ({
  ...run,
  markets: markets.map((market) => ({ ...market, resultMicros: 0, fills: 0 })),
});

/** From this market on nothing is played and nothing lost. */
const haltedFrom = (from: number, { markets, ...run }: RepeatedRun): RepeatedRun => ({
  ...run,
  markets: markets.map((market, at) =>
    at < from ? market : { ...market, resultMicros: 0, fills: 0, isPlayed: false },
  ),
});

const EVENTS = 12;
const same = (value: number) => Array.from({ length: EVENTS }, () => value);
const mixed = (mean: number) => Array.from({ length: EVENTS }, (_, at) => mean + (at % 2 === 0 ? 5 : -5));
const verdictOf = (...models: (readonly (readonly number[])[])[]) =>
  repeatVerdict(models.map((results, at) => ({ model: `model ${at}`, repeats: computeRepeats(runs(results), 1) })));

describe('the words on repeats', () => {
  it('call it a gain or a loss only where every interval leaves 0 out', () => {
    expect(verdictOf([same(1), same(2)])).toMatchObject({ points: 'gain', signFlips: false });
    expect(verdictOf([same(-1), same(-2)]).points).toBe('loss');
    expect(verdictOf([mixed(0.5), mixed(1)])).toMatchObject({ points: 'unclear', signFlips: false });
    const gain = [same(1), same(2)];
    expect(verdictOf(gain, [mixed(0.5), mixed(1)])).toMatchObject({ points: 'unclear', signFlips: false });
    expect(verdictOf(gain, [same(-1), same(-2)])).toMatchObject({ points: 'unclear', signFlips: true });
  });

  it('take repeats of few events for few events', () => {
    const many = Array.from({ length: 50 }, () => [1, 2]);
    expect(verdictOf(many).points).toBe('unclear');
    expect(computeRepeats(runs(many), 1).intervalMicros).toBeNull();
  });

  it('count an event without a fill in one run as nothing gained there', () => {
    const both = runs([same(2), same(2)]).map((run, at) => (at === 0 ? run : withoutFills(run)));
    const { intervalMicros } = computeRepeats(both, 1);
    expect(intervalMicros).toEqual([EVENTS * 1e6, EVENTS * 1e6]);
  });

  it('take means that are no whole millionths, as those of three runs are', () => {
    const third = 1e-6 / 3;
    const { resultMicros, intervalMicros } = computeRepeats(runs([same(1e-6), same(0), same(0)]), 1);
    expect(resultMicros.mean).toBeCloseTo(EVENTS * third * 1e6, 9);
    expect(intervalMicros).toEqual([4, 4]);
  });
});

describe('repeats in which a limit halted the trader', () => {
  /** Each run gains 1 in each of nine events, and loses 20 in each of the next three. */
  const whole = runs([same(1), same(1)].map((gains) => gains.map((value, at) => (at < 9 ? value : -20))));

  it('are compared over the markets that every run of every model played', () => {
    const cut = whole.map((run, at) => (at === 1 ? haltedFrom(9, run) : run));
    const played = playedByAll([...whole, ...cut]);
    const models = [whole, cut].map((each, at) => ({ model: `model ${at}`, repeats: computeRepeats(each, 1, played) }));
    for (const { repeats } of models)
      expect(repeats.compared).toMatchObject({ markets: 9, ofMarkets: 12, events: 9, intervalMicros: [9e6, 9e6] });
    const verdict = repeatVerdict(models);
    expect(verdict.points).toBe('gain');
    expect(verdict.text).toContain('The comparison uses the 9 markets of 12 that every fill model played.');
    // The total is unchanged: a loss without a halt.
    expect(models[0]?.repeats.resultMicros.mean).toBe(-51e6);
  });

  it('are all there is where every run played everything', () => {
    expect(computeRepeats(whole, 1).compared).toBeNull();
    expect(repeatVerdict([{ model: 'model', repeats: computeRepeats(whole, 1) }]).text).not.toContain('played');
  });
});

it('the run in the middle is that with the lower of two middle results, the first of equals', () => {
  expect([findMiddle(runs([[3], [1], [2]])), findMiddle(runs([[4], [1], [2], [3]]))]).toEqual([2, 2]);
  expect(findMiddle(runs([[1], [1], [1]]))).toBe(1);
});
