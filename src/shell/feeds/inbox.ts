/** Checks and collects the values of one feed, and counts its problems. Uses bounded memory for any input. */

import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { csvRows } from '../../recording/importers/kalshi.js';
import { parseJson } from '../../shared/base/text.js';
import type { FeedValue } from '../../shared/protocol/seam.js';
import { nowMs } from '../runtime/clock.js';

/** Interval at which a feed's values are passed to the core, ms: at most ten steps a second. */
export const TOGETHER_MS = 100;

/** Maximum number of markets stored per feed; the core forgets the same markets as this inbox. */
const MAX_MARKETS = 2_000;

const MAX_KINDS = 20;

export type FeedStatus = FeedInbox['status'];

export interface FeedEars {
  readonly deliver: (feed: string, values: readonly FeedValue[]) => void;
  readonly loud: (text: string) => void;
  readonly quiet: (text: string) => void;
}

export class FeedInbox {
  readonly name: string;
  readonly #ears: FeedEars;
  /** Newest value of each market, if not yet passed to the core. */
  readonly #waiting = new Map<string, FeedValue>();
  /** Last accepted value of each market as JSON; an equal value is not passed to the core again. */
  readonly #known = new Map<string, string>();
  readonly #told = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  /** Number of the feed's invalid lines and dropped rows. */
  #problems = 0;
  /** Reason why the feed's source cannot be read now; null if readable. */
  #trouble: string | null = null;

  constructor(name: string, ears: FeedEars) {
    this.name = name;
    this.#ears = ears;
  }

  /** Processes a line of a feed; `line` is null for a line without a value. */
  line(line: ReadLine | null): void {
    this.fine();
    if (line === null) return;
    const read = 'problem' in line ? line.problem : readRow(line.row, nowMs());
    if ('kind' in read) return this.problem(read);
    const { conditionId, atMs } = read;
    const told = JSON.stringify(read);
    if (this.#known.get(conditionId) === told || (this.#waiting.get(conditionId)?.atMs ?? atMs) > atMs) return;
    this.#forget(conditionId);
    this.#known.set(conditionId, told);
    this.#waiting.set(conditionId, read);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_MARKETS && oldest !== undefined) this.#forget(oldest);
    this.#timer ??= setTimeout(() => this.#passOn(), TOGETHER_MS);
  }

  /** Counts a problem of the feed. Reports each kind of problem once. */
  problem({ kind, text }: RowProblem): void {
    this.#problems += 1;
    if (this.#told.has(kind) || this.#told.size >= MAX_KINDS) return;
    this.#told.add(kind);
    this.#ears.loud(`feed ${this.name}: ${text}; rows with this problem are omitted and counted, but reported once`);
  }

  /** Reports an unreadable source once, and again only after it was readable. */
  trouble(text: string): void {
    if (this.#trouble === null) this.#ears.loud(`feed ${this.name}: ${text}; the feed is retried`);
    this.#trouble = text;
  }

  fine(): void {
    if (this.#trouble !== null) this.#ears.quiet(`feed ${this.name} can be read again`);
    this.#trouble = null;
  }

  get status() {
    return { name: this.name, problems: this.#problems, trouble: this.#trouble };
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #forget(conditionId: string): void {
    this.#known.delete(conditionId);
    this.#waiting.delete(conditionId);
  }

  #passOn(): void {
    this.#timer = null;
    // A value ahead of our clock came before the clock was set back. The value is dropped; its source may resend it.
    for (const { conditionId, atMs } of this.#waiting.values()) if (atMs > nowMs()) this.#forget(conditionId);
    const values = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#ears.deliver(this.name, values);
  }
}

/** Maximum length of a feed's line, bytes; a longer line is a problem. */
const MAX_LINE_BYTES = 4096;

/** Number of lines of a feed that are read without a pause; they take 1 to 2 ms. */
const AT_ONCE = 200;

/** Pause after `AT_ONCE` lines, ms, so that an endless feed uses at most a fifth of a CPU. */
const PAUSE_MS = 10;

const LINE_END = 10;
const utf8 = new TextDecoder('utf-8', { fatal: true });
const TOO_LONG: RowProblem = { kind: 'long', text: `a line is longer than ${MAX_LINE_BYTES} bytes` };
const NOT_UTF8: RowProblem = { kind: 'utf8', text: 'a line is not UTF-8' };

/** Passes every complete line to `inbox` and returns the number of their bytes. Ignores an incomplete last line. */
export async function takeLines(chunks: AsyncIterable<Buffer>, inbox: FeedInbox, rows: FileRows, signal: AbortSignal) {
  let rest: Buffer = Buffer.alloc(0);
  let isSkipping = false;
  let bytes = 0;
  let inARow = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0 && !signal.aborted; end = chunk.indexOf(LINE_END, from)) {
      const line = rest.length === 0 ? chunk.subarray(from, end) : Buffer.concat([rest, chunk.subarray(from, end)]);
      bytes += line.length + 1;
      if (isSkipping || line.length > MAX_LINE_BYTES) inbox.problem(TOO_LONG);
      else inbox.line(readLine(line, rows));
      rest = Buffer.alloc(0);
      isSkipping = false;
      from = end + 1;
      inARow += 1;
      if (inARow % AT_ONCE === 0) await pause(PAUSE_MS);
    }
    if (signal.aborted) break;
    rest = Buffer.concat([rest, chunk.subarray(from)]);
    if (rest.length <= MAX_LINE_BYTES) continue;
    bytes += rest.length;
    rest = Buffer.alloc(0);
    isSkipping = true;
  }
  return bytes;
}

function readLine(bytes: Buffer, rows: FileRows): ReadLine | null {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { problem: NOT_UTF8 };
  }
  return rows.read(text.endsWith('\r') ? text.slice(0, -1) : text);
}

/** Problem of a feed's row. Each `kind` of problem is reported once and then counted. */
type RowProblem = Readonly<{ kind: string; text: string }>;

/** Maximum time by which the time of a feed's value may be ahead of our clock, ms. */
const EARLY_MS = 1_000;

/** Earliest accepted time of a value, ms, in the year 2001. A smaller number is probably in seconds by mistake. */
const FIRST_MS = 1_000_000_000_000;
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

const COLUMNS: readonly string[] = ['market', 'p', 'bid', 'ask', 'sd', 'at', 'valid_until'];

/** Reads one row strictly: reports an invalid value as a problem, never guesses. `nowMs`: time of arrival. */
export function readRow(raw: unknown, nowMs: number): FeedValue | RowProblem {
  const parsed = row.safeParse(raw);
  if (!parsed.success) return describeProblem(parsed.error, raw);
  const { market, p = null, bid = null, ask = null, sd = null, at, valid_until = null } = parsed.data;
  if (at > nowMs + EARLY_MS)
    return { kind: 'at ahead', text: `at: time is ${Math.round((at - nowMs) / 1000)} s ahead of this machine's clock` };
  return { conditionId: market, p, bid, ask, sd, atMs: Math.min(at, nowMs), validUntilMs: valid_until };
}

function describeProblem({ issues: [issue] }: z.ZodError, raw: unknown): RowProblem {
  if (issue === undefined) return { kind: 'row', text: 'is not a valid row' };
  const field = issue.path.join('.');
  if (issue.code === 'unrecognized_keys')
    return { kind: 'key', text: `unknown key ${showValue(issue.keys[0])}; known are ${COLUMNS.join(', ')}` };
  const came = field === '' ? raw : Object.getOwnPropertyDescriptor(raw, field)?.value;
  const what = came === undefined ? 'missing' : `${issue.message}, got ${showValue(came)}`;
  return { kind: `${field} ${issue.message}`, text: `${field === '' ? '' : `${field}: `}${what}` };
}

/** Formats a value for the terminal: shortened and without control characters. */
function showValue(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.slice(0, 60).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

type ReadLine = { readonly row: unknown } | { readonly problem: RowProblem };

export class FileRows {
  readonly #isCsv: boolean;
  /** Column names of a CSV file; null before the first line. */
  #header: string | null = null;

  /** If `path` ends with `.csv`, the lines are read as CSV, otherwise as JSON. */
  constructor(path: string) {
    this.#isCsv = path.toLowerCase().endsWith('.csv');
  }

  /** Reads a line of the feed; null for a blank line and for the column names. */
  read(text: string): ReadLine | null {
    if (text.trim() === '') return null;
    if (!this.#isCsv) {
      const row = parseJson(text);
      return row === undefined ? { problem: { kind: 'json', text: 'a line is not JSON' } } : { row };
    }
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
