/** What a sweep knows before its first backtest: which markets it plays, in which folds, and the fingerprint of them all. */

import { fillModel } from '../../exchange/core/matching/fill-model.js';
import type { Recording } from '../../recording/contract.js';
import type { BacktestPlan } from '../backtest/contract.js';
import { modelOfChoice } from '../backtest/latency.js';
import { makePlan } from '../backtest/plan.js';
import { streamRecording } from '../backtest/sources.js';
import type { SweepPlan, SweptEvent } from './contract.js';
import { assignFolds, foldCount } from './folds.js';
import { type PlannedData, planData } from './reading.js';

export interface PlannedSweep {
  /** What a single backtest of everything would be: titles and lines of data. */
  readonly whole: BacktestPlan;
  /** Of the markets that are played. */
  readonly recordings: readonly Recording[];
  readonly data: PlannedData;
  /** In order of time. */
  readonly events: readonly SweptEvent[];
  readonly folds: number;
}

/**
 * Reads nothing of recordings that know themselves. Throws TwinbookError for whatever keeps the sweep from beginning.
 *
 * @param progress told how many recordings are known, of how many
 */
export async function planSweep(plan: SweepPlan, progress: (done: number, all: number) => void): Promise<PlannedSweep> {
  const whole = wholePlan(plan);
  const selected = new Set(whole.sources.map(({ market }) => market.conditionId));
  const recordings = plan.recordings.filter(({ market }) => selected.has(market.conditionId));
  const data = await planData(recordings, plan.memoryBytes, (done) => progress(done, recordings.length));
  const events = assignFolds(data.markets, plan.folds);
  return { whole, recordings, data, events, folds: foldCount(events) };
}

/** Also finds out that no strategy selects anything, and that a fill model is unknown, before anything is read. */
function wholePlan({ config, recordings, fillModels, latency, ...options }: SweepPlan): BacktestPlan {
  for (const name of fillModels) fillModel(name);
  const { seed, landingMs, fees, allMarkets } = options;
  const sources = recordings.map((recording) => streamRecording(recording));
  return makePlan(config, sources, {
    fillModel: fillModels[0] ?? '',
    latency: modelOfChoice(latency, seed),
    seed,
    landingMs,
    fees,
    allMarkets,
  });
}
