/** Options of `sweep` and `sweep plan`, the plan that these options describe, and the tables of a sweep's result. */

import { dirname, join, resolve } from 'node:path';
import { feeCurve } from '../../lab/backtest/fees.js';
import { latencyChoice } from '../../lab/backtest/latency.js';
import { count, formatDuration, formatQuantity } from '../../lab/report/figures.js';
import {
  MAX_CONFIGURATIONS,
  MAX_FOLDS,
  type SweepPlan,
  type SweepProgress,
  type SweepWatcher,
  USUAL_FILL_MODELS,
} from '../../lab/sweep/contract.js';
import {
  configurationColumns,
  placeConfigurations,
  REMARK,
  type SharedColumn,
  sharedSections,
  TERMS,
} from '../../lab/sweep/describe.js';
import type { SweepResult } from '../../lab/sweep/result.js';
import { gridSearch, randomSearch, readAxis } from '../../lab/sweep/search.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { loadConfig } from '../../shell/config/load.js';
import { resolveData } from '../command.js';
import { type CliIo, type ProgressLine, writeWhole } from '../io.js';
import * as option from '../options.js';
import { prose, type TableColumn, table } from '../table.js';
import { DATA, fillModelOption, PLAY_OPTIONS, planOptions, resolveFeedChoices } from './backtest.js';

export function sweepTables(result: SweepResult, width?: number): string {
  const { configurations, counts, subject, assumptions } = result;
  // The database, `--json` and the page have all rows.
  const shown = placeConfigurations(result).slice(0, 20);
  const more = configurations.length - shown.length;
  const say = (text: string) => prose(text, width, '  ');
  const sections = sharedSections(result, (columns, rows) => sharedTable(rows, columns, width));
  const events =
    subject === 'worlds'
      ? `seeds of ${assumptions.fillModels.join(', ')}; sums of edge`
      : `${TERMS[subject].event}s in ${assumptions.folds} folds`;
  const head = `${result.title}: ${formatQuantity(counts.configurations, 'configuration')}, ${count(counts.events)} ${events}, ${count(counts.tried)} tried so far in this folder\n`;
  return [
    say(head),
    sharedTable(shown, [...configurationColumns(result), REMARK], width),
    more > 0 ? `… and ${count(more)} more\n` : '',
    ...sections.map(
      ({ title, lead, table: text, notes }) =>
        `\n${say(`${title}: ${lead}`)}\n${text}${say(notes.map((line) => `${line}\n`).join(''))}`,
    ),
    say(`\n${result.notes.map(({ text }) => `- ${text}\n`).join('')}`),
  ].join('');
}

function sharedTable<Row>(rows: readonly Row[], shared: readonly SharedColumn<Row>[], width?: number): string {
  const columns = shared.map(({ title, short = title, isText, ...column }): TableColumn<Row> => {
    return { ...column, title: short.toUpperCase(), right: isText !== true };
  });
  return table(rows, columns, width);
}

export const reportOption = option.text('--report <file>', 'path of a report with the tables, a single HTML file');

export async function resultAnswer(result: SweepResult, outDir: string, report: string | undefined, io: CliIo) {
  if (report !== undefined) {
    const { sweepHtml } = await import('../../lab/sweep/sweep-html.js');
    writeWhole(resolve(io.cwd, report), sweepHtml(result));
  }
  const places = `results: ${join(outDir, 'sweep.sqlite')}\n${report === undefined ? '' : `page: ${report}\n`}`;
  return { data: result, text: (width?: number) => `${sweepTables(result, width)}${places}` };
}

/** @param words nouns of the progress line: the counted tasks, then the unit of speed */
export const watcher = (line: ProgressLine, io: CliIo, words: readonly [string, string]): SweepWatcher => ({
  now: () => performance.now(),
  progress: (progress) =>
    line.show(progress.all === 0 ? 1 : progress.done / progress.all, progressText(progress, words)),
  say: (text) => {
    line.end();
    io.err(`${text}\n`);
  },
  stopAsked: io.stopAsked(),
});

function progressText(progress: SweepProgress, [tasks, parts]: readonly [string, string]): string {
  const { phase, done, all, failed, eventsPerS, leftMs } = progress;
  if (phase === 'reading') return `reading recordings ${count(done)}/${count(all)}`;
  const speed = eventsPerS === null ? '' : `, ${count(eventsPerS)} ${parts}/s`;
  const left = leftMs === null ? '' : `, ${formatDuration(leftMs)} left`;
  return `${tasks} ${count(done)}/${count(all)}${failed > 0 ? `, ${count(failed)} failed` : ''}${speed}${left}`;
}

export const QUESTION_OPTIONS = {
  data: option.list(...DATA),
  ...PLAY_OPTIONS,
  param: option.repeated(
    '--param <name=values>',
    'a parameter to vary, as STRATEGY.NAME=FROM:TO:STEP or =a,b,c; with --random also =FROM:TO or =log:FROM:TO',
    String,
  ),
  random: option.integer('--random <n>', 'number of random configurations to try (default: the whole grid)', [
    1,
    MAX_CONFIGURATIONS,
  ]),
  fillModel: fillModelOption(USUAL_FILL_MODELS),
  folds: option.integer(
    '--folds <n>',
    'number of folds of whole events, in order of time (default: 4, if there are enough events)',
    [1, MAX_FOLDS],
  ),
  embargo: option.number(
    '--embargo <minutes>',
    'minimum time between the end of a training event and the tested fold, minutes',
    [0, 525_600],
    0,
  ),
  out: option.text(
    '--out <dir>',
    'folder of the results and the count of trials (default: sweep/ beside the ledger; for a lone strategy file data/sweep/NAME)',
  ),
};

export type Question = option.OptionValues<typeof QUESTION_OPTIONS> & {
  readonly file: string;
  readonly workers: number;
  readonly world?: readonly string[] | undefined;
  readonly resume?: true | undefined;
};

export function requireData({ data }: Pick<Question, 'data'>): readonly string[] {
  if (data !== undefined) return data;
  const hint = 'Give recordings with --data PATH, or worlds with --world NAME.';
  throw new TwinbookError('usage', 'neither recordings nor worlds are given', hint);
}

export async function questionFrom(options: Question, io: CliIo) {
  // The environment is copied, because the process's own environment cannot be passed to a thread.
  const feeds = options.world === undefined ? options.feed.map(({ name }) => name) : ('any' as const);
  const source = { file: resolve(io.cwd, options.file), env: { ...io.env }, cwd: io.cwd, feeds };
  const config = await loadConfig(source.file, { ...source, strategyFileToo: true });
  const { param, random, seed, workers, out } = options;
  const axes = param.map((text) => readAxis(text, config.strategies, random !== undefined));
  const search = random === undefined ? gridSearch(config, axes) : randomSearch(config, axes, random, seed);
  // The default output folder is beside the ledger, or for a lone strategy file in the working folder.
  const lone = config.strategies.find(({ file }) => file === config.file);
  const usual = lone === undefined ? join(dirname(config.ledger.path), 'sweep') : join('data/sweep', lone.name);
  return { config, source, search, workers, outDir: resolve(io.cwd, out ?? usual), resume: options.resume === true };
}

/** Makes the plan of a sweep. Throws for every error of the input before any backtest runs. */
export async function planFrom(options: Question, io: CliIo): Promise<SweepPlan> {
  const paths = resolveData(requireData(options), io);
  const question = await questionFrom(options, io);
  const { checkFillModels } = await import('../../lab/backtest/replay-driver.js');
  const fillModels = checkFillModels(options.fillModel ?? USUAL_FILL_MODELS);
  const { readFeedData } = await import('../../lab/backtest/plan.js');
  const { openRecordings } = await import('../../recording/recording.js');
  const recordings = await openRecordings(paths);
  return {
    ...question,
    paths,
    recordings,
    fillModels,
    latency: await latencyChoice(options.latency ?? null, recordings),
    ...planOptions(options, question.config),
    feedData: await readFeedData({
      config: question.config,
      recordings,
      choices: resolveFeedChoices(options, io.cwd),
      delayMs: options.feedDelay ?? null,
    }),
    feeCurve: options.fees === undefined ? null : feeCurve(options.fees),
    folds: options.folds ?? null,
    embargoMs: options.embargo * 60_000,
  };
}
