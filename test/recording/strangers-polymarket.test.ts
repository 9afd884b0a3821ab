/** Polymarket files from other programs: other types are read, invalid rows are counted with the reason. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { openRecordings } from '../../src/recording/recording.js';
import { newFolder } from '../support/folders.js';
import { rowsOf } from './samples.js';

const T = Date.parse('2026-06-07T01:30:00Z');

/** Two changes of one token; `columns` replaces some of their columns. */
async function write(columns = 'size AS size'): Promise<string> {
  const path = join(newFolder(), 'game.parquet');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const rows = `SELECT ${T}::BIGINT + i AS ts_ms, 'PRICE_CHANGE' AS event_type, 'BID' AS side, 0.4::DOUBLE AS price,
    5.0 + i AS size, 0.4::DOUBLE AS best_bid, 0::DOUBLE AS best_ask, '111' AS asset_id FROM range(2) t(i)`;
  await connection.run(`COPY (SELECT * REPLACE (${columns}) FROM (${rows})) TO '${path}'`);
  connection.closeSync();
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
    const [recording] = await openRecordings([await write(columns)]);
    expect(await rowsOf(recording, T)).toEqual(EXPECTED);
  });

  it.each([
    ['times before 2000', 'ts_ms - 1000000000000 AS ts_ms', '2 with no time between 2000 and 2100'],
    ['sizes that are no numbers', "'nan'::DOUBLE AS size", '2 with no size'],
    ['sizes beyond all bounds', '1e300 AS size', '2 with no size'],
    ['sides of its own', "'HOLD' AS side", '2 with a side other than BID, BUY, ASK and SELL'],
    ['prices in cents', 'price * 100 AS price', '2 with a price'],
  ])('with %s is an error that says so', async (_, columns, message) => {
    await expect(openRecordings([await write(columns)])).rejects.toMatchObject({
      code: 'recording_invalid',
      message: expect.stringContaining(message),
    });
  });

  it('that is none is left out beside another', async () => {
    const path = await write();
    const broken = join(newFolder(), 'broken.parquet');
    writeFileSync(broken, 'no');
    const told: string[] = [];
    expect(await openRecordings([broken, path], { onFailure: ({ message }) => told.push(message) })).toHaveLength(1);
    expect(told).toEqual([expect.stringMatching(/^[^\n]*broken\.parquet[^\n]*too small[^\n]*$/)]);
  });

  it('whose token an earlier file has too is left out, and that is told', async () => {
    const [first, second] = [await write(), await write('size + 1 AS size')];
    const [recording, ...others] = await openRecordings([first, second]);
    expect(others).toEqual([]);
    expect(recording?.warnings).toContainEqual({ path: second, message: expect.stringContaining('is left out') });
  });
});
