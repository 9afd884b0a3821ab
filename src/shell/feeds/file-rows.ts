/** The rows of a CSV or JSONL file, line by line, before any check that they are rows of a feed. */

import { csvRows } from '../../recording/importers/csv.js';
import { COLUMNS, type RowProblem } from './read-row.js';

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

export type ReadLine = { readonly row: unknown } | { readonly problem: RowProblem };

export class FileRows {
  readonly #isCsv: boolean;
  /** The first line of a CSV file; null before it was read. */
  #header: string | null = null;

  /** By its name a file is CSV (`.csv`), or JSON lines. */
  constructor(path: string) {
    this.#isCsv = path.toLowerCase().endsWith('.csv');
  }

  /** Null for a line without a row: a blank one, or the column names. */
  read(text: string): ReadLine | null {
    if (text.trim() === '') return null;
    if (!this.#isCsv) return jsonRow(text);
    if (this.#header === null) return this.#takeHeader(text);
    const [row] = csvRows(`${this.#header}\n${text}`);
    const fields = [...(row ?? [])].filter(([, field]) => field !== '');
    return { row: Object.fromEntries(fields.map(([name, field]) => [name, fieldValue(name, field)])) };
  }

  #takeHeader(text: string): ReadLine | null {
    this.#header = text;
    const strange = text.split(',').find((name) => !COLUMNS.includes(name.replace(/^\uFEFF/, '').trim()));
    if (strange === undefined) return null;
    const what = `its first line names a column '${strange.slice(0, 40)}'; known are ${COLUMNS.join(', ')}`;
    return { problem: { kind: 'column', text: what } };
  }
}

const fieldValue = (name: string, field: string): string | number =>
  NUMBER.test(field) && name !== 'market' ? Number(field) : field;

export function jsonRow(text: string): ReadLine {
  try {
    return { row: JSON.parse(text) };
  } catch {
    return { problem: { kind: 'json', text: 'a line is not JSON' } };
  }
}
