/** Small Polymarket files written by tests, and their parsed content. */

import { join } from 'node:path';
import { openRecordings } from '../../../src/recording/recording.js';
import { withConnection } from '../../../src/recording/store/duckdb.js';
import { newFolder } from '../../support/folders.js';
import { rowsOf } from '../samples.js';

export const T = Date.parse('2026-06-07T01:30:00Z');
/** The token that sorts first is the YES token. */
export const [YES, NO] = ['111', '999'];

type Figures = readonly [price: number | null, size: number, bid: number, ask: number];
export type Row = readonly [ms: number, type: string, side: string, ...figures: Figures, token: string];

type Side = 'BID' | 'ASK';

/** A change of the pool of liquidity, sent once per token. */
export const change = (ms: number, side: Side, price: number, size: number, bid: number, ask: number): Row[] => [
  [ms, 'PRICE_CHANGE', side, price, size, bid, ask, YES],
  [ms, 'PRICE_CHANGE', side === 'BID' ? 'ASK' : 'BID', mirror(price), size, mirror(ask), mirror(bid), NO],
];

export function print(ms: number, side: Side, price: number, size: number, token: string): Row {
  return [ms, 'LAST_TRADE', side, price, size, 0, 0, token];
}

const mirror = (price: number): number => Math.round((1 - price) * 1000) / 1000;

export async function write(rows: readonly Row[], columns = 'timestamp'): Promise<string> {
  const path = join(newFolder(), 'game.parquet');
  const values = rows.map(
    ([ms, type, side, price, size, bid, ask, token]) =>
      `(to_timestamp(${(T + ms) / 1000}), '${type}', '${side}', ${price}, ${size}, ${bid}, ${ask}, '${token}')`,
  );
  const figures = 'price DOUBLE, size DOUBLE, best_bid DOUBLE, best_ask DOUBLE';
  await withConnection(async (connection) => {
    await connection.run(
      `CREATE TEMP TABLE t (${columns} TIMESTAMPTZ, event_type VARCHAR, side VARCHAR, ${figures}, asset_id VARCHAR)`,
    );
    if (values.length > 0) await connection.run(`INSERT INTO t VALUES ${values.join(', ')}`);
    await connection.run(`COPY t TO '${path}' (FORMAT parquet)`);
  });
  return path;
}

export async function read(rows: readonly Row[]) {
  const recordings = await openRecordings([await write(rows)]);
  const [recording] = recordings;
  return {
    markets: recordings.map(({ market }) => market),
    rows: await rowsOf(recording, T),
    warnings: recording?.warnings.map((warning) => warning.message) ?? [],
  };
}

export const BOOK = [...change(0, 'BID', 0.4, 100, 0.4, 0.45), ...change(0, 'ASK', 0.45, 50, 0.4, 0.45)];
