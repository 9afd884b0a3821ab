/**
 * The package's `twinbook/backtest` runs backtests from code, like `twinbook backtest`, and returns data. The trader is
 * the live trader, and the exchange is the paper exchange's core with recorded markets. Trader and exchange share a
 * virtual clock, without network or files. Equal input gives an equal `traceHash` on every machine.
 *
 *     const [result] = await backtest({ config: 'mine.yaml', data: ['data/sample'], fillModels: ['risk-averse'] });
 *     console.log(result.analysis.result.resultMicros);
 *
 * A strategy is named by its file. A fill model is a name, or an object that the caller implements.
 */

import { resolve } from 'node:path';
import type { FillModel } from '../../exchange/core/matching/fill-model.js';
import type { Config } from '../../shell/config/config.js';
import { loadConfig } from '../../shell/config/load.js';
import { type Analysis, analyse } from '../report/analysis/analyse.js';
import { playedByAll } from '../report/analysis/markets.js';
import { computeRepeats, findMiddle, runFigures } from '../report/analysis/session-figures.js';
import type { AfterHalt, BacktestOutcome } from './contract.js';
import { feeCurve } from './fees.js';
import { latencyChoice, makeDraws } from './latency.js';
import { BRACKET, makePlan, type PlanOptions, readFeedData, USUAL_LANDING_MS } from './plan.js';
import { checkFillModels, openSources } from './replay-driver.js';
import { runBacktest } from './run.js';

export interface BacktestOptions {
  /** Recordings: folders or files in Twinbook's, Kalshi's or Polymarket's format; relative to the working folder. */
  readonly data: readonly string[];
  /** Fill models: names as for `--fill-model`, or objects; each has its own run. Default: `BRACKET`. */
  readonly fillModels?: readonly (string | FillModel)[];
  /** Latency, like `constant:MS`, `recorded` or (scaled) `recorded:x3`; default: as recorded, else `constant:150`. */
  readonly latency?: string | undefined;
  /** Seed of the random latencies and pubkeys, 0 to 2^32 - 1. Default 1. */
  readonly seed?: number;
  /**
   * Number of runs per fill model, 1 to 1000; default 1. With two or more runs, each run draws the start of its polls,
   * and its latencies around `latency`, from the seed. `analysis.repeats` has the means and spreads of repeated runs.
   * All other figures of repeated runs come from the run with the middle result.
   */
  readonly repeat?: number;
  /** Fee rates in millionths, for recordings that have no fees. Default 0. */
  readonly fees?: PlanOptions['fees'] | undefined;
  /** Name of a fee curve, as for `--fees`, that replaces `fees` for recordings without fees. */
  readonly feeCurve?: string | undefined;
  /** Time until a merge is final on the chain, ms; default: the file's `exchange.landing_ms`, else 400. */
  readonly landingMs?: number;
  /** After a halt, the trader can `resume` trading at the next event or UTC day (default), or `end` trading. */
  readonly afterHalt?: AfterHalt | undefined;
  /** True if every strategy gets every recorded market, regardless of the selection in its file. Default false. */
  readonly allMarkets?: boolean;
  /** Source of values by feed name: a CSV or JSONL file as in docs/feeds.md, or null for the recorded values. */
  readonly feeds?: Readonly<Record<string, string | null>>;
  /** Delay from the time in a feed file's row until the trader has the value, ms; default: as for a live trader. */
  readonly feedDelayMs?: number | undefined;
  /** Callback with the finished fraction of all runs, 0 to 1, and the name of the current fill model. */
  readonly progress?: (share: number, fillModel: string) => void;
}

interface BacktestInput extends BacktestOptions {
  /** Path of a trader's file, or of a strategy file (its capital is 1000), relative to the working folder. */
  readonly config: string;
}

export type BacktestResult = BacktestOutcome & Readonly<{ analysis: Analysis }>;

/**
 * Runs the strategies of a file over recordings, once per fill model, in the order of the models. Settings in
 * environment variables are ignored. Throws TwinbookError `config_invalid`, `strategy_invalid` or `file_unreadable` for
 * the files, `recording_invalid` for the data, `usage` for unknown fill models or latencies.
 */
export async function backtest({ config: file, ...options }: BacktestInput): Promise<readonly BacktestResult[]> {
  const feeds = Object.keys(options.feeds ?? {});
  const config = await loadConfig(file, { strategyFileToo: true, feeds, env: {}, cwd: resolve('.') });
  return backtestOf(config, options);
}

export async function backtestOf(config: Config, options: BacktestOptions): Promise<readonly BacktestResult[]> {
  const models = checkFillModels(options.fillModels ?? BRACKET);
  const runModel = await openModelRuns(config, options, models.length * (options.repeat ?? 1) === 1);
  const results: ModelRuns[] = [];
  for (const [index, fillModel] of models.entries()) {
    const name = typeof fillModel === 'string' ? fillModel : fillModel.name;
    results.push(await runModel(fillModel, (part) => options.progress?.((index + part) / models.length, name)));
  }
  return compareRuns(results, options.seed ?? 1);
}

/**
 * Opens the recordings. The returned function runs one fill model, once or several times; `tell` gets the finished
 * fraction, 0 to 1. `once`: true for a single run. Throws the same errors as `backtest`.
 */
export async function openModelRuns(config: Config, options: BacktestOptions, once = false) {
  const { data, feeds = {}, feedDelayMs: delayMs = null, seed = 1, repeat: count = 1 } = options;
  const paths = data.map((path) => resolve(path));
  const { recordings, sources } = await openSources(paths, { once });
  const choices = Object.entries(feeds).map(([name, path]) => ({ name, path: path && resolve(path) }));
  const feedData = await readFeedData({ config, recordings, choices, delayMs });
  const latency = await latencyChoice(options.latency ?? null, recordings);
  const { afterHalt = 'resume', allMarkets = false, feeCurve: curve } = options;
  const landingMs = options.landingMs ?? config.exchange?.landingMs ?? USUAL_LANDING_MS;
  const curves = curve === undefined ? null : feeCurve(curve);
  const fees = (curves === null ? options.fees : undefined) ?? { makerRateMicros: 0, takerRateMicros: 0 };
  const shared = { landingMs, fees, afterHalt, feeCurve: curves, allMarkets, feedData };
  return async (fillModel: string | FillModel, tell: (part: number) => void): Promise<ModelRuns> => {
    const runOnce = async (index: number): Promise<BacktestResult> => {
      const draws = makeDraws(latency, { seed, index, count }, config.polling.hotIntervalMs);
      const progress = (doneMs: number, allMs: number) =>
        tell((index + (allMs > 0 ? Math.min(1, doneMs / allMs) : 0)) / count);
      const outcome = await runBacktest({ ...makePlan(config, sources, { ...shared, ...draws, fillModel }), progress });
      return { ...outcome, analysis: analyse(outcome.session) };
    };
    const runs: ReturnType<typeof runFigures>[] = [];
    let last: BacktestResult | null = null;
    for (let index = 0; index < count; index++) {
      last = await runOnce(index);
      runs.push(runFigures(last.analysis, last.traceHash));
    }
    const middle = findMiddle(runs);
    // The run with the middle result is repeated to get its session record. Equal random draws give an equal run.
    return { shown: last !== null && middle === count - 1 ? last : await runOnce(middle), runs };
  };
}

/** The run that the report shows, and the figures of all runs; plain data that threads can exchange. */
export type ModelRuns = Readonly<{ shown: BacktestResult; runs: readonly ReturnType<typeof runFigures>[] }>;

/** Adds figures over repeated runs. Fill models are compared only over the markets that every run played. */
export function compareRuns(models: readonly ModelRuns[], seed: number): readonly BacktestResult[] {
  const played = playedByAll(models.flatMap(({ runs }) => runs));
  return models.map(({ shown, runs }) =>
    runs.length === 1
      ? shown
      : { ...shown, analysis: { ...shown.analysis, repeats: computeRepeats(runs, seed, played) } },
  );
}

export type { FillModel } from '../../exchange/core/matching/fill-model.js';
