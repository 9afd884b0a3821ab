/**
 * Two mirrored Polymarket tokens as the event stream of one market.
 *
 * What the data shows (game of 2026-06-07): every change of the pool of liquidity is sent twice, once per token, so the
 * levels of the YES token alone are the whole book. A trade is printed once, on the token that its taker traded: a buyer
 * of NO at q is a seller of YES at 1 - q. The print comes about 20 ms after the level's change (3 to 135 ms) and, where
 * the level's sizes have two decimals, the trade's have six.
 */

import type { DuckDBConnection } from '@duckdb/node-api';
import { TwinbookError } from '../../shared/base/errors.js';
import { ONE } from '../../shared/base/micros.js';
import { ChunkWriter } from '../chunks.js';
import { EVENT, type EventChunk, type RecordingWarning, SIDE } from '../contract.js';
import { Levels } from '../levels.js';
import { countOf, openParquet, ROW_IS_SOUND } from '../parquet.js';
import { fileError } from '../store/duckdb.js';
import { ClockRegression } from './clock-regression.js';
import { type PairingRules, TradePairing } from './pairing.js';

export interface PolymarketTokens {
  readonly path: string;
  readonly yes: string;
  /** Null when the mirror was not recorded. */
  readonly no: string | null;
}

/** Level sizes are rounded to 0.01, before and after the change. */
const POLYMARKET_PAIRING: PairingRules = { tradeLagMs: 140, tradeLeadMs: 50, toleranceMicros: 10_001 };

export async function* polymarketChunks(
  tokens: PolymarketTokens,
  warnings: RecordingWarning[],
): AsyncGenerator<EventChunk> {
  warnings.length = 0;
  const { path, yes, no } = tokens;
  const connection = await openParquet(path);
  try {
    const rows = `FROM events WHERE ${ROW_IS_SOUND}
      AND (asset_id = '${yes}' OR (is_trade AND asset_id = '${no ?? yes}'))`;
    if ((await countOf(connection, rows)) === 0) {
      throw new TwinbookError('recording_invalid', `no event of token ${yes} can be read from ${path}`);
    }
    const stream = new TokenStream();
    const sql = `SELECT time_ms, price_micros, amount_micros, best_bid_micros,
      best_ask_micros, is_level, is_bid, asset_id = '${yes}' ${rows} ORDER BY file_row_number`;
    for await (const columns of columnsOf(connection, sql, path)) {
      stream.rows(columns);
      yield* stream.take();
    }
    const rest = stream.end();
    warnings.push({ path, message: 'there is no starting snapshot: the first 40 s of the book are incomplete' });
    const back = stream.stepsBack.warning(path);
    if (back !== null) warnings.push(back);
    if (stream.unpairedTrades > 0) {
      warnings.push({ path, message: `${stream.unpairedTrades} trades have no level decrease of their own` });
    }
    yield* rest;
  } finally {
    connection.closeSync();
  }
}

/** Throws TwinbookError `recording_invalid` for a file that is damaged in its middle. */
async function* columnsOf(
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

class TokenStream {
  readonly stepsBack = new ClockRegression(0);
  readonly #writer = new ChunkWriter();
  readonly #pairing = new TradePairing(this.#writer, POLYMARKET_PAIRING);
  readonly #levels = new Levels();
  #started = false;

  get unpairedTrades(): number {
    return this.#pairing.unpairedTrades;
  }

  /** Columns as the query above selects them. */
  rows(columns: readonly (readonly unknown[])[]): void {
    const [times = [], prices = [], amounts = [], bestBids = [], bestAsks = [], isLevel = [], isBid = [], onYes = []] =
      columns;
    for (let row = 0; row < times.length; row++) {
      const timeMs = Number(times[row]);
      const price = Number(prices[row]);
      const amount = Number(amounts[row]);
      this.stepsBack.saw(timeMs);
      if (!this.#started) {
        this.#started = true;
        this.#writer.write(EVENT.clear, timeMs, 0, 0, 0);
      }
      if (isLevel[row] === true) {
        this.#set(timeMs, isBid[row] === true ? SIDE.bid : SIDE.ask, price, amount);
        this.#dropStale(timeMs, Number(bestBids[row] ?? 0), Number(bestAsks[row] ?? 0));
      } else if (amount > 0) {
        const isYes = onYes[row] === true;
        const side = (isBid[row] === true) === isYes ? SIDE.bid : SIDE.ask;
        this.#pairing.trade(timeMs, side, isYes ? price : 1_000_000 - price, amount);
      }
    }
  }

  take(): EventChunk[] {
    return this.#writer.take();
  }

  end(): EventChunk[] {
    this.#pairing.flush();
    return this.#writer.end(this.#writer.lastTimeMs);
  }

  /** Levels better than the best that the row itself names were missed going away. Zero, or no price: the row names none. */
  #dropStale(timeMs: number, bestBid: number, bestAsk: number): void {
    for (const [side, best] of [
      [SIDE.bid, bestBid],
      [SIDE.ask, bestAsk],
    ] as const) {
      if (!(best > 0 && best < ONE)) continue;
      for (const price of this.#levels.betterThan(side, best)) this.#set(timeMs, side, price, 0);
    }
  }

  #set(timeMs: number, side: number, priceMicros: number, total: number): void {
    const before = this.#levels.get(side, priceMicros);
    if (total === before) return;
    this.#levels.set(side, priceMicros, total);
    this.#pairing.level(timeMs, side, priceMicros, total, before - total);
  }
}
