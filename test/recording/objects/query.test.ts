/** SQL over a bucket fetches what the query can touch, and answers as over a folder. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { queryRecordings } from '../../../src/recording/inspect/query.js';
import { NO_BOUNDS, type QueryBounds } from '../../../src/recording/inspect/query-bounds.js';
import { openView } from '../../../src/recording/objects/open-view.js';
import { type Bucket, openBucket } from '../../support/bucket.js';
import { newFolder } from '../../support/folders.js';
import { at, filesIn, market, openStore, START_MS, shortLife } from '../store/writing.js';

const LAST_MS = START_MS + 120_000;

interface Both {
  readonly bucket: Bucket;
  readonly folder: string;
  readonly view: string;
}

/** Two markets of two days each, on the disk and in a bucket; one id has a quote in it. */
async function both(): Promise<Both> {
  const folder = newFolder();
  const store = await openStore(folder);
  shortLife(store.market(market()));
  // Other rows: files of the same content are one in the cache.
  const other = store.market(market({ conditionId: "it's" }));
  other.clear(at(0));
  other.level(at(10), 0, 300_000, 1_000_000);
  other.end(at(120_000));
  store.poll({ endpoint: 'markets.list', sentMs: START_MS, seenMs: START_MS + 5, venueMs: null, outcome: 'answered' });
  await store.close();
  const bucket = await openBucket();
  for (const path of filesIn(folder)) bucket.objects.set(path, readFileSync(join(folder, path)));
  return { bucket, folder, view: await openView(bucket.url, bucket.env(newFolder())) };
}

async function ask(sql: string, path: string, maxBytes?: number, bounds = NO_BOUNDS): Promise<unknown[]> {
  const answer = await queryRecordings(sql, [path], maxBytes === undefined ? { bounds } : { bounds, maxBytes });
  const rows: unknown[] = [];
  for await (const batch of answer.rows()) rows.push(...batch);
  answer.close();
  return rows;
}

const DAYS = ['2026-11-20', '2026-11-21'];
const A = DAYS.map((day) => `market=market-1/date=${day}/events-0001.parquet`);
const B = DAYS.map((day) => `market=it's/date=${day}/events-0001.parquet`);
const POLLS = `market=_none/date=${DAYS[0]}/polls-0001.parquet`;

describe('SQL over a bucket', () => {
  it('sees the rows that lie within its bounds, and fetches the files of no others', async () => {
    const { bucket, folder, view } = await both();
    const cases: readonly (readonly [bounds: Partial<QueryBounds>, files: readonly string[]])[] = [
      [{ markets: ["it's"], fromMs: Date.parse('2026-11-21') }, B.slice(1)],
      [{ markets: ['market'], toMs: Date.parse('2026-11-21') }, A.slice(0, 1)],
      [{ fromMs: START_MS + 60_000, toMs: LAST_MS + 1 }, [...A.slice(1), ...B.slice(1)]],
      [{ markets: ['market-1', "it's"] }, [...A, ...B]],
    ];
    const fetched = new Set<string>();
    const sql = 'select market, time_ms, kind from events order by all';
    const everything = (await ask(sql, folder)) as [string, number, string][];
    for (const [some, files] of cases) {
      const bounds = { ...NO_BOUNDS, ...some };
      bucket.asked.length = 0;
      const inside = everything.filter(
        ([id, timeMs]) =>
          (bounds.markets.length === 0 || bounds.markets.some((name) => id.startsWith(name))) &&
          timeMs >= (bounds.fromMs ?? 0) &&
          timeMs < (bounds.toMs ?? Number.POSITIVE_INFINITY),
      );
      expect(inside.length, JSON.stringify(some)).toBeGreaterThan(0);
      expect(await ask(sql, view, undefined, bounds)).toEqual(inside);
      expect(await ask(sql, folder, undefined, bounds)).toEqual(inside);
      const wanted = files.filter((file) => !fetched.has(file));
      expect(bucket.asked.map(({ key }) => key).sort(), JSON.stringify(some)).toEqual([...wanted].sort());
      for (const file of files) fetched.add(file);
    }
    const count = async (bounds: Partial<QueryBounds>) =>
      ask('select count(*) from markets', folder, undefined, { ...NO_BOUNDS, ...bounds });
    expect(await count({ markets: ['market-1'] })).toEqual([[1]]);
    await expect(count({ markets: ['nobody'] })).rejects.toThrow('no market of these recordings is named "nobody"');
  });

  it('fetches the files that its filters on market, day and time leave, and no other', async () => {
    const { bucket, folder, view } = await both();
    const cases: readonly (readonly [where: string, files: readonly string[]])[] = [
      ["market = 'nobody'", []],
      [`market = 'it''s' and date > DATE '2026-11-20'`, B.slice(1)],
      [`time_ms >= ${LAST_MS} and market in ('market-1')`, A.slice(1)],
      [`time_ms between ${START_MS + 60_000} and ${START_MS + 61_000} and market = 'market-1'`, A.slice(1)],
      [`(market = 'market-1' and date = '2026-11-20') or kind = 'nothing'`, [...A, ...B]],
    ];
    const fetched = new Set<string>();
    for (const [where, files] of cases) {
      bucket.asked.length = 0;
      const sql = `select market, date, seq, kind from events where ${where} order by all`;
      expect(await ask(sql, view), where).toEqual(await ask(sql, folder));
      const wanted = files.filter((file) => !fetched.has(file));
      expect(bucket.asked.map(({ key }) => key).sort(), where).toEqual([...wanted].sort());
      for (const file of files) fetched.add(file);
    }
  });

  it('answers the same where it cannot tell what a query touches', async () => {
    const { bucket, folder, view } = await both();
    for (const sql of [
      "select count(*), sum(seq) from events e where exists (select 1 from markets m where m.market = e.market and m.title <> '')",
      "with t as (select * from events where kind = 'trade') select t.market, t.date from t join markets using (market) order by all",
      "select (select max(seq) from events where market = 'market-1'), (select count(*) from polls), (select count(*) from feeds)",
      "select count(*) from events a left join events b on a.market = b.market and b.date = '2026-11-21' and a.seq = b.seq",
      'select count(*) from events where false',
      "select market, max(time_ms) from events group by market having max(date) > '2026-11-20' order by 1",
      "select count(*) from events where market like 'mark%' and lower(kind) = 'trade' and date is not null",
    ]) {
      expect(await ask(sql, view), sql).toEqual(await ask(sql, folder));
    }
    expect(bucket.asked.map(({ key }) => key)).toContain(POLLS);
  });

  it('refuses to fetch more than it may, says how much that is, and asks for nothing', async () => {
    const { bucket, view } = await both();
    bucket.asked.length = 0;
    await expect(ask('select count(*) from events', view, 2000)).rejects.toThrow(
      /the query is too large: 4 of 5 files with \d+ bytes would have to be fetched, at most 2000 bytes may be/,
    );
    expect(bucket.asked).toEqual([]);
    // What is here already costs nothing.
    await ask('select count(*) from events', view);
    expect(await ask('select count(*) from events', view, 0)).toEqual([[expect.any(Number)]]);
  });

  it('can read nothing but what was fetched', async () => {
    const { folder, view } = await both();
    await expect(ask(`select * from read_text('${folder}/${A[0]}')`, view)).rejects.toThrow('cannot be run');
    await expect(ask('select 1; select 2', view)).rejects.toThrow('wanted one SELECT, got 2 statements');
    await expect(ask('create table x (a int)', view)).rejects.toThrow(/wanted one SELECT|cannot be run/);
  });
});
