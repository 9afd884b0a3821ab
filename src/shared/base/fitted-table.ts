/** A table that fits a terminal: texts give way first, then columns go, the least important first; no line is ever broken. */

import { cutText, measureText, padText } from './text-width.js';

/** A column of a table that fits. */
export interface FittedColumn<Row> {
  /** Empty for the last column, whose texts are cut at the edge. */
  readonly name: string;
  readonly cell: (row: Row) => string;
  /** Figures are set to the right; a text gives way before any figure does. The first column is one. */
  readonly isText?: true;
  /** The lowest goes first when there is no room. */
  readonly keep: number;
}

/** A row as it is shown: texts of the columns that are left, each as wide as its column. */
export type FittedRow = readonly string[];

export interface FittedTable<Row> {
  readonly columns: readonly FittedColumn<Row>[];
  /** The names first. */
  readonly rows: readonly FittedRow[];
}

/** Between two columns. */
export const GAP = '  ';
/** Widest first column, and the beginning of it below which other columns go. */
const TITLE_WIDTH = 42;
const LEAST_TITLE = 12;
/** A text at the edge takes no more than a few words from the first column. */
const NOTE_WIDTH = 16;

/** Fits a table into so many columns of a terminal. */
export function fitTable<Row>(
  all: readonly FittedColumn<Row>[],
  rows: readonly Row[],
  width: number,
): FittedTable<Row> {
  let columns = all;
  while (columns.length > 1 && roomForTitle(columns, rows, width) < LEAST_TITLE) {
    const least = Math.min(...columns.map(({ keep }) => keep));
    columns = columns.filter(({ keep }) => keep > least);
  }
  const [first] = columns;
  const longest = first === undefined ? 0 : measureColumn(first, rows);
  const title = Math.max(0, Math.min(longest, TITLE_WIDTH, roomForTitle(columns, rows, width)));
  const byColumn = columns.map((column, place) => fillColumn(column, rows, place === 0 ? title : null));
  return { columns, rows: ['', ...rows].map((_, row) => byColumn.map((texts) => texts[row] ?? '')) };
}

/** @param room of the first column; others are as wide as they need */
function fillColumn<Row>(column: FittedColumn<Row>, rows: readonly Row[], room: number | null): readonly string[] {
  const texts = [column.name, ...rows.map(column.cell)];
  if (column.name === '') return texts;
  const width = room ?? measureColumn(column, rows);
  return texts.map((text) => padText(cutText(text, width), width, column.isText === true ? 'behind' : 'before'));
}

const measureColumn = <Row>({ name, cell }: FittedColumn<Row>, rows: readonly Row[]): number => {
  const widest = Math.max(measureText(name), ...rows.map((row) => measureText(cell(row))));
  return name === '' ? Math.min(widest, NOTE_WIDTH) : widest;
};

const roomForTitle = <Row>(columns: readonly FittedColumn<Row>[], rows: readonly Row[], width: number): number =>
  columns.slice(1).reduce((room, column) => room - GAP.length - measureColumn(column, rows), width);
