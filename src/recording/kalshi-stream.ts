/** Kalshi messages (snapshots, changes of levels, trades) as the event stream of one market. */

import { TwinbookError } from '../base/errors.js';
import { ChunkWriter } from './chunks.js';
import { EVENT, type EventChunk, type RecordingWarning, SIDE } from './contract.js';
import { type KalshiMessage, parseKalshiLine } from './kalshi-message.js';
import { Levels } from './levels.js';
import { gunzipLines, type LineReport } from './lines.js';
import { type PairingRules, TradePairing } from './pairing.js';

/** Trade and delta carry the same `ts_ms`, rarely a few ms apart; `ts_ms` goes back by up to 7 ms between messages. */
const KALSHI_PAIRING: PairingRules = { tradeLagMs: 10, tradeLeadMs: 10, toleranceMicros: 0 };

export interface KalshiFiles {
  readonly ticker: string;
  /** In order of time. */
  readonly paths: readonly string[];
  /** Unix ms; null when no record of the market is at hand. */
  readonly closeTimeMs: number | null;
}

/** Streams the files of one market. `warnings` is filled anew. */
export async function* kalshiChunks(files: KalshiFiles, warnings: RecordingWarning[]): AsyncGenerator<EventChunk> {
  warnings.length = 0;
  const stream = new KalshiStream(files.ticker, files.closeTimeMs);
  for (const path of files.paths) {
    const report: LineReport = { cut: null, tooLong: 0 };
    const before = stream.counts();
    for await (const lines of gunzipLines(path, report)) {
      for (const line of lines) stream.line(line);
      yield* stream.take();
    }
    const after = stream.counts();
    const broken = after.broken - before.broken + report.tooLong;
    if (broken > 0) warnings.push({ path, message: `${broken} broken lines were skipped`, isDamage: true });
    if (after.foreign > before.foreign) {
      warnings.push({ path, message: `${after.foreign - before.foreign} messages of other markets were skipped` });
    }
    if (report.cut !== null) {
      warnings.push({
        path,
        message: `the file is cut or damaged (${report.cut}): only what could be read of it is used`,
        isDamage: true,
      });
    }
  }
  const path = files.paths[0] ?? files.ticker;
  if (stream.counts().read === 0) {
    const why = warnings.map((warning) => warning.message).join('; ');
    throw new TwinbookError(
      'recording_invalid',
      `no event can be read from ${path}${why === '' ? ': it is empty' : `: ${why}`}`,
      'give a recording of Kalshi messages, one JSON object a line, gzipped',
    );
  }
  const rest = stream.end();
  warnings.push(...stream.oddities().map((message) => ({ path, message })));
  yield* rest;
}

class KalshiStream {
  readonly #ticker: string;
  readonly #closeTimeMs: number | null;
  readonly #writer = new ChunkWriter();
  readonly #pairing = new TradePairing(this.#writer, KALSHI_PAIRING);
  readonly #levels = new Levels();
  #read = 0;
  #broken = 0;
  #foreign = 0;
  #beforeSnapshot = 0;
  #timeMs = Number.NEGATIVE_INFINITY;
  #started = false;
  #closed = false;
  /** A snapshot whose time is not known yet. */
  #held: Extract<KalshiMessage, { kind: 'snapshot' }> | null = null;

  constructor(ticker: string, closeTimeMs: number | null) {
    this.#ticker = ticker;
    this.#closeTimeMs = closeTimeMs;
  }

  counts() {
    return { read: this.#read, broken: this.#broken, foreign: this.#foreign };
  }

  /** Sentences about what the stream as a whole lacks. */
  oddities(): string[] {
    const sentences: string[] = [];
    if (this.#beforeSnapshot > 0)
      sentences.push(`${this.#beforeSnapshot} messages before the first snapshot were skipped`);
    if (this.#pairing.unpairedTrades > 0) {
      sentences.push(`${this.#pairing.unpairedTrades} trades have no level decrease of their own`);
    }
    if (!this.#closed) sentences.push('the recording stops before the close of the market: it ends there');
    return sentences;
  }

  line(line: string): void {
    if (line.trim() === '') return;
    const message = parseKalshiLine(line);
    if (message === null) this.#broken++;
    else if (message.ticker !== this.#ticker) this.#foreign++;
    else this.#message(message);
  }

  take(): EventChunk[] {
    return this.#writer.take();
  }

  end(): EventChunk[] {
    this.#releaseSnapshot(Number.POSITIVE_INFINITY);
    this.#pairing.flush();
    const last = this.#timeMs;
    return this.#writer.end(this.#closed && this.#closeTimeMs !== null ? Math.max(last, this.#closeTimeMs) : last);
  }

  #message(message: KalshiMessage): void {
    this.#read++;
    if (message.kind === 'snapshot') {
      this.#releaseSnapshot(message.receivedMs);
      this.#held = message;
      return;
    }
    this.#releaseSnapshot(message.timeMs);
    this.#timeMs = Math.max(this.#timeMs, message.timeMs);
    if (!this.#started) {
      this.#beforeSnapshot++;
    } else if (message.kind === 'trade') {
      this.#pairing.trade(message.timeMs, message.side, message.priceMicros, message.amountMicros);
    } else {
      const { side, priceMicros } = message;
      this.#change(message.timeMs, side, priceMicros, this.#levels.get(side, priceMicros) + message.amountMicros);
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
    const timeMs = Math.max(this.#timeMs, Math.min(snapshot.receivedMs, nextMs));
    const closing = snapshot.levels.length === 0 && this.#started;
    if (closing && (this.#closeTimeMs === null || snapshot.receivedMs >= this.#closeTimeMs)) {
      // After the close the venue sends the book once more, empty. It is the end, not a change of the book.
      this.#closed = true;
      return;
    }
    this.#timeMs = timeMs;
    if (!this.#started) {
      this.#started = true;
      this.#writer.write(EVENT.clear, timeMs, 0, 0, 0);
    }
    this.#replaceBook(timeMs, snapshot.levels);
  }

  /** Writes only what differs, so that a snapshot in mid-stream does not throw queues away. */
  #replaceBook(timeMs: number, levels: Extract<KalshiMessage, { kind: 'snapshot' }>['levels']): void {
    const next = new Levels();
    for (const level of levels) next.set(level.side, level.priceMicros, level.amountMicros);
    for (const side of [SIDE.bid, SIDE.ask]) {
      for (const price of this.#levels.prices(side)) {
        if (next.get(side, price) === 0) this.#change(timeMs, side, price, 0);
      }
      for (const price of next.prices(side)) this.#change(timeMs, side, price, next.get(side, price));
    }
  }

  /** `total` is the sum of all changes; below zero (a delta was lost) it stays the sum but shows as an empty level. */
  #change(timeMs: number, side: number, priceMicros: number, total: number): void {
    const before = Math.max(0, this.#levels.get(side, priceMicros));
    const after = Math.max(0, total);
    this.#levels.set(side, priceMicros, total);
    if (after !== before) this.#pairing.level(timeMs, side, priceMicros, after, before - after);
  }
}
