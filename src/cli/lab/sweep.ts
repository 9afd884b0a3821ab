/** `twinbook sweep`: many configurations over the same recordings, on all cores. */

import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { feeCurve } from '../../lab/backtest/fees/fee-curves.js';
import { latencyChoice } from '../../lab/backtest/latency-choice.js';
import { count, duration } from '../../lab/report/figures.js';
import { readAxis, requireDifferent } from '../../lab/sweep/axes.js';
import { MAX_CONFIGURATIONS, MAX_FOLDS, USUAL_FILL_MODELS, USUAL_MEMORY_BYTES } from '../../lab/sweep/bounds.js';
import type { SweepPlan, SweepProgress, SweepWatcher } from '../../lab/sweep/contract.js';
import { gridSearch, randomSearch } from '../../lab/sweep/search.js';
import { loadConfig } from '../../shell/config/load.js';
import type { Config } from '../../shell/config/types.js';
import { integerBetween, numberBetween } from '../arguments.js';
import { EXIT, type ExitCode } from '../output/exit.js';
import { action, type CliIo, type Session, withConfig, withJson } from '../output/io.js';
import { json } from '../output/table.js';
import { writeWhole } from '../output/whole-file.js';
import { type BacktestFlags, planOptions, withBacktestData } from './backtest.js';
import { fillModelOption, fillModelsOf } from './fill-model-option.js';
import { ProgressLine } from './progress.js';

interface SweepFlags extends BacktestFlags {
  readonly param: readonly string[];
  readonly random?: number;
  readonly workers: number;
  readonly folds?: number;
  readonly embargo: number;
  readonly memory: number;
  readonly out?: string;
  readonly resume?: true;
}

const MEBIBYTE = 1024 * 1024;
const MINUTE_MS = 60_000;

export function addSweepCommand(program: Command, session: Session): void {
  const command = program
    .command('sweep')
    .description('backtests many configurations and says how far the best of them may be believed');
  withBacktestData(withJson(withConfig(command)))
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
    .option('--report <file>', 'write a page with table, heat maps and walk-forward, one HTML file');
  action<SweepFlags>(command, session, (options) => sweep(options, session.io));
}

async function sweep(options: SweepFlags, io: CliIo): Promise<ExitCode> {
  const plan = await planFrom(options, io);
  const line = new ProgressLine(io, options.json === true);
  const { runSweep } = await import('../../lab/sweep/sweep.js');
  const { result, isComplete } = await runSweep(plan, watcher(line, io)).finally(() => line.end());
  if (options.report !== undefined) {
    const { sweepHtml } = await import('../../lab/sweep/html/sweep-html.js');
    writeWhole(resolve(io.cwd, options.report), sweepHtml(result));
  }
  if (options.json === true) io.out(json(result));
  else {
    const { sweepTables } = await import('./sweep-tables.js');
    io.out(sweepTables(result));
    io.out(`results: ${join(plan.outDir, 'sweep.sqlite')}\n`);
    if (options.report !== undefined) io.out(`page: ${options.report}\n`);
  }
  if (!isComplete) io.err('Stopped. What is done is kept: the same command with --resume goes on.\n');
  return isComplete ? EXIT.ok : EXIT.failed;
}

/** Everything that can be wrong with the question is found out here, before anything runs. */
async function planFrom(options: SweepFlags, io: CliIo): Promise<SweepPlan> {
  // A copy: the environment of the process itself cannot be handed to a thread.
  const source = { file: resolve(io.cwd, options.config), env: { ...io.env }, cwd: io.cwd };
  const config = await loadConfig(source.file, { ...source, strategyFileToo: true });
  const { checkFillModels } = await import('../../lab/backtest/open-sources.js');
  const fillModels = checkFillModels(fillModelsOf(options, USUAL_FILL_MODELS, io.cwd));
  const search = searchFrom(options, config);
  const { openRecordings } = await import('../../recording/recording.js');
  const paths = options.data.map((path) => resolve(io.cwd, path));
  const recordings = await openRecordings(paths);
  return {
    config,
    source,
    paths,
    recordings,
    search,
    fillModels,
    latency: await latencyChoice(options.latency ?? null, recordings, options.failures ?? null),
    ...planOptions(options, config),
    repeat: options.repeat,
    feeCurve: options.fees === undefined ? null : feeCurve(options.fees),
    folds: options.folds ?? null,
    embargoMs: options.embargo * MINUTE_MS,
    workers: options.workers,
    memoryBytes: options.memory * MEBIBYTE,
    outDir: options.out === undefined ? usualOutDir(config, io.cwd) : resolve(io.cwd, options.out),
    resume: options.resume === true,
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

const watcher = (line: ProgressLine, io: CliIo): SweepWatcher => ({
  now: () => performance.now(),
  progress: (progress) => line.show(progress.all === 0 ? 1 : progress.done / progress.all, progressText(progress)),
  say: (text) => {
    line.end();
    io.err(`${text}\n`);
  },
  stopAsked: io.stopAsked(),
});

function progressText({ phase, done, all, failed, eventsPerS, leftMs }: SweepProgress): string {
  if (phase === 'reading') return `reading recordings ${count(done)}/${count(all)}`;
  const speed = eventsPerS === null ? '' : `, ${count(eventsPerS)} events/s`;
  const left = leftMs === null ? '' : `, ${duration(leftMs)} left`;
  return `backtests ${count(done)}/${count(all)}${failed > 0 ? `, ${count(failed)} failed` : ''}${speed}${left}`;
}
