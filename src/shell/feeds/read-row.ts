/** One row of a feed: strict, so that a misspelt or impossible value is reported and never guessed. */

import { z } from 'zod';
import { csvRows } from '../../recording/importers/kalshi.js';
import { parseJson } from '../../shared/base/text.js';
import type { FeedValue } from '../../shared/protocol/seam.js';

/** The problem of a row. Rows with the same `kind` of mistake are reported once and counted. */
export interface RowProblem {
  readonly kind: string;
  readonly text: string;
}

/** Maximum lead of a program's clock over ours, ms; a later value has a wrong time. */
const EARLY_MS = 1_000;

/** Times before this are seconds that were meant as milliseconds: the year 2001. */
const FIRST_MS = 1_000_000_000_000;
/** Latest valid date. */
const LAST_MS = 8_640_000_000_000_000;

const MS_OR_TEXT = 'wants Unix time in ms, or a text such as 2026-03-01T12:00:00Z';
const probability = z
  .number('wants a number')
  .gt(0, 'wants a number above 0')
  .lt(1, 'wants a number below 1')
  .nullish();
const time = z.union(
  [
    z.int().min(FIRST_MS, MS_OR_TEXT).max(LAST_MS, MS_OR_TEXT),
    z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
  ],
  MS_OR_TEXT,
);

const row = z
  .strictObject({
    market: z.string('wants a condition id').min(1, 'is empty').max(128, 'is too long'),
    p: probability,
    bid: probability,
    ask: probability,
    sd: z.number('wants a number').min(0, 'wants 0 or more').max(10, 'wants at most 10').nullish(),
    at: time,
    valid_until: time.nullish(),
  })
  .superRefine(({ p, bid, ask }, context) => {
    const complain = (message: string) => context.addIssue({ code: 'custom', message, path: [] });
    const hasBoth = typeof bid === 'number' && typeof ask === 'number';
    if (typeof p === 'number' ? bid != null || ask != null : !hasBoth) complain('wants either p, or bid and ask');
    else if (hasBoth && bid >= ask) complain('the bid is not below the ask');
  });

/** Columns that a CSV file may have. */
export const COLUMNS: readonly string[] = ['market', 'p', 'bid', 'ask', 'sd', 'at', 'valid_until'];

/** `nowMs`: time of its arrival. */
export function readRow(raw: unknown, nowMs: number): FeedValue | RowProblem {
  const parsed = row.safeParse(raw);
  if (!parsed.success) return describeProblem(parsed.error, raw);
  const { market, p = null, bid = null, ask = null, sd = null, at, valid_until = null } = parsed.data;
  if (at > nowMs + EARLY_MS) {
    return { kind: 'at ahead', text: `at: is ${Math.round((at - nowMs) / 1000)} s ahead of this machine's clock` };
  }
  return { conditionId: market, p, bid, ask, sd, atMs: Math.min(at, nowMs), validUntilMs: valid_until };
}

function describeProblem({ issues: [issue] }: z.ZodError, raw: unknown): RowProblem {
  if (issue === undefined) return { kind: 'row', text: 'is no row' };
  const field = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    return { kind: 'key', text: `unknown key ${showValue(issue.keys[0])}; known are ${COLUMNS.join(', ')}` };
  }
  const came = field === '' ? raw : Object.getOwnPropertyDescriptor(raw, field)?.value;
  const what = came === undefined ? 'missing' : `${issue.message}, got ${showValue(came)}`;
  return { kind: `${field} ${issue.message}`, text: `${field === '' ? '' : `${field}: `}${what}` };
}

/** Shortened and without control characters: it is shown on a terminal. */
function showValue(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.slice(0, 60).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}

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
  const row = parseJson(text);
  return row === undefined ? { problem: { kind: 'json', text: 'a line is not JSON' } } : { row };
}
