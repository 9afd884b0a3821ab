/** One backtest of a sweep, and its few kept figures. */

import { createHash } from 'node:crypto';
import { assert, TwinbookError } from '../../shared/base/errors.js';
import { computeMean } from '../../shared/statistics/moments.js';
import type { Config } from '../../shell/config/config.js';
import type { EventSource } from '../backtest/contract.js';
import { makeDraws } from '../backtest/latency.js';
import { makePlan } from '../backtest/plan.js';
import { runBacktest } from '../backtest/run.js';
import { splitMarket } from '../report/analysis/split.js';
import { sum } from '../report/analysis/total.js';
import type { SessionRecord } from '../session/contract.js';
import type { Axis, SweepPlan, SweptEvent, Task, TaskFigures } from './contract.js';
import { eventsIn } from './folds.js';
import { configWith } from './search.js';

/** Shared by all tasks. Plain data. */
export interface TaskSettings
  extends Pick<
    SweepPlan,
    'latency' | 'seed' | 'repeat' | 'landingMs' | 'fees' | 'feeCurve' | 'allMarkets' | 'feedData'
  > {
  readonly axes: readonly Axis[];
  readonly events: readonly SweptEvent[];
}

export async function runTask(
  task: Task,
  config: Config,
  sources: ReadonlyMap<string, EventSource>,
  settings: TaskSettings,
): Promise<TaskFigures> {
  const events = eventsIn(settings.events, task.fold);
  const tried = configWith(config, settings.axes, task.candidate.values);
  const { latency, seed, repeat: count, landingMs, fees, feeCurve = null, allMarkets, feedData } = settings;
  const runs: (TaskFigures & { readonly seed: number })[] = [];
  for (let index = 0; index < count; index++) {
    // Every configuration draws the same sequences: they differ by their actions, not by luck.
    const draws = makeDraws(latency, { seed, index, count }, config.polling.hotIntervalMs);
    const { fillModel } = task;
    const options = { fillModel, ...draws, landingMs, fees, feeCurve, allMarkets, feedData };
    const { session, traceHash } = await runBacktest(makePlan(tried, pickSources(events, sources), options));
    requireSound(session);
    runs.push({ ...computeFigures(session, events), traceHash, runs: [], seed: draws.seed });
  }
  return meanOfRuns(runs);
}

/** A failed strategy was stopped in its market: the rest is no result of this configuration. */
function requireSound(session: SessionRecord): void {
  const broken = findBroken(session);
  if (broken !== null)
    throw new TwinbookError(
      'strategy_invalid',
      broken,
      '`twinbook strategies test STRATEGY` finds the errors of a strategy.',
    );
}

export const findBroken = ({ notices }: SessionRecord): string | null =>
  notices.find(({ text }) => /^strategy \S+ is stopped in (?:market|all markets of event) /.test(text))?.text ?? null;

const pickSources = (
  events: readonly SweptEvent[],
  sources: ReadonlyMap<string, EventSource>,
): readonly EventSource[] => events.flatMap(({ conditionIds }) => conditionIds.flatMap((id) => sources.get(id) ?? []));

function computeFigures(
  session: SessionRecord,
  events: readonly SweptEvent[],
): Omit<TaskFigures, 'traceHash' | 'runs'> {
  const { markets, notices, fromMs } = session;
  const splits = new Map(markets.map((market) => [market.conditionId, splitMarket(market).split]));
  const eventResults = events.map(({ conditionIds }) =>
    sum(conditionIds.map((id) => splits.get(id)?.resultMicros ?? 0)),
  );
  return {
    resultMicros: sum(eventResults),
    maxDrawdownMicros: session.maxDrawdownMicros ?? 0,
    fills: sum(markets.map(({ fills }) => fills.length)),
    // Notices at the very beginning are about the data, and equal for all.
    alarms: notices.filter(({ severity, timeMs }) => severity === 'loud' && timeMs > fromMs).length,
    eventResults,
  };
}

/**
 * Several runs of one backtest as one: means of their figures. One run is itself. Counts and currency are rounded; the
 * largest drawdown counts, and the alarms of all runs.
 */
function meanOfRuns(runs: readonly (TaskFigures & { readonly seed: number })[]): TaskFigures {
  const [first] = runs;
  assert(first !== undefined, 'a task runs once at least');
  const { seed: _, ...single } = first;
  if (runs.length === 1) return single;
  const mean = (figure: (run: TaskFigures) => number): number => Math.round(computeMean(runs.map(figure)) ?? 0);
  const eventResults = first.eventResults.map((_result, event) => mean((run) => run.eventResults[event] ?? 0));
  return {
    // Sum of the events, so that the parts add up to the whole.
    resultMicros: eventResults.reduce((total, result) => total + result, 0),
    maxDrawdownMicros: Math.max(...runs.map(({ maxDrawdownMicros }) => maxDrawdownMicros)),
    fills: mean(({ fills }) => fills),
    alarms: runs.reduce((total, { alarms }) => total + alarms, 0),
    traceHash: combineHashes(runs.map(({ traceHash }) => traceHash)),
    eventResults,
    runs: runs.map(({ seed, resultMicros, fills, traceHash }) => ({ seed, resultMicros, fills, traceHash })),
  };
}

const combineHashes = (hashes: readonly string[]): string =>
  createHash('sha256').update(hashes.join(' ')).digest('hex').slice(0, 16);
