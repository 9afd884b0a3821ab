/** Successive halving: who is played on what, and what may be said then. Results are made up; plans, folds and tables are real. */

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepTables } from '../../../src/cli/lab/sweep/sweep-tables.js';
import { type Chunk, tasksIn } from '../../../src/lab/sweep/chunks/chunk.js';
import { outcomesText } from '../../../src/lab/sweep/chunks/outcomes-file.js';
import type { SweepPlan, SweptEvent, Task, TaskOutcome } from '../../../src/lab/sweep/contract.js';
import type { SweepEngine } from '../../../src/lab/sweep/engine.js';
import { estimateSweep, playSeconds } from '../../../src/lab/sweep/estimate.js';
import { assignFolds, eventsIn } from '../../../src/lab/sweep/folds.js';
import { rungEnds } from '../../../src/lab/sweep/halving/fractions.js';
import { countEntries, makeRungs } from '../../../src/lab/sweep/halving/rungs.js';
import { sweepHtml } from '../../../src/lab/sweep/html/sweep-html.js';
import { planSweep } from '../../../src/lab/sweep/plan.js';
import { type ChunkJob, onQueue } from '../../../src/lab/sweep/queue/leader.js';
import type { PlannedMarket } from '../../../src/lab/sweep/reading.js';
import { runSweep } from '../../../src/lab/sweep/sweep.js';
import { Random } from '../../../src/shared/base/random.js';
import type { EndedJob, JobQueue } from '../../../src/shell/queue/contract.js';
import { findTooWide } from '../../cli/too-wide.js';
import { market } from '../backtest/recordings.js';
import { engineThat, figuresOf } from './made-up.js';
import { EVENT_EVERY_MS, readSweepTables, record, type SweepPlace, sweepPlace, sweepPlan, watching } from './place.js';

const HOUR_MS = 3_600_000;
const EVENTS = 10;
const CONFIGURATIONS = 12;

let place: SweepPlace;
let asked: SweepPlan;
let outs = 0;

beforeAll(async () => {
  place = sweepPlace();
  await record(place.data, { events: EVENTS, minutes: 1 / 60 });
  asked = await sweepPlan(place, { params: ['order_shares=1:12:1'], halving: [0.2, 0.5] });
});
afterAll(() => place.remove());

const planWith = (changes: Partial<SweepPlan> = {}): SweepPlan => ({
  ...asked,
  outDir: join(place.folder, `out-${++outs}`),
  ...changes,
});

/** Of a configuration in an event, by its place, under a fill model; null: it fails. */
type MadeUp = (number: number, event: number, fillModel: string) => number | null;

const outcomeOf = (
  madeUp: MadeUp,
  events: readonly SweptEvent[],
  { candidate, fold, fillModel }: Task,
): TaskOutcome => {
  const results = events.flatMap((event, at) => (event.fold === fold ? [madeUp(candidate.number, at, fillModel)] : []));
  const whole = results.flatMap((result) => (result === null ? [] : [Math.round(result * 1e6)]));
  if (whole.length < results.length) return { kind: 'failed', error: 'TypeError: no such figure' };
  return { kind: 'done', figures: figuresOf(whole) };
};

const noise: MadeUp = (number, event, fillModel) =>
  Random.fromSeed(number * 1000 + event, fillModel).normal() + number / 10;

interface Played {
  readonly engine: SweepEngine;
  /** Of each round: configurations and folds. */
  readonly rounds: [readonly number[], readonly number[]][];
  readonly tasks: string[];
}

/** Ends tasks in the order given, or the other way round; stops before the task after `until`. */
function playing(madeUp: MadeUp, { until = Number.POSITIVE_INFINITY, isReversed = false } = {}): Played {
  const [rounds, tasks]: [Played['rounds'], string[]] = [[], []];
  const engine = engineThat(async (round, { planned, done }) => {
    rounds.push([round.candidates.map(({ number }) => number), round.folds]);
    for (const task of isReversed ? [...round.tasks].reverse() : round.tasks) {
      if (tasks.length === until) return false;
      tasks.push(`${task.candidate.number} ${task.fold} ${task.fillModel}`);
      await Promise.resolve();
      done(task, outcomeOf(madeUp, planned.events, task));
    }
    return true;
  });
  return { engine, rounds, tasks };
}

async function sweep(madeUp: MadeUp, changes: Partial<SweepPlan> = {}) {
  const played = playing(madeUp);
  const plan = planWith(changes);
  const { result } = await runSweep(plan, watching().watcher, played.engine);
  return { result, ...played, tables: readSweepTables(plan.outDir) };
}

/** A queue whose workers are done at once. */
function queueOf(sent: Chunk[], events: readonly SweptEvent[]): JobQueue {
  const ended = new Map<string, EndedJob>();
  return {
    watch: () => undefined,
    keep: () => Promise.resolve(),
    add: async (jobs) => {
      for (const { id, data } of jobs) {
        const { chunk } = data as ChunkJob;
        sent.push(chunk);
        const outcomes = tasksIn(chunk, asked.fillModels).map((task) => ({
          task,
          outcome: outcomeOf(noise, events, task),
        }));
        ended.set(id, { id, kind: 'done', text: outcomesText(id, outcomes) });
      }
    },
    listEnded: async (ids) => [...ids].flatMap((id) => ended.get(id) ?? []),
    listAbsent: async () => [],
    remove: async (ids) => {
      for (const id of ids) ended.delete(id);
    },
    workers: async () => 1,
    close: () => Promise.resolve(),
  };
}

const read = (name: string, fromHour: number, toHour: number): PlannedMarket => ({
  market: market({ conditionId: `id of ${name}`, eventTitle: name }),
  firstMs: fromHour * HOUR_MS,
  lastMs: toHour * HOUR_MS,
  events: 10,
  hash: '',
});
const hourly = (count: number): PlannedMarket[] =>
  Array.from({ length: count }, (_, n) => read(`e${n + 1000}`, n, n + 0.9));

describe('rungs', () => {
  it.each([
    [1000, [30, 100, 300]],
    [100, [10, 30]],
    [27, [8]],
    [16, [8]],
  ])('of %i events hold eight at least unless told', (events, ends) => {
    expect(rungEnds('usual', events)).toEqual(ends);
  });

  it('are refused where the events are too few, or two of them would be one', () => {
    expect(() => rungEnds('usual', 15)).toThrow('15 events are too few for the usual rungs of --halving: wanted 16');
    expect(() => rungEnds([0.1, 0.12], 10)).toThrow('--halving 0.1,0.12: 0.1 and 0.12 of 10 events are both 1');
    expect(() => rungEnds([0.99], 4)).toThrow('--halving 0.99: 0.99 and 1 of 4 events are both 4');
    expect(rungEnds([0.01, 0.5], 4)).toEqual([1, 2]);
  });

  it('end where folds end, which are cut further as was asked', () => {
    const foldsOf = (events: number, folds: number | null) =>
      assignFolds(hourly(events), folds, [0.2, 0.5]).map(({ fold }) => fold);
    expect(foldsOf(10, null)).toEqual([0, 0, 1, 1, 1, 2, 2, 2, 2, 2]);
    expect(foldsOf(10, 4)).toEqual([0, 0, 1, 2, 2, 3, 3, 3, 4, 4]);
    const events = assignFolds(hourly(10), 4, [0.2, 0.5]);
    expect(makeRungs(events, [2, 5], 0).map(({ folds, events: held }) => [folds, held])).toEqual([
      [1, 2],
      [3, 5],
      [5, 10],
    ]);
  });

  it('without halving leave folds as they were: each has about the same number of events', () => {
    for (let events = 1; events <= 60; events++)
      for (let folds = 1; folds <= events; folds++)
        expect(assignFolds(hourly(events), folds).map(({ fold }) => fold)).toEqual(
          Array.from({ length: events }, (_, at) => Math.floor((at * folds) / events)),
        );
  });

  it('decide by what was over when the next one began, and for as long as was asked', () => {
    const markets = [read('a', 0, 1), read('b', 1, 9), read('c', 2, 3), read('d', 3, 4)];
    const decided = (embargoMs: number) =>
      makeRungs(assignFolds(markets, null, [0.5, 0.75]), [2, 3], embargoMs).map(({ decidedBy }) => decidedBy);
    expect(decided(0)).toEqual([[0], [0, 2], []]);
    expect(decided(HOUR_MS)).toEqual([[0], [0], []]);
    expect(() => decided(HOUR_MS + 60_000)).toThrow('of the first 2 of 4 events none was over 61 minutes before');
  });

  it('are as much work each: of a thousand 300, 100 and 30 go on', () => {
    const events = assignFolds(hourly(1000), null, [0.03, 0.1, 0.3]);
    expect(countEntries(makeRungs(events, [30, 100, 300], 0), 1000)).toEqual([1000, 300, 100, 30]);
  });
});

describe('a sweep with halving', () => {
  it('plays all on the first events, only the best on more, and nothing twice', async () => {
    const { rounds, tasks, result } = await sweep(noise);
    expect(rounds.map(([numbers, folds]) => [numbers.length, folds])).toEqual([
      [12, [0]],
      [5, [1]],
      [3, [2]],
    ]);
    expect(new Set(tasks).size).toBe(tasks.length);
    expect(tasks).toHaveLength(2 * (12 + 5 + 3));
    const lowestIn = (number: number, events: number) =>
      Math.min(
        ...asked.fillModels.map((model) =>
          Array.from({ length: events }, (_, at) => Math.round((noise(number, at, model) ?? 0) * 1e6)).reduce(
            (sum, value) => sum + value,
          ),
        ),
      );
    const bestOf = (numbers: readonly number[], events: number, kept: number) =>
      [...numbers]
        .sort((a, b) => lowestIn(b, events) - lowestIn(a, events))
        .slice(0, kept)
        .sort((a, b) => a - b);
    const all = Array.from({ length: CONFIGURATIONS }, (_, at) => at + 1);
    expect(rounds[1]?.[0]).toEqual(bestOf(all, 2, 5));
    expect(rounds[2]?.[0]).toEqual(bestOf(rounds[1]?.[0] ?? [], 5, 3));
    expect(result.configurations.slice(0, 3).map(({ number, worstMicros }) => [number, worstMicros])).toEqual(
      [...(rounds[2]?.[0] ?? [])]
        .map((number) => [number, lowestIn(number, EVENTS)] as const)
        .sort((a, b) => b[1] - a[1]),
    );
  });

  it('counts everything that was tried, and says what was dropped and where', async () => {
    const { result, tables } = await sweep(noise);
    expect(result.counts).toMatchObject({
      configurations: 12,
      done: 3,
      dropped: 9,
      failed: 0,
      unfinished: 0,
      tried: 12,
    });
    expect(result.halving).toEqual([
      { events: 2, folds: 1, decidedBy: 2, entered: 12, failed: 0, dropped: 7 },
      { events: 5, folds: 2, decidedBy: 5, entered: 5, failed: 0, dropped: 2 },
      { events: 10, folds: 3, decidedBy: null, entered: 3, failed: 0, dropped: null },
    ]);
    const statuses = result.configurations.map(({ status, rungs }) => `${status} ${rungs.length}`);
    expect(statuses).toEqual([
      ...Array(3).fill('done 2'),
      ...Array(2).fill('dropped 2'),
      ...Array(7).fill('dropped 1'),
    ]);
    expect(tables['rungs']).toHaveLength(12 + 5);
    expect(tables['rungs']?.filter((row) => (row as { dropped: number }).dropped === 1)).toHaveLength(9);
    // What was dropped keeps what it had done; only what was played to the end has a place.
    expect(tables['results']).toHaveLength(2 * (12 + 5 + 3));
    expect(tables['standings']).toHaveLength(2 * 3);
    const told = '12 configurations, 9 dropped: 7 after 20.0 %, 2 after 50.0 % of the events';
    expect(sweepTables(result)).toContain(told);
    expect(sweepTables(result)).toMatch(/RUNG +EVENTS .*\n1 +2 +2 +12 +0 +7\n2 +5 +5 +5 +0 +2\n3 +10 +– +3 +0 +–\n/);
    expect(sweepTables(result)).toMatch(/- +\d+ +\d+ .* dropped in rung 2: [+−]\d/);
    for (const columns of [80, 60]) expect(findTooWide(sweepTables(result, columns), columns)).toEqual([]);
    expect(sweepHtml(result)).toContain(told);
    expect(sweepHtml(result)).toContain('id="halving"');
    // A mean over those that are left would flatter.
    expect(sweepHtml(result)).toContain('Result, lowest of the fill models, first rung, currency');
  });

  it('says of the search what holds of the events that all were played on, and leaves out what few of them cannot carry', async () => {
    const few = (await sweep(noise)).result;
    expect(few.models.map((one) => [one.sharpeVariance, one.luckySharpe, one.overfitting])).toEqual([
      [null, null, null],
      [null, null, null],
    ]);
    expect(few.configurations[0]?.models[0]?.sharpe).toMatchObject({ deflated: null, events: EVENTS });
    const notes = few.notes.map(({ text }) => text);
    expect(notes).toContain(
      '7 configurations of 12 dropped by what 2 events brought: that is luck as much as merit. Give --halving a larger first fraction.',
    );
    expect(notes.join()).toContain('Deflated ratios are left out');
    // As a sweep over the events of the first rung alone says it of them.
    const [many, whole] = await Promise.all([
      sweep(noise, { halving: [0.8] }),
      sweep(noise, { halving: null, folds: 1, recordings: asked.recordings.slice(0, 8) }),
    ]);
    expect(many.result.models).toEqual(whole.result.models);
    expect(many.result.configurations[0]?.models[0]?.sharpe?.deflated).toBeGreaterThan(0);
    expect(many.result.notes.map(({ text }) => text).join()).toContain('are those of the 8 events of the first rung');
  });

  it('of equals takes those that the search found first, and never one that failed', async () => {
    const equal = await sweep((number, event) => (number === 2 ? null : number === 4 && event > 3 ? null : 1));
    expect(equal.rounds.map(([numbers]) => numbers)).toEqual([
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
      [1, 3, 4, 5, 6],
      [1, 3, 5],
    ]);
    expect(equal.result.halving?.map(({ entered, failed, dropped }) => [entered, failed, dropped])).toEqual([
      [12, 1, 6],
      [5, 1, 1],
      [3, 0, null],
    ]);
    expect(equal.result.counts).toMatchObject({ done: 3, dropped: 7, failed: 2, tried: 12 });
    const none = await sweep(() => null);
    expect(none.rounds.map(([numbers]) => numbers.length)).toEqual([12, 0, 0]);
    expect(none.result.counts).toMatchObject({ done: 0, dropped: 0, failed: 12, unfinished: 0 });
    expect(none.result.walkForward).toBeNull();
  });

  it('gives the same tables in whichever order its backtests end, and wherever it was cut and went on', async () => {
    const unbroken = await sweep(noise);
    const reversed = planWith();
    await runSweep(reversed, watching().watcher, playing(noise, { isReversed: true }).engine);
    expect(readSweepTables(reversed.outDir)).toEqual(unbroken.tables);
    for (let until = 1; until < unbroken.tasks.length; until += 3) {
      const plan = planWith();
      const cut = await runSweep(plan, watching().watcher, playing(noise, { until }).engine);
      expect(cut).toMatchObject({ isComplete: false, result: { walkForward: null } });
      expect(cut.result.counts.unfinished).toBeGreaterThan(0);
      const rest = playing(noise);
      const { isComplete, result } = await runSweep({ ...plan, resume: true }, watching().watcher, rest.engine);
      expect(isComplete).toBe(true);
      expect(rest.tasks).toHaveLength(unbroken.tasks.length - until);
      expect(readSweepTables(plan.outDir)).toEqual(unbroken.tables);
      expect(sweepTables(result)).toBe(sweepTables(unbroken.result));
    }
  });

  it('gives the same tables where workers behind a queue run its chunks, of which none is sent before it is known', async () => {
    const plan = planWith();
    const { events } = await planSweep(plan, () => undefined);
    const sent: Chunk[] = [];
    const engine = onQueue({ queue: queueOf(sent, events), chunkSeconds: 1e-6, pause: () => Promise.resolve() });
    await runSweep(plan, watching().watcher, engine);
    const unbroken = await sweep(noise);
    expect(readSweepTables(plan.outDir)).toEqual(unbroken.tables);
    expect(sent.map(({ fold }) => fold)).toEqual([...Array(12).fill(0), ...Array(5).fill(1), ...Array(3).fill(2)]);
    // What is done is not sent again.
    await runSweep(plan, watching().watcher, engine);
    expect(sent).toHaveLength(12 + 5 + 3);
  });

  it('is another one with other rungs, and says so', async () => {
    const plan = planWith();
    await runSweep(plan, watching().watcher, playing(noise, { until: 5 }).engine);
    const other = { ...plan, halving: [0.2, 0.6], resume: true };
    await expect(runSweep(other, watching().watcher, playing(noise).engine)).rejects.toThrow(
      'changed: the parameters and values (--param, --random), or the rungs (--halving)',
    );
  });

  it('is estimated by what is played', async () => {
    const planned = await planSweep(asked, () => undefined);
    const estimate = estimateSweep(asked, planned);
    expect(estimate).toMatchObject({
      backtests: 2 * (12 + 5 + 3),
      rungs: [
        { events: 2, configurations: 12 },
        { events: 5, configurations: 5 },
        { events: 10, configurations: 3 },
      ],
    });
    const seconds = [12, 5, 3].map((count, fold) => 2 * count * playSeconds(eventsIn(planned.events, fold)));
    expect(estimate.coreHours * 3600).toBeCloseTo(seconds.reduce((sum, one) => sum + one, 0) + 5, 9);
  });
});

describe('walking forward after halving', () => {
  it('chooses what led the rung, of which nothing that follows is known', async () => {
    const before = await sweep(noise);
    const chosen = (steps: typeof before) => steps.result.walkForward?.steps.map((step) => step.chosen);
    const leaders = [0, 1].map(
      (rung) => before.result.configurations.find(({ rungs }) => rungs[rung]?.place === 1)?.number,
    );
    expect(chosen(before)).toEqual(leaders);
    for (const [from, kept] of [
      [5, 2],
      [2, 1],
    ] as const) {
      const other = await sweep((number, event, model) =>
        event < from ? noise(number, event, model) : -(noise(number, event, model) ?? 0) * 50,
      );
      expect(chosen(other)?.slice(0, kept)).toEqual(leaders.slice(0, kept));
      expect(other.rounds.slice(0, kept + 1)).toEqual(before.rounds.slice(0, kept + 1));
    }
  });

  it('chooses among those that play the fold, whatever those who were dropped had until then', async () => {
    const { rounds, result } = await sweep((number, event, model) => (event < 2 ? noise(number, event, model) : -10));
    const steps = result.walkForward?.steps ?? [];
    expect(steps.map(({ fold, chosen }) => rounds[fold]?.[0].includes(chosen ?? 0))).toEqual([true, true]);
    expect(steps[1]?.outOfSampleMicros).toEqual([-50e6, -50e6]);
  });

  it('and a rung learn nothing from an event that was not over when the next one began', async () => {
    const long = place.data.replace(/recordings$/, 'overlapping');
    // Each ends after the next one has begun, and before the one after that.
    await record(long, { events: 6, minutes: 1.5 });
    const overlapping = await sweepPlan({ ...place, data: long }, { params: ['order_shares=1:4:1'] });
    expect(EVENT_EVERY_MS).toBeLessThan(1.5 * 60_000);
    const { rounds, result } = await sweep((number, event) => (event === 2 ? -number : number), {
      ...overlapping,
      halving: [0.5],
    });
    expect(result.halving?.[0]).toMatchObject({ events: 3, decidedBy: 2, entered: 4, dropped: 2 });
    expect(rounds[1]?.[0]).toEqual([3, 4]);
    expect(result.walkForward?.steps).toMatchObject([{ chosen: 4, trainEvents: 2, purgedEvents: 1 }]);
  });
});
