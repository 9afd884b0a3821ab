/** Kalshi messages (snapshots, changes of levels, trades) as the event stream of one market. */

import { TwinbookError } from '../../shared/base/errors.js';
import { stepOfPrecision } from '../../shared/base/micros.js';
import { ChunkWriter } from '../chunks.js';
import { EVENT, type EventChunk, type KalshiFiles, type RecordingWarning, SIDE } from '../contract.js';
import { Levels } from '../levels.js';
import { ClockRegression } from './clock-regression.js';
import { DuplicateFilter } from './duplicate-filter.js';
import { type KalshiMessage, parseKalshiLine } from './kalshi-message.js';
import { KalshiScanner, SCANNED } from './kalshi-scanner.js';
import { gunzipLines, type LineReport } from './lines.js';
import { type PairingRules, TradePairing } from './pairing.js';
import { type Lines, TextRing } from './text-ring.js';

/** Trade and delta carry the same `ts_ms`, rarely a few ms apart; `ts_ms` goes back by up to 7 ms between messages. */
const KALSHI_PAIRING: PairingRules = { tradeLagMs: 10, tradeLeadMs: 10, toleranceMicros: 0 };

/** Streams the files of one market. `warnings` is filled anew. */
export async function* kalshiChunks(files: KalshiFiles, warnings: RecordingWarning[]): AsyncGenerator<EventChunk> {
  warnings.length = 0;
  const ring = new TextRing();
  try {
    const stream = new KalshiStream(files, ring);
    for (const path of files.paths) yield* readFile(path, ring, stream, warnings);
    const path = files.paths[0] ?? files.ticker;
    const rest = stream.end();
    warnings.push(...stream.oddities().map((message) => ({ path, message })));
    const back = stream.stepsBack.warning(path);
    if (back !== null) warnings.push(back);
    if (stream.firstMs === null) throw nothingRead(path, stream.counts().read, warnings);
    yield* rest;
  } finally {
    ring.end();
  }
}

async function* readFile(
  path: string,
  ring: TextRing,
  stream: KalshiStream,
  warnings: RecordingWarning[],
): AsyncGenerator<EventChunk> {
  const report: LineReport = { cut: null, tooLong: 0 };
  const before = stream.counts();
  for await (const lines of gunzipLines(path, report, ring)) {
    stream.take(lines);
    yield* stream.give();
  }
  const after = stream.counts();
  const broken = after.broken - before.broken + report.tooLong;
  if (broken > 0) warnings.push({ path, message: `${broken} broken lines were skipped`, isDamage: true });
  for (const [count, what] of [
    [after.foreign - before.foreign, 'of other markets'],
    [after.other - before.other, 'that are neither about a book nor a trade'],
  ] as const) {
    if (count > 0) warnings.push({ path, message: `${count} messages ${what} were skipped` });
  }
  if (report.cut !== null) {
    warnings.push({
      path,
      message: `the file is cut or damaged (${report.cut}): only what could be read of it is used`,
      isDamage: true,
    });
  }
}

/** Of a file's beginning: some thirty kilobytes of text, in which the first snapshot stands. */
const BEGINNING_BYTES = 1024;

/** When its first event is, Unix ms, found without reading on; null where there is none. Throws as `kalshiChunks`. */
export async function findFirstMs(files: KalshiFiles): Promise<number | null> {
  const ring = new TextRing();
  try {
    const stream = new KalshiStream(files, ring);
    for (const path of files.paths) {
      for await (const lines of gunzipLines(path, { cut: null, tooLong: 0 }, ring, BEGINNING_BYTES)) {
        stream.take(lines);
        if (stream.firstMs !== null) return stream.firstMs;
      }
    }
    return null;
  } finally {
    ring.end();
  }
}

function nothingRead(path: string, read: number, warnings: readonly RecordingWarning[]): TwinbookError {
  const why = read === 0 ? [] : [`there is no snapshot of the book among its ${messages(read)}`];
  const told = read === 0 ? warnings.filter(({ message }) => !message.startsWith(STOPS_EARLY)) : [];
  const reasons = [...why, ...told.map(({ message }) => message)].join('; ');
  return new TwinbookError(
    'recording_invalid',
    `no event can be read from ${path}: ${reasons === '' ? 'it is empty' : reasons}`,
    'give a recording of Kalshi messages, one JSON object a line, gzipped',
  );
}

const STOPS_EARLY = 'the recording stops before the close of the market';
const messages = (count: number): string => (count === 1 ? '1 message' : `${count} messages`);

const NEWLINE = 0x0a;

type Snapshot = Extract<KalshiMessage, { kind: 'snapshot' }>;

class KalshiStream {
  readonly stepsBack = new ClockRegression(KALSHI_PAIRING.tradeLagMs);
  readonly #ticker: string;
  readonly #tickMicros: number;
  readonly #scanner: KalshiScanner;
  readonly #closeTimeMs: number | null;
  readonly #writer = new ChunkWriter();
  readonly #pairing = new TradePairing(this.#writer, KALSHI_PAIRING);
  readonly #levels = new Levels();
  readonly #twice: DuplicateFilter;
  #read = 0;
  #broken = 0;
  #foreign = 0;
  #other = 0;
  #repeated = 0;
  #overdrawn = 0;
  #beforeSnapshot = 0;
  #timeMs = Number.NEGATIVE_INFINITY;
  #firstMs: number | null = null;
  #closed = false;
  /** An empty snapshot that ends the recording, unless something follows it. */
  #closing: Snapshot | null = null;
  /** A snapshot whose time is not known yet. */
  #held: Snapshot | null = null;

  /** @param ring holds the lines that it takes in */
  constructor({ ticker, tickPrecision, closeTimeMs }: KalshiFiles, ring: TextRing) {
    this.#twice = new DuplicateFilter(ring);
    this.#ticker = ticker;
    this.#tickMicros = stepOfPrecision(tickPrecision);
    this.#scanner = new KalshiScanner(ticker, this.#tickMicros);
    this.#closeTimeMs = closeTimeMs;
  }

  counts() {
    return { read: this.#read, broken: this.#broken, foreign: this.#foreign, other: this.#other };
  }

  /** Since when there is a book, Unix ms: without a snapshot no change of it means anything. That is its first event. */
  get firstMs(): number | null {
    return this.#firstMs;
  }

  /** Sentences about what the stream as a whole lacks. */
  oddities(): string[] {
    const sentences: string[] = [];
    if (this.#beforeSnapshot > 0)
      sentences.push(`${this.#beforeSnapshot} messages before the first snapshot were skipped`);
    if (this.#repeated > 0) sentences.push(`${messages(this.#repeated)} told twice: taken once`);
    if (this.#overdrawn > 0) {
      const what = this.#overdrawn === 1 ? '1 change takes' : `${this.#overdrawn} changes take`;
      sentences.push(`${what} more from a level than it holds, so others are missing: such a level is empty`);
    }
    if (this.#pairing.unpairedTrades > 0) {
      sentences.push(`${this.#pairing.unpairedTrades} trades have no level decrease of their own`);
    }
    if (!this.#closed) sentences.push(`${STOPS_EARLY}: it ends there`);
    return sentences;
  }

  take({ bytes, from, end }: Lines): void {
    for (let at = from; at < end; ) at = this.#line(bytes, at, end) + 1;
  }

  /** Takes in the line that begins there, and says where it ends. */
  #line(bytes: Buffer, from: number, last: number): number {
    const scanner = this.#scanner;
    const scanned = scanner.scan(bytes, from, last);
    if (scanned === SCANNED.no) {
      const newline = bytes.indexOf(NEWLINE, from);
      const end = newline === -1 || newline > last ? last : newline;
      this.#otherLine(bytes, from, end);
      return end;
    }
    const { sid, seq, timeMs, side, priceMicros, amountMicros, lineEnd } = scanner;
    if (this.#twice.knows(from, lineEnd, sid, seq)) this.#repeated++;
    else this.#change(scanned === SCANNED.trade, timeMs, side, priceMicros, amountMicros);
    return lineEnd;
  }

  #otherLine(bytes: Buffer, from: number, end: number): void {
    const line = bytes.toString('utf8', from, end);
    if (line.trim() === '') return;
    const message = parseKalshiLine(line, this.#tickMicros);
    if (message === 'broken') this.#broken++;
    else if (message === 'other') this.#other++;
    else if (message.ticker !== this.#ticker) this.#foreign++;
    else if (this.#twice.knows(from, end, message.sid, message.seq)) this.#repeated++;
    else if (message.kind === 'snapshot') this.#snapshot(message);
    else {
      const { kind, timeMs, side, priceMicros, amountMicros } = message;
      this.#change(kind === 'trade', timeMs, side, priceMicros, amountMicros);
    }
  }

  /** The chunks that became full since the last call. */
  give(): EventChunk[] {
    return this.#writer.take();
  }

  end(): EventChunk[] {
    this.#releaseSnapshot(Number.POSITIVE_INFINITY);
    this.#pairing.flush();
    const last = this.#timeMs;
    return this.#writer.end(this.#closed && this.#closeTimeMs !== null ? Math.max(last, this.#closeTimeMs) : last);
  }

  #snapshot(snapshot: Snapshot): void {
    this.#read++;
    this.#releaseSnapshot(snapshot.timeMs);
    this.#held = snapshot;
  }

  /** A trade, or a change of a level's size. */
  #change(isTrade: boolean, timeMs: number, side: number, priceMicros: number, amountMicros: number): void {
    this.#read++;
    this.#releaseSnapshot(timeMs);
    this.#wasNoClose();
    this.stepsBack.saw(timeMs);
    this.#timeMs = Math.max(this.#timeMs, timeMs);
    if (this.#firstMs === null) {
      this.#beforeSnapshot++;
    } else if (isTrade) {
      this.#pairing.trade(timeMs, side, priceMicros, amountMicros);
    } else {
      const before = this.#levels.get(side, priceMicros);
      const total = before + amountMicros;
      if (!Number.isSafeInteger(total)) {
        this.#broken++;
        return;
      }
      if (total < 0 && amountMicros < 0) this.#overdrawn++;
      this.#setLevel(timeMs, side, priceMicros, total);
    }
  }

  /**
   * A snapshot's only time is when it was received, which may lag by seconds: what follows it is a better bound, or
   * the changes after it would all be late.
   */
  #releaseSnapshot(nextMs: number): void {
    const snapshot = this.#held;
    if (snapshot === null) return;
    this.#held = null;
    const timeMs = Math.max(this.#timeMs, Math.min(snapshot.timeMs, nextMs));
    const closing = snapshot.levels.length === 0 && this.#firstMs !== null;
    if (closing && (this.#closeTimeMs === null || snapshot.timeMs >= this.#closeTimeMs)) {
      // After the close the venue sends the book once more, empty. It is the end, not a change of the book.
      this.#closed = true;
      this.#closing ??= snapshot;
      return;
    }
    this.#wasNoClose();
    this.#timeMs = timeMs;
    if (this.#firstMs === null) {
      this.#firstMs = timeMs;
      this.#writer.write(EVENT.clear, timeMs, 0, 0, 0);
    }
    this.#replaceBook(timeMs, snapshot.levels);
  }

  /** Something follows: the snapshot that looked like the end was an empty book. Before a known close, that is. */
  #wasNoClose(): void {
    const empty = this.#closing;
    if (empty === null || this.#closeTimeMs !== null) return;
    this.#closing = null;
    this.#closed = false;
    this.#timeMs = Math.max(this.#timeMs, empty.timeMs);
    this.#replaceBook(this.#timeMs, empty.levels);
  }

  /** Writes only what differs, so that a snapshot in mid-stream does not throw queues away. */
  #replaceBook(timeMs: number, levels: Snapshot['levels']): void {
    const next = new Levels();
    for (const level of levels) next.set(level.side, level.priceMicros, level.amountMicros);
    for (const side of [SIDE.bid, SIDE.ask]) {
      for (const price of this.#levels.prices(side)) {
        if (next.get(side, price) === 0) this.#setLevel(timeMs, side, price, 0);
      }
      for (const price of next.prices(side)) this.#setLevel(timeMs, side, price, next.get(side, price));
    }
  }

  /** `total` is the sum of all changes; below zero (a delta was lost) it stays the sum but shows as an empty level. */
  #setLevel(timeMs: number, side: number, priceMicros: number, total: number): void {
    const before = Math.max(0, this.#levels.get(side, priceMicros));
    const after = Math.max(0, total);
    this.#levels.set(side, priceMicros, total);
    if (after !== before) this.#pairing.level(timeMs, side, priceMicros, after, before - after);
  }
}
