/**
 * A table that fits a terminal: texts are shortened first, then the least important columns are dropped. No line is
 * wider than the terminal.
 */

import { foldText } from './fold-text.js';
import { cutText, measureText, padText } from './text-width.js';

/** A column of a table that fits. */
export interface FittedColumn<Row> {
  readonly name: string;
  readonly cell: (row: Row) => string;
  /** Left-aligned; figures are right-aligned. */
  readonly isText?: true;
  /**
   * Behaviour of a text without room: cut with `…`, or wrapped. Without it a column has its full width, or is dropped.
   */
  readonly gives?: 'cut' | 'fold';
  /** Minimum columns of the terminal while another column can be dropped instead. */
  readonly least?: number;
  /** Maximum columns of the terminal. */
  readonly most?: number;
  /** The lowest is dropped first; among equals the last. */
  readonly keep: number;
}

/** A shown line: texts of the remaining columns, padded to their widths. */
export type FittedLine = readonly string[];

export interface FittedTable<Row> {
  /** Those that are left. */
  readonly columns: readonly FittedColumn<Row>[];
  /** The names first, then one line for each row, or several where a text wraps. */
  readonly lines: readonly FittedLine[];
}

/** Between two columns. */
export const GAP = '  ';
/** The beginning of a title identifies it; a message needs some words a line to be readable. */
const LEAST = { cut: 12, fold: 20 } as const;

interface Sized<Row> {
  readonly column: FittedColumn<Row>;
  readonly least: number;
  readonly most: number;
}

/** Fits a table into a number of terminal columns, which may be infinite. */
export function fitTable<Row>(
  all: readonly FittedColumn<Row>[],
  rows: readonly Row[],
  width: number,
): FittedTable<Row> {
  let sized = all.map((column) => sizeColumn(column, rows));
  while (sized.length > 1 && measureLeast(sized) > width) sized = withoutLeast(sized);
  const columns = sized.map(({ column }) => column);
  const widths = shareRoom(sized, width);
  const names = columns.map(({ name }) => name);
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
  return { columns, lines: [names, ...cells].flatMap((texts) => fillRow(texts, columns, widths)) };
}

function sizeColumn<Row>(column: FittedColumn<Row>, rows: readonly Row[]): Sized<Row> {
  const { name, cell, gives, most: atMost = Number.POSITIVE_INFINITY } = column;
  const widest = rows.reduce((most, row) => Math.max(most, measureText(cell(row))), measureText(name));
  const most = Math.min(widest, atMost);
  if (gives === undefined) return { column, least: most, most };
  return { column, least: Math.min(most, Math.max(measureText(name), column.least ?? LEAST[gives])), most };
}

const measureLeast = (sized: readonly Sized<never>[]): number =>
  sized.reduce((sum, { least }) => sum + least, GAP.length * (sized.length - 1));

function withoutLeast<Row>(sized: readonly Sized<Row>[]): Sized<Row>[] {
  const least = Math.min(...sized.map(({ column }) => column.keep));
  const at = sized.findLastIndex(({ column }) => column.keep === least);
  return sized.filter((_, place) => place !== at);
}

/** The width left after every column has its minimum goes to the texts, in their order. */
function shareRoom(sized: readonly Sized<never>[], width: number): readonly number[] {
  let room = Math.max(0, width - measureLeast(sized));
  return sized.map(({ least, most }) => {
    const more = Math.min(most - least, room);
    room -= more;
    return Math.max(0, Math.min(least + more, width));
  });
}

function fillRow<Row>(
  texts: readonly string[],
  columns: readonly FittedColumn<Row>[],
  widths: readonly number[],
): readonly FittedLine[] {
  const folded = columns.map(({ gives }, place) => {
    const [text = '', width = 0] = [texts[place], widths[place]];
    return gives === 'fold' ? foldText(text, width) : [cutText(text, width)];
  });
  const height = Math.max(...folded.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    columns.map(({ isText }, place) => {
      const text = folded[place]?.[line] ?? '';
      // The last column needs no padding.
      if (isText === true && place === columns.length - 1) return text;
      return padText(text, widths[place] ?? 0, isText === true ? 'behind' : 'before');
    }),
  );
}
