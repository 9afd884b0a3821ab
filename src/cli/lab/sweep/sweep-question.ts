/** Input of a sweep over recordings: options shared by `sweep` and `sweep plan`, and their plan. */

import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { feeCurve } from '../../../lab/backtest/fees.js';
import { latencyChoice } from '../../../lab/backtest/latency.js';
import { readAxis, requireDifferent } from '../../../lab/sweep/axes.js';
import { MAX_CONFIGURATIONS, MAX_FOLDS, USUAL_FILL_MODELS, USUAL_MEMORY_BYTES } from '../../../lab/sweep/bounds.js';
import type { SweepPlan } from '../../../lab/sweep/contract.js';
import { gridSearch, randomSearch } from '../../../lab/sweep/search.js';
import { TwinbookError } from '../../../shared/base/errors.js';
import type { Config } from '../../../shell/config/config.js';
import { loadConfig } from '../../../shell/config/load.js';
import {
  integerBetween,
  list,
  numberBetween,
  read,
  repeated,
  resolveData,
  text,
  usual,
  type Values,
} from '../../command.js';
import type { CliIo } from '../../output/io.js';
import {
  DATA,
  fillModelOption,
  PLAY_OPTIONS,
  planOptions,
  resolveFeedChoices,
  resolveFillModels,
} from '../backtest.js';

const MEBIBYTE = 1024 * 1024;
const MINUTE_MS = 60_000;

export const memoryOption = usual(
  '--memory <mib>',
  'decoded recordings up to this size are kept and shared, larger ones streamed',
  USUAL_MEMORY_BYTES / MEBIBYTE,
  integerBetween(0, 1_048_576),
);

export const QUESTION_OPTIONS = {
  data: list(...DATA),
  ...PLAY_OPTIONS,
  param: repeated(
    '--param <name=values>',
    'a parameter to vary, as STRATEGY.NAME=FROM:TO:STEP or =a,b,c; with --random also =FROM:TO or =log:FROM:TO',
  ),
  random: read('--random <n>', 'random configurations, not the whole grid', integerBetween(1, MAX_CONFIGURATIONS)),
  fillModel: fillModelOption(USUAL_FILL_MODELS),
  folds: read(
    '--folds <n>',
    'folds of whole events, in order of time (default: 4, if there are events enough)',
    integerBetween(1, MAX_FOLDS),
  ),
  embargo: usual(
    '--embargo <minutes>',
    'between the end of an event that is learned from and the fold that is tested',
    0,
    numberBetween(0, 525_600),
  ),
  out: text(
    '--out <dir>',
    'where results are kept and trials counted (default: sweep/ beside the ledger; of a strategy file alone data/sweep/NAME)',
  ),
  memory: memoryOption,
};

export type Question = Values<typeof QUESTION_OPTIONS> & {
  readonly file: string;
  readonly workers: number;
  readonly world?: readonly string[] | undefined;
  readonly resume?: true | undefined;
};

export const threadsOption = usual(
  '--workers <n>',
  'threads',
  availableParallelism(),
  integerBetween(1, 256),
  'as many as there are cores',
);

export const memoryBytes = ({ memory }: Pick<Question, 'memory'>): number => memory * MEBIBYTE;

export function requireData({ data }: Pick<Question, 'data'>): readonly string[] {
  if (data !== undefined) return data;
  const hint = 'Give recordings with --data PATH, or worlds with --world NAME.';
  throw new TwinbookError('usage', 'there is nothing to sweep over', hint);
}

export async function questionFrom(options: Question, io: CliIo) {
  // A copy: the process's own environment cannot be passed to a thread.
  const feeds = options.world === undefined ? options.feed.map(({ name }) => name) : ('any' as const);
  const source = { file: resolve(io.cwd, options.file), env: { ...io.env }, cwd: io.cwd, feeds };
  const config = await loadConfig(source.file, { ...source, strategyFileToo: true });
  return {
    config,
    source,
    search: searchFrom(options, config),
    workers: options.workers,
    outDir: options.out === undefined ? usualOutDir(config, io.cwd) : resolve(io.cwd, options.out),
    resume: options.resume === true,
  };
}

/** Finds every error of the input before anything runs. */
export async function planFrom(options: Question, io: CliIo): Promise<SweepPlan> {
  const paths = resolveData(requireData(options), io);
  const question = await questionFrom(options, io);
  const { checkFillModels } = await import('../../../lab/backtest/sources.js');
  const fillModels = checkFillModels(resolveFillModels(options.fillModel, USUAL_FILL_MODELS, io.cwd));
  const { readFeedData } = await import('../../../lab/backtest/feeds/feed-values.js');
  const { openRecordings } = await import('../../../recording/recording.js');
  const recordings = await openRecordings(paths);
  return {
    ...question,
    paths,
    recordings,
    fillModels,
    latency: await latencyChoice(options.latency ?? null, recordings, options.failures ?? null),
    ...planOptions(options, question.config),
    feedData: await readFeedData({
      config: question.config,
      recordings,
      choices: resolveFeedChoices(options, io.cwd),
      delayMs: options.feedDelay ?? null,
    }),
    repeat: options.repeat,
    feeCurve: options.fees === undefined ? null : feeCurve(options.fees),
    folds: options.folds ?? null,
    embargoMs: options.embargo * MINUTE_MS,
    memoryBytes: memoryBytes(options),
  };
}

/** Beside the ledger; a single strategy file has none, and its own folder is for configuration. */
function usualOutDir({ file, ledger, strategies }: Config, cwd: string): string {
  const lone = strategies.find((strategy) => strategy.file === file);
  return lone === undefined ? join(dirname(ledger.path), 'sweep') : resolve(cwd, 'data/sweep', lone.name);
}

function searchFrom({ param, random, seed }: Question, config: Config): SweepPlan['search'] {
  const axes = param.map((text) => readAxis(text, config.strategies, random !== undefined));
  requireDifferent(axes);
  return random === undefined ? gridSearch(config, axes) : randomSearch(config, axes, random, seed);
}
