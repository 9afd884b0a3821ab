/** Opens one market of a Kalshi recording: its files, and its records in MARKETS.csv and `metadata/`. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { must } from '../../shared/base/errors.js';
import { outcomeOf, VOID_OUTCOME } from '../../shared/protocol/outcome.js';
import {
  deriveConditionId,
  type ReadFindings,
  type RecordedMarket,
  type Recording,
  type RecordingWarning,
} from '../contract.js';
import { KALSHI_AMOUNT_PRECISION, type KalshiGroup } from './kalshi-message.js';
import { kalshiChunks } from './kalshi-stream.js';

type CsvRow = ReadonlyMap<string, string>;

/** Parses CSV: returns all rows after the header. Missing last columns are allowed, and blank lines are skipped. */
export function csvRows(text: string): CsvRow[] {
  const [names = [], ...rows] = parseFields(text.replace(/^\uFEFF/, '')).filter((fields) => fields.join('') !== '');
  return rows.map((fields) => new Map(fields.map((field, at) => [(names[at] ?? '').trim(), field.trim()])));
}

const FIELD = /"((?:[^"]|"")*)"|([^,\r\n]*)/y;

function parseFields(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length; at++) {
    FIELD.lastIndex = at;
    const [all = '', quoted, plain = ''] = FIELD.exec(text) ?? [];
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    at += all.length;
    if (text[at] === '\r') at++;
    if (text[at] === ',') continue;
    // At the end of a line or of the text. Text between a closing quote and the line's end is skipped.
    while (at < text.length && text[at] !== '\n') at++;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** Opens the recording of one market. */
export async function openKalshi({ ticker, files, isNumbered, warnings, ...seen }: KalshiGroup): Promise<Recording> {
  const first = must(files[0], 'a file of the market').path;
  const about: RecordingWarning[] = [...warnings];
  const facts = readFacts(ticker, dirname(resolve(first)), about);
  const closeTimeMs = facts.closeTimeMs;
  const tickPrecision = facts.isWholeCents ? 2 : Math.max(facts.isWholeCents === null ? 2 : 3, seen.tickPrecision);
  const found: ReadFindings = { warnings: [], gaps: [] };
  const raw = { ticker, tickPrecision, files, isNumbered, closeTimeMs };
  const span = facts.openTimeMs === null || closeTimeMs === null ? await measureSpan(kalshiChunks(raw, found)) : null;
  const market: RecordedMarket = {
    conditionId: deriveConditionId('kalshi', ticker),
    eventTitle: facts.eventTitle,
    title: facts.title,
    category: 'finance',
    rules: facts.rules,
    tickPrecision,
    amountPrecision: KALSHI_AMOUNT_PRECISION,
    openTimeMs: facts.openTimeMs ?? span?.firstMs ?? 0,
    closeTimeMs: closeTimeMs ?? span?.lastMs ?? 0,
    ...(closeTimeMs === null ? { closeIsGuessed: true as const } : {}),
    outcome: facts.outcome,
    source: { kind: 'kalshi', path: files.length === 1 ? first : dirname(first), ticker },
  };
  return {
    market,
    get gaps() {
      return found.gaps;
    },
    get warnings() {
      return [...about, ...found.warnings];
    },
    chunks: () => kalshiChunks(raw, found),
  };
}

function readFacts(ticker: string, windowFolder: string, warnings: RecordingWarning[]) {
  const row = csvRow(windowFolder, ticker);
  const record = readMetadata(windowFolder, ticker, warnings);
  const text = (name: string) => toText(row?.get(name)) ?? toText(record.market[name]);
  const times = parseTimes(text('open_time'), text('close_time'));
  const structure = text('price_level_structure');
  if (times === null) {
    warnings.push({
      path: windowFolder,
      message: `no record of ${ticker} (MARKETS.csv, metadata) says when it opened and closed: times are those of its events`,
    });
  }
  const cents = Number(row?.get('settlement_value') || (record.market['settlement_value'] ?? Number.NaN));
  const paid = Number(text('settlement_value_dollars') ?? cents / 100);
  const { outcome, oddity } = readOutcome(text('result')?.toLowerCase() ?? null, paid);
  if (oddity !== null) warnings.push({ path: windowFolder, message: `the outcome of ${ticker} is ${oddity}` });
  const question = toText(record.market['title']) ?? ticker;
  const target = toText(record.market['yes_sub_title']);
  return {
    title: target === null ? question : `${question} ${target}`,
    eventTitle: toText(record.event['title']) ?? ticker,
    rules: [record.market['rules_primary'], record.market['rules_secondary']].flatMap((rule) => toText(rule) ?? []),
    openTimeMs: times?.openTimeMs ?? null,
    closeTimeMs: times?.closeTimeMs ?? null,
    outcome,
    /** False for prices in fractions of a cent, at least near 0 or 1; null without a record. */
    isWholeCents: structure === null ? null : structure === WHOLE_CENTS,
  };
}

const WHOLE_CENTS = 'linear_cent';

function readOutcome(result: string | null, paid: number) {
  if (result === 'yes' || result === 'no') return { outcome: result === 'yes', oddity: null };
  if (result === null) return { outcome: null, oddity: 'unknown: the market closes unresolved' };
  const outcome = outcomeOf(paid);
  if (outcome !== null) return { outcome, oddity: `${result}: a YES share paid ${Number(outcome)}` };
  if (result === 'void')
    return { outcome: VOID_OUTCOME, oddity: 'void: each share counts as 0.5, for its record names no value' };
  return { outcome: null, oddity: `${result}, and its record names no value: the market closes unresolved` };
}

/** Parses the opening and closing time; null if one is missing or the close is not later. */
function parseTimes(open: string | null, close: string | null) {
  const [openTimeMs, closeTimeMs] = [Date.parse(open ?? ''), Date.parse(close ?? '')];
  return openTimeMs < closeTimeMs ? { openTimeMs, closeTimeMs } : null;
}

/** Returns the path of a file of the data set, up to two levels above the window's folder; null if missing. */
function findBeside(windowFolder: string, name: string): string | null {
  const set = dirname(dirname(windowFolder));
  return (
    [set, dirname(windowFolder), windowFolder].map((at) => join(at, name)).find((path) => existsSync(path)) ?? null
  );
}

function csvRow(windowFolder: string, ticker: string): CsvRow | null {
  const path = findBeside(windowFolder, 'MARKETS.csv');
  if (path === null) return null;
  const names = ['window', 'ticker', 'market_ticker'];
  const rows = csvRows(readFileSync(path, 'utf8'));
  return rows.find((row) => names.some((name) => row.get(name) === ticker)) ?? null;
}

/** Returns the market's record from the venue's API; empty without a record. An unreadable record adds a warning. */
function readMetadata(windowFolder: string, ticker: string, warnings: RecordingWarning[]) {
  const path = findBeside(windowFolder, join('metadata', `${ticker.replace(/-[^-]*$/, '')}.json`));
  const nothing: Record<'event' | 'market', Readonly<Record<string, unknown>>> = { event: {}, market: {} };
  if (path === null) return nothing;
  try {
    const { response } = JSON.parse(readFileSync(path, 'utf8')) as {
      response: { event: Record<string, unknown>; markets: Record<string, unknown>[] };
    };
    const market = response.markets.find((candidate) => candidate['ticker'] === ticker);
    return market === undefined ? nothing : { event: { ...response.event }, market };
  } catch (error) {
    warnings.push({ path, message: `it is not a record of a market (${(error as Error).message}): not used` });
    return nothing;
  }
}

const toText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

async function measureSpan(chunks: AsyncIterable<{ length: number; timeMs: Float64Array }>) {
  let firstMs: number | null = null;
  let lastMs = 0;
  for await (const chunk of chunks) {
    firstMs ??= chunk.timeMs[0] ?? 0;
    lastMs = chunk.timeMs[chunk.length - 1] ?? lastMs;
  }
  return { firstMs: firstMs ?? lastMs, lastMs };
}
