/** The bracket as a table for the terminal. */

import { bracketVerdict, nameModel, repeatedModels } from './analysis/bracket.js';
import type { Analysis, Markout, MarkoutHorizon } from './analysis/contract.js';
import { shownInterval, shownSharpe } from './analysis/events.js';
import { REQUEST_PURPOSES } from './analysis/purposes.js';
import { sharedWarnings } from './analysis/warnings.js';
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
import { REPEAT_LINES } from './repeat-lines.js';

/** As in `status`, in words. */
const PURPOSE_WORDS = {
  looks: 'looks',
  moves: 'placing',
  cancels: 'cancels',
  conversions: 'conversions',
  own: 'own state',
} as const;

type Line = readonly [name: string, figure: (analysis: Analysis) => string];

const LINES: readonly Line[] = [
  ['Result', ({ result }) => formatGain(result.resultMicros)],
  ['  of the capital', ({ equity }) => formatPercent(equity.returnShare, 2)],
  ['  spread earned', ({ result }) => formatGain(result.spreadMicros)],
  ['  inventory drift', ({ result }) => formatGain(result.driftMicros)],
  ['  fees', ({ result }) => formatGain(-result.feesMicros)],
  ['  fees saved by legs', ({ trading }) => formatGain(trading.feesSavedByLegsMicros)],
  ['  merges', ({ result }) => formatGain(result.mergesMicros)],
  ['  settlement', ({ result }) => formatGain(result.settlementMicros)],
  ['  cannot be divided', ({ result }) => formatGain(result.undividedMicros)],
  ['95 % interval, from', ({ byEvent }) => formatGain(shownInterval(byEvent)?.[0] ?? null)],
  ['95 % interval, to', ({ byEvent }) => formatGain(shownInterval(byEvent)?.[1] ?? null)],
  ['Sharpe per event', ({ byEvent }) => ratio(shownSharpe(byEvent))],
  ['Deepest drawdown', ({ drawdown }) => formatMoney(drawdown.maxMicros)],
  ['Capital locked, mean', ({ capital }) => formatMoney(capital.meanLockedMicros)],
  ['Fills', ({ trading }) => count(trading.fills)],
  ['Filled of posted', ({ trading }) => formatPercent(trading.fillRatioShare)],
  ['Markout 5 s, cents', (analysis) => markout(analysis, 5_000)],
  ['Markout 60 s, cents', (analysis) => markout(analysis, 60_000)],
  ['Markout settlement, cents', (analysis) => markout(analysis, 'settlement')],
  ['Filled at crossings', ({ crossing }) => formatShares(crossing?.filled.sharesMicros ?? null)],
  ['Crossed, not filled', ({ crossing }) => formatShares(crossing?.unfilled.sharesMicros ?? null)],
  ['  crossed for, median', ({ crossing }) => formatDuration(crossing?.unfilled.crossed.median ?? null)],
  ['  markout 1 s, cents', (analysis) => crossedMarkout(analysis, 1_000)],
  ['  markout 5 s, cents', (analysis) => crossedMarkout(analysis, 5_000)],
  ['  markout 60 s, cents', (analysis) => crossedMarkout(analysis, 60_000)],
  ['  markout settlement, cents', (analysis) => crossedMarkout(analysis, 'settlement')],
  ['Two-sided quotes', ({ quoting }) => formatPercent(quoting.twoSidedShare)],
  ['Public requests, of limit', ({ requests }) => formatPercent(requests?.publicShare ?? null)],
  ...REQUEST_PURPOSES.map(
    (purpose): Line => [
      `  requests for ${PURPOSE_WORDS[purpose]}`,
      ({ requests }) => count(requests?.byPurpose[purpose] ?? null),
    ],
  ),
  ['  requests a fill', ({ requests }) => ratio(requests?.perFill ?? null)],
  ['  value a request, cents', ({ requests }) => signedCents(requests?.valueMicros ?? null)],
  ['Carried into settlement', ({ inventory }) => formatPercent(inventory.carriedShare)],
  ['Markets traded', ({ coverage }) => `${count(coverage.marketsTraded)} of ${count(coverage.markets)}`],
  ['Recorded time covered', ({ coverage }) => formatPercent(coverage.coveredShare, 2)],
  ['Recorded time', ({ coverage }) => (coverage.spanMs === 0 ? UNKNOWN : formatDuration(coverage.spanMs))],
];

/** The widest that a table gets, and the narrowest in which a name and a figure stand side by side. */
const WIDTH = 100;
const NAME_WIDTH = Math.max(...LINES.map(([name]) => name.length)) + 2;
/** Narrower columns would cut figures. More sessions than fit side by side stand below each other. */
const LEAST_COLUMN = 14;
const LEAST_WIDTH = NAME_WIDTH + LEAST_COLUMN;

/**
 * Sessions side by side, at most 100 columns wide, ending in a line break; a flip of the result's sign is said.
 * @param columns of the terminal; left out for a file
 */
export function summaryTable(analyses: readonly Analysis[], columns = WIDTH): string {
  const width = Math.max(LEAST_WIDTH, Math.min(WIDTH, columns));
  const perTable = Math.floor((width - NAME_WIDTH) / LEAST_COLUMN);
  const tables: string[] = [];
  for (let from = 0; from < analyses.length; from += perTable)
    tables.push(sideBySide(analyses.slice(from, from + perTable), width));
  tables.unshift(...repeatTables(analyses, width, perTable));
  const { signFlips, text } = bracketVerdict(analyses);
  const verdict = text === '' ? [] : [wrapText(signFlips ? `SIGN FLIPS. ${text}` : text, width)];
  return `${[...tables, ...verdict, ...warningLines(analyses, width)].join('\n\n')}\n`;
}

/** Means over repeats, where there are any, above the one that is shown in detail. */
function repeatTables(analyses: readonly Analysis[], width: number, perTable: number): readonly string[] {
  const models = repeatedModels(analyses);
  const [first] = models;
  if (first === undefined) return [];
  const tables: string[] = [];
  for (let from = 0; from < models.length; from += perTable) {
    const shown = models.slice(from, from + perTable);
    const rows = REPEAT_LINES.map(([name, figure]) =>
      line(
        name,
        shown.map(({ repeats }) => figure(repeats)),
        width,
      ),
    );
    tables.push(
      [
        line(
          `${count(first.repeats.count)} repeats`,
          shown.map(({ model }) => model),
          width,
        ),
        ...rows,
      ].join('\n'),
    );
  }
  return [...tables, 'In detail, of each model the run with the middle result:'];
}

function line(name: string, cells: readonly string[], width: number): string {
  const room = Math.min(22, Math.floor((width - NAME_WIDTH) / Math.max(1, cells.length)));
  return `${name.padEnd(NAME_WIDTH)}${cells.map((cell) => fitCell(cell, room - 1).padStart(room)).join('')}`.trimEnd();
}

function sideBySide(analyses: readonly Analysis[], width: number): string {
  const rows = LINES.map(([name, figure]) => line(name, analyses.map(figure), width));
  return [line('Fill model', analyses.map(nameModel), width), ...rows].join('\n');
}

const fitCell = (cell: string, room: number): string => (cell.length <= room ? cell : `${cell.slice(0, room - 1)}…`);

function markout({ markouts }: Analysis, horizon: MarkoutHorizon): string {
  const isWanted = (row: Markout): boolean => row.horizon === horizon && row.side === 'all';
  return signedCents(markouts.find(isWanted)?.markoutMicros ?? null);
}

const crossedMarkout = ({ crossing }: Analysis, horizon: MarkoutHorizon): string =>
  signedCents(crossing?.unfilled.markouts.find((row) => row.horizon === horizon)?.markoutMicros ?? null);

function warningLines(analyses: readonly Analysis[], width: number): readonly string[] {
  const lines = sharedWarnings(analyses)
    .filter(({ level }) => level !== 'note')
    .map(({ text, models }) =>
      wrapText(`! ${models.length === 0 ? '' : `${models.join(', ')}: `}${plain(text)}`, width, '  '),
    );
  return lines.length === 0 ? [] : [lines.join('\n')];
}

/** Titles come from the exchange: control characters could move the cursor of the reader's terminal. */
const plain = (text: string): string => text.replace(/\p{C}/gu, '?');

function wrapText(text: string, width: number, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > width) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}
