/** Columns of numbers as a Parquet file that DuckDB reads. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PlainColumns, writePlainParquet } from '../../src/recording/plain-parquet.js';
import { fetchRows, withConnection } from '../../src/recording/store/duckdb.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plain-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function writeAndRead(columns: PlainColumns) {
  const path = join(folder, 'columns.parquet');
  await writePlainParquet(path, columns);
  return withConnection((connection) =>
    fetchRows(connection, `SELECT * FROM read_parquet('${path}', file_row_number = true)`),
  );
}

describe('a plain Parquet file', () => {
  it('holds every number as it was, in the order of the rows', async () => {
    const time = [0, 1_786_398_368_844, -1, 0.5, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE];
    const price = [0, 999_999, -1, 2 ** 31 - 1, -(2 ** 31), 7];

    const rows = await writeAndRead({ time: Float64Array.from(time), price: Int32Array.from(price) });

    expect(rows.map((row) => [row['time'], row['price'], Number(row['file_row_number'])])).toEqual(
      time.map((value, at) => [value, price[at], at]),
    );
  });

  it('keeps what is no number', async () => {
    const rows = await writeAndRead({ seen: Float64Array.from([Number.NaN, 1]) });

    expect(rows.map((row) => row['seen'])).toEqual([Number.NaN, 1]);
  });

  it('takes a part of a longer column, and more rows than fit into a number of two bytes', async () => {
    const all = Float64Array.from({ length: 100_000 }, (_, at) => at * 1000);

    const rows = await writeAndRead({ amount: all.subarray(10, 90_010) });

    expect(rows).toHaveLength(90_000);
    expect([rows[0]?.['amount'], rows.at(-1)?.['amount']]).toEqual([10_000, 90_009_000]);
  });

  it('takes thirteen columns and refuses a fourteenth', async () => {
    const columns = (count: number): PlainColumns =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, Int32Array.of(at)]));

    const [row] = await writeAndRead(columns(13));

    expect(row).toMatchObject(Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`c${at}`, at])));
    await expect(writeAndRead(columns(14))).rejects.toThrow('at most 13 columns, not 14');
  });
});
