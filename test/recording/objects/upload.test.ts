/** What is put into a bucket is there once, whole, and counts only when all of it is there, wherever the upload is cut off. */

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openView } from '../../../src/recording/objects/open-view.js';
import { Uploader } from '../../../src/recording/objects/upload.js';
import { openRecordings } from '../../../src/recording/recording.js';
import { type Asked, type Bucket, errorXml, openBucket } from '../../support/bucket.js';
import { times } from '../../support/effort.js';
import { newFolder } from '../../support/folders.js';
import { rowsOf } from '../samples.js';
import { at, filesIn, market, opened, openStore, SHORT_LIFE, START_MS, shortLife, written } from '../store/writing.js';

const QUICK = { tries: 2, firstPauseMs: 1, longestPauseMs: 1, idleMs: 5000 };
const DAY_MS = 86_400_000;

const uploaderOf = (folder: string, bucket: Bucket): Uploader =>
  new Uploader(folder, `${bucket.url}/rec`, bucket.env(''), QUICK);

const play = async (bucket: Bucket): Promise<readonly string[]> => {
  const [recording] = await openRecordings([await openView(`${bucket.url}/rec`, bucket.env(newFolder()), QUICK)]);
  return rowsOf(recording, START_MS);
};

const puts = (bucket: Bucket): string[] => bucket.asked.filter(({ method }) => method === 'PUT').map(({ key }) => key);

async function recorded(): Promise<{ folder: string; bucket: Bucket }> {
  const folder = newFolder();
  await written(folder, shortLife);
  return { folder, bucket: await openBucket() };
}

describe('an upload', () => {
  it('sends data first and the manifest last, and nothing a second time', async () => {
    const { folder, bucket } = await recorded();
    const uploader = uploaderOf(folder, bucket);
    expect(await uploader.upload()).toMatchObject({ days: 2, sent: 2, there: 0, open: 0 });
    const names = puts(bucket).map((key) => key.split('/').at(-1));
    expect(names).toEqual([...DAY_ORDER, ...DAY_ORDER]);
    for (const path of filesIn(folder))
      expect(bucket.objects.get(`rec/${path}`)).toEqual(readFileSync(join(folder, path)));
    bucket.asked.length = 0;
    expect(await uploader.upload()).toMatchObject({ sent: 0, there: 2 });
    expect(bucket.asked).toEqual([]);
    expect(await uploaderOf(folder, bucket).upload()).toMatchObject({ sent: 0, there: 2 });
    expect(puts(bucket)).toEqual([]);
    expect(await play(bucket)).toEqual(SHORT_LIFE);
  });

  it('that breaks off at any request leaves nothing that counts and is not whole, and goes on from there', async () => {
    const { folder, bucket: probe } = await recorded();
    await uploaderOf(folder, probe).upload();
    const requests = probe.asked.length;
    expect(requests).toBeGreaterThan(12);
    for (let broken = 1; broken <= requests; broken += times(3, 1)) {
      const bucket = await openBucket();
      let asked = 0;
      bucket.fault = () => (++asked >= broken ? { status: 403, body: errorXml('AccessDenied', 'no more') } : null);
      await expect(uploaderOf(folder, bucket).upload()).rejects.toThrow('the server answered 403');
      bucket.fault = () => null;
      const first = puts(bucket);
      // What counts so far is whole.
      if ([...bucket.objects.keys()].some((key) => key.endsWith('manifest.json'))) await play(bucket);
      await uploaderOf(folder, bucket).upload();
      expect(await play(bucket), `broken at ${broken}`).toEqual(SHORT_LIFE);
      const data = puts(bucket).filter((key) => key.endsWith('.parquet'));
      // The request that was refused may have been the one that wrote it.
      expect(data.length - 2, `broken at ${broken}`).toBeLessThanOrEqual(
        first.at(-1)?.endsWith('.parquet') === true ? 1 : 0,
      );
    }
  });

  it('goes on with what is recorded later, and sends the description again when it changed', async () => {
    const folder = newFolder();
    const bucket = await openBucket();
    const uploader = uploaderOf(folder, bucket);
    expect(await uploader.upload()).toMatchObject({ days: 0 });
    const store = await openStore(folder);
    const sink = store.market(market({ outcome: null }));
    sink.clear(at(0));
    await store.flush();
    expect(await uploader.upload()).toMatchObject({ days: 0, open: 1 });
    await store.rotate();
    expect(await uploader.upload()).toMatchObject({ sent: 1, open: 0 });
    sink.level(at(10), 0, 400_000, 1_000_000);
    sink.end(at(20));
    await store.rotate();
    bucket.asked.length = 0;
    expect(await uploader.upload()).toMatchObject({ sent: 1, there: 1 });
    expect(puts(bucket).map((key) => key.split('/').at(-1))).toEqual(['events-0002.parquet', 'manifest.json']);
    sink.describe(market({ outcome: true }));
    await store.close();
    bucket.asked.length = 0;
    await uploader.upload();
    expect(puts(bucket).map((key) => key.split('/').at(-1))).toEqual(['market.json']);
    expect(await play(bucket)).toEqual(await rowsOf(await opened(folder), START_MS));
  });

  it('never overwrites what another recorder wrote', async () => {
    const { folder, bucket } = await recorded();
    await uploaderOf(folder, bucket).upload();
    const other = newFolder();
    await written(other, (sink) => {
      sink.clear(at(0));
      sink.end(at(5));
    });
    bucket.asked.length = 0;
    await expect(uploaderOf(other, bucket).upload()).rejects.toThrow(
      /cannot write s3:\/\/bucket\/rec\/market=market-1\/date=2026-11-20\/events-0001\.parquet: got a file with the SHA-256 [0-9a-f]{64}, wanted [0-9a-f]{64}, as in /,
    );
    expect(puts(bucket)).toEqual([]);
    expect(await play(bucket)).toEqual(SHORT_LIFE);
  });

  it('does not send a file that is not what its manifest says, and tells which', async () => {
    const { folder, bucket } = await recorded();
    const [path = ''] = filesIn(folder);
    writeFileSync(join(folder, path), 'other');
    await expect(uploaderOf(folder, bucket).upload()).rejects.toThrow(`${path} has the checksum`);
    expect(bucket.objects.size).toBe(0);
    rmSync(join(folder, path));
    await expect(uploaderOf(folder, bucket).upload()).rejects.toThrow(`${path}, which its manifest lists`);
    expect(bucket.objects.size).toBe(0);
  });

  it('is not believed where the bucket keeps something else than it was sent', async () => {
    const { folder, bucket } = await recorded();
    bucket.fault = losesWrites(bucket);
    await expect(uploaderOf(folder, bucket).upload()).rejects.toThrow(
      /cannot confirm .*events-0001\.parquet: got another object/,
    );
    expect([...bucket.objects.keys()].filter((key) => key.endsWith('manifest.json'))).toEqual([]);
  });
});

const DAY_ORDER = ['events-0001.parquet', 'market.json', 'manifest.json'];

/** Says that it has written, and has not. */
const losesWrites =
  (bucket: Bucket) =>
  ({ method, key }: Asked) => {
    if (method !== 'PUT') return null;
    bucket.objects.set(key, Buffer.from('something else'));
    return { status: 200 };
  };

describe('local days that were uploaded', () => {
  it('are removed once the bucket was asked for everything in them, and recording goes on after them', async () => {
    const { folder, bucket } = await recorded();
    const uploader = uploaderOf(folder, bucket);
    const later = START_MS + 10 * DAY_MS;
    await expect(uploader.removeUploaded(1, later)).resolves.toBe(0);
    await uploader.upload();
    expect(await uploader.removeUploaded(30, later)).toBe(0);
    expect(await uploader.removeUploaded(1, START_MS + DAY_MS)).toBe(0);
    expect(await uploader.removeUploaded(1, later)).toBe(2);
    expect(readdirSync(folder).filter((name) => name.startsWith('market='))).toEqual([]);
    expect(await play(bucket)).toEqual(SHORT_LIFE);
  });

  it('stay where the bucket lacks a file, or has another one, and the newest of a market that goes on', async () => {
    const folder = newFolder();
    const bucket = await openBucket();
    const uploader = uploaderOf(folder, bucket);
    await written(folder, (sink) => {
      sink.clear(at(0));
      sink.level(at(61_000), 0, 400_000, 1_000_000);
    });
    await uploader.upload();
    const later = START_MS + 10 * DAY_MS;
    const key = 'rec/market=market-1/date=2026-11-20/events-0001.parquet';
    const content = bucket.objects.get(key) as Buffer;
    bucket.objects.delete(key);
    expect(await uploader.removeUploaded(1, later)).toBe(0);
    bucket.objects.set(key, content.subarray(1));
    expect(await uploader.removeUploaded(1, later)).toBe(0);
    bucket.objects.set(key, content);
    expect(await uploader.removeUploaded(1, later)).toBe(1);
    expect(readdirSync(join(folder, 'market=market-1'))).toEqual(['date=2026-11-21']);
    // Its rows are numbered on.
    await written(folder, (sink) => {
      sink.level({ timeMs: later, seenMs: later }, 0, 300_000, 1_000_000);
      sink.end({ timeMs: later + 1, seenMs: later });
    });
    await uploader.upload();
    const rows = await play(bucket);
    expect(rows.filter((row) => row.endsWith('end'))).toHaveLength(1);
    expect(rows).toContain('61000 level bid 0.4 1');
    expect(existsSync(join(folder, 'market=market-1/date=2026-11-30'))).toBe(true);
  });
});
