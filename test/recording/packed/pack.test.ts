/** Days with many markets in a file hold what the markets' own folders held, wherever packing is broken off. */

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Recording } from '../../../src/recording/contract.js';
import { queryRecordings } from '../../../src/recording/inspect/query.js';
import { verifyRecordings } from '../../../src/recording/inspect/verify.js';
import { type PackReport, packRecordings } from '../../../src/recording/packed/pack.js';
import { openRecordings } from '../../../src/recording/recording.js';
import { fetchRows, withConnection } from '../../../src/recording/store/duckdb.js';
import { newFolder } from '../../support/folders.js';
import { rowsOf } from '../samples.js';
import { at, filesIn, market, openStore, START_MS, shortLife } from '../store/writing.js';

const NOW_MS = START_MS + 86_400_000 * 3;
const [DAY_1, DAY_2] = ['date=2026-11-20', 'date=2026-11-21'];

const pack = (
  from: string,
  out: string,
  more: { remove?: boolean; nowMs?: number; shards?: number } = {},
): Promise<PackReport> => packRecordings(from, out, { shards: 1, remove: false, nowMs: NOW_MS, ...more });

/** Three markets over midnight, one with a gap, one that stops in mid-life, with polls, values of feeds and one own order. */
async function record(folder: string, isOther = false): Promise<void> {
  const store = await openStore(folder, { snapshotEveryMs: 500 });
  const [a, b, c] = ['market-1', "it's", '../a b/ä?'].map((conditionId) =>
    store.market(market({ conditionId, outcome: conditionId === "it's" ? null : true })),
  );
  if (a === undefined || b === undefined || c === undefined) throw new Error('three markets');
  // All rows that follow have other numbers.
  if (isOther) a.clear(at(-5));
  shortLife(a);
  b.clear(at(0));
  b.level(at(10), 0, 300_000, 1_000_000);
  await store.rotate();
  b.gap(at(20), "it's away");
  b.clear(at(70_000));
  b.level(at(70_000), 0, 310_000, 2_000_000);
  shortLife(c);
  for (const [name, sink] of [
    ['one', a],
    ['two', c],
    ['three', a],
  ] as const) {
    sink.poll({ endpoint: name, sentMs: START_MS, seenMs: START_MS + 5, venueMs: null, outcome: 'answered' });
    const value = {
      conditionId: sink.market.conditionId,
      p: 0.5,
      bid: null,
      ask: null,
      sd: null,
      atMs: START_MS,
      validUntilMs: null,
    };
    sink.feedValue({ feed: name, timeMs: START_MS, seenMs: START_MS, value });
  }
  store.poll({ endpoint: 'markets.list', sentMs: START_MS, seenMs: START_MS + 5, venueMs: null, outcome: 'answered' });
  await store.close();
}

let made: Promise<string> | null = null;

/** A copy of what is recorded once. */
async function recorded(): Promise<string> {
  made ??= (async () => {
    const first = mkdtempSync(join(tmpdir(), 'twinbook-packed-'));
    await record(first);
    return first;
  })();
  const folder = newFolder();
  cpSync(await made, folder, { recursive: true });
  return folder;
}

afterAll(async () => {
  if (made !== null) rmSync(await made, { recursive: true, force: true });
});

async function told(recording: Recording) {
  const { source: _, ...about } = recording.market;
  const { bytes, ...summary } = recording.summary ?? { bytes: 0 };
  const polls = [];
  for await (const poll of recording.polls?.() ?? []) polls.push(poll);
  const values = [];
  for await (const value of recording.feedValues?.() ?? []) values.push(value);
  const warnings = recording.warnings.map(({ message }) => message);
  return {
    about,
    summary,
    polls,
    values,
    warnings,
    fingerprint: recording.fingerprint,
    rows: await rowsOf(recording),
    hasBytes: bytes > 0,
  };
}

const read = async (path: string) => Promise.all((await openRecordings([path])).map(told));

async function ask(sql: string, path: string): Promise<unknown[]> {
  const answer = await queryRecordings(sql, [path]);
  const rows: unknown[] = [];
  for await (const batch of answer.rows()) rows.push(...batch);
  answer.close();
  return rows;
}

const SUMS = ['events', 'polls', 'own', 'feeds']
  .map((table) => `select '${table}', market, date, count(*), sum(hash(t)) from ${table} t group by all`)
  .join(' union all ')
  .concat(' order by all');

describe('packed days', () => {
  it('are read, asked and checked as the folders that they were made of, which stay', async () => {
    const folder = await recorded();
    const before = filesIn(folder);
    const [out, sharded] = [newFolder(), newFolder()];
    expect(await pack(folder, out)).toMatchObject({ packed: 2, marketDays: 7, removed: 0, left: [] });
    await pack(folder, sharded, { shards: 3 });
    expect(filesIn(folder)).toEqual(before);
    expect(filesIn(out)).toEqual(
      [
        ...['feeds-00', 'index', 'markets-0001', 'part-00-23', 'polls-00'].map((name) => `${DAY_1}/${name}.parquet`),
        ...['index', 'markets-0001', 'part-00-00'].map((name) => `${DAY_2}/${name}.parquet`),
        ...[DAY_1, DAY_2].map((day) => `${day}/manifest.json`),
      ].sort(),
    );
    const wanted = await read(folder);
    expect(wanted).toHaveLength(3);
    expect(wanted.every(({ fingerprint, hasBytes }) => fingerprint !== undefined && hasBytes)).toBe(true);
    expect(await read(sharded)).toEqual(wanted);
    expect(await read(out)).toEqual(wanted);
    expect(await ask(SUMS, out)).toEqual(await ask(SUMS, folder));
    const { findings, ...counted } = await verifyRecordings([out]);
    const { markets, events } = await verifyRecordings([folder]);
    expect(counted).toEqual({ markets, events });
    expect(findings.filter(({ severity }) => severity === 'difference')).toEqual([]);
    // One day alone begins with its snapshots, as ever.
    const second = readdirSync(folder)
      .filter((name) => name !== 'market=_none')
      .map((name) => join(folder, name, DAY_2));
    expect(await read(join(out, DAY_2))).toEqual(await Promise.all((await openRecordings(second)).map(told)));
  });

  it('have an index that names the place of every row', async () => {
    const out = newFolder();
    await pack(await recorded(), out);
    const folder = join(out, DAY_1);
    const index = `read_parquet('${join(folder, 'index.parquet')}')`;
    const part = `read_parquet('${join(folder, 'part-00-23.parquet')}', file_row_number = true)`;
    const rows = await withConnection((connection) =>
      fetchRows(
        connection,
        `SELECT i.market, i.rows::INT AS rows, i.first_row_group AS first, i.last_row_group AS last,
        count(*)::INT AS found, bool_and(p.seq BETWEEN i.first_seq AND i.last_seq) AS same, min(p.market) AS whose
        FROM ${index} i JOIN ${part} p ON p.file_row_number BETWEEN first_row AND first_row + i.rows - 1
        WHERE i."table" = 'events' GROUP BY ALL ORDER BY min(p.file_row_number)`,
      ),
    );
    expect(rows.map(({ market }) => market)).toEqual(['../a b/ä?', "it's", "it's", 'market-1']);
    for (const row of rows)
      expect(row).toMatchObject({ found: row['rows'], same: true, whose: row['market'], first: 0, last: 0 });
  });
});

describe('packing', () => {
  it('goes on from where it was broken off, and never counts in part', async () => {
    const folder = await recorded();
    const out = newFolder();
    const part = join(folder, 'market=market-1', DAY_1, 'feeds-0002.parquet');
    const kept = readFileSync(part);
    writeFileSync(part, kept.subarray(0, -1));
    await expect(pack(folder, out)).rejects.toThrow(
      `${part} cannot be packed: it has ${kept.length - 1} bytes, its manifest says ${kept.length}`,
    );
    writeFileSync(part, Buffer.from(kept).fill(7, 50, 60));
    await expect(pack(folder, out)).rejects.toThrow('it has the checksum');
    await expect(openRecordings([out])).rejects.toThrow('holds no recording, but a packing that was not ended');
    writeFileSync(part, kept);
    const whole = newFolder();
    await pack(folder, whole);
    // What an attempt leaves that was killed: a whole file, one that is cut, and one of other rows under the name of a third.
    const workshop = join(out, '.packing', DAY_1);
    mkdirSync(workshop, { recursive: true });
    for (const name of ['feeds-00', 'polls-00', 'index'])
      cpSync(join(whole, DAY_1, `${name}.parquet`), join(workshop, `${name}.parquet`));
    truncateSync(join(workshop, 'feeds-00.parquet'), 100);
    cpSync(join(whole, DAY_2, 'part-00-00.parquet'), join(workshop, 'part-00-23.parquet'));
    expect(await pack(folder, out)).toMatchObject({ packed: 2, filesKept: 1 });
    expect(existsSync(join(out, '.packing'))).toBe(false);
    expect(await read(out)).toEqual(await read(folder));
    expect(await pack(folder, out)).toMatchObject({ packed: 0, there: 2 });
  });

  it('leaves days that have not ended, that are being written, or that nobody vouches for', async () => {
    const folder = await recorded();
    expect(await pack(folder, folder, { nowMs: START_MS + 120_000 })).toMatchObject({
      packed: 1,
      left: ['2026-11-21 has not ended'],
    });
    writeFileSync(join(folder, 'market=market-1', DAY_2, 'open-0009.ndjson'), '');
    expect((await pack(folder, folder)).left).toEqual([expect.stringContaining('2026-11-21 waits: ')]);
    rmSync(join(folder, 'market=market-1', DAY_2, 'open-0009.ndjson'));
    rmSync(join(folder, 'market=market-1', DAY_2, 'manifest.json'));
    expect((await pack(folder, folder)).left).toEqual([expect.stringContaining('has no manifest')]);
    await expect(pack(newFolder(), folder)).rejects.toThrow('is no folder of recordings');
  });

  it('removes on demand alone, what it holds whole, and a newest day once nothing more can be learnt of it', async () => {
    const folder = await recorded();
    const wanted = await read(folder);
    const sums = await ask(SUMS, folder);
    await pack(folder, folder);
    // Both layouts beside each other: nothing counts twice.
    expect(await read(folder)).toEqual(wanted);
    expect(await ask(SUMS, folder)).toEqual(sums);
    const part = join(folder, DAY_1, 'part-00-23.parquet');
    const sound = readFileSync(part);
    writeFileSync(part, Buffer.from(sound).fill(7, 50, 60));
    await expect(pack(folder, folder, { remove: true })).rejects.toThrow(`${part} has the checksum`);
    expect(await read(folder)).toEqual(wanted);
    writeFileSync(part, sound);
    const { removed, left } = await pack(folder, folder, { remove: true });
    // Of market-1 and the third both days, of the unresolved one and of the requests without a market all but the newest.
    expect(removed).toBe(6);
    expect(left).toEqual([expect.stringContaining('stays until its market has ended')]);
    expect(filesIn(folder).filter((name) => name.startsWith('market=') && name.endsWith('manifest.json'))).toEqual([
      `market=it's/${DAY_2}/manifest.json`,
    ]);
    expect(await read(folder)).toEqual(wanted);
    expect(await ask(SUMS, folder)).toEqual(sums);
    expect((await verifyRecordings([folder])).findings.filter(({ severity }) => severity === 'difference')).toEqual([]);
  });

  it('takes up what was learnt of a market since, and tells of folders that were written anew', async () => {
    const folder = await recorded();
    await pack(folder, folder);
    const about = join(folder, "market=it's", DAY_2, 'market.json');
    writeFileSync(about, readFileSync(about, 'utf8').replace('"outcome": null', '"outcome": false'));
    const manifest = join(folder, 'market=market-1', DAY_2, 'manifest.json');
    const other = newFolder();
    await record(other, true);
    rmSync(join(folder, 'market=market-1', DAY_2), { recursive: true });
    cpSync(join(other, 'market=market-1', DAY_2), join(folder, 'market=market-1', DAY_2), { recursive: true });
    const { left } = await pack(folder, folder, { remove: true });
    expect(left).toEqual([
      expect.stringContaining('market-1/date=2026-11-21 has other rows than were packed: it stays as it is'),
      expect.stringContaining('stays until its market has ended'),
    ]);
    expect(existsSync(manifest)).toBe(true);
    expect(readdirSync(join(folder, DAY_2)).filter((name) => name.startsWith('markets-'))).toEqual([
      'markets-0001.parquet',
      'markets-0002.parquet',
    ]);
    const [outcome] = await ask("select outcome from markets where market = 'it''s'", join(folder, DAY_2));
    expect(outcome).toEqual([false]);
  });
});

describe('a packed day that is not as it was written', () => {
  it('is refused by name, whatever is wrong with it, also under a reader', async () => {
    const folder = newFolder();
    await pack(await recorded(), folder);
    const day = join(folder, DAY_2);
    const [manifest, index, part] = ['manifest.json', 'index.parquet', 'part-00-00.parquet'].map((name) =>
      join(day, name),
    );
    if (manifest === undefined || index === undefined || part === undefined) throw new Error('three files');
    const spoil = async (path: string, change: () => void, message: string): Promise<void> => {
      const kept = readFileSync(path);
      change();
      await expect(read(folder)).rejects.toThrow(message);
      expect(
        (await verifyRecordings([folder])).findings.filter(({ severity }) => severity === 'difference'),
      ).not.toEqual([]);
      writeFileSync(path, kept);
    };
    await spoil(manifest, () => rmSync(manifest), `${day} is half a packed day: it has no manifest.json`);
    await spoil(manifest, () => truncateSync(manifest, 40), 'is not a manifest of a packed day');
    await spoil(index, () => rmSync(index), `${index} is missing, its manifest says`);
    const flip = (path: string) => () => writeFileSync(path, Buffer.from(readFileSync(path)).fill(7, 50, 60));
    await spoil(index, flip(index), `${index} has the checksum`);
    await spoil(part, () => truncateSync(part, 90), `${part} has 90 bytes`);
    const kept = readFileSync(part);
    const opened = await openRecordings([folder]);
    await rowsOf(opened[0]);
    // Read once already: what is written anew is looked at again.
    flip(part)();
    await expect(rowsOf(opened[0])).rejects.toThrow(`${part} has the checksum`);
    writeFileSync(part, kept);
    renameSync(join(folder, DAY_1), join(folder, 'date=2026-11-19'));
    await expect(read(folder)).rejects.toThrow('holds the manifest of 2026-11-20');
  });
});
