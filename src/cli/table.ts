/** Prints rows as a table for people, or as JSON for programs. */

import type { QueryAnswer, QueryValue } from '../recording/inspect/query.js';
import { formatDecimal, micros } from '../shared/base/micros.js';
import { csvLine, fillLines, fitTable, foldText, GAP, measureText, plainJson, plainLine } from '../shared/base/text.js';
import type { CliIo } from './io.js';

export type TableCell = string | number | boolean | null;

export interface TableColumn<Row> {
  readonly title: string;
  readonly cell: (row: Row) => TableCell;
  readonly right?: boolean;
  /** How the column's text fits into a narrow terminal: `cut` with `…`, or wrapped (`fold`). */
  readonly gives?: 'cut' | 'fold';
  /** Minimum width of this text column. To keep this width, other columns are dropped first. */
  readonly least?: number;
  /** Priority of the column on a narrow terminal: the lowest is dropped first, columns without a priority last. */
  readonly keep?: number;
}

/** Returns a table with a header. If `width` is too narrow, columns are dropped and named in the last line. */
export function table<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[], width?: number): string {
  if (rows.length === 0) return '(none)\n';
  const all: Parameters<typeof fitTable<Row>>[0] = columns.map(({ title, cell, right, keep = 100, ...fit }) => ({
    name: title,
    cell: (row) => formatCell(cell(row)),
    keep,
    ...(right === true ? {} : { isText: true }),
    ...fit,
  }));
  const fitted = fitTable(all, rows, width ?? Number.POSITIVE_INFINITY);
  const left = new Set(all.filter((column) => !fitted.columns.includes(column)).map(({ name }) => name));
  const note = `columns left out because the table is too wide: ${[...left].join(', ')}`;
  const rest = left.size === 0 ? [] : foldText(note, width ?? 0);
  return linesText([...fitted.lines.map((cells) => cells.join(GAP).trimEnd()), ...rest]);
}

/** Wraps text between words to the width of the tables. `indent` is added before continuation lines. */
export const prose = (text: string, width = Number.POSITIVE_INFINITY, indent = ''): string =>
  text
    .split('\n')
    .map((line) => (measureText(line) <= width ? line : foldText(line, width - indent.length).join(`\n${indent}`)))
    .join('\n');

/** Formats one record in two columns without a header. Long values wrap only between words, so no path is split. */
export function record(pairs: readonly Pair[], width = Number.POSITIVE_INFINITY): string {
  const shown = pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const names = Math.max(...shown.map(([name]) => name.length)) + GAP.length;
  const room = Math.max(width - names, 20);
  const lines = shown.flatMap(([name, value]) =>
    fillLines(formatCell(value).split(' '), room, ' ').map((line, at) =>
      `${(at === 0 ? name : '').padEnd(names)}${line}`.trimEnd(),
    ),
  );
  return linesText(lines);
}

/** Name and value of a line; a line with an undefined value is not printed. */
type Pair = readonly [name: string, value: TableCell | undefined];

/** Returns the decimal text of an amount in micros; null for an unknown amount. */
export const amountText = (value: number | null | undefined): string | null =>
  value === null || value === undefined ? null : formatDecimal(micros(value));

/** Returns a row of `--json`: names in snake case, and amounts as decimal texts under names without `Micros`. */
export const jsonRow = (row: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/Micros$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      name.endsWith('Micros') ? amountText(value as number | null) : value,
    ]),
  );

// Control characters are removed: names come from the exchange, and a line break would break the table.
const formatCell = (cell: TableCell): string => (cell === null ? '-' : plainLine(String(cell)));

export const linesText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

export const json = (value: unknown): string => `${plainJson(JSON.stringify(value, null, 2))}\n`;

/** Shortens a long name to a recognisable part, such as `7n9G9WfQ…3qPz`. */
export const short = (name: string): string => (name.length <= 16 ? name : `${name.slice(0, 8)}…${name.slice(-4)}`);

/** Maximum rows of a table: a longer table scrolls off most terminals. CSV and JSON have all rows. */
const TABLE_ROWS = 200;

export function formatOf(isJson: boolean, csv: true | undefined): 'table' | 'csv' | 'json' {
  if (isJson) return 'json';
  return csv === true ? 'csv' : 'table';
}

interface Batches {
  readonly columns: QueryAnswer['columns'];
  readonly rows: () => ReturnType<QueryAnswer['rows']> | Iterable<readonly (readonly QueryValue[])[]>;
}

export async function writeAnswer(answer: Batches, format: ReturnType<typeof formatOf>, io: CliIo): Promise<void> {
  io.endWithReader?.();
  if (format === 'table') return io.out(await asTable(answer, io.columns));
  if (format === 'json') return writeJson(answer, io);
  io.out(csvLine(answer.columns));
  for await (const batch of answer.rows()) io.out(batch.map(csvLine).join(''));
}

async function asTable(answer: Batches, width: number | undefined): Promise<string> {
  const rows: (readonly QueryValue[])[] = [];
  for await (const batch of answer.rows()) {
    rows.push(...batch);
    if (rows.length > TABLE_ROWS) break;
  }
  const columns = answer.columns.map((title, at): TableColumn<readonly QueryValue[]> => {
    const isNumber = rows.length > 0 && rows.every((row) => row[at] === null || /^-?\d+(\.\d+)?$/.test(`${row[at]}`));
    return { title, cell: (row) => row[at] ?? null, ...(isNumber ? { right: true } : { gives: 'cut' }) };
  });
  const more = rows.length > TABLE_ROWS ? `… more rows exist: --csv or --json shows all\n` : '';
  return table(rows.slice(0, TABLE_ROWS), columns, width) + more;
}

/** Writes an array with one object per line, without keeping all rows in memory. */
async function writeJson(answer: Batches, io: CliIo): Promise<void> {
  let before = '[\n';
  for await (const batch of answer.rows()) {
    for (const row of batch) {
      const object = Object.fromEntries(answer.columns.map((name, at) => [name, row[at] ?? null]));
      io.out(`${before}${plainJson(JSON.stringify(object))}`);
      before = ',\n';
    }
  }
  io.out(before === '[\n' ? '[]\n' : '\n]\n');
}
