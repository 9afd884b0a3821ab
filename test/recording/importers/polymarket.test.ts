import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRecordings } from '../../../src/recording/recording.js';
import { withConnection } from '../../../src/recording/store/duckdb.js';
import { newFolder } from '../../support/folders.js';
import { rowsOf } from '../samples.js';
import { BOOK, change, NO, print, type Row, read, T, write, YES } from './polymarket-files.js';

const HEAD = ['0 clear', '0 level bid 0.4 100', '0 level ask 0.45 50'];
const INCOMPLETE = expect.stringContaining('no starting snapshot');
const invalid = (text: string) => ({ code: 'recording_invalid', message: expect.stringContaining(text) });
/** The first of the two rows of `BOOK` names an ask that does not exist yet. */
const disagree = (of: number, rows = 1) => expect.stringContaining(`(${rows} of ${of}) disagree with the book`);

describe('a Polymarket recording', () => {
  it('makes one market of two mirrored tokens, and one pool of their liquidity', async () => {
    const { markets, rows, warnings } = await read([...BOOK, ...change(5, 'BID', 0.4, 80, 0.4, 0.45)]);
    expect(markets).toMatchObject([
      { tickPrecision: 2, outcome: null, openTimeMs: T, closeTimeMs: T + 5, source: { ticker: YES } },
    ]);
    expect(rows).toEqual([...HEAD, '5 level bid 0.4 80', '5 end']);
    expect(warnings).toEqual([INCOMPLETE, disagree(3)]);
  });

  it('turns trades of either token into trades of YES: a buyer of NO at q sells YES at 1 - q', async () => {
    const { rows } = await read([
      ...BOOK,
      print(10, 'BID', 0.45, 1.5, YES),
      print(200, 'ASK', 0.4, 2, YES),
      print(400, 'BID', 0.6, 3, NO),
      print(600, 'ASK', 0.55, 4, NO),
    ]);
    const trades = ['10 trade bid 0.45 1.5', '200 trade ask 0.4 2', '400 trade ask 0.4 3', '600 trade bid 0.45 4'];
    expect(rows.filter((row) => row.includes('trade'))).toEqual(trades);
  });

  it('moves a trade to the decrease that was sent 20 ms before its print, though sizes are rounded', async () => {
    const { rows, warnings } = await read([
      ...BOOK,
      ...change(10, 'ASK', 0.45, 47.73, 0.4, 0.45),
      ...change(20, 'BID', 0.39, 7, 0.4, 0.45),
      print(30, 'ASK', 0.55, 2.264148, NO),
    ]);
    const moved = ['10 trade bid 0.45 2.264148', '10 level ask 0.45 47.73'];
    expect(rows).toEqual([...HEAD, ...moved, '20 level bid 0.39 7', '20 end']);
    expect(warnings).toEqual([INCOMPLETE, disagree(4)]);
  });

  it('drops levels that are better than the best that a row names', async () => {
    const { rows } = await read([...BOOK, ...change(9, 'BID', 0.38, 5, 0.38, 0.45)]);
    expect(rows).toEqual([...HEAD, '9 level bid 0.38 5', '9 level bid 0.4 0', '9 end']);
  });

  it('clamps a clock that steps back and keeps the order of the file', async () => {
    const back = [...change(900, 'BID', 0.4, 1, 0.4, 0.45), ...change(300, 'BID', 0.4, 2, 0.4, 0.45)];
    const { rows } = await read([...BOOK, ...back]);
    expect(rows).toEqual([...HEAD, '900 level bid 0.4 1', '900 level bid 0.4 2', '900 end']);
  });

  it('knows a tick of a tenth of a cent', async () => {
    const { markets, rows } = await read([...BOOK, ...change(9, 'BID', 0.395, 5, 0.4, 0.45)]);
    expect(markets[0]?.tickPrecision).toBe(3);
    expect(rows[3]).toBe('9 level bid 0.395 5');
  });

  it('keeps a token without a mirror as a market by itself, and counts broken rows', async () => {
    const alone: Row = [3, 'PRICE_CHANGE', 'BID', 0.7, 5, 0.7, 0.8, '555'];
    const broken: Row = [4, 'PRICE_CHANGE', 'BID', null, 5, 0.7, 0.8, YES];
    const many = Array.from({ length: 60 }, (_, at) => change(5 + at, 'BID', 0.4, 100 + at, 0.4, 0.45)).flat();
    const { markets, warnings } = await read([...BOOK, alone, broken, ...many]);
    expect(markets.map((market) => market.source.ticker)).toEqual([YES, '555']);
    expect(warnings).toEqual([
      '1 broken rows were skipped: 1 with a price that is not a multiple of 0.0001 between 0 and 1',
      expect.stringContaining('no opposite token'),
      INCOMPLETE,
      disagree(62),
    ]);
  });

  it('is refused when it is no parquet file or has other columns, naming what is wrong', async () => {
    await expect(openRecordings([await write(BOOK, 'moment')])).rejects.toMatchObject(invalid('no column timestamp'));
    await expect(openRecordings([await write([])])).rejects.toMatchObject({ code: 'recording_invalid' });
    // The directory of a parquet file is at its end: a cut file is unreadable.
    const cut = await write(BOOK);
    writeFileSync(cut, readFileSync(cut).subarray(0, -20));
    await expect(openRecordings([cut])).rejects.toMatchObject(invalid(cut));
  });
});

/** Two changes of one token; `columns` replaces some of their columns. */
async function writeStrange(columns = 'size AS size'): Promise<string> {
  const path = join(newFolder(), 'game.parquet');
  const rows = `SELECT ${T}::BIGINT + i AS ts_ms, 'PRICE_CHANGE' AS event_type, 'BID' AS side, 0.4::DOUBLE AS price,
    5.0 + i AS size, 0.4::DOUBLE AS best_bid, 0::DOUBLE AS best_ask, '111' AS asset_id FROM range(2) t(i)`;
  const sql = `COPY (SELECT * REPLACE (${columns}) FROM (${rows})) TO '${path}'`;
  await withConnection((connection) => connection.run(sql));
  return path;
}

const EXPECTED = ['0 clear', '0 level bid 0.4 5', '1 level bid 0.4 6', '1 end'];

describe('a Polymarket file of a stranger', () => {
  it.each([
    ['its time as a moment', 'make_timestamp(ts_ms * 1000) AS ts_ms'],
    ['its time in microseconds', 'ts_ms * 1000 AS ts_ms'],
    ['its time as text', 'ts_ms::VARCHAR AS ts_ms'],
    ['its sides as the venue names them', "'BUY' AS side"],
    ['its prices as text', 'price::VARCHAR AS price'],
    ['its prices as decimals', 'price::DECIMAL(10, 4) AS price'],
    ['its tokens as numbers', 'asset_id::BIGINT AS asset_id'],
    ['a best price that is infinite', "'inf'::DOUBLE AS best_ask"],
  ])('with %s is read', async (_, columns) => {
    const [recording] = await openRecordings([await writeStrange(columns)]);
    expect(await rowsOf(recording, T)).toEqual(EXPECTED);
  });

  it.each([
    ['times before 2000', 'ts_ms - 1000000000000 AS ts_ms', '2 with no time between the years 2000 and 2100'],
    ['sizes that are no numbers', "'nan'::DOUBLE AS size", '2 with a size that is missing'],
    ['sizes beyond all bounds', '1e300 AS size', '2 with a size that is missing'],
    ['sides of its own', "'HOLD' AS side", '2 with a side other than BID, BUY, ASK and SELL'],
    ['prices in cents', 'price * 100 AS price', '2 with a price'],
  ])('with %s is an error that says so', async (_, columns, message) => {
    await expect(openRecordings([await writeStrange(columns)])).rejects.toMatchObject(invalid(message));
  });

  it('that is none is left out beside another', async () => {
    const path = await writeStrange();
    const broken = join(newFolder(), 'broken.parquet');
    writeFileSync(broken, 'no');
    const told: string[] = [];
    expect(await openRecordings([broken, path], { onFailure: ({ message }) => told.push(message) })).toHaveLength(1);
    expect(told).toEqual([expect.stringMatching(/^[^\n]*broken\.parquet[^\n]*too small[^\n]*$/)]);
  });

  it('whose token an earlier file has too is left out, and that is told', async () => {
    const [first, second] = [await writeStrange(), await writeStrange('size + 1 AS size')];
    const [recording, ...others] = await openRecordings([first, second]);
    expect(others).toEqual([]);
    expect(recording?.warnings).toContainEqual({ path: second, message: expect.stringContaining('is left out') });
  });
});
