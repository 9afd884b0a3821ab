/** Of long files of many markets a query fetches what it reads, and nothing else of them can be read. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queryRecordings } from '../../../src/recording/inspect/query.js';
import { NO_BOUNDS } from '../../../src/recording/inspect/query-bounds.js';
import { beginSparseCopy } from '../../../src/recording/inspect/sparse-copy.js';
import { openView } from '../../../src/recording/objects/open-view.js';
import { openInParts } from '../../../src/recording/objects/view-files.js';
import { packRecordings } from '../../../src/recording/packed/pack.js';
import { fetchRows, withConnection } from '../../../src/recording/store/duckdb.js';
import { type Bucket, openBucket } from '../../support/bucket.js';
import { newFolder } from '../../support/folders.js';
import { at, filesIn, market, openStore, START_MS } from '../store/writing.js';

const MARKETS = ['a', 'b', 'c', 'd', 'e'];
const ROWS_OF_EACH = 40_000;
const FILE = 'date=2026-11-20/part-00-23.parquet';

let place: string;
let folder: string;
let objects: ReadonlyMap<string, Buffer>;

/** A packed day of which one file has row groups 0 to 3: `a` is in the first, `e` in the last two. */
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'twinbook-'));
  const loose = join(place, 'loose');
  folder = join(place, 'packed');
  const store = await openStore(loose);
  let drawn = 1;
  const draw = (below: number): number => {
    drawn = (drawn * 48_271) % 2_147_483_647;
    return drawn % below;
  };
  for (const conditionId of MARKETS) {
    const sink = store.market(market({ conditionId }));
    sink.clear(at(0));
    for (let row = 1; row < ROWS_OF_EACH; row++) {
      sink.level(at(row), row % 2 === 0 ? 0 : 1, (1 + draw(98)) * 10_000, draw(100_000) * 10_000);
    }
    sink.end(at(ROWS_OF_EACH));
  }
  await store.close();
  await packRecordings(loose, folder, { shards: 1, remove: false, nowMs: START_MS + 3 * 86_400_000 });
  objects = new Map(filesIn(folder).map((path) => [path, readFileSync(join(folder, path))]));
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

let bucket: Bucket;
let cache: string;
let view: string;

async function openInBucket(): Promise<void> {
  bucket = await openBucket();
  for (const [path, content] of objects) bucket.objects.set(path, content);
  cache = newFolder();
  view = await openView(bucket.url, bucket.env(cache));
}

async function ask(sql: string, path = view, maxBytes = 1e9, bounds = NO_BOUNDS): Promise<unknown[]> {
  const answer = await queryRecordings(sql, [path], { maxBytes, bounds });
  const rows: unknown[] = [];
  for await (const batch of answer.rows()) rows.push(...batch);
  answer.close();
  return rows;
}

/** What was asked of the file with all rows since the last time. */
function takeAsked(): { readonly whole: number; readonly parts: number; readonly bytes: number } {
  const asked = bucket.asked.filter(({ key }) => key === FILE).map(({ headers }) => headers.range ?? '');
  bucket.asked.length = 0;
  const parts = asked.filter((range) => range !== '');
  const bytes = parts.map((range) => -(range.match(/\d+/g) ?? []).map(Number).reduce((from, to) => from - to - 1));
  return { whole: asked.length - parts.length, parts: parts.length, bytes: bytes.reduce((sum, one) => sum + one, 0) };
}

const lengthOfFile = (): number => objects.get(FILE)?.length ?? 0;

describe('a query over a long file of many markets in a bucket', () => {
  it('fetches the row groups and columns that it reads, once, and answers as over a folder', async () => {
    await openInBucket();
    const sql = "select count(*), sum(amount_micros) from events where market = 'a' and kind = 'level'";
    expect(await ask(sql)).toEqual(await ask(sql, folder));
    const first = takeAsked();
    expect(first.whole).toBe(0);
    expect(first.bytes).toBeLessThan(lengthOfFile() / 4);
    expect(await ask(sql)).toEqual(await ask(sql, folder));
    expect(takeAsked()).toEqual({ whole: 0, parts: 0, bytes: 0 });
    // Its other columns are a matter of their own.
    const wider = "select side, price_micros from events where market = 'a' and time_ms > 0 order by seq limit 5";
    expect(await ask(wider)).toEqual(await ask(wider, folder));
    expect(takeAsked()).toMatchObject({ whole: 0, bytes: expect.any(Number) });
  });

  it('fetches and sees as little where it is bounded from outside', async () => {
    await openInBucket();
    const bounds = { markets: ['a'], fromMs: at(10).timeMs, toMs: at(20_000).timeMs };
    const sql = 'select market, count(*), min(time_ms), max(time_ms), sum(amount_micros) from events group by market';
    const bounded = await ask(sql, view, 1e9, bounds);
    expect(bounded).toEqual(await ask(sql, folder, 1e9, bounds));
    const asked = `from events where market = 'a' and time_ms >= ${bounds.fromMs} and time_ms < ${bounds.toMs}`;
    expect(bounded).toEqual(await ask(sql.replace('from events', asked), folder));
    const first = takeAsked();
    expect(first.whole).toBe(0);
    expect(first.bytes).toBeLessThan(lengthOfFile() / 4);
  });

  it('answers the same whatever it skips', async () => {
    await openInBucket();
    for (const sql of [
      "select market, count(*), min(time_ms), max(seq) from events where market in ('a', 'e') group by all order by all",
      "select market, seq, amount_micros from events where market in ('a', 'e') order by amount_micros desc, seq limit 7",
      "select count(*), sum(a.seq) from events a join events b on a.seq = b.seq and b.market = 'e' where a.market = 'a'",
      "select count(*) from events where market in ('a', 'zz')",
      "select * from events where market = 'a' and amount_micros + 1 = 0 order by price_micros desc, seq limit 3",
      "select * from events where market = 'a' order by amount_micros desc, seq limit 7",
      'select kind, count(*) from events group by kind order by kind',
      "select e.seq, title from events e join markets using (market) where market = 'e' and kind = 'end'",
      `select (select sum(seq) from events where market = 'a'), (select max(price_micros) from events where market = 'e')`,
    ]) {
      expect(await ask(sql), sql).toEqual(await ask(sql, folder));
    }
    expect(takeAsked().whole).toBe(0);
  });

  it('says what it would fetch in parts, and refuses more than it may', async () => {
    await openInBucket();
    const sql = "select sum(price_micros) from events where market = 'a'";
    await expect(ask(sql, view, 10_000)).rejects.toThrow(/the query is too large: 1 of 1 files with \d+ bytes/);
    const { bytes } = takeAsked();
    expect(bytes).toBe(65_536);
  });

  it('fetches all of it where it needs most of it, or where the server sends no parts', async () => {
    await openInBucket();
    const most = 'select sum(hash(t)) from events t';
    expect(await ask(most)).toEqual(await ask(most, folder));
    expect(takeAsked()).toMatchObject({ whole: 1, parts: 1 });
    bucket.knowsRanges = false;
    const other = await openView(bucket.url, bucket.env(newFolder()));
    const sql = "select sum(price_micros) from events where market = 'a'";
    expect(await ask(sql, other)).toEqual(await ask(sql, folder));
    expect(takeAsked().parts).toBe(1);
  });

  it('refuses an object that was written anew between two parts, and reads it from its beginning then', async () => {
    await openInBucket();
    const [sql, wider] = ['seq', 'price_micros'].map((name) => `select sum(${name}) from events where market = 'a'`);
    await ask(sql ?? '');
    // The same length, and another ETag.
    const other = Buffer.from(objects.get(FILE) ?? '');
    other[5] = (other[5] ?? 0) ^ 1;
    bucket.objects.set(FILE, other);
    await expect(ask(wider ?? '')).rejects.toThrow(/got an object with another ETag, wanted the one/);
    bucket.objects.set(FILE, objects.get(FILE) ?? other);
    expect(await ask(wider ?? '')).toEqual(await ask(wider ?? '', folder));
    bucket.objects.set(FILE, other.subarray(1));
    await expect(ask("select sum(amount_micros) from events where market = 'e'")).rejects.toThrow(/written anew|bytes/);
  });

  it.each([
    ['at its end', 1, /part-00-23\.parquet: got "PAR." at its end, wanted PAR1/],
    ['in its footer', 40, /part-00-23\.parquet: got a footer that cannot be read, wanted one of Parquet/],
  ])('names an object that is damaged %s, and reads a sound one later', async (_, fromEnd, message) => {
    await openInBucket();
    const damaged = Buffer.from(objects.get(FILE) ?? '');
    damaged.fill(0xff, damaged.length - fromEnd, fromEnd === 1 ? damaged.length : damaged.length - 8);
    bucket.objects.set(FILE, damaged);
    const sql = "select sum(price_micros) from events where market = 'a'";
    await expect(ask(sql)).rejects.toThrow(message);
    bucket.objects.set(FILE, objects.get(FILE) ?? damaged);
    expect(await ask(sql)).toEqual(await ask(sql, folder));
  });

  it('asks again for a part that the disk has spoilt', async () => {
    await openInBucket();
    const sql = "select sum(price_micros) from events where market = 'a'";
    await ask(sql);
    const root = join(cache, 'recordings/files');
    const parts = readdirSync(root, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.part'));
    expect(parts.length).toBeGreaterThan(1);
    for (const name of parts) writeFileSync(join(root, name), 'spoilt');
    takeAsked();
    expect(await ask(sql)).toEqual(await ask(sql, folder));
    expect(takeAsked()).toMatchObject({ whole: 0, parts: parts.length });
  });
});

describe('a sparse copy', () => {
  it('gives the rows that it holds, and no others: a hole is an error', async () => {
    await openInBucket();
    const path = join(newFolder(), 'copy.parquet');
    const manifest = JSON.parse(String(objects.get('date=2026-11-20/manifest.json'))) as {
      files: { name: string; bytes: number; sha256: string }[];
    };
    const listed = manifest.files.find(({ name }) => FILE.endsWith(name)) ?? { bytes: 0, sha256: '' };
    const object = await openInParts(join(view, FILE), listed);
    if (object === null) throw new Error('it lies in a bucket');
    const wanted = { groups: new Set([1]), columns: new Set(['market', 'seq']) };
    const copy = await beginSparseCopy(object, path, wanted);
    await copy?.fill();
    expect(copy?.rows).toHaveLength(1);
    const { first, last } = copy?.rows?.[0] ?? { first: 0, last: 0 };
    const read = (column: string, where: string, from: string) =>
      withConnection((connection) =>
        fetchRows(
          connection,
          `select sum(${column}) s from read_parquet('${from}', file_row_number = true) where ${where}`,
        ),
      );
    const inGroup = `file_row_number between ${first} and ${last}`;
    expect(await read('seq', inGroup, path)).toEqual(await read('seq', inGroup, join(folder, FILE)));
    for (const column of ['time_ms', 'hash(kind)', 'hash(side)', 'price_micros', 'amount_micros'])
      await expect(read(column, inGroup, path), column).rejects.toThrow();
    for (const where of ['true', `file_row_number >= ${first - 1}`, "market = 'a'", "market = 'e'"])
      await expect(read('seq', where, path), where).rejects.toThrow();
  });
});
