/** Files in our format from other programs, or moved, or changed: sound ones are read, others are rejected by name. */

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeEach, describe, expect, it } from 'vitest';
import { queryRecordings } from '../../../src/recording/inspect/query.js';
import { openRecordings } from '../../../src/recording/recording.js';
import { newFolder } from '../../support/folders.js';
import { rowsOf } from '../samples.js';
import { opened, SHORT_LIFE, START_MS, shortLife, written } from './writing.js';

const MARKET = 'market=market-1';
const [DAY_1, DAY_2] = [`${MARKET}/date=2026-11-20`, `${MARKET}/date=2026-11-21`];
const EVENTS = 'events-0001.parquet';

async function run(sql: string): Promise<void> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(sql);
  connection.closeSync();
}

/** The same two days as another tool writes them: its own Parquet, no manifest. `rows` selects from `ours`. */
async function foreign(rows = 'FROM ours'): Promise<string> {
  const [ours, folder] = [newFolder(), newFolder()];
  await written(ours, shortLife);
  for (const day of [DAY_1, DAY_2]) {
    mkdirSync(join(folder, day), { recursive: true });
    cpSync(join(ours, day, 'market.json'), join(folder, day, 'market.json'));
    const from = `(FROM read_parquet('${join(ours, day, EVENTS)}', hive_partitioning = false))`;
    await run(`COPY (WITH ours AS ${from} ${rows}) TO '${join(folder, day, EVENTS)}' (FORMAT parquet)`);
  }
  return folder;
}

const answer = async (sql: string, folder: string) => {
  const { columns, rows, close } = await queryRecordings(sql, [folder]);
  const all = [];
  for await (const batch of rows()) all.push(...batch);
  close();
  return { columns, rows: all };
};

const played = async (folder: string) => rowsOf(await opened(folder), START_MS);

let folder: string;
beforeEach(async () => {
  folder = newFolder();
  await written(folder, shortLife);
});

describe('files of another writer', () => {
  const readable: [string, string | undefined][] = [
    ['without a manifest', undefined],
    ['with more columns', "SELECT *, 'x' AS extra FROM ours"],
    ['without the columns that nobody needs', 'SELECT seq, time_ms, kind, side, price_micros, amount_micros FROM ours'],
    [
      'with numbers of other types',
      `SELECT * REPLACE (seq::DOUBLE AS seq, time_ms::DOUBLE AS time_ms, price_micros::BIGINT AS price_micros,
        amount_micros::DOUBLE AS amount_micros) FROM ours`,
    ],
  ];
  it.each(readable)('%s are read, and that nobody vouches for them is told', async (_, rows) => {
    const folder = await foreign(rows);
    const recording = await opened(folder);
    expect(await rowsOf(recording, START_MS)).toEqual(SHORT_LIFE);
    expect(recording.warnings.map(({ message }) => message)).toEqual([
      '2 files have no manifest: they may be incomplete',
    ]);
    const { rows: counts } = await answer(
      "SELECT count(*), sum(amount_micros) FROM events WHERE kind = 'trade'",
      folder,
    );
    expect(counts).toEqual([[1, 5_000_000]]);
  });

  const wrong: [string, string, string][] = [
    [
      'a price that is nothing',
      'SELECT * REPLACE (NULL::INTEGER AS price_micros) FROM ours',
      'price_micros off the tick',
    ],
    [
      'a price in currency',
      'SELECT * REPLACE (price_micros / 1e6 AS price_micros) FROM ours',
      'price_micros off the tick',
    ],
    [
      'an amount below zero',
      'SELECT * REPLACE (-1 AS amount_micros) FROM ours',
      'amount_micros that is no whole number',
    ],
    ['a kind of its own', "SELECT * REPLACE ('LEVEL' AS kind) FROM ours", 'a kind that is not known'],
    ['a side of its own', "SELECT * REPLACE ('buy' AS side) FROM ours", 'a side other than bid and ask'],
    ['rows in another order', 'FROM ours ORDER BY seq DESC', 'a seq that is not above the one before it'],
    ['no column of prices', 'SELECT * EXCLUDE (price_micros) FROM ours', 'price_micros'],
    ['no times', 'SELECT * REPLACE (NULL::BIGINT AS time_ms) FROM ours', 'time_ms that is no number of Unix ms'],
  ];
  it.each(wrong)('with %s are an error that names file and column', async (_, rows, message) => {
    const folder = await foreign(rows);
    await expect(played(folder)).rejects.toMatchObject({
      code: 'recording_invalid',
      message: expect.stringMatching(new RegExp(`${EVENTS}.*${message}`)),
    });
  });
});

describe('a folder that was changed', () => {
  it('with a file that its manifest does not list leaves that file out, and says so', async () => {
    cpSync(join(folder, DAY_1, EVENTS), join(folder, DAY_1, 'events-0007.parquet'));
    const recording = await opened(folder);
    expect(await rowsOf(recording, START_MS)).toEqual(SHORT_LIFE);
    expect(recording.warnings).toMatchObject([{ path: join(folder, DAY_1, 'events-0007.parquet'), isDamage: true }]);
  });

  it('with a checksum that is not that of the file is refused', async () => {
    const path = join(folder, DAY_1, 'manifest.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"sha256": ".{8}/, '"sha256": "00000000'));
    await expect(played(folder)).rejects.toThrow('has the checksum');
  });

  it('with a manifest that points elsewhere is refused', async () => {
    const path = join(folder, DAY_1, 'manifest.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace(EVENTS, '../../elsewhere.parquet'));
    await expect(openRecordings([folder])).rejects.toThrow('is no name of a file of a recording');
  });

  it('is whole when its days are named one by one, in whatever order', async () => {
    const found = await openRecordings([join(folder, DAY_2), join(folder, DAY_1)]);
    expect(found).toHaveLength(1);
    expect(await rowsOf(found[0], START_MS)).toEqual(SHORT_LIFE);
  });

  it('with one broken market shows the others, when somebody is told', async () => {
    cpSync(join(folder, MARKET), join(folder, 'market=other'), { recursive: true });
    rmSync(join(folder, 'market=other/date=2026-11-20/market.json'));
    const told: string[] = [];
    expect(await openRecordings([folder], { onFailure: ({ message }) => told.push(message) })).toHaveLength(1);
    expect(told).toEqual([expect.stringContaining('market=other')]);
  });
});

describe('a query', () => {
  it('names columns that are alike apart', async () => {
    expect((await answer('SELECT 1 AS a, 2 AS a', folder)).columns).toEqual(['a', 'a:1']);
  });
});
