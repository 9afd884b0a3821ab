/** Lines of the report's figures for the page and the terminal, and the terminal's table. */

import { foldText, plainLine } from '../../shared/base/text.js';
import { type Analysis, bracketVerdict, repeatedModels, sharedWarnings } from './analysis/analyse.js';
import { shownInterval, shownSharpe } from './analysis/markets.js';
import { nameModel, type RepeatFigures, type RunSpread } from './analysis/session-figures.js';
import { findMarkout } from './analysis/trading.js';
import {
  count,
  formatDuration,
  formatGain,
  formatMoney,
  formatPercent,
  formatShares,
  ratio,
  signedCents,
  UNKNOWN,
} from './figures.js';
import { shorten } from './html/parts.js';

/** A line of the report's table: its name, and a function that returns the line's figure for a column. */
export type SummaryLine<T> = readonly [name: string, figure: (of: T) => string];

const markout = (...place: Parameters<typeof findMarkout>) => signedCents(findMarkout(...place)?.markoutMicros ?? null);

export const LINES: readonly SummaryLine<Analysis>[] = [
  ['Result', ({ result }) => formatGain(result.resultMicros)],
  ['  of the capital', ({ equity }) => formatPercent(equity.returnShare, 2)],
  ['  spread earned', ({ result }) => formatGain(result.spreadMicros)],
  ['  inventory drift', ({ result }) => formatGain(result.driftMicros)],
  ['  fees', ({ result }) => formatGain(-result.feesMicros)],
  ['  merges', ({ result }) => formatGain(result.mergesMicros)],
  ['  settlement', ({ result }) => formatGain(result.settlementMicros)],
  ['  cannot be divided', ({ result }) => formatGain(result.undividedMicros)],
  ['95 % interval, from', ({ byEvent }) => formatGain(shownInterval(byEvent)?.[0] ?? null)],
  ['95 % interval, to', ({ byEvent }) => formatGain(shownInterval(byEvent)?.[1] ?? null)],
  ['Sharpe per event', ({ byEvent }) => ratio(shownSharpe(byEvent))],
  ['Deepest drawdown', ({ drawdown }) => formatMoney(drawdown.maxMicros)],
  ['Capital locked, mean', ({ capital }) => formatMoney(capital.meanLockedMicros)],
  ['Fills', ({ trading }) => count(trading.fills)],
  ['Filled / posted shares', ({ trading }) => formatPercent(trading.fillRatioShare)],
  ['Markout 5 s, cents', ({ markouts }) => markout(markouts, 5_000)],
  ['Markout 60 s, cents', ({ markouts }) => markout(markouts, 60_000)],
  ['Markout settlement, cents', ({ markouts }) => markout(markouts, 'settlement')],
  ['  late orders, 60 s', ({ markouts }) => markout(markouts, 60_000, 'late')],
  ['Filled at crossings', ({ trading }) => formatShares(trading.atCrossingMicros)],
  ['Two-sided quotes', ({ quoting }) => formatPercent(quoting.twoSidedShare)],
  ['Public requests / limit', ({ requests }) => formatPercent(requests?.publicShare ?? null)],
  ['  requests per fill', ({ requests }) => ratio(requests?.perFill ?? null)],
  ['  value/request, cents', ({ requests }) => signedCents(requests?.valueMicros ?? null)],
  ['Carried into settlement', ({ inventory }) => formatPercent(inventory.carriedShare)],
  ['Markets traded', ({ coverage }) => `${count(coverage.marketsTraded)} of ${count(coverage.markets)}`],
  ['Recorded time covered', ({ coverage }) => formatPercent(coverage.coveredShare, 2)],
  ['Recorded time', ({ coverage }) => (coverage.spanMs === 0 ? UNKNOWN : formatDuration(coverage.spanMs))],
];

const spread = ({ median, p90 }: { readonly median: number | null; readonly p90: number | null }): string =>
  median === null ? UNKNOWN : `${formatDuration(median)}, ${formatDuration(p90)}`;

/** Lines of figures that only the page shows. */
export const PAGE_LINES: readonly SummaryLine<Analysis>[] = [
  ['Result per event', ({ byEvent }) => `${formatGain(byEvent.meanMicros)} ± ${formatMoney(byEvent.deviationMicros)}`],
  ['Events with a result', ({ byEvent }) => count(byEvent.events)],
  ['Events won / lost', ({ byEvent }) => `${count(byEvent.won)} / ${count(byEvent.lost)}`],
  ['Equity at the end', ({ equity }) => formatMoney(equity.endEquityMicros)],
  ['Value of shares at the end', ({ equity }) => formatMoney(equity.endHoldingsMicros)],
  ['Capital locked, peak', ({ capital }) => formatMoney(capital.peakLockedMicros)],
  ['Longest drawdown', ({ drawdown }) => formatDuration(drawdown.longestMs)],
  ['Largest position, shares', ({ inventory }) => formatShares(inventory.peakMicros)],
  ['One side quoted', ({ quoting }) => formatPercent(quoting.oneSidedShare)],
  ['Orders placed / canceled', ({ trading }) => `${count(trading.ordersPlaced)} / ${count(trading.ordersCanceled)}`],
  ['Orders with a fill', ({ trading }) => count(trading.ordersFilled)],
  ['Shares ahead of an order, mean', ({ trading }) => formatShares(trading.queue.meanAheadMicros)],
  ['Shares ahead of a filled order, mean', ({ trading }) => formatShares(trading.queue.filledMeanAheadMicros)],
  ['Shares posted', ({ trading }) => formatShares(trading.postedMicros)],
  ['Shares filled while resting', ({ trading }) => formatShares(trading.restingFilledMicros)],
  ['Shares bought, in YES terms', ({ trading }) => formatShares(trading.boughtMicros)],
  ['Shares sold, in YES terms', ({ trading }) => formatShares(trading.soldMicros)],
  ['Fills as maker / as taker', ({ trading }) => `${count(trading.makerFills)} / ${count(trading.takerFills)}`],
  ['Rest before a fill: median, 90th percentile', ({ trading }) => spread(trading.rested)],
  ['Delay until a fill is noticed: median, 90th percentile', ({ trading }) => spread(trading.noticed)],
  ['Fills never noticed', ({ trading }) => count(trading.neverNoticed)],
  ['Recorded events', ({ coverage }) => count(coverage.events)],
  ['Requests not sent in time', ({ requests }) => count(requests?.unsent ?? null)],
];

type FormatFigure = (micros: number | null) => string;

const meanAndSpread = (shown: FormatFigure, spread: FormatFigure, { mean, deviation }: RunSpread): string =>
  deviation === null ? shown(mean) : `${shown(mean)} ± ${spread(deviation)}`;

const unsignedCents: FormatFigure = (micros) => signedCents(micros).replace('+', '');

/** Lines of figures over repeated runs. The standard deviation between repeated runs follows `±`. */
export const REPEAT_LINES: readonly SummaryLine<RepeatFigures>[] = [
  ['Result, mean', ({ resultMicros }) => meanAndSpread(formatGain, formatMoney, resultMicros)],
  ['  lowest', ({ resultMicros }) => formatGain(resultMicros.lowest)],
  ['  highest', ({ resultMicros }) => formatGain(resultMicros.highest)],
  ['  95 % interval, from', ({ intervalMicros }) => formatGain(intervalMicros?.[0] ?? null)],
  ['  95 % interval, to', ({ intervalMicros }) => formatGain(intervalMicros?.[1] ?? null)],
  ['Spread earned', ({ spreadMicros }) => meanAndSpread(formatGain, formatMoney, spreadMicros)],
  ['Fills', ({ fills }) => meanAndSpread(count, count, fills)],
  ['Markout 5 s, cents', ({ markout5sMicros }) => meanAndSpread(signedCents, unsignedCents, markout5sMicros)],
  ['Markout 60 s, cents', ({ markout60sMicros }) => meanAndSpread(signedCents, unsignedCents, markout60sMicros)],
];

/** Maximum width of a table, and width of its column of names, in characters. */
const WIDTH = 100;
const NAME_WIDTH = Math.max(...LINES.map(([name]) => name.length)) + 2;
/** Minimum width of a table column; figures need this width. Sessions that do not fit follow in another table. */
const LEAST_COLUMN = 14;
const LEAST_WIDTH = NAME_WIDTH + LEAST_COLUMN;

/**
 * Returns a table of the sessions, at most 100 characters wide, with verdict, warnings and a final line break.
 * `columns`: width of the terminal in characters; absent for a file.
 */
export function summaryTable(analyses: readonly Analysis[], columns = WIDTH): string {
  const width = Math.max(LEAST_WIDTH, Math.min(WIDTH, columns));
  const named = analyses.map((analysis): SummaryColumn<Analysis> => [nameModel(analysis), analysis]);
  const tables = [...repeatTables(analyses, width), ...sideBySide('Fill model', LINES, named, width)];
  const { signFlips, text } = bracketVerdict(analyses);
  const verdict = text === '' ? [] : [wrapText(signFlips ? `SIGN FLIPS. ${text}` : text, width)];
  return `${[...tables, ...verdict, ...warningLines(analyses, width)].join('\n\n')}\n`;
}

/** Returns tables of means over repeated runs, then the heading of the detailed table; empty without repeats. */
function repeatTables(analyses: readonly Analysis[], width: number): readonly string[] {
  const models = repeatedModels(analyses).map(({ model, repeats }): SummaryColumn<typeof repeats> => [model, repeats]);
  const [first] = models;
  if (first === undefined) return [];
  const tables = sideBySide(`${count(first[1].count)} repeats`, REPEAT_LINES, models, width);
  return [...tables, 'Details of the run with the median result, for each model:'];
}

type SummaryColumn<T> = readonly [title: string, of: T];

/** Returns one table, or several tables if the columns do not fit side by side. */
function sideBySide<T>(
  title: string,
  lines: readonly SummaryLine<T>[],
  columns: readonly SummaryColumn<T>[],
  width: number,
): string[] {
  const perTable = Math.floor((width - NAME_WIDTH) / LEAST_COLUMN);
  const tables: string[] = [];
  for (let from = 0; from < columns.length; from += perTable) {
    const shown = columns.slice(from, from + perTable);
    const room = Math.min(22, Math.floor((width - NAME_WIDTH) / shown.length));
    const row = (name: string, cellOf: (column: SummaryColumn<T>) => string): string => {
      const cells = shown.map((column) => shorten(cellOf(column), room - 1).padStart(room));
      return `${name.padEnd(NAME_WIDTH)}${cells.join('')}`.trimEnd();
    };
    const head = row(title, ([name]) => name);
    tables.push([head, ...lines.map(([name, figure]) => row(name, ([, of]) => figure(of)))].join('\n'));
  }
  return tables;
}

function warningLines(analyses: readonly Analysis[], width: number): readonly string[] {
  const lines = sharedWarnings(analyses)
    .filter(({ level }) => level !== 'note')
    .map(({ text, models }) =>
      wrapText(`! ${models.length === 0 ? '' : `${models.join(', ')}: `}${plainLine(text)}`, width, '  '),
    );
  return lines.length === 0 ? [] : [lines.join('\n')];
}

const wrapText = (text: string, width: number, indent = ''): string =>
  foldText(text, width - indent.length).join(`\n${indent}`);
