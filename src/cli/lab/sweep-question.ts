/** Question and answer of a sweep: options shared by `sweep` and `sweep plan`, their plan, and the tables of a result. */

import { dirname, join, resolve } from 'node:path';
import { feeCurve } from '../../lab/backtest/fees.js';
import { latencyChoice } from '../../lab/backtest/latency.js';
import { count, formatDuration, formatGain, formatMoney, formatQuantity, UNKNOWN } from '../../lab/report/figures.js';
import {
  MAX_CONFIGURATIONS,
  MAX_FOLDS,
  type SweepPlan,
  type SweepProgress,
  type SweepWatcher,
  USUAL_FILL_MODELS,
  USUAL_MEMORY_BYTES,
} from '../../lab/sweep/contract.js';
import {
  axisName,
  deflatedText,
  freshColumns,
  freshLead,
  judgementColumns,
  remark,
  resultText,
  type SharedColumn,
  sharpeText,
  stepColumns,
  TERMS,
} from '../../lab/sweep/describe.js';
import type { ConfigurationResult, FreshResult, SweepResult, WalkForward } from '../../lab/sweep/result.js';
import { gridSearch, randomSearch, readAxis, requireDifferent } from '../../lab/sweep/search.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { Config } from '../../shell/config/config.js';
import { loadConfig } from '../../shell/config/load.js';
import { type Answer, resolveData } from '../command.js';
import { type CliIo, type ProgressLine, writeWhole } from '../io.js';
import * as option from '../options.js';
import { type Column, prose, table } from '../table.js';
import { DATA, fillModelOption, PLAY_OPTIONS, planOptions, resolveFeedChoices } from './backtest.js';

/** Maximum rows; the database, --json and the page have all. */
const MOST_ROWS = 20;

export function sweepTables(result: SweepResult, width?: number): string {
  const { configurations, counts } = result;
  const shown = configurations.slice(0, MOST_ROWS);
  const more = configurations.length - shown.length;
  const say = (text: string) => prose(text, width, '  ');
  const head = `${result.title}: ${formatQuantity(counts.configurations, 'configuration')}, ${count(counts.events)} ${eventsText(result)}, ${count(counts.tried)} ever tried here\n`;
  const placed = shown.map((configuration, index) => ({ configuration, place: index + 1 }));
  return [
    say(head),
    table(placed, columns(result), width),
    more > 0 ? `… and ${count(more)} more\n` : '',
    `\n${sharedTable(result.models, judgementColumns(result), width)}`,
    result.walkForward === null ? '' : `\n${walkForwardTable(result.walkForward, result, width)}`,
    result.fresh === null ? '' : `\n${freshTable(result.fresh, width)}`,
    say(`\n${result.notes.map(({ text }) => `- ${text}\n`).join('')}`),
  ].join('');
}

const eventsText = ({ subject, assumptions }: SweepResult): string =>
  subject === 'worlds'
    ? `seeds of ${assumptions.fillModels.join(', ')}; sums of edge`
    : `${TERMS[subject].event}s in ${assumptions.folds} folds`;

interface Placed {
  readonly place: number;
  readonly configuration: ConfigurationResult;
}

/** A narrow terminal keeps the varied values and their result under the first fill model. */
function columns(result: SweepResult): readonly Column<Placed>[] {
  const { search, assumptions } = result;
  const { events } = result.counts;
  return [
    { title: '#', cell: ({ place, configuration }) => (configuration.status === 'done' ? place : '-'), right: true },
    { title: 'CONFIG', cell: ({ configuration }) => configuration.number, right: true },
    ...search.axes.map((_, index): Column<Placed> => {
      const cell = ({ configuration }: Placed) => configuration.values[index] ?? null;
      return { title: axisName(search.axes, index).toUpperCase(), cell, right: true };
    }),
    ...assumptions.fillModels.flatMap((model, index): Column<Placed>[] => [
      { title: model.toUpperCase(), cell: of(index, resultText), right: true, keep: index === 0 ? 95 : 80 - index },
      { title: 'SHARPE', cell: of(index, ({ sharpe }) => sharpeText(sharpe, events)), right: true, keep: 60 - index },
      { title: 'DEFLATED', cell: of(index, ({ sharpe }) => deflatedText(sharpe)), right: true, keep: 40 - index },
    ]),
    { title: 'DRAWDOWN', cell: ({ configuration }) => worstDrawdown(configuration), right: true, keep: 70 },
    { title: 'FILLS', cell: of(0, ({ fills }) => count(fills)), right: true, keep: 65 },
    { title: '', cell: ({ configuration }) => remark(configuration).slice(0, 100), gives: 'cut' },
  ];
}

const of =
  (model: number, text: (result: ConfigurationResult['models'][number]) => string) =>
  ({ configuration }: Placed): string => {
    const result = configuration.models[model];
    return result === undefined ? UNKNOWN : text(result);
  };

const worstDrawdown = ({ models }: ConfigurationResult): string =>
  models.length === 0 ? UNKNOWN : formatMoney(Math.max(...models.map(({ maxDrawdownMicros }) => maxDrawdownMicros)));

const sharedTable = <Row>(rows: readonly Row[], columns: readonly SharedColumn<Row>[], width?: number): string =>
  table(
    rows,
    columns.map(
      ({ title, short = title, cell, isText, keep }): Column<Row> => ({
        title: short.toUpperCase(),
        cell,
        right: isText !== true,
        ...(keep === undefined ? {} : { keep }),
      }),
    ),
    width,
  );

function walkForwardTable(
  { steps, outOfSample, testedEvents }: WalkForward,
  { assumptions }: SweepResult,
  width?: number,
): string {
  const sums = outOfSample.map(({ fillModel, resultMicros, sharpe }) => {
    return `Out of sample in all, ${fillModel}: ${formatGain(resultMicros)}, Sharpe per event ${sharpeText(sharpe, testedEvents)}, deflated ${deflatedText(sharpe)}\n`;
  });
  const lead = 'Walking forward: the configuration that was best on all earlier events, on those that follow';
  const rows = sharedTable(steps, stepColumns(assumptions.fillModels), width);
  return `${prose(lead, width, '  ')}\n${rows}${prose(sums.join(''), width, '  ')}`;
}

const freshTable = (fresh: FreshResult, width?: number): string =>
  `${prose(freshLead(fresh), width, '  ')}\n${sharedTable(fresh.worlds, freshColumns(fresh), width)}`;

export const reportOption = option.text(
  '--report <file>',
  'write a page with table, parameters and walk-forward, one HTML file',
);

export async function resultAnswer(
  result: SweepResult,
  outDir: string,
  report: string | undefined,
  io: CliIo,
): Promise<Answer> {
  if (report !== undefined) {
    const { sweepHtml } = await import('../../lab/sweep/sweep-html.js');
    writeWhole(resolve(io.cwd, report), sweepHtml(result));
  }
  const places = `results: ${join(outDir, 'sweep.sqlite')}\n${report === undefined ? '' : `page: ${report}\n`}`;
  return { data: result, text: (width) => `${sweepTables(result, width)}${places}` };
}

/** Counted items, and the unit of its speed. */
export type ProgressWords = readonly [tasks: string, parts: string];

export const watcher = (line: ProgressLine, io: CliIo, words: ProgressWords): SweepWatcher => ({
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

const MEBIBYTE = 1024 * 1024;
const MINUTE_MS = 60_000;

export const memoryOption = option.integer(
  '--memory <mib>',
  'decoded recordings up to this size are kept and shared, larger ones streamed',
  [0, 1_048_576],
  USUAL_MEMORY_BYTES / MEBIBYTE,
);

export const QUESTION_OPTIONS = {
  data: option.list(...DATA),
  ...PLAY_OPTIONS,
  param: option.repeated(
    '--param <name=values>',
    'a parameter to vary, as STRATEGY.NAME=FROM:TO:STEP or =a,b,c; with --random also =FROM:TO or =log:FROM:TO',
  ),
  random: option.integer('--random <n>', 'random configurations, not the whole grid', [1, MAX_CONFIGURATIONS]),
  fillModel: fillModelOption(USUAL_FILL_MODELS),
  folds: option.integer(
    '--folds <n>',
    'folds of whole events, in order of time (default: 4, if there are events enough)',
    [1, MAX_FOLDS],
  ),
  embargo: option.number(
    '--embargo <minutes>',
    'between the end of an event that is learned from and the fold that is tested',
    [0, 525_600],
    0,
  ),
  out: option.text(
    '--out <dir>',
    'where results are kept and trials counted (default: sweep/ beside the ledger; of a strategy file alone data/sweep/NAME)',
  ),
  memory: memoryOption,
};

export type Question = option.Values<typeof QUESTION_OPTIONS> & {
  readonly file: string;
  readonly workers: number;
  readonly world?: readonly string[] | undefined;
  readonly resume?: true | undefined;
};

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
