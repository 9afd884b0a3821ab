/** Writes recordings in Twinbook's format (docs/recordings.md) and locks their folder. Flushed rows survive `kill -9`. */

import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TwinbookError } from '../../shared/base/errors.js';
import { makeFolder } from '../../shared/base/files.js';
import { stepOfPrecision } from '../../shared/base/micros.js';
import { isGone } from '../../shared/base/processes.js';
import { isPrice } from '../chunks.js';
import type { RecordedMarket, RecordedPoll } from '../contract.js';
import { closeSegment, openSegments, readCounts, unreadableFolder } from './day-folder.js';
import { loadDuckDb } from './duckdb.js';
import { dayFolders, MANIFEST, MARKET, marketFolder, marketFolders, parseName, segmentName } from './layout.js';
import { type DescribedMarket, eventsFiles, readManifest, readMarket, toColumns, writeJson } from './manifest.js';
import { type FeedRow, type MarketSink, type OwnRow, ROW, Segment, type Stamp } from './segment.js';

type StoreSettings = Partial<WriterRules> & Pick<WriterRules, 'origin'>;

/**
 * Opens or creates a folder, and converts an earlier writer's open segments to Parquet. Throws TwinbookError
 * `file_unreadable` if the folder is not writable, another process writes to it, or DuckDB is missing.
 */
export async function openRecordingStore(folder: string, settings: StoreSettings): Promise<RecordingStore> {
  const { release } = await takeFolder(folder);
  return new RecordingStore(folder, release, { ...DEFAULT_RULES, ...settings });
}

/** Converts a dead writer's segments to Parquet. Returns their number. Throws the errors of `openRecordingStore`. */
export async function repairFolder(folder: string): Promise<number> {
  const { release, recovered } = await takeFolder(folder);
  release();
  return recovered;
}

async function takeFolder(folder: string): Promise<{ release: () => void; recovered: number }> {
  // A missing DuckDB is reported now, not an hour later when the first segment is converted.
  await loadDuckDb();
  let release: () => void;
  try {
    makeFolder(folder);
    release = lockFolder(folder);
  } catch (error) {
    throw unreadableFolder(folder, error);
  }
  try {
    let recovered = 0;
    for (const market of marketFolders(folder)) {
      for (const day of dayFolders(market)) recovered += await recoverFolder(day);
      await nextTurn(); // The trader's event loop must not wait for thousands of folders.
    }
    return { release, recovered };
  } catch (error) {
    release();
    throw error;
  }
}

/** Converts a dead writer's segments into Parquet, and removes incomplete files. Returns the segments' number. */
async function recoverFolder(folder: string): Promise<number> {
  const names = readdirSync(folder);
  // Manifests are read only if necessary: reading thousands of them takes seconds.
  if (!names.some((name) => name.endsWith('.tmp') || parseName(name)?.table === 'segment')) return 0;
  const open = openSegments(folder, readManifest(join(folder, MANIFEST)));
  for (const name of names) {
    const file = parseName(name);
    const isOpen = file !== null && open.includes(file.number);
    // An open segment has no complete Parquet files yet.
    const isLeftOver = file?.table === 'segment' ? !isOpen : isOpen;
    if (isLeftOver || name.endsWith('.tmp')) await rm(join(folder, name), { force: true });
  }
  for (const number of open) await closeSegment(folder, number, readCounts(join(folder, segmentName(number))));
  return open.length;
}

/**
 * Writer of a folder of recordings. The folder is locked while the store is open. The methods of a sink only store rows
 * in memory; `flush` writes and syncs these rows. Flushed rows are in an open segment, which readers can read. The next
 * `openRecordingStore` converts it to Parquet. A failed write ends the recording: only `close` may follow.
 */
export class RecordingStore {
  readonly #folder: string;
  readonly #release: () => void;
  readonly #rules: WriterRules;
  readonly #writers = new Map<string, MarketWriter>();
  #hasFailed = false;

  constructor(folder: string, release: () => void, rules: WriterRules) {
    this.#folder = folder;
    this.#release = release;
    this.#rules = rules;
  }

  /** Returns the market's sink. If the folder has earlier rows of the market, a gap follows these rows. */
  market(market: RecordedMarket): MarketSink {
    const known = this.#writers.get(market.conditionId);
    if (known !== undefined) {
      known.describe(market);
      return known;
    }
    const writer = new MarketWriter(this.#folder, market, this.#rules);
    this.#writers.set(market.conditionId, writer);
    return writer;
  }

  /**
   * Writes and syncs all rows, and closes old or large segments. Must be awaited. Throws TwinbookError
   * `file_unreadable`, for example for a full disk; the rows of the failed write are then lost.
   */
  flush(): Promise<void> {
    return this.#write(false);
  }

  /** Flushes rows, then converts all open segments to Parquet, whatever their age. Throws the errors of `flush`. */
  rotate(): Promise<void> {
    return this.#write(true);
  }

  async #write(everything: boolean): Promise<void> {
    try {
      for (const writer of this.#writers.values()) await writer.flush(everything);
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  /** Calls `rotate` unless a write has failed, and unlocks the folder in any case. Throws the errors of `flush`. */
  async close(): Promise<void> {
    try {
      if (!this.#hasFailed) await this.rotate();
    } finally {
      for (const writer of this.#writers.values()) await writer.release();
      this.#release();
    }
  }
}

const DEFAULT_RULES = {
  /** Age of a segment at which the next `flush` closes the segment, recorder's clock, ms. */
  rotateAfterMs: 3_600_000,
  /** Number of rows at which the next `flush` closes a segment. */
  rotateAfterRows: 1_000_000,
  /** Recorded time between two snapshots of the book, ms. */
  snapshotEveryMs: 300_000,
  now: Date.now,
};

/** `origin`: source of the recording, `kalshi` or `polymarket` if imported, else the name of the recorded venue. */
type WriterRules = typeof DEFAULT_RULES & { readonly origin: string };

const NOT_RECORDING = 'nothing was recorded';

const formatDate = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/** Writes one market: checks and numbers its events, inserts snapshots of the book, and rotates segments. */
class MarketWriter implements MarketSink {
  market: RecordedMarket;
  readonly #root: string;
  readonly #rules: WriterRules;
  /** Open segments by UTC day. Around midnight two are open, because the venue's clock determines the day. */
  readonly #open = new Map<string, Segment>();
  readonly #numbers = new Map<string, number>();
  /** Folders whose `market.json` has the present description. */
  readonly #described = new Set<string>();
  /** Counts of rejected events and of events with a raised time; only counts that are not yet in a manifest. */
  #refused = 0;
  #steppedBack = 0;
  #changed = true;
  readonly #notes: string[] = [];
  #tickMicros: number;
  #seq: number;
  #lastMs: number;
  #ended: boolean;
  #inGap = false;
  /** True before the first event after an earlier writer's rows; a gap is written before that event. */
  #isResuming: boolean;
  #snapshotMs = Number.NEGATIVE_INFINITY;
  /** True if `#book` is complete, which is the case from the first `clear` event on. */
  #bookKnown = false;
  readonly #book: readonly [bids: Map<number, number>, asks: Map<number, number>] = [new Map(), new Map()];
  #segment: Segment | null = null;
  #segmentDay = 0;

  constructor(root: string, market: RecordedMarket, rules: WriterRules) {
    this.market = market;
    this.#root = root;
    this.#rules = rules;
    this.#tickMicros = stepOfPrecision(market.tickPrecision);
    const days = this.#listDays();
    const rows = days.map(lastRow).filter((row) => row !== null);
    const before = rows.sort((a, b) => a.lastSeq - b.lastSeq).at(-1);
    this.#seq = before?.lastSeq ?? 0;
    this.#lastMs = before?.lastMs ?? Number.NEGATIVE_INFINITY;
    this.#ended = before?.ended ?? false;
    this.#isResuming = before !== undefined && !before.ended;
    // Outcome and notes of earlier writers are kept. The newest description of the market takes precedence.
    for (const day of days.toReversed()) {
      const earlier = readMarket(join(day, MARKET), day);
      if (earlier !== null)
        this.describe({ ...this.market, outcome: this.market.outcome ?? earlier.market.outcome }, earlier.notes);
    }
  }

  describe(market: RecordedMarket, notes: readonly string[] = []): void {
    this.#notes.push(...notes.filter((note) => !this.#notes.includes(note)));
    // A known outcome is kept if a later description does not have it.
    this.market = { ...market, outcome: market.outcome ?? this.market.outcome };
    this.#tickMicros = stepOfPrecision(market.tickPrecision);
    this.#changed = true;
  }

  level(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean {
    if (!this.#accepts(at, priceMicros, amountMicros)) return false;
    this.#event(at, ROW.level, side, priceMicros, amountMicros);
    const levels = side === 0 ? this.#book[0] : this.#book[1];
    if (amountMicros === 0) levels.delete(priceMicros);
    else levels.set(priceMicros, amountMicros);
    return true;
  }

  trade(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean {
    if (!this.#accepts(at, priceMicros, amountMicros, 1)) return false;
    this.#event(at, ROW.trade, side, priceMicros, amountMicros);
    return true;
  }

  clear(at: Stamp): void {
    if (this.#isOver(at)) return;
    for (const levels of this.#book) levels.clear();
    // A `clear` event needs no snapshot before it, because it empties the book.
    this.#bookKnown = false;
    this.#event(at, ROW.clear, 0, 0, 0);
    this.#bookKnown = true;
  }

  gap(at: Stamp, reason: string): void {
    if (this.#inGap || this.#isResuming || this.#isOver(at)) return;
    // There can be no gap before the first event of a market.
    if (this.#seq === 0) return;
    this.#gap(this.#clamp(at), reason);
  }

  end(at: Stamp): void {
    if (this.#isOver(at)) return;
    this.#event(at, ROW.end, 0, 0, 0);
    this.#ended = true;
  }

  poll(poll: RecordedPoll): void {
    this.#openSegment(formatDate(poll.sentMs)).row({ table: 'polls', ...toColumns(poll) });
  }

  own(row: OwnRow): void {
    this.#openSegment(formatDate(row.seen_ms)).row({ table: 'own', ...row });
  }

  feedValue({ value: { conditionId: _, ...value }, ...row }: FeedRow): void {
    this.#openSegment(formatDate(row.seenMs)).row({ table: 'feeds', ...toColumns(row), ...toColumns(value) });
  }

  #accepts(at: Stamp, priceMicros: number, amountMicros: number, leastMicros = 0): boolean {
    if (this.#isOver(at)) return false;
    if (isPrice(priceMicros, this.#tickMicros) && Number.isSafeInteger(amountMicros) && amountMicros >= leastMicros)
      return true;
    this.#refused++;
    return false;
  }

  #isOver(at: Stamp): boolean {
    if (!this.#ended && Number.isSafeInteger(at.timeMs)) return false;
    this.#refused++;
    return true;
  }

  #clamp(at: Stamp): Stamp {
    if (at.timeMs >= this.#lastMs) return at;
    this.#steppedBack++;
    return { ...at, timeMs: this.#lastMs };
  }

  #event(given: Stamp, kind: number, side: number, priceMicros: number, amountMicros: number): void {
    const at = this.#clamp(given);
    const { timeMs } = at;
    if (this.#isResuming) {
      this.#isResuming = false;
      this.#gap({ ...at, timeMs: this.#lastMs }, NOT_RECORDING);
    }
    const isNew = !this.#segmentAt(timeMs).hasEvents && this.#seq > 0;
    if (kind === ROW.clear) {
      this.#snapshotMs = timeMs;
    } else if (this.#bookKnown && (isNew || timeMs >= this.#snapshotMs + this.#rules.snapshotEveryMs)) {
      this.#writeSnapshot(at);
      this.#snapshotMs = timeMs;
    }
    this.#row(at, kind, side, priceMicros, amountMicros);
    this.#inGap = false;
  }

  #gap(at: Stamp, reason: string): void {
    this.#row(at, ROW.gap, 0, 0, 0, reason);
    this.#inGap = true;
  }

  #writeSnapshot(at: Stamp): void {
    this.#row(at, ROW.snapshot, 0, 0, 0);
    for (const [side, levels] of this.#book.entries())
      for (const [price, amount] of levels) this.#row(at, ROW.snapshot_level, side, price, amount);
  }

  #row(at: Stamp, kind: number, side: number, priceMicros: number, amountMicros: number, reason?: string): void {
    this.#segmentAt(at.timeMs).event(++this.#seq, at, kind, side, priceMicros, amountMicros, reason);
    this.#lastMs = at.timeMs;
  }

  #segmentAt(timeMs: number): Segment {
    // Days are compared as numbers: formatting a date for each row would take longer than all other work.
    const day = Math.floor(timeMs / DAY_MS);
    if (this.#segment === null || this.#segmentDay !== day) {
      this.#segment = this.#openSegment(formatDate(timeMs));
      this.#segmentDay = day;
    }
    return this.#segment;
  }

  /** Writes pending rows, then closes the due segments, or all segments. Throws TwinbookError `file_unreadable`. */
  async flush(everything: boolean): Promise<void> {
    // The oldest segment stores the counts of bad events; it is closed first, so that a manifest gets the counts.
    const [oldest] = [...this.#open.keys()].sort();
    if (oldest !== undefined) this.#open.get(oldest)?.counts(this.#refused, this.#steppedBack);
    const segments = [...this.#open.values()];
    // Due segments get no more rows. Rows that arrive during the write are added to new segments.
    const due = [...this.#open].filter(([date, segment]) => everything || this.#isDue(date, segment));
    for (const [date] of due) this.#open.delete(date);
    this.#segment = null;
    // All lines are taken before the first write, because no row may be written before an earlier row.
    const batches = segments.map((segment) => ({ segment, lines: segment.takeLines() }));
    try {
      for (const { folder } of segments) makeFolder(folder);
      this.#describe(segments);
      for (const { segment, lines } of batches) await segment.write(lines);
    } catch (error) {
      throw unreadableFolder(this.#root, error);
    } finally {
      for (const [, segment] of due) await segment.close();
    }
    for (const [, segment] of due) await this.#toParquet(segment);
  }

  async release(): Promise<void> {
    for (const segment of this.#open.values()) await segment.close();
  }

  #isDue(date: string, segment: Segment): boolean {
    // Segments without events have days of the recorder's clock, which may be a day behind the venue's clock.
    const isPast = segment.hasEvents && date < formatDate(this.#lastMs);
    const isOld = this.#rules.now() - segment.openedMs >= this.#rules.rotateAfterMs;
    return isOld || segment.rows >= this.#rules.rotateAfterRows || isPast;
  }

  #describe(segments: readonly Segment[]): void {
    const folders = segments.map((segment) => segment.folder);
    if (this.#changed) {
      this.#described.clear();
      const newest = this.#listDays().at(-1);
      if (newest !== undefined) folders.push(newest);
    }
    for (const folder of folders) {
      if (this.#described.has(folder)) continue;
      const file = join(folder, MARKET);
      const first = readMarket(file, folder)?.market ?? this.market;
      // A trader of this day knew only the first announced closing time, so a later time does not replace it.
      const { closeTimeMs, closeIsGuessed } = first.closeIsGuessed === true ? this.market : first;
      const market = { ...this.market, closeTimeMs, closeIsGuessed };
      writeMarket(file, { market, notes: this.#notes }, this.#rules.origin);
      this.#described.add(folder);
      this.#changed = false;
    }
  }

  #listDays(): string[] {
    const folder = marketFolder(this.#root, this.market.conditionId);
    return existsSync(folder) ? dayFolders(folder) : [];
  }

  async #toParquet(segment: Segment): Promise<void> {
    const { folder, number, path } = segment;
    if (!existsSync(path)) return;
    const [refused, steppedBack] = [this.#refused, this.#steppedBack];
    await closeSegment(folder, number, { refused, steppedBack, brokenLines: 0 });
    // More events may be rejected during the write, so only the counts in the manifest are subtracted.
    this.#refused -= refused;
    this.#steppedBack -= steppedBack;
  }

  #openSegment(date: string): Segment {
    const open = this.#open.get(date);
    if (open !== undefined) return open;
    const folder = join(marketFolder(this.#root, this.market.conditionId), `date=${date}`);
    const number = Math.max(existsSync(folder) ? nextNumber(folder) : 1, (this.#numbers.get(date) ?? 0) + 1);
    const segment = new Segment(folder, segmentName(number), number, this.#rules.now());
    this.#numbers.set(date, number);
    this.#open.set(date, segment);
    return segment;
  }
}

function writeMarket(file: string, { market, notes }: DescribedMarket, origin: string): void {
  const { source, fees, ...fields } = market;
  const rates = fees === undefined ? null : toColumns(fees);
  writeJson(file, { ...toColumns(fields), fees: rates, origin, ticker: source.ticker, notes });
}

function nextNumber(folder: string): number {
  const numbers = readdirSync(folder).map((name) => parseName(name)?.number ?? 0);
  return Math.max(0, ...numbers) + 1;
}

/** Returns the number and time of the last row in the folder's closed files; null without closed files. */
function lastRow(folder: string) {
  const manifest = readManifest(join(folder, MANIFEST));
  const last = manifest === null ? undefined : eventsFiles(manifest).at(-1);
  if (last === undefined) return null;
  // The manifest never lists a file without rows.
  return { lastSeq: last.last_seq, lastMs: last.last_ms ?? 0, ended: (last.kinds.end ?? 0) > 0 };
}

const DAY_MS = 86_400_000;

const LOCK = '.writer';

/** Folders that this process has locked. A lock file alone is no proof: its process id may be from before a reboot. */
const held = new Set<string>();

/** Locks a folder; returns the function that unlocks it. Throws `file_unreadable` if another process locked it. */
function lockFolder(folder: string): () => void {
  const real = realpathSync(folder);
  const path = join(real, LOCK);
  const holder = findWriter(real);
  if (holder !== null) throw makeTakenError(folder, holder);
  // A remaining lock file is from a dead process.
  rmSync(path, { force: true });
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw makeTakenError(folder, findWriter(real) ?? 0);
  }
  held.add(real);
  return () => {
    held.delete(real);
    rmSync(path, { force: true });
  };
}

export function findWriter(folder: string): number | null {
  const real = realpathSync(folder);
  if (held.has(real)) return process.pid;
  let pid: number;
  try {
    pid = Number(readFileSync(join(real, LOCK), 'utf8'));
  } catch {
    return null; // The lock file does not exist, or was just deleted.
  }
  return pid > 0 && pid !== process.pid && !isGone({ pid, born: null }) ? pid : null;
}

const makeTakenError = (folder: string, pid: number): TwinbookError =>
  new TwinbookError(
    'file_unreadable',
    `another process (${pid}) writes recordings to ${folder}`,
    'stop that process first, or give another folder',
  );
