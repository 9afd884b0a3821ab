/** `twinbook sweep`: many configurations over the same recordings, on all cores. */

import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { feeCurve } from '../../lab/backtest/fees/fee-curves.js';
import { latencyChoice } from '../../lab/backtest/latency-choice.js';
import { count, formatDuration } from '../../lab/report/figures.js';
import { readAxis, requireDifferent } from '../../lab/sweep/axes.js';
import { MAX_CONFIGURATIONS, MAX_FOLDS, USUAL_FILL_MODELS, USUAL_MEMORY_BYTES } from '../../lab/sweep/bounds.js';
import type { SweepPlan, SweepProgress, SweepWatcher } from '../../lab/sweep/contract.js';
import type { SweepEstimate } from '../../lab/sweep/estimate.js';
import { gridSearch, randomSearch } from '../../lab/sweep/search.js';
import type { SweepOutcome } from '../../lab/sweep/sweep.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { loadConfig } from '../../shell/config/load.js';
import type { Config } from '../../shell/config/types.js';
import { integerBetween, numberBetween } from '../arguments.js';
import { EXIT, type ExitCode } from '../output/exit.js';
import { addAction, addConfigOption, addJsonOption, type CliIo, type Session } from '../output/io.js';
import { json, record } from '../output/table.js';
import { writeWhole } from '../output/whole-file.js';
import { type BacktestFlags, feedChoicesOf, planOptions, withBacktestData } from './backtest.js';
import { fillModelOption, fillModelsOf } from './fill-model-option.js';
import { ProgressLine } from './progress.js';
import {
  type ConditionFlags,
  conditionsOf,
  HIGHEST_SEED,
  MOST_SEEDS,
  withConditions,
  worldsOf,
} from './world-options.js';

interface SweepFlags extends Omit<BacktestFlags, 'data'>, ConditionFlags {
  readonly data?: readonly string[];
  readonly world?: readonly string[];
  readonly seeds?: number;
  readonly first?: number;
  readonly fresh?: number;
  readonly freshFirst?: number;
  readonly param: readonly string[];
  readonly random?: number;
  readonly workers: number;
  readonly folds?: number;
  readonly embargo: number;
  readonly memory: number;
  readonly out?: string;
  readonly resume?: true;
  readonly estimate?: true;
}

const MEBIBYTE = 1024 * 1024;
const MINUTE_MS = 60_000;

export function addSweepCommand(program: Command, session: Session): void {
  const command = program
    .command('sweep')
    .description('backtests many configurations and says how far the best of them may be believed');
  withWorlds(withBacktestData(addJsonOption(addConfigOption(command)), false))
    .option(
      '--param <name=values>',
      'a parameter to vary, as STRATEGY.NAME=FROM:TO:STEP or =a,b,c; with --random also =FROM:TO or =log:FROM:TO',
      (text: string, before: readonly string[]) => [...before, text],
      [],
    )
    .option('--random <n>', 'try so many that are drawn, not the whole grid', integerBetween(1, MAX_CONFIGURATIONS))
    .addOption(fillModelOption(USUAL_FILL_MODELS))
    .addOption(
      new Option('--workers <n>', 'threads')
        .default(availableParallelism(), 'as many as there are cores')
        .argParser(integerBetween(1, 256)),
    )
    .option(
      '--folds <n>',
      'folds of whole events, in order of time (default: 4, if there are events enough)',
      integerBetween(1, MAX_FOLDS),
    )
    .addOption(
      new Option('--embargo <minutes>', 'between the end of an event that is learned from and the fold that is tested')
        .default(0)
        .argParser(numberBetween(0, 525_600)),
    )
    .addOption(
      new Option('--memory <mib>', 'decoded recordings up to this size are kept and shared, larger ones streamed')
        .default(USUAL_MEMORY_BYTES / MEBIBYTE)
        .argParser(integerBetween(0, 1_048_576)),
    )
    .option(
      '--out <dir>',
      'where results are kept and trials counted (default: sweep/ beside the ledger; of a strategy file alone data/sweep/NAME)',
    )
    .option('--resume', 'go on with the sweep that was left unfinished there')
    .option('--estimate', 'over recordings: only say what it would take: core-hours, rows and bytes')
    .option('--report <file>', 'write a page with table, heat maps and walk-forward, one HTML file');
  addAction<SweepFlags>(command, session, (options) => sweep(options, session.io));
}

/** In place of recordings. */
const withWorlds = (command: Command): Command =>
  withConditions(
    command
      .addOption(
        new Option('--world <name...>', 'worlds of the arena in place of recordings, or all').conflicts(OF_RECORDINGS),
      )
      .option(
        '--seeds <n>',
        `of worlds: seeds that are chosen on (default: ${USUAL_SEEDS})`,
        integerBetween(1, MOST_SEEDS),
      )
      .option('--first <seed>', 'of worlds: the first of them (default: 0)', integerBetween(0, HIGHEST_SEED))
      .option(
        '--fresh <n>',
        'of worlds: other seeds, on which the best is shown (default: as many)',
        integerBetween(1, MOST_SEEDS),
      )
      .option(
        '--fresh-first <seed>',
        'of worlds: the first of those (default: right after the others)',
        integerBetween(0, 2 * HIGHEST_SEED),
      ),
  );

/** What a world knows nothing of. */
const OF_RECORDINGS = [
  ...['data', 'fillModel', 'latency', 'failures', 'fees', 'makerFee', 'takerFee', 'landingMs', 'allMarkets'],
  ...['feed', 'feedDelay', 'repeat', 'folds', 'embargo', 'memory', 'estimate'],
];
const OF_WORLDS = {
  seeds: '--seeds',
  first: '--first',
  fresh: '--fresh',
  freshFirst: '--fresh-first',
  markets: '--markets',
  public: '--public',
  signed: '--signed',
  delay: '--delay',
} as const;
const USUAL_SEEDS = 40;

async function sweep(options: SweepFlags, io: CliIo): Promise<ExitCode> {
  if (options.estimate === true) return tellEstimate(options, io);
  const run = options.world === undefined ? await overRecordings(options, io) : await overWorlds(options, io);
  const line = new ProgressLine(io, options.json === true);
  const { result, isComplete } = await run.play(watcher(line, io, run.progress)).finally(() => line.end());
  if (options.report !== undefined) {
    const { sweepHtml } = await import('../../lab/sweep/html/sweep-html.js');
    writeWhole(resolve(io.cwd, options.report), sweepHtml(result));
  }
  if (options.json === true) io.out(json(result));
  else {
    const { sweepTables } = await import('./sweep-tables.js');
    io.out(sweepTables(result));
    io.out(`results: ${join(run.outDir, 'sweep.sqlite')}\n`);
    if (options.report !== undefined) io.out(`page: ${options.report}\n`);
  }
  if (!isComplete) io.err('Stopped. What is done is kept: the same command with --resume goes on.\n');
  return isComplete ? EXIT.ok : EXIT.failed;
}

/** Opens and writes nothing in `--out`. */
async function tellEstimate(options: SweepFlags, io: CliIo): Promise<ExitCode> {
  const plan = await planFrom({ ...options, data: dataOf(options) }, io);
  const { planSweep } = await import('../../lab/sweep/plan.js');
  const { estimateOf, USUAL_PACE } = await import('../../lab/sweep/estimate.js');
  const estimate = estimateOf(plan, await planSweep(plan, () => undefined));
  if (options.json === true) io.out(json(estimate));
  else io.out(estimateText(estimate, plan.workers, USUAL_PACE));
  return EXIT.ok;
}

function estimateText(estimate: SweepEstimate, workers: number, pace: number): string {
  const { configurations, folds, backtests, played, coreHours, rows, bytes, isStreamed } = estimate;
  return record([
    ['configurations', count(configurations)],
    ['backtests', `${count(backtests)}, of ${count(folds)} folds`],
    ['events', `${count(played)} to be played`],
    ['core-hours', `${coreHours.toFixed(2)} at ${count(pace)} events a second and core`],
    ['time', `${formatDuration((coreHours * 3_600_000) / workers)} on ${count(workers)} threads`],
    ['rows', count(rows)],
    ['bytes', count(bytes)],
    ['recordings', isStreamed ? 'streamed by each thread, for they do not fit into --memory' : 'kept in memory'],
  ]);
}

interface SweepRun {
  readonly outDir: string;
  readonly play: (told: SweepWatcher) => Promise<SweepOutcome>;
  readonly progress: ProgressWords;
}

async function overRecordings(options: SweepFlags, io: CliIo): Promise<SweepRun> {
  for (const [name, option] of Object.entries(OF_WORLDS)) {
    if (options[name as keyof typeof OF_WORLDS] === undefined) continue;
    throw new TwinbookError(
      'usage',
      `${option} is of a sweep over worlds`,
      'Name a world with --world, or leave it out.',
    );
  }
  const plan = await planFrom({ ...options, data: dataOf(options) }, io);
  const { runSweep } = await import('../../lab/sweep/sweep.js');
  return { outDir: plan.outDir, play: (told) => runSweep(plan, told), progress: ['backtests', 'events'] };
}

function dataOf({ data }: SweepFlags): readonly string[] {
  if (data !== undefined) return data;
  const hint = 'Give recordings with --data PATH, or worlds with --world NAME.';
  throw new TwinbookError('usage', 'there is nothing to sweep over', hint);
}

async function overWorlds(options: SweepFlags, io: CliIo): Promise<SweepRun> {
  const { runWorldSweep } = await import('../../lab/arena/sweep/world-sweep.js');
  const worlds = await worldsOf(options.world ?? []);
  const conditions = await conditionsOf(options, worlds);
  const question = await questionFrom(options, io);
  const { seeds: count = USUAL_SEEDS, first = 0, fresh = count, freshFirst = first + count } = options;
  const plan = {
    ...question,
    worlds,
    conditions,
    seeds: { first, count },
    fresh: { first: freshFirst, count: fresh },
  };
  return {
    outDir: plan.outDir,
    play: (told) => runWorldSweep(plan, told),
    progress: ['configurations and worlds', 'simulations'],
  };
}

/** What both kinds of sweeps are asked. */
async function questionFrom(options: SweepFlags, io: CliIo) {
  // A copy: the environment of the process itself cannot be handed to a thread.
  const feeds = options.world === undefined ? options.feed.map(({ name }) => name) : ('any' as const);
  const source = { file: resolve(io.cwd, options.config), env: { ...io.env }, cwd: io.cwd, feeds };
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

/** Everything that can be wrong with the question is found out here, before anything runs. */
async function planFrom(options: SweepFlags & Pick<BacktestFlags, 'data'>, io: CliIo): Promise<SweepPlan> {
  const question = await questionFrom(options, io);
  const { checkFillModels } = await import('../../lab/backtest/open-sources.js');
  const fillModels = checkFillModels(fillModelsOf(options, USUAL_FILL_MODELS, io.cwd));
  const { readFeedData } = await import('../../lab/backtest/feeds/feed-values.js');
  const { openRecordings } = await import('../../recording/recording.js');
  const paths = options.data.map((path) => resolve(io.cwd, path));
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
      choices: feedChoicesOf(options, io.cwd),
      delayMs: options.feedDelay ?? null,
    }),
    repeat: options.repeat,
    feeCurve: options.fees === undefined ? null : feeCurve(options.fees),
    folds: options.folds ?? null,
    embargoMs: options.embargo * MINUTE_MS,
    memoryBytes: options.memory * MEBIBYTE,
  };
}

/** Beside the ledger; a lone strategy file has none, and its own folder is for configuration. */
function usualOutDir({ file, ledger, strategies }: Config, cwd: string): string {
  const lone = strategies.find((strategy) => strategy.file === file);
  return lone === undefined ? join(dirname(ledger.path), 'sweep') : resolve(cwd, 'data/sweep', lone.name);
}

function searchFrom({ param, random, seed }: SweepFlags, config: Config): SweepPlan['search'] {
  const axes = param.map((text) => readAxis(text, config.strategies, random !== undefined));
  requireDifferent(axes);
  return random === undefined ? gridSearch(config, axes) : randomSearch(config, axes, random, seed);
}

/** What is counted, and what its speed is measured by. */
type ProgressWords = readonly [tasks: string, parts: string];

const watcher = (line: ProgressLine, io: CliIo, words: ProgressWords): SweepWatcher => ({
  now: () => performance.now(),
  progress: (progress) =>
    line.show(progress.all === 0 ? 1 : progress.done / progress.all, progressText(progress, words)),
  say: (text) => {
    line.end();
    io.err(`${text}\n`);
  },
  stopAsked: io.stopAsked(),
});

function progressText(
  { phase, done, all, failed, eventsPerS, leftMs }: SweepProgress,
  [tasks, parts]: ProgressWords,
): string {
  if (phase === 'reading') return `reading recordings ${count(done)}/${count(all)}`;
  const speed = eventsPerS === null ? '' : `, ${count(eventsPerS)} ${parts}/s`;
  const left = leftMs === null ? '' : `, ${formatDuration(leftMs)} left`;
  return `${tasks} ${count(done)}/${count(all)}${failed > 0 ? `, ${count(failed)} failed` : ''}${speed}${left}`;
}
