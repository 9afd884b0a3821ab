/** Opens one market of a Kalshi recording: its records in MARKETS.csv and `metadata/`, and its message stream. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import { must, type TwinbookError } from '../../shared/base/errors.js';
import { stepOfPrecision } from '../../shared/base/micros.js';
import { outcomeOf, VOID_OUTCOME } from '../../shared/protocol/outcome.js';
import { ChunkWriter, Levels, type PairingRules, TradePairing } from '../chunks.js';
import {
  deriveConditionId,
  EVENT,
  type EventChunk,
  invalidRecording,
  noteGaps,
  type ReadFindings,
  type RecordedGap,
  type RecordedMarket,
  type Recording,
  type RecordingWarning,
  SIDE,
} from '../contract.js';
import { connect, fetchRows, fileError, streamChunks, typedColumn } from '../store/duckdb.js';
import { type KalshiGroup, kalshiRowSql, ROW_KIND, readBook } from './kalshi-message.js';
import { ClockRegression, lineSource, refuseBroken } from './message-files.js';

const KALSHI_AMOUNT_PRECISION = 2;

type CsvRow = ReadonlyMap<string, string>;

/** Parses CSV: returns all rows after the header. Rows may lack their last columns; blank lines are skipped. */
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
    // Skips to the end of the line, because text after a closing quote is ignored.
    while (at < text.length && text[at] !== '\n') at++;
    rows.push(row);
    row = [];
  }
  return rows;
}

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
  const [openTimeMs, closeTimeMs] = [Date.parse(text('open_time') ?? ''), Date.parse(text('close_time') ?? '')];
  // False if a time is missing, or if the close is not after the opening.
  const isTimed = openTimeMs < closeTimeMs;
  const structure = text('price_level_structure');
  if (!isTimed) {
    warnings.push({
      path: windowFolder,
      message: `no record (MARKETS.csv, metadata) says when ${ticker} opened and closed: the times of its events are used`,
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
    openTimeMs: isTimed ? openTimeMs : null,
    closeTimeMs: isTimed ? closeTimeMs : null,
    outcome,
    /** False if the market has prices in fractions of a cent, even only near 0 or 1; null without a market record. */
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
    return { outcome: VOID_OUTCOME, oddity: 'void: each share counts as 0.5, because the market record has no value' };
  return { outcome: null, oddity: `${result}, and the market record gives no value: the market closes unresolved` };
}

/** Searches a folder and the two folders above for a file of the data set. Returns the file's path; null if missing. */
function findBeside(windowFolder: string, name: string): string | null {
  const above = dirname(windowFolder);
  const paths = [dirname(above), above, windowFolder].map((folder) => join(folder, name));
  return paths.find((path) => existsSync(path)) ?? null;
}

function csvRow(windowFolder: string, ticker: string): CsvRow | null {
  const path = findBeside(windowFolder, 'MARKETS.csv');
  if (path === null) return null;
  const names = ['window', 'ticker', 'market_ticker'];
  return csvRows(readFileSync(path, 'utf8')).find((row) => names.some((name) => row.get(name) === ticker)) ?? null;
}

/** Returns a market's record from the venue's API; empty without a record. An unreadable record adds a warning. */
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
    warnings.push({ path, message: `the file is not a market record and is not used (${(error as Error).message})` });
    return nothing;
  }
}

const toText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

async function measureSpan(chunks: AsyncIterable<EventChunk>) {
  let [firstMs, lastMs]: [number | null, number] = [null, 0];
  for await (const { timeMs, length } of chunks) {
    firstMs ??= timeMs[0] ?? null;
    lastMs = timeMs[length - 1] ?? lastMs;
  }
  return { firstMs: firstMs ?? lastMs, lastMs };
}

/** A trade and its level change are at most a few ms apart. Times of messages may decrease by up to 7 ms. */
const KALSHI_PAIRING: PairingRules = { tradeLagMs: 10, tradeLeadMs: 10, toleranceMicros: 0 };

interface KalshiFiles extends Omit<KalshiGroup, 'warnings'> {
  /** Closing time of the market, Unix ms; null without a record of the market. */
  readonly closeTimeMs: number | null;
}

/** Streams one market's events, and adds warnings and gaps to `found`. Throws TwinbookError `recording_invalid`. */
async function* kalshiChunks(market: KalshiFiles, found: ReadFindings): AsyncGenerator<EventChunk> {
  const { warnings } = found;
  warnings.length = 0;
  const stream = new KalshiStream(market);
  for (const file of market.files) {
    stream.lines = new LineCount(file.example ?? EXAMPLE);
    for await (const rows of streamRows(file, market, stream.lines)) {
      stream.take(rows);
      noteGaps(found, stream.gaps);
      yield* stream.writer.take();
    }
    warnings.push(...stream.lines.finish(file.path));
  }
  const path = market.files[0]?.path ?? market.ticker;
  const rest = stream.end();
  warnings.push(...stream.oddities().map((message) => ({ path, message })));
  warnings.push(...stream.stepsBack.warnings(path));
  if (stream.firstMs === null) throw nothingRead(path, stream.read, warnings);
  noteGaps(found, stream.gaps);
  yield* rest;
}

async function* streamRows({ path, place }: KalshiFiles['files'][number], market: KalshiFiles, lines: LineCount) {
  const connection: DuckDBConnection = await connect();
  try {
    const source = await lineSource(connection, path);
    const sql = kalshiRowSql(source, place, market.ticker, stepOfPrecision(market.tickPrecision));
    yield* streamChunks(connection, sql, `cannot read ${path}`);
    const { count, example } = await takeRejects(connection);
    for (let at = 0; at < count; at++) {
      lines.addLine();
      lines.markBroken(example ?? '');
    }
  } catch (error) {
    const failure = fileError('recording_invalid', `cannot read ${path}`, error);
    if (!lines.stop(failure.message)) throw failure;
  } finally {
    connection.closeSync();
  }
}

/** Returns the number of lines that DuckDB could not read as text, with an example. Clears the list of these lines. */
async function takeRejects(connection: DuckDBConnection): Promise<{ count: number; example: string | null }> {
  const tables = await fetchRows(connection, `SELECT 1 FROM duckdb_tables() WHERE table_name = 'reject_errors'`);
  if (tables.length === 0) return { count: 0, example: null };
  const sql = 'SELECT count(DISTINCT line) AS count, min(csv_line) AS example FROM reject_errors';
  const [row] = await fetchRows(connection, sql);
  await connection.run('DROP TABLE reject_errors');
  await connection.run('DROP TABLE reject_scans');
  const example = row?.['example'] ?? null;
  return { count: Number(row?.['count'] ?? 0), example: example === null ? null : String(example) };
}

function nothingRead(path: string, read: number, warnings: readonly RecordingWarning[]): TwinbookError {
  const why = read === 0 ? [] : [`there is no snapshot of the book among its ${messages(read)}`];
  const told = read === 0 ? warnings.filter(({ message }) => !message.startsWith(STOPS_EARLY)) : [];
  const reasons = [...why, ...told.map(({ message }) => message)].join('; ');
  const hint = 'Give a recording of Kalshi messages; `twinbook data import --help` lists the kinds.';
  return invalidRecording(`no event can be read from ${path}: ${reasons || 'the file is empty'}`, hint);
}

const STOPS_EARLY = 'the recording stops before the close of the market';
const messages = (count: number): string => (count === 1 ? '1 message' : `${count} messages`);

/** `timeMs`: receive time of the snapshot, Unix ms; NaN if unknown. */
type Snapshot = Readonly<{ timeMs: number; levels: readonly NonNullable<ReturnType<typeof readBook>>[number][] }>;

const EXAMPLE =
  '{"recv_ms":1785901540731,"event":{"type":"orderbook_delta","sid":1,"seq":2,"msg":{"market_ticker":"KXGOLD-26AUG05","price_dollars":"0.3200","delta_fp":"-46.02","side":"no","ts_ms":1785901540722}}}';

const MISSING = 'messages may be missing: a message number was skipped, or a new subscription began';

class KalshiStream {
  readonly stepsBack = new ClockRegression(KALSHI_PAIRING.tradeLagMs);
  readonly gaps: RecordedGap[] = [];
  lines = new LineCount(EXAMPLE);
  readonly #market: KalshiFiles;
  readonly #tickMicros: number;
  readonly writer = new ChunkWriter();
  readonly #pairing = new TradePairing(this.writer, KALSHI_PAIRING);
  readonly #levels: Levels;
  readonly #twice = new DuplicateFilter();
  readonly #numbers = new Map<number, number>();
  /** Subscriptions that sent a snapshot. Messages may be missing before the first snapshot of a new subscription. */
  readonly #subscriptions = new Set<number>();
  read = 0;
  #foreign = 0;
  #other = 0;
  #repeated = 0;
  #overdrawn = 0;
  #beforeSnapshot = 0;
  #inGap = 0;
  #timeMs = Number.NEGATIVE_INFINITY;
  /** Time of the first event (the first snapshot), Unix ms. Changes before the first snapshot are skipped. */
  firstMs: number | null = null;
  #closed = false;
  /** Empty snapshot that counts as the market's close if no message follows; null without such a snapshot. */
  #closing: Snapshot | null = null;
  /** A snapshot that waits for the next message; that message's time is the latest possible time of the snapshot. */
  #held: Snapshot | null = null;
  /** True if messages before the current message are missing, or may be missing. */
  #isMissing = false;
  /** Time since which the book is unknown, Unix ms; null while the book is known. */
  #unknownFromMs: number | null = null;

  constructor(market: KalshiFiles) {
    this.#market = market;
    this.#tickMicros = stepOfPrecision(market.tickPrecision);
    this.#levels = new Levels(this.#tickMicros);
  }

  oddities(): string[] {
    const { unpairedTrades: unpaired } = this.#pairing;
    const overdrawn = this.#overdrawn === 1 ? '1 change takes' : `${this.#overdrawn} changes take`;
    const found: readonly (readonly [count: number, sentence: string])[] = [
      [this.#foreign, `${this.#foreign} messages of other markets were skipped`],
      [this.#other, `${this.#other} messages that are neither about a book nor a trade were skipped`],
      [this.#beforeSnapshot, `${this.#beforeSnapshot} messages before the first snapshot were skipped`],
      [this.#inGap, `${messages(this.#inGap)} were skipped because the book was not known`],
      [this.#repeated, `${messages(this.#repeated)} skipped as repeated`],
      [
        this.#overdrawn,
        `${overdrawn} more from a level than the level has, so messages are missing: the level is treated as empty`,
      ],
      [unpaired, `${unpaired} trades have no matching decrease of a price level`],
      [this.#closed ? 0 : 1, `${STOPS_EARLY}: the market ends there`],
    ];
    return found.filter(([count]) => count > 0).map(([, sentence]) => sentence);
  }

  take(rows: DuckDBDataChunk): void {
    const bytes = (column: number) => typedColumn(rows, column, Uint8Array);
    const doubles = (column: number) => typedColumn(rows, column, Float64Array);
    const [kinds, coarse, sides] = [bytes(0), bytes(6), bytes(7)];
    const [sids, seqs, hashes] = [doubles(1), doubles(2), doubles(3)];
    const [received, times, prices, amounts] = [doubles(4), doubles(5), doubles(8), doubles(9)];
    const texts = rows.getColumnVector(10);
    // The property `rowCount` is read only once, because it calls into DuckDB.
    const { rowCount } = rows;
    for (let at = 0; at < rowCount; at++) {
      this.lines.addLine();
      // The casts are safe, because each column has `rowCount` entries.
      const kind = kinds[at] as number;
      const [sid, seq] = [sids[at] as number, seqs[at] as number];
      if (kind === ROW_KIND.broken) {
        this.lines.markBroken(String(texts.getItem(at)));
        continue;
      }
      if (this.#twice.knows(sid, seq, hashes[at] as number)) {
        this.#repeated++;
        continue;
      }
      if (this.#market.isNumbered) this.#checkNumber(sid, seq, kind === ROW_KIND.trade);
      if (kind === ROW_KIND.other) this.#other++;
      else if (kind === ROW_KIND.foreign) this.#foreign++;
      else if (kind === ROW_KIND.snapshot) this.#readSnapshot(String(texts.getItem(at)), received[at] as number, sid);
      else {
        const told = times[at] as number;
        // A time in whole seconds becomes the previous message's time if both are in the same second.
        const isRefined = coarse[at] === 1 && this.#timeMs > told && this.#timeMs < told + 1000;
        const timeMs = isRefined ? this.#timeMs : told;
        this.#change(kind === ROW_KIND.trade, timeMs, sides[at] as number, prices[at] as number, amounts[at] as number);
      }
    }
  }

  /** Checks the number of a message. If a number is missing, the book is unknown since the previous message. */
  #checkNumber(sid: number, seq: number, isTrade: boolean): void {
    const before = this.#numbers.get(sid);
    this.#numbers.set(sid, seq);
    if (before === undefined || seq === before + 1 || seq === before || Number.isNaN(seq)) return;
    // A separate subscription to trades has its own numbers, which do not concern the book.
    if (!isTrade || this.#numbers.size === 1) this.#isMissing = true;
  }

  /** Starts a gap if a message may be missing before the current message. Must be called after `#releaseSnapshot`. */
  #beginGap(): void {
    if (this.#isMissing && this.firstMs !== null) this.#unknownFromMs ??= this.#timeMs;
    this.#isMissing = false;
  }

  end(): EventChunk[] {
    this.#releaseSnapshot(Number.POSITIVE_INFINITY);
    this.#pairing.flush();
    const last = this.#timeMs;
    const toMs = this.#closed ? Math.max(last, this.#market.closeTimeMs ?? last) : last;
    if (this.#unknownFromMs !== null) this.gaps.push({ fromMs: this.#unknownFromMs, toMs, reason: MISSING });
    return this.writer.end(toMs);
  }

  #readSnapshot(line: string, receivedMs: number, sid: number): void {
    const levels = readBook(line, this.#tickMicros);
    if (levels === null) {
      this.lines.markBroken(line);
      return;
    }
    this.read++;
    this.#releaseSnapshot(receivedMs);
    const isClose = levels.length === 0 && receivedMs >= (this.#market.closeTimeMs ?? Number.POSITIVE_INFINITY);
    if (!isClose && !Number.isNaN(sid) && !this.#subscriptions.has(sid)) this.#isMissing = true;
    this.#subscriptions.add(sid);
    this.#beginGap();
    this.#held = { timeMs: receivedMs, levels };
  }

  #change(isTrade: boolean, timeMs: number, side: number, priceMicros: number, amountMicros: number): void {
    this.read++;
    this.#releaseSnapshot(timeMs);
    this.#wasNoClose();
    this.#beginGap();
    this.stepsBack.saw(timeMs);
    this.#timeMs = Math.max(this.#timeMs, timeMs);
    if (this.firstMs === null) this.#beforeSnapshot++;
    else if (this.#unknownFromMs !== null) this.#inGap++;
    else if (isTrade) this.#pairing.trade(timeMs, side, priceMicros, amountMicros);
    else {
      const before = this.#levels.get(side, priceMicros);
      // The level's total must stay an exact integer, even for a recording with wrong amounts.
      const total = Math.min(before + amountMicros, Number.MAX_SAFE_INTEGER);
      if (total < 0 && amountMicros < 0) this.#overdrawn++;
      this.#setLevel(timeMs, side, priceMicros, total);
    }
  }

  /** Applies the waiting snapshot at its receive time, or at the next message's time if this time is earlier. */
  #releaseSnapshot(nextMs: number): void {
    const snapshot = this.#held;
    if (snapshot === null) return;
    this.#held = null;
    const known = [snapshot.timeMs, nextMs].filter(Number.isFinite);
    const timeMs = Math.max(this.#timeMs, ...(known.length === 0 ? [] : [Math.min(...known)]));
    if (!Number.isFinite(timeMs)) return;
    const closing = snapshot.levels.length === 0 && this.firstMs !== null;
    const isAfterClose = !(snapshot.timeMs < (this.#market.closeTimeMs ?? Number.NEGATIVE_INFINITY));
    if (closing && isAfterClose) {
      // The venue sends an empty snapshot after the close. This snapshot does not change the recorded book.
      this.#closed = true;
      this.#closing ??= snapshot;
      return;
    }
    this.#wasNoClose();
    this.#timeMs = timeMs;
    if (this.#unknownFromMs !== null) this.#endGap(this.#unknownFromMs);
    if (this.firstMs === null) {
      this.firstMs = timeMs;
      this.writer.write(EVENT.clear, timeMs, 0, 0, 0);
    }
    this.#replaceBook(timeMs, snapshot.levels);
  }

  /** Ends a gap: the book starts empty, and the next snapshot fills it. */
  #endGap(fromMs: number): void {
    this.#unknownFromMs = null;
    this.#pairing.flush();
    this.gaps.push({ fromMs, toMs: this.#timeMs, reason: MISSING });
    this.#levels.clear();
    this.writer.write(EVENT.clear, this.#timeMs, 0, 0, 0);
  }

  /** If a message follows a close that no record states, undoes the close: the empty snapshot was a real book. */
  #wasNoClose(): void {
    const empty = this.#closing;
    if (empty === null || this.#market.closeTimeMs !== null) return;
    this.#closing = null;
    this.#closed = false;
    if (empty.timeMs > this.#timeMs) this.#timeMs = empty.timeMs;
    if (this.#unknownFromMs !== null) this.#endGap(this.#unknownFromMs);
    this.#replaceBook(this.#timeMs, empty.levels);
  }

  /** Replaces the book by a snapshot. Writes only changed levels, so orders in other levels keep their queue place. */
  #replaceBook(timeMs: number, levels: Snapshot['levels']): void {
    const next = new Levels(this.#tickMicros);
    for (const level of levels) next.set(level.side, level.priceMicros, level.amountMicros);
    for (const side of [SIDE.bid, SIDE.ask]) {
      for (const price of this.#levels.prices(side))
        if (next.get(side, price) === 0) this.#setLevel(timeMs, side, price, 0);
      for (const price of next.prices(side)) this.#setLevel(timeMs, side, price, next.get(side, price));
    }
  }

  /** Sets a level to the sum of its changes. A negative sum (after a lost message) is written as an empty level. */
  #setLevel(timeMs: number, side: number, priceMicros: number, total: number): void {
    const before = Math.max(0, this.#levels.get(side, priceMicros));
    const after = Math.max(0, total);
    this.#levels.set(side, priceMicros, total);
    if (after !== before) this.#pairing.level(timeMs, side, priceMicros, after, before - after);
  }
}

/** Number of remembered messages of each subscription; duplicates arrive soon after the original. */
const REMEMBERED = 8_192;

/** Memory of a subscription's last messages; the index of a message is its number modulo `REMEMBERED`. */
const newSubscription = (first: number) => ({
  first,
  isNumbered: false,
  numbers: new Float64Array(REMEMBERED).fill(Number.NaN),
  hashes: new Float64Array(REMEMBERED),
});

export class DuplicateFilter {
  readonly #known = new Map<number, ReturnType<typeof newSubscription>>();

  /** Returns true if a message's number and hash are known, else stores them. Without a number, returns false. */
  knows(sid: number, seq: number, hash: number): boolean {
    if (Number.isNaN(sid) || Number.isNaN(seq)) return false;
    const known = this.#known.get(sid) ?? newSubscription(seq);
    this.#known.set(sid, known);
    const at = seq % REMEMBERED;
    if (known.isNumbered && known.numbers[at] === seq && known.hashes[at] === hash) return true;
    known.numbers[at] = seq;
    known.hashes[at] = hash;
    known.isNumbered ||= seq !== known.first;
    return false;
  }
}

class LineCount {
  #lines = 0;
  #broken = 0;
  #example: string | null = null;
  #isLastBroken = false;
  #failure: string | null = null;
  readonly #good: string;

  constructor(good: string) {
    this.#good = good;
  }

  addLine(): void {
    this.#lines++;
    this.#isLastBroken = false;
  }

  markBroken(line: string): void {
    this.#broken++;
    this.#example ??= line;
    this.#isLastBroken = true;
  }

  /** Records that reading failed before the file's end. Returns false if no valid line came before the failure. */
  stop(reason: string): boolean {
    this.#failure = reason;
    return this.#lines > this.#broken;
  }

  /** Returns the warnings about the file. Throws TwinbookError `recording_invalid` for too many broken lines. */
  finish(path: string): RecordingWarning[] {
    const end = this.#failure ?? (this.#isLastBroken ? 'the last line is broken' : null);
    const cut = end === null ? [] : [`the file is cut or damaged (${end})`];
    refuseBroken(path, this.#lines, this.#broken, [this.#example ?? '', this.#good], cut);
    const broken = this.#broken === 0 ? [] : [`${this.#broken} broken lines were skipped`];
    const used = cut.map((damage) => `${damage}: only its readable part is used`);
    return [...broken, ...used].map((message) => ({ path, message, isDamage: true }));
  }
}
