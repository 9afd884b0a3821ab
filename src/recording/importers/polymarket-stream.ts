/**
 * Two mirrored Polymarket tokens as the event stream of one market.
 *
 * What the data shows (game of 2026-06-07): every change of the pool of liquidity is sent twice, once per token, so the
 * levels of the YES token alone are the whole book. A trade is printed once, on the token that its taker traded: a buyer
 * of NO at q is a seller of YES at 1 - q. The print comes about 20 ms after the level's change (3 to 135 ms) and, where
 * the level's sizes have two decimals, the trade's have six.
 *
 * No file has a starting snapshot. Levels only become known when they change, so until the best prices that a row names are
 * those of the book made from the changes, there is no book: that time is a gap. Levels behind the best that have not
 * changed by then are still missing.
 */

import type { DuckDBConnection } from '@duckdb/node-api';
import { TwinbookError } from '../../shared/base/errors.js';
import { ONE } from '../../shared/base/micros.js';
import { ChunkWriter } from '../chunks.js';
import { EVENT, type EventChunk, type RecordedGap, type RecordingWarning, SIDE } from '../contract.js';
import { Levels } from '../levels.js';
import { countRows, openParquet, ROW_IS_SOUND } from '../parquet.js';
import { fileError } from '../store/duckdb.js';
import { CaptureReport } from './capture-report.js';
import { type PairingRules, TradePairing } from './pairing.js';

export interface PolymarketTokens {
  readonly path: string;
  readonly yes: string;
  /** Null when the mirror was not recorded. */
  readonly no: string | null;
}

const NO_SNAPSHOT = 'no starting snapshot: the book is not known yet';
const BETWEEN_CAPTURES = 'between two captures';

/** Level sizes are rounded to 0.01, before and after the change. */
const POLYMARKET_PAIRING: PairingRules = { tradeLagMs: 140, tradeLeadMs: 50, toleranceMicros: 10_001 };

/** What reading finds; gaps are there before the chunk with their end is given. */
export interface PolymarketFindings {
  readonly warnings: RecordingWarning[];
  gaps: readonly RecordedGap[];
}

/** @param captures files of one market, each of which begins when the one before has ended */
export async function* polymarketChunks(
  captures: readonly PolymarketTokens[],
  found: PolymarketFindings,
): AsyncGenerator<EventChunk> {
  found.warnings.length = 0;
  const stream = new TokenStream();
  for (const capture of captures) {
    stream.begin();
    for await (const columns of streamRows(capture)) {
      stream.rows(columns);
      // A second reader of the same files may be behind the first one.
      if (stream.gaps.length > found.gaps.length) found.gaps = [...stream.gaps];
      yield* stream.take();
    }
    stream.finish();
    found.warnings.push(...stream.capture.warnings(capture.path));
  }
  const rest = stream.end();
  if (stream.gaps.length > found.gaps.length) found.gaps = [...stream.gaps];
  yield* rest;
}

/** Columns as `TokenStream.rows` takes them. */
async function* streamRows({ path, yes, no }: PolymarketTokens): AsyncGenerator<readonly (readonly unknown[])[]> {
  const connection = await openParquet(path);
  try {
    const rows = `FROM events WHERE ${ROW_IS_SOUND}
      AND (asset_id = '${yes}' OR (is_trade AND asset_id = '${no ?? yes}'))`;
    if ((await countRows(connection, rows)) === 0) {
      throw new TwinbookError(
        'recording_invalid',
        `no event of token ${yes} can be read from ${path}`,
        'Look whether file and token belong together; `twinbook data import --help` says what is wanted.',
      );
    }
    const sql = `SELECT time_ms, price_micros, amount_micros, best_bid_micros,
      best_ask_micros, is_level, is_bid, asset_id = '${yes}' ${rows} ORDER BY file_row_number`;
    yield* streamColumns(connection, sql, path);
  } finally {
    connection.closeSync();
  }
}

/** Throws TwinbookError `recording_invalid` for a file that is damaged in its middle. */
async function* streamColumns(
  connection: DuckDBConnection,
  sql: string,
  path: string,
): AsyncGenerator<readonly (readonly unknown[])[]> {
  try {
    const result = await connection.stream(sql);
    for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk())
      yield chunk.getColumns();
  } catch (error) {
    throw fileError('recording_invalid', `cannot read ${path}`, error);
  }
}

/** Since when the book has not been known, and why. */
type Unknown = Pick<RecordedGap, 'fromMs' | 'reason'>;

class TokenStream {
  readonly gaps: RecordedGap[] = [];
  /** Of the file that is being read. */
  capture = new CaptureReport();
  readonly #writer = new ChunkWriter();
  #pairing = new TradePairing(this.#writer, POLYMARKET_PAIRING);
  #levels = new Levels();
  /** Null while the book is known. */
  #unknown: Unknown | null = null;
  #started = false;
  #latestMs = Number.NEGATIVE_INFINITY;

  /** A file begins, and with it a book of which nothing is known. */
  begin(): void {
    this.capture = new CaptureReport();
    this.#pairing = new TradePairing(this.#writer, POLYMARKET_PAIRING);
    this.#levels = new Levels();
    if (this.#started) this.#unknown ??= { fromMs: this.#writer.lastTimeMs, reason: BETWEEN_CAPTURES };
  }

  /** Columns as the query above selects them. */
  rows(columns: readonly (readonly unknown[])[]): void {
    const [times = [], prices = [], amounts = [], bestBids = [], bestAsks = [], isLevel = [], isBid = [], onYes = []] =
      columns;
    for (let row = 0; row < times.length; row++) {
      const timeMs = Number(times[row]);
      const price = Number(prices[row]);
      const amount = Number(amounts[row]);
      this.#saw(timeMs);
      if (isLevel[row] === true) {
        this.#set(timeMs, isBid[row] === true ? SIDE.bid : SIDE.ask, price, amount);
        this.#compare(timeMs, Number(bestBids[row] ?? 0), Number(bestAsks[row] ?? 0));
      } else if (amount > 0) {
        const isYes = onYes[row] === true;
        const side = (isBid[row] === true) === isYes ? SIDE.bid : SIDE.ask;
        this.#trade(timeMs, side, isYes ? price : ONE - price, amount);
      }
    }
  }

  take(): EventChunk[] {
    return this.#writer.take();
  }

  /** The file has ended. */
  finish(): void {
    this.#pairing.flush();
    this.capture.unpairedTrades = this.#pairing.unpairedTrades;
  }

  end(): EventChunk[] {
    if (this.#unknown === null) return this.#writer.end(this.#writer.lastTimeMs);
    this.#endGap(this.#unknown);
    return this.#writer.end(this.#latestMs);
  }

  #saw(timeMs: number): void {
    this.capture.saw(timeMs);
    if (timeMs > this.#latestMs) this.#latestMs = timeMs;
    if (this.#started) return;
    this.#started = true;
    this.#writer.write(EVENT.clear, timeMs, 0, 0, 0);
    this.#unknown = { fromMs: timeMs, reason: NO_SNAPSHOT };
  }

  /** Against which levels a trade was made is not known while the book is not: it would stand in an empty one. */
  #trade(timeMs: number, side: number, priceMicros: number, amountMicros: number): void {
    if (this.#unknown !== null) this.capture.unseenTrades++;
    else this.#pairing.trade(timeMs, side, priceMicros, amountMicros);
  }

  /** Holds the book to the best prices that a row names; the first row with which it agrees makes it known. */
  #compare(timeMs: number, bestBid: number, bestAsk: number): void {
    const isNamed = isInside(bestBid) || isInside(bestAsk);
    const stale = this.#dropStale(timeMs, SIDE.bid, bestBid) + this.#dropStale(timeMs, SIDE.ask, bestAsk);
    if (!isNamed) return;
    const agrees = this.#isBest(SIDE.bid, bestBid) && this.#isBest(SIDE.ask, bestAsk);
    this.capture.countRow(agrees && stale === 0);
    if (agrees && this.#unknown !== null) this.#becomeKnown(this.#unknown);
  }

  #becomeKnown(unknown: Unknown): void {
    this.#unknown = null;
    this.capture.knownFrom(this.#latestMs);
    const isFirstMoment = unknown.reason === NO_SNAPSHOT && unknown.fromMs === this.#latestMs;
    if (!isFirstMoment) this.#writer.write(EVENT.clear, this.#latestMs, 0, 0, 0);
    this.#endGap(unknown);
    for (const side of [SIDE.bid, SIDE.ask]) {
      for (const price of this.#levels.prices(side)) {
        this.#writer.write(EVENT.level, this.#latestMs, side, price, this.#levels.get(side, price));
      }
    }
  }

  #endGap({ fromMs, reason }: Unknown): void {
    if (this.#latestMs > fromMs) this.gaps.push({ fromMs, toMs: this.#latestMs, reason });
  }

  /** Levels better than the best that the row itself names were missed going away. Returns how many. */
  #dropStale(timeMs: number, side: number, best: number): number {
    if (!isInside(best)) return 0;
    const stale = this.#levels.betterThan(side, best);
    for (const price of stale) this.#set(timeMs, side, price, 0);
    return stale.length;
  }

  /** None is better any more. A row that names no best says that the side is empty. */
  #isBest(side: number, best: number): boolean {
    if (isInside(best)) return this.#levels.get(side, best) > 0;
    return this.#levels.prices(side).length === 0;
  }

  #set(timeMs: number, side: number, priceMicros: number, total: number): void {
    const before = this.#levels.get(side, priceMicros);
    if (total === before) return;
    this.#levels.set(side, priceMicros, total);
    if (this.#unknown === null) this.#pairing.level(timeMs, side, priceMicros, total, before - total);
  }
}

/** Zero, one, or no number: the row names no best price. */
const isInside = (best: number): boolean => best > 0 && best < ONE;
