/** Finds the markets of a Kalshi recording: its files, and what MARKETS.csv and `metadata/` say about each of them. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { TwinbookError } from '../base/errors.js';
import type { RecordedMarket, Recording, RecordingWarning } from './contract.js';
import { conditionIdOf } from './identity.js';
import { KALSHI_AMOUNT_PRECISION, KALSHI_TICK_PRECISION } from './kalshi-message.js';
import { kalshiChunks } from './kalshi-stream.js';

const SUFFIX = '.ndjson.gz';

export const isKalshiFile = (path: string): boolean => path.endsWith(SUFFIX);

/** The Kalshi files of a folder, by window: of the whole set, of its `events` folder, or of one window's folder. */
export function kalshiWindows(folder: string): string[][] {
  const events = join(folder, 'events');
  const root = existsSync(events) && statSync(events).isDirectory() ? events : folder;
  const names = readdirSync(root).sort();
  const own = names.filter(isKalshiFile).map((name) => join(root, name));
  const windows = own.length > 0 ? [own] : [];
  for (const name of names) {
    const path = join(root, name);
    if (!statSync(path).isDirectory()) continue;
    const files = readdirSync(path).filter(isKalshiFile).sort();
    if (files.length > 0) windows.push(files.map((file) => join(path, file)));
  }
  return windows;
}

/** One market from the files of its window, which are named by date and so are in order. */
export async function openKalshi(paths: readonly string[]): Promise<Recording> {
  const first = paths[0];
  if (first === undefined) throw new TwinbookError('recording_invalid', 'a window without files');
  const ticker = basename(dirname(first));
  const about: RecordingWarning[] = [];
  const facts = factsOf(ticker, dirname(first), about);
  const closeTimeMs = facts.closeTimeMs;
  const found: RecordingWarning[] = [];
  const files = { ticker, paths, closeTimeMs };
  const span = facts.openTimeMs === null || closeTimeMs === null ? await spanOf(kalshiChunks(files, found)) : null;
  const market: RecordedMarket = {
    conditionId: conditionIdOf('kalshi', ticker),
    eventTitle: facts.eventTitle,
    title: facts.title,
    category: 'finance',
    rules: facts.rules,
    tickPrecision: KALSHI_TICK_PRECISION,
    amountPrecision: KALSHI_AMOUNT_PRECISION,
    openTimeMs: facts.openTimeMs ?? span?.firstMs ?? 0,
    closeTimeMs: closeTimeMs ?? span?.lastMs ?? 0,
    outcome: facts.outcome,
    source: { kind: 'kalshi', path: paths.length === 1 ? first : dirname(first), ticker },
  };
  return {
    market,
    get warnings() {
      return [...about, ...found];
    },
    chunks: () => kalshiChunks(files, found),
  };
}

interface Facts {
  readonly title: string;
  readonly eventTitle: string;
  readonly rules: readonly string[];
  readonly openTimeMs: number | null;
  readonly closeTimeMs: number | null;
  readonly outcome: boolean | null;
}

function factsOf(ticker: string, windowFolder: string, warnings: RecordingWarning[]): Facts {
  const set = dirname(dirname(windowFolder));
  const row = csvRow(join(set, 'MARKETS.csv'), ticker);
  const record = metadataOf(join(set, 'metadata'), ticker);
  const text = (name: string) => row?.get(name) ?? stringOf(record.market[name]);
  const openTimeMs = timeOf(text('open_time'));
  const closeTimeMs = timeOf(text('close_time'));
  const result = text('result');
  if (openTimeMs === null || closeTimeMs === null) {
    warnings.push({
      path: windowFolder,
      message: `no record of ${ticker} (MARKETS.csv, metadata): times are those of its events`,
    });
  }
  if (result !== 'yes' && result !== 'no') {
    warnings.push({ path: windowFolder, message: `the outcome of ${ticker} is not known: it closes unresolved` });
  }
  const question = stringOf(record.market['title']) ?? ticker;
  const target = stringOf(record.market['yes_sub_title']);
  return {
    title: target === null ? question : `${question} ${target}`,
    eventTitle: stringOf(record.event['title']) ?? ticker,
    rules: [record.market['rules_primary'], record.market['rules_secondary']].flatMap((rule) => stringOf(rule) ?? []),
    openTimeMs,
    closeTimeMs,
    outcome: result === 'yes' ? true : result === 'no' ? false : null,
  };
}

/** The set's table is plain: no quotes, no commas in fields. */
function csvRow(path: string, ticker: string): Map<string, string> | null {
  if (!existsSync(path)) return null;
  const [head = '', ...lines] = readFileSync(path, 'utf8').split(/\r?\n/);
  const names = head.split(',');
  const fields = lines.map((line) => line.split(',')).find((line) => line[0] === ticker);
  return fields === undefined ? null : new Map(names.map((name, at) => [name, fields[at] ?? '']));
}

interface Metadata {
  readonly event: Readonly<Record<string, unknown>>;
  readonly market: Readonly<Record<string, unknown>>;
}

/** The market's record as the venue's API answered it; empty when there is none that can be read. */
function metadataOf(folder: string, ticker: string): Metadata {
  const path = join(folder, `${ticker.replace(/-[^-]*$/, '')}.json`);
  const nothing = { event: {}, market: {} };
  if (!existsSync(path)) return nothing;
  try {
    const { response } = JSON.parse(readFileSync(path, 'utf8')) as {
      response: { event: Record<string, unknown>; markets: Record<string, unknown>[] };
    };
    const market = response.markets.find((candidate) => candidate['ticker'] === ticker);
    return market === undefined ? nothing : { event: { ...response.event }, market };
  } catch {
    return nothing;
  }
}

const stringOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

function timeOf(text: string | null): number | null {
  const timeMs = text === null ? Number.NaN : Date.parse(text);
  return Number.isFinite(timeMs) ? timeMs : null;
}

async function spanOf(chunks: AsyncIterable<{ length: number; timeMs: Float64Array }>) {
  let firstMs: number | null = null;
  let lastMs = 0;
  for await (const chunk of chunks) {
    firstMs ??= chunk.timeMs[0] ?? 0;
    lastMs = chunk.timeMs[chunk.length - 1] ?? lastMs;
  }
  return { firstMs: firstMs ?? lastMs, lastMs };
}
