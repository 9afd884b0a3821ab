/** Verifies recordings: compares files with manifests, and checks that the events are plausible. */

import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DuckDBDataChunk } from '@duckdb/node-api';
import { TwinbookError } from '../../shared/base/errors.js';
import { stepOfPrecision } from '../../shared/base/micros.js';
import type { Recording } from '../contract.js';
import { openRecordings } from '../recording.js';
import { conditionIdIn, openSegments, parseDay, unlistedFiles } from '../store/day-folder.js';
import { fetchRows, fileError, loadDuckDb, streamChunks, typedColumn, withConnection } from '../store/duckdb.js';
import {
  dayFolders,
  isStore,
  MANIFEST,
  MARKET,
  marketFolders,
  parquetSource,
  quote,
  segmentName,
} from '../store/layout.js';
import { type EventsFile, eventsFiles, type Manifest, readManifest, readMarket, sha256 } from '../store/manifest.js';
import { openMarket } from '../store/market-reader.js';
import { ROW } from '../store/segment.js';
import { findWriter } from '../store/store.js';
import { BookMeter } from './stats.js';

type Finding = Readonly<{ path: string; severity: 'difference' | 'note'; message: string }>;

/** Maximum time with a crossed book, ms: after a price change, feeds send the two sides one after the other. */
const CROSSED_LIMIT_MS = 5000;

/** Verifies all recordings under paths, in Twinbook's or a venue's format. Throws the errors of `openRecordings`. */
export async function verifyRecordings(paths: readonly string[]) {
  const findings: Finding[] = [];
  let [markets, events] = [0, 0];
  for (const path of paths) {
    const isOurs = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true && isStore(path);
    // DuckDB is loaded first, because without DuckDB every valid file would be reported as unreadable.
    if (isOurs) await loadDuckDb();
    for (const unit of isOurs ? marketFolders(path) : [path]) {
      const checked = await verifyUnit(unit, isOurs, findings);
      markets += checked.markets;
      events += checked.events;
    }
  }
  return { markets, events, findings };
}

/** Verifies a market in Twinbook's format, or a path with a venue's files. An unreadable market is a finding. */
async function verifyUnit(path: string, isOurs: boolean, findings: Finding[]) {
  if (isOurs) await verifyFiles(path, findings);
  const onFailure = (error: unknown) => note(error, path, findings);
  let recordings: readonly Recording[];
  try {
    // A market without any event has no event stream to verify.
    recordings = isOurs ? [(await openMarket(path)) ?? []].flat() : await openRecordings([path], { onFailure });
  } catch (error) {
    if (!isOurs) throw error;
    onFailure(error);
    return { markets: 1, events: 0 };
  }
  let events = 0;
  for (const recording of recordings) events += await verifyStream(recording, findings);
  return { markets: recordings.length, events };
}

/** Adds a TwinbookError to the findings, and throws any other error. */
function note(error: unknown, path: string, findings: Finding[]): void {
  if (!(error instanceof TwinbookError)) throw error;
  findings.push({ path, severity: 'difference', message: error.message });
}

/** Reads all events. Adds errors, a crossed book and the reader's warnings to `findings`. Returns the event count. */
async function verifyStream(recording: Recording, findings: Finding[]): Promise<number> {
  const { path } = recording.market.source;
  const meter = new BookMeter(stepOfPrecision(recording.market.tickPrecision));
  let events = 0;
  try {
    for await (const chunk of recording.chunks()) {
      events += chunk.length;
      meter.play(chunk);
    }
  } catch (error) {
    note(error, path, findings);
  }
  const { longestCrossedMs: crossedMs, longestCrossedFromMs: fromMs } = meter;
  if (crossedMs > CROSSED_LIMIT_MS) {
    const from = new Date(fromMs).toISOString();
    const message = `the book is crossed for ${(crossedMs / 1000).toFixed(1)} s from ${from}`;
    findings.push({ path, severity: 'difference', message });
  }
  for (const { message, path: where, isDamage } of recording.warnings)
    findings.push({ path: where, severity: isDamage === true ? 'difference' : 'note', message });
  return events;
}

async function verifyFiles(folder: string, findings: Finding[]): Promise<void> {
  const days = dayFolders(folder);
  const rows = newRowCheck(folder, days, findings);
  for (const day of days) {
    try {
      await verifyDay(day, rows, findings);
    } catch (error) {
      note(error, day, findings);
    }
  }
}

/** Returns the check of a market's rows; null if the market description is missing (`openMarket` reports it). */
function newRowCheck(folder: string, days: readonly string[], findings: Finding[]): RowCheck | null {
  for (const path of days.toReversed()) {
    try {
      const read = readMarket(join(path, MARKET), folder);
      if (read !== null) return new RowCheck(stepOfPrecision(read.market.tickPrecision));
    } catch (error) {
      note(error, path, findings);
    }
  }
  return null;
}

async function verifyDay(folder: string, rows: RowCheck | null, findings: Finding[]): Promise<void> {
  const manifest = readManifest(join(folder, MANIFEST));
  const differ = (path: string, message: string) => findings.push({ path, severity: 'difference', message });
  if (manifest !== null) {
    if (manifest.condition_id !== conditionIdIn(folder) || manifest.date !== parseDay(folder))
      differ(folder, `the manifest describes market ${manifest.condition_id} on ${manifest.date}`);
    for (const file of manifest.files) {
      const problem = await findProblem(join(folder, file.name), file);
      if (problem !== null) differ(join(folder, file.name), problem);
    }
    for (const file of eventsFiles(manifest)) {
      const path = join(folder, file.name);
      for (const message of (await rows?.file(path, file)) ?? []) differ(path, message);
    }
    const broken = manifest.broken_lines;
    if (broken > 0) findings.push({ path: folder, severity: 'note', message: `${broken} lines were lost in a crash` });
  }
  strangers(folder, manifest, findings);
  if (!existsSync(join(folder, MARKET))) differ(folder, `${MARKET} is missing`);
}

async function findProblem(path: string, file: Manifest['files'][number]): Promise<string | null> {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) return 'the file is missing';
  if (bytes !== file.bytes) return `the file has ${bytes} bytes, but its manifest says ${file.bytes}`;
  return (await sha256(path)) === file.sha256 ? null : 'the file has another checksum than its manifest says';
}

/** Adds findings about files that are in no manifest. */
function strangers(folder: string, manifest: Manifest | null, findings: Finding[]): void {
  const root = dirname(dirname(folder));
  for (const number of openSegments(folder, manifest)) {
    const message =
      findWriter(root) !== null
        ? 'the file is being written'
        : 'the writer did not close the file; `twinbook data verify --repair` converts it into Parquet';
    findings.push({ path: join(folder, segmentName(number)), severity: 'note', message });
  }
  const message = 'no manifest lists the file, so it is not read';
  for (const name of unlistedFiles(folder, manifest))
    findings.push({ path: join(folder, name), severity: 'difference', message });
}

class RowCheck {
  readonly #tickMicros: number;
  readonly #book: BookMeter;
  /** True while the book is known: after a `clear` event or a snapshot, until rows are missing. */
  #known = false;
  #nextSeq: number | null = null;
  /** Number of correct and wrong levels in the current snapshot; null outside a snapshot. */
  #snapshot: { right: number; wrong: number } | null = null;
  #wrongSnapshots = 0;

  constructor(tickMicros: number) {
    this.#tickMicros = tickMicros;
    this.#book = new BookMeter(tickMicros);
  }

  /** Verifies the next file of the market, and returns the problems found, in sentences. */
  async file(path: string, file: EventsFile): Promise<string[]> {
    const missing =
      this.#nextSeq === null || this.#nextSeq === file.first_seq
        ? []
        : [`rows ${this.#nextSeq} to ${file.first_seq - 1}, which belong before this file, are missing`];
    this.#nextSeq = file.last_seq + 1;
    const isThere = existsSync(path);
    if (missing.length > 0 || !isThere) this.#forget();
    if (!isThere) return missing;
    try {
      return [...missing, ...(await checkRows(path, file, this.#tickMicros)), ...(await this.#compareSnapshots(path))];
    } catch (error) {
      this.#forget();
      return [...missing, fileError('recording_invalid', 'the file cannot be read', error).message];
    }
  }

  #forget(): void {
    this.#known = false;
    this.#book.apply(ROW.clear, 0, 0, 0);
  }

  /** Compares snapshots with the book that the changes before them produce. */
  async #compareSnapshots(path: string): Promise<string[]> {
    this.#wrongSnapshots = 0;
    await withConnection(async (connection) => {
      for await (const rows of streamChunks(connection, bookRowSql(path), 'the file cannot be read')) this.#play(rows);
    });
    this.#endSnapshot();
    const count = this.#wrongSnapshots;
    return count === 0 ? [] : [`snapshots that differ from the book rebuilt from earlier changes: ${count}`];
  }

  #play(rows: DuckDBDataChunk): void {
    const kinds = typedColumn(rows, 0, Uint8Array);
    const sides = typedColumn(rows, 1, Uint8Array);
    const prices = typedColumn(rows, 2, Int32Array);
    const amounts = typedColumn(rows, 3, Float64Array);
    const { rowCount } = rows;
    for (let at = 0; at < rowCount; at++) {
      // The casts are safe, because each column has `rowCount` entries.
      const [kind, side, price, amount] = [kinds[at] as number, sides[at] as number, prices[at] as number, amounts[at]];
      if (kind === ROW.snapshot_level) this.#compare(side, price, amount as number);
      else this.#endSnapshot();
      if (kind === ROW.snapshot) this.#snapshot = { right: 0, wrong: 0 };
      if (kind === ROW.clear) this.#known = true;
      if (kind === ROW.clear || kind === ROW.level) this.#book.apply(kind, side, price, amount as number);
    }
  }

  #compare(side: number, price: number, amount: number): void {
    if (!this.#known) this.#book.apply(ROW.level, side, price, amount);
    if (this.#snapshot === null) return;
    if (this.#book.amountAt(side, price) === amount) this.#snapshot.right++;
    else this.#snapshot.wrong++;
  }

  #endSnapshot(): void {
    if (this.#snapshot === null) return;
    const { right, wrong } = this.#snapshot;
    if (wrong > 0 || right !== this.#book.levelCount) this.#wrongSnapshots++;
    this.#known = true;
    this.#snapshot = null;
  }
}

const BOOK_ROWS = ['level', 'clear', 'snapshot', 'snapshot_level'] as const;

/** Returns SQL for the changes and snapshots of the book: columns kind, side, price and amount, as numbers. */
const bookRowSql = (path: string): string => `
  SELECT (CASE kind ${BOOK_ROWS.map((name) => `WHEN ${quote(name)} THEN ${ROW[name]}`).join(' ')} END)::UTINYINT,
    coalesce(side = 'ask', false)::UTINYINT, coalesce(price_micros, 0)::INTEGER, coalesce(amount_micros, 0)::DOUBLE
  FROM ${parquetSource(path)} WHERE kind IN (${BOOK_ROWS.map(quote).join(', ')})`;

const PRICED = "kind IN ('level', 'trade', 'snapshot_level')";

/** Returns conditions of valid rows; each key describes the violation. A comparison with null is a violation. */
const listChecks = (firstSeq: number, tickMicros: number): Readonly<Record<string, string>> => ({
  'a number that does not follow the number of the previous row': `seq = coalesce(before + 1, ${firstSeq})`,
  'a time before that of the previous row': 'time_ms >= coalesce(before_ms, time_ms)',
  'a kind that is not known': `kind IN (${Object.keys(ROW).map(quote).join(', ')})`,
  'a side other than bid and ask': `NOT (${PRICED}) OR side IN ('bid', 'ask')`,
  'a price that is not a multiple of the tick': `NOT (${PRICED}) OR
    (price_micros > 0 AND price_micros < 1000000 AND price_micros % ${tickMicros} = 0)`,
  'an amount below zero': `NOT (${PRICED}) OR amount_micros >= 0`,
});

async function checkRows(path: string, { first_seq, rows: listed }: EventsFile, tickMicros: number): Promise<string[]> {
  const checks = listChecks(first_seq, tickMicros);
  const counts = Object.values(checks).map((check, at) => `count(*) FILTER (WHERE (${check}) IS NOT TRUE) AS f${at}`);
  const sql = `SELECT count(*) AS rows, ${counts.join(', ')} FROM (SELECT seq, time_ms, kind, side, price_micros,
    amount_micros, lag(seq) OVER () AS before, lag(time_ms) OVER () AS before_ms FROM ${parquetSource(path)})`;
  const [row] = await withConnection((connection) => fetchRows(connection, sql));
  const found = Object.keys(checks).flatMap((words, at) => {
    const count = Number(row?.[`f${at}`]);
    return count === 0 ? [] : `rows with ${words}: ${count}`;
  });
  const rows = Number(row?.['rows']);
  return rows === listed ? found : [...found, `the file has ${rows} rows, but its manifest says ${listed}`];
}
