/** Rows as a table for a person, or as JSON for a program. */

import { plainJson, plainLine } from '../../shared/base/plain-text.js';

export type Cell = string | number | boolean | null;

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Cell;
  /** Figures are set to the right. */
  readonly right?: boolean;
}

/** Lines of a table with a header; `(none)` for no rows. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  if (rows.length === 0) return '(none)\n';
  const header = columns.map(({ title }) => title);
  const body = rows.map((row) => columns.map(({ cell }) => formatCell(cell(row))));
  const widths = header.map((title, index) =>
    Math.max(title.length, ...body.map((cells) => (cells[index] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) =>
        columns[index]?.right === true ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return `${[header, ...body].map(line).join('\n')}\n`;
}

/** Two columns without a header: what a single record says about itself. */
export function record(pairs: readonly (readonly [string, Cell])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return `${pairs.map(([name, value]) => `${name.padEnd(width)}  ${formatCell(value)}`.trimEnd()).join('\n')}\n`;
}

// Titles and names come from the exchange; a line break in one would break the table.
const formatCell = (cell: Cell): string => (cell === null ? '-' : plainLine(String(cell)));

export const json = (value: unknown): string => `${plainJson(JSON.stringify(value, null, 2))}\n`;

/** `7n9G9WfQ…3qPz`: enough of a long name to recognise it. */
export const short = (name: string): string => (name.length <= 16 ? name : `${name.slice(0, 8)}…${name.slice(-4)}`);

/** Unix milliseconds as `2026-11-21 11:20:07` UTC. */
export const when = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
