/** Files in our format that were moved or changed: sound ones are read, others are rejected by name. */

import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { queryRecordings } from '../../../src/recording/inspect/query.js';
import { openRecordings } from '../../../src/recording/recording.js';
import { newFolder } from '../../support/folders.js';
import { rowsOf } from '../samples.js';
import { opened, SHORT_LIFE, START_MS, shortLife, written } from './writing.js';

const MARKET = 'market=market-1';
const [DAY_1, DAY_2] = [`${MARKET}/date=2026-11-20`, `${MARKET}/date=2026-11-21`];
const EVENTS = 'events-0001.parquet';

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

describe('a folder that was changed', () => {
  it('with a file that its manifest does not list leaves that file out, and says so', async () => {
    cpSync(join(folder, DAY_1, EVENTS), join(folder, DAY_1, 'events-0007.parquet'));
    const recording = await opened(folder);
    expect(await rowsOf(recording, START_MS)).toEqual(SHORT_LIFE);
    expect(recording.warnings).toMatchObject([{ path: join(folder, DAY_1, 'events-0007.parquet'), isDamage: true }]);
  });

  it('without a manifest has no events', async () => {
    for (const day of [DAY_1, DAY_2]) rmSync(join(folder, day, 'manifest.json'));
    await expect(openRecordings([folder])).rejects.toThrow('no event of any market');
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
