/** Checks recordings: files against manifests, and plausibility. A difference is an error, a note is information. */

import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DuckDBDataChunk } from '@duckdb/node-api';
import { TwinbookError } from '../../shared/base/errors.js';
import { stepOfPrecision } from '../../shared/base/micros.js';
import { isPrice } from '../chunks.js';
import type { Recording } from '../contract.js';
import { openRecordings } from '../recording.js';
import { conditionIdIn, openSegments, parseDay, unlistedFiles } from '../store/day-folder.js';
import { fileError, loadDuckDb, streamChunks, typedColumn, withConnection } from '../store/duckdb.js';
import {
  dayFolders,
  findWriter,
  isStore,
  MANIFEST,
  MARKET,
  marketFolders,
  NO_MARKET,
  parquetSource,
  rowSelect,
  segmentName,
} from '../store/layout.js';
import { type EventsFile, eventsFiles, type Manifest, readManifest, readMarket, sha256 } from '../store/manifest.js';
import { openMarket } from '../store/market-reader.js';
import { isPriced, ROW } from '../store/segment.js';
import { BookMeter } from './stats.js';

export interface Finding {
  readonly path: string;
  /** A difference is an error, a note is information. */
  readonly severity: 'difference' | 'note';
  readonly message: string;
}

/** Longest normal crossing of a book, ms: feeds send the two sides of a move one after the other. */
export const CROSSED_LIMIT_MS = 5000;

/** Checks every recording under these paths, ours or raw. Throws TwinbookError as `openRecordings` does. */
export async function verifyRecordings(paths: readonly string[]) {
  const findings: Finding[] = [];
  let [markets, events] = [0, 0];
  for (const path of paths) {
    const isOurs = isFolderOfStore(path);
    // Without it every valid file would be a finding.
    if (isOurs) await loadDuckDb();
    for (const unit of isOurs ? marketFolders(path) : [path]) {
      const checked = await verifyUnit(unit, isOurs, findings);
      markets += checked.markets;
      events += checked.events;
    }
  }
  return { markets, events, findings };
}

/** One of our markets, or a path of another kind. Our own that cannot be opened is a finding. */
async function verifyUnit(path: string, isOurs: boolean, findings: Finding[]) {
  if (isOurs) findings.push(...(await verifyFiles(path)));
  let recordings: readonly Recording[];
  try {
    const onFailure = (error: TwinbookError) => note(error, path, findings);
    // A market with only requests so far has no stream to check.
    const own = isOurs ? await openMarket(path) : null;
    recordings = isOurs ? (own === null ? [] : [own]) : await openRecordings([path], { onFailure });
  } catch (error) {
    if (!isOurs) throw error;
    note(error, path, findings);
    return { markets: 1, events: 0 };
  }
  let events = 0;
  for (const recording of recordings) events += await verifyStream(recording, findings);
  return { markets: recordings.length, events };
}

/** A user error is a difference; throws any other. */
function note(error: unknown, path: string, findings: Finding[]): void {
  if (!(error instanceof TwinbookError)) throw error;
  findings.push({ path, severity: 'difference', message: error.message });
}

function isFolderOfStore(path: string): boolean {
  try {
    return isStore(path);
  } catch {
    return false; // A file, or missing: opening it reports that.
  }
}

/** The events as every reader gets them: in order, on the tick, and ended once. Returns their number. */
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
  for (const { message, path: where, isDamage } of recording.warnings) {
    findings.push({ path: where, severity: isDamage === true ? 'difference' : 'note', message });
  }
  return events;
}

async function verifyFiles(folder: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  const days = dayFolders(folder);
  const rows = newRowCheck(folder, days, findings);
  for (const day of days) {
    try {
      await verifyDay(day, rows, findings);
    } catch (error) {
      note(error, day, findings);
    }
  }
  return findings;
}

/** Null when no description has the tick; opening the recording reports the reason. */
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
  const differ = (path: string, message: string) => findings.push({ path: path, severity: 'difference', message });
  if (manifest !== null) {
    if (manifest.condition_id !== conditionIdIn(folder) || manifest.date !== parseDay(folder)) {
      differ(folder, `its manifest is that of ${manifest.condition_id} on ${manifest.date}`);
    }
    for (const file of manifest.files) {
      const problem = await findProblem(join(folder, file.name), file);
      if (problem !== null) differ(join(folder, file.name), problem);
    }
    for (const file of rows === null ? [] : eventsFiles(manifest)) {
      const path = join(folder, file.name);
      if (!existsSync(path)) continue;
      for (const message of (await rows?.file(parquetSource(path), file)) ?? []) differ(path, message);
    }
    const broken = manifest.broken_lines;
    if (broken > 0) findings.push({ path: folder, severity: 'note', message: `${broken} lines were lost in a crash` });
  }
  strangers(folder, manifest, findings);
  if (!existsSync(join(folder, MARKET)) && conditionIdIn(folder) !== NO_MARKET) differ(folder, `${MARKET} is missing`);
}

async function findProblem(path: string, file: Manifest['files'][number]): Promise<string | null> {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) return 'the file is missing';
  if (bytes !== file.bytes) return `it has ${bytes} bytes, its manifest says ${file.bytes}`;
  return (await sha256(path)) === file.sha256 ? null : 'its checksum is not that of its manifest';
}

/** Files that no manifest lists: they are never read. */
function strangers(folder: string, manifest: Manifest | null, findings: Finding[]): void {
  const open = openSegments(folder, manifest);
  const root = dirname(dirname(folder));
  for (const number of open) {
    const isWritten = findWriter(root) !== null;
    const message = isWritten
      ? 'it is being written'
      : 'its writer did not close it; `twinbook data verify --repair` turns it into Parquet';
    findings.push({ path: join(folder, segmentName(number)), severity: 'note', message });
  }
  const message =
    manifest === null
      ? 'there is no manifest: it is read, but may be incomplete'
      : 'no manifest lists it: it is not read';
  for (const name of unlistedFiles(folder, manifest)) {
    findings.push({ path: join(folder, name), severity: 'difference', message });
  }
}

class RowCheck {
  readonly #tickMicros: number;
  readonly #book: BookMeter;
  /** Null while the book is unknown: before the first clear or snapshot. */
  #known = false;
  #nextSeq: number | null = null;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** Correct and wrong levels of the present snapshot; null outside one. */
  #snapshot: { right: number; wrong: number } | null = null;
  #faults = new Map<string, number>();

  constructor(tickMicros: number) {
    this.#tickMicros = tickMicros;
    this.#book = new BookMeter(tickMicros);
  }

  /** `source`: rows of a file, as a table of SQL. Returns problems as sentences. */
  async file(source: string, about: EventsFile): Promise<string[]> {
    this.#faults = new Map();
    if (this.#nextSeq !== null && this.#nextSeq !== about.first_seq) {
      this.#fault(`rows ${this.#nextSeq} to ${about.first_seq - 1}, which belong before this file, are missing`);
      this.#known = false;
      this.#book.apply(ROW.clear, 0, 0, 0);
    }
    this.#nextSeq = about.first_seq;
    const firstSeq = this.#nextSeq;
    try {
      await withConnection(async (connection) => {
        for await (const rows of streamChunks(connection, rowSelect(source), 'it cannot be read')) this.#chunk(rows);
      });
    } catch (error) {
      this.#fault(fileError('recording_invalid', 'it cannot be read', error).message);
    }
    this.#endSnapshot();
    const read = this.#nextSeq - firstSeq;
    if (read !== about.rows) this.#fault(`it has ${read} rows, its manifest says ${about.rows}`);
    return [...this.#faults].map(([message, count]) => (count === 1 ? message : `${message} (${count} times)`));
  }

  #chunk(rows: DuckDBDataChunk): void {
    const seq = typedColumn(rows, 0, Float64Array);
    const timeMs = typedColumn(rows, 1, Float64Array);
    const kind = typedColumn(rows, 2, Uint8Array);
    const side = typedColumn(rows, 3, Uint8Array);
    const price = typedColumn(rows, 4, Int32Array);
    const amount = typedColumn(rows, 5, Float64Array);
    const { rowCount } = rows;
    for (let at = 0; at < rowCount; at++) {
      // Columns are as long as their chunk.
      this.#order(seq[at] as number, timeMs[at] as number);
      this.#row(kind[at] as number, side[at] as number, price[at] as number, amount[at] as number);
    }
  }

  #order(seq: number, timeMs: number): void {
    if (seq !== this.#nextSeq) this.#fault('a row number is not the one that follows');
    this.#nextSeq = (this.#nextSeq ?? 0) + 1;
    if (timeMs < this.#lastMs) this.#fault('time runs backwards');
    this.#lastMs = Math.max(this.#lastMs, timeMs);
  }

  #row(kind: number, side: number, price: number, amount: number): void {
    if (kind !== ROW.snapshot_level) this.#endSnapshot();
    if (kind === UNKNOWN) this.#fault('a row is of a kind that is not known');
    if (isPriced(kind) && !(side <= 1 && isPrice(price, this.#tickMicros) && amount >= 0)) {
      this.#fault('a row has a price off the tick, an amount below zero or no side');
      return;
    }
    if (kind === ROW.snapshot) this.#snapshot = { right: 0, wrong: 0 };
    else if (kind === ROW.snapshot_level) this.#snapshotLevel(side, price, amount);
    else if (kind === ROW.clear) this.#known = true;
    if (kind === ROW.clear || kind === ROW.level) this.#book.apply(kind, side, price, amount);
  }

  #snapshotLevel(side: number, price: number, amount: number): void {
    if (!this.#known) this.#book.apply(ROW.level, side, price, amount);
    if (this.#snapshot === null) return;
    if (this.#book.amountAt(side, price) === amount) this.#snapshot.right++;
    else this.#snapshot.wrong++;
  }

  /** A snapshot must equal the sum of the changes before it. */
  #endSnapshot(): void {
    const { right, wrong } = this.#snapshot ?? { right: this.#book.levelCount, wrong: 0 };
    if (wrong > 0 || right !== this.#book.levelCount) {
      this.#fault('a snapshot is not the book that the changes before it make');
    }
    if (this.#snapshot !== null) this.#known = true;
    this.#snapshot = null;
  }

  #fault(message: string): void {
    this.#faults.set(message, (this.#faults.get(message) ?? 0) + 1);
  }
}

/** Number of a kind that the query does not name. */
const UNKNOWN = 255;
