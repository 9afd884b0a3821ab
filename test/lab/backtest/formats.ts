/** One recorded market written in every format that a backtest plays. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { EVENT } from '../../../src/recording/contract.js';
import { importRecordings } from '../../../src/recording/import.js';
import { openRecordingStore } from '../../../src/recording/store/store.js';
import { delta, kalshiFile, OPEN_MS, snapshot, TICKER, trade } from '../../recording/samples.js';
import { newFolder } from '../../support/folders.js';
import { BID, FIRST_MS, market, type Row, writeRows } from './recordings.js';

/** Kalshi's samples are of a market with another opening time; one minute is missing, as in most recordings. */
const laterMs = OPEN_MS + 60_000 - FIRST_MS;

/** Messages as the venue sends them; levels become changes. Without the market's record, unless `about`. */
function kalshiSet(rows: readonly Row[], about: boolean): string {
  const set = newFolder();
  const file = kalshiFile(set);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, gzipSync(`${kalshiLines(rows).join('\n')}\n`));
  const facts = `window,open_time,close_time,result\n${TICKER},2026-08-01T10:00:00Z,2026-08-01T10:15:00Z,yes\n`;
  if (about) writeFileSync(join(set, 'MARKETS.csv'), facts);
  return set;
}

function kalshiLines(rows: readonly Row[]): string[] {
  const held = new Map<string, number>();
  const dollars = (price: number) => price.toFixed(4);
  const lines = [snapshot(FIRST_MS + laterMs, [['0.0100', '1.00']], [['0.0100', '1.00']])];
  for (const [timeMs, kind, side, price, shares] of rows) {
    const atMs = timeMs + laterMs;
    const [yes, no] = [dollars(price), dollars(1 - price)];
    if (kind === EVENT.trade) lines.push(trade(atMs, side === BID ? 'yes' : 'no', yes, no, shares.toFixed(2)));
    if (kind !== EVENT.level) continue;
    const change = shares - (held.get(`${side} ${yes}`) ?? 0);
    held.set(`${side} ${yes}`, shares);
    lines.push(delta(atMs, side === BID ? 'yes' : 'no', side === BID ? yes : no, change.toFixed(2)));
  }
  return lines;
}

/** One token without its mirror; each row has the best prices that follow from the rows. */
async function polymarketFile(rows: readonly Row[]): Promise<string> {
  const path = join(newFolder(), 'game.parquet');
  const books = [new Map<number, number>(), new Map<number, number>()] as const;
  const values = rows.flatMap(([timeMs, kind, side, price, shares]) => {
    if (kind !== EVENT.level && kind !== EVENT.trade) return [];
    if (kind === EVENT.level && shares > 0) books[side === BID ? 0 : 1].set(price, shares);
    else if (kind === EVENT.level) books[side === BID ? 0 : 1].delete(price);
    const [bid, ask] = [Math.max(0, ...books[0].keys()), Math.min(1, ...books[1].keys())];
    const type = kind === EVENT.level ? 'PRICE_CHANGE' : 'LAST_TRADE';
    return [`(${timeMs}, '${type}', '${side === BID ? 'BID' : 'ASK'}', ${price}, ${shares}, ${bid}, ${ask}, '111')`];
  });
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const names = 'ts_ms, event_type, side, price, size, best_bid, best_ask, asset_id';
  const types = `SELECT ts_ms::BIGINT AS ts_ms, event_type, side, price::DOUBLE AS price, size::DOUBLE AS size,
    best_bid::DOUBLE AS best_bid, best_ask::DOUBLE AS best_ask, asset_id`;
  await connection.run(`COPY (${types} FROM (VALUES ${values.join(', ')}) t(${names})) TO '${path}'`);
  connection.closeSync();
  return path;
}

/** As `twinbook record` writes it for a venue without closing times: the first sight of the close counts. */
async function recordedFolder(rows: readonly Row[]): Promise<string> {
  const folder = newFolder();
  const store = await openRecordingStore(folder, { origin: 'somewhere' });
  const about = { closeTimeMs: rows.at(-1)?.[0] ?? FIRST_MS, closeIsGuessed: true, outcome: null } as const;
  writeRows(store.market(market(about)), rows);
  await store.close();
  return folder;
}

async function imported(kind: 'kalshi' | 'polymarket', path: string): Promise<string> {
  const out = join(newFolder(), 'imported');
  await importRecordings(kind, [path], out);
  return out;
}

export const FORMATS: Readonly<Record<string, (rows: readonly Row[]) => Promise<string> | string>> = {
  'raw Kalshi with its record': (rows) => kalshiSet(rows, true),
  'raw Kalshi without a record': (rows) => kalshiSet(rows, false),
  'imported Kalshi without a record': (rows) => imported('kalshi', kalshiSet(rows, false)),
  'raw Polymarket': polymarketFile,
  'imported Polymarket': async (rows) => imported('polymarket', await polymarketFile(rows)),
  'recorded by ourselves, without a date': recordedFolder,
};

/** Difference between each format's clock and the rows' clock, ms. */
export const clockOf = (format: string): number => (format.includes('Kalshi') ? laterMs : 0);
