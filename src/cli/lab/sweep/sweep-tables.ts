/** A sweep on the terminal: the best configurations, judgements of the search, walk-forward, and notes. */

import { join, resolve } from 'node:path';
import {
  count,
  formatDuration,
  formatGain,
  formatMoney,
  formatQuantity,
  UNKNOWN,
} from '../../../lab/report/figures.js';
import type { SweepProgress, SweepWatcher } from '../../../lab/sweep/contract.js';
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
} from '../../../lab/sweep/describe.js';
import type { ConfigurationResult, FreshResult, SweepResult, WalkForward } from '../../../lab/sweep/result.js';
import { type Answer, text } from '../../command.js';
import type { CliIo } from '../../output/io.js';
import { type Column, prose, table } from '../../output/table.js';
import { writeWhole } from '../../output/whole-file.js';
import type { ProgressLine } from '../progress.js';

/** Maximum rows; the database, --json and the page have all. */
const MOST_ROWS = 20;

export function sweepTables(result: SweepResult, width?: number): string {
  const { configurations, counts } = result;
  const shown = configurations.slice(0, MOST_ROWS);
  const more = configurations.length - shown.length;
  const say = (text: string) => prose(text, width, '  ');
  return [
    say(
      `${result.title}: ${formatQuantity(counts.configurations, 'configuration')}, ${count(counts.events)} ${eventsText(result)}, ${count(counts.tried)} ever tried here\n`,
    ),
    table(
      shown.map((configuration, index) => ({ configuration, place: index + 1 })),
      columns(result),
      width,
    ),
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
  const { search, assumptions, counts } = result;
  return [
    { title: '#', cell: ({ place, configuration }) => (configuration.status === 'done' ? place : '-'), right: true },
    { title: 'CONFIG', cell: ({ configuration }) => configuration.number, right: true },
    ...search.axes.map(
      (_, index): Column<Placed> => ({
        title: axisName(search.axes, index).toUpperCase(),
        cell: ({ configuration }) => configuration.values[index] ?? null,
        right: true,
      }),
    ),
    ...assumptions.fillModels.flatMap((model, index): Column<Placed>[] => [
      { title: model.toUpperCase(), cell: of(index, resultText), right: true, keep: index === 0 ? 95 : 80 - index },
      {
        title: 'SHARPE',
        cell: of(index, ({ sharpe }) => sharpeText(sharpe, counts.events)),
        right: true,
        keep: 60 - index,
      },
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

export const reportOption = text(
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
    const { sweepHtml } = await import('../../../lab/sweep/sweep-html.js');
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
