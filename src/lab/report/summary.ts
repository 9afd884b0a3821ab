/** The bracket as a table for the terminal. */

import type { Analysis } from './analysis/analyse.js';
import { bracketVerdict, repeatedModels } from './analysis/bracket.js';
import { nameModel } from './analysis/session-figures.js';
import { sharedWarnings } from './analysis/warnings.js';
import { count } from './figures.js';
import { LINES, REPEAT_LINES } from './lines.js';

/** Maximum width of a table, and minimum width for a name beside a figure. */
const WIDTH = 100;
const NAME_WIDTH = Math.max(...LINES.map(([name]) => name.length)) + 2;
/** Narrower columns would cut figures. More sessions than fit side by side are placed below each other. */
const LEAST_COLUMN = 14;
const LEAST_WIDTH = NAME_WIDTH + LEAST_COLUMN;

/**
 * Sessions side by side, at most 100 columns wide, with a final line break; reports a flip of the result's sign.
 * @param columns of the terminal; absent for a file
 */
export function summaryTable(analyses: readonly Analysis[], columns = WIDTH): string {
  const width = Math.max(LEAST_WIDTH, Math.min(WIDTH, columns));
  const named = analyses.map((analysis): Column<Analysis> => [nameModel(analysis), analysis]);
  const tables = [...repeatTables(analyses, width), ...sideBySide('Fill model', LINES, named, width)];
  const { signFlips, text } = bracketVerdict(analyses);
  const verdict = text === '' ? [] : [wrapText(signFlips ? `SIGN FLIPS. ${text}` : text, width)];
  return `${[...tables, ...verdict, ...warningLines(analyses, width)].join('\n\n')}\n`;
}

/** Means over repeats, if any, above the detailed one. */
function repeatTables(analyses: readonly Analysis[], width: number): readonly string[] {
  const models = repeatedModels(analyses).map(({ model, repeats }): Column<typeof repeats> => [model, repeats]);
  const [first] = models;
  if (first === undefined) return [];
  const tables = sideBySide(`${count(first[1].count)} repeats`, REPEAT_LINES, models, width);
  return [...tables, 'In detail, of each model the run with the middle result:'];
}

type Column<T> = readonly [title: string, of: T];

/** One table, or several below each other when the columns do not fit. */
function sideBySide<T>(
  title: string,
  lines: readonly (readonly [name: string, figure: (of: T) => string, ...unknown[]])[],
  columns: readonly Column<T>[],
  width: number,
): string[] {
  const perTable = Math.floor((width - NAME_WIDTH) / LEAST_COLUMN);
  const tables: string[] = [];
  for (let from = 0; from < columns.length; from += perTable) {
    const shown = columns.slice(from, from + perTable);
    const row = (name: string, cells: readonly string[]): string => {
      const room = Math.min(22, Math.floor((width - NAME_WIDTH) / shown.length));
      return `${name.padEnd(NAME_WIDTH)}${cells.map((cell) => fitCell(cell, room - 1).padStart(room)).join('')}`;
    };
    const head = row(
      title,
      shown.map(([name]) => name),
    );
    const rows = lines.map(([name, figure]) =>
      row(
        name,
        shown.map(([, of]) => figure(of)),
      ),
    );
    tables.push([head, ...rows].map((line) => line.trimEnd()).join('\n'));
  }
  return tables;
}

const fitCell = (cell: string, room: number): string => (cell.length <= room ? cell : `${cell.slice(0, room - 1)}…`);

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
