/** Recordings in a bucket are read as those of the disk are, whatever the bucket does meanwhile. */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCache } from '../../../src/recording/objects/cache.js';
import { openView } from '../../../src/recording/objects/open-view.js';
import { listTraffic } from '../../../src/recording/objects/view-files.js';
import { openRecordings } from '../../../src/recording/recording.js';
import { TwinbookError } from '../../../src/shared/base/errors.js';
import { type Bucket, errorXml, KEYS, openBucket } from '../../support/bucket.js';
import { newFolder } from '../../support/folders.js';
import { rowsOf } from '../samples.js';
import { filesIn, SHORT_LIFE, START_MS, shortLife, written } from './../store/writing.js';

const QUICK = { tries: 3, firstPauseMs: 1, longestPauseMs: 2, idleMs: 5000 };
const DAY_1 = 'market=market-1/date=2026-11-20';
const DAY_2 = 'market=market-1/date=2026-11-21';

/** A bucket with a small recording of two days below `rec/`, as another program would have copied it there. */
async function recorded(): Promise<{ bucket: Bucket; cache: string; open: (inside?: string) => Promise<string> }> {
  const folder = newFolder();
  await written(folder, shortLife);
  const bucket = await openBucket();
  for (const path of filesIn(folder)) bucket.objects.set(`rec/${path}`, readFileSync(join(folder, path)));
  const cache = newFolder();
  return { bucket, cache, open: (inside = '') => openView(`${bucket.url}/rec${inside}`, bucket.env(cache), QUICK) };
}

const play = async (view: string): Promise<readonly string[]> => {
  const [recording] = await openRecordings([view]);
  return recording === undefined ? [] : rowsOf(recording, START_MS);
};

/** A day alone begins with the snapshot of its book. */
const SECOND_DAY = [
  '61000 clear',
  '61000 level bid 0.4 10',
  '61000 level ask 0.45 15',
  '61000 level bid 0.41 7',
  '120000 end',
];

const dataReads = (bucket: Bucket): string[] =>
  bucket.asked.filter(({ key }) => key.endsWith('.parquet')).map(({ key }) => key);

describe('a recording in a bucket', () => {
  it('is listed by its manifests alone, and plays as it was written', async () => {
    const { bucket, open } = await recorded();
    const view = await open();
    const [recording] = await openRecordings([view]);
    expect(recording?.summary?.events).toEqual({ level: 4, trade: 1, clear: 1, end: 1 });
    expect(recording?.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(recording?.market.source.path).toBe('s3://bucket/rec/market=market-1');
    expect(dataReads(bucket)).toEqual([]);
    expect(await play(view)).toEqual(SHORT_LIFE);
    expect(dataReads(bucket)).toEqual([`rec/${DAY_1}/events-0001.parquet`, `rec/${DAY_2}/events-0001.parquet`]);
  });

  it('comes from the cache the second time, for one list', async () => {
    const { bucket, open } = await recorded();
    await play(await open());
    bucket.asked.length = 0;
    const view = await open();
    expect(await play(view)).toEqual(SHORT_LIFE);
    expect(bucket.asked.map(({ method, key }) => `${method} ${key}`)).toEqual(['GET ']);
    const [traffic] = listTraffic([view]);
    expect(traffic).toMatchObject({ filesFromCache: 2, filesFetched: 2, objects: 6 });
  });

  it('is read by its market and by one day, and over many pages of a list', async () => {
    const { bucket, open } = await recorded();
    bucket.pageSize = 1;
    expect(await play(await open('/market=market-1'))).toEqual(SHORT_LIFE);
    expect(await play(await open(`/${DAY_2}`))).toEqual(SECOND_DAY);
  });

  it('stays as it was when it was opened, while the bucket changes', async () => {
    const { bucket, open } = await recorded();
    const before = await open();
    for (const key of [...bucket.objects.keys()]) if (key.includes(DAY_2)) bucket.objects.delete(key);
    expect((await openRecordings([await open()]))[0]?.summary?.events.end).toBe(0);
    expect((await openRecordings([before]))[0]?.summary?.events.end).toBe(1);
  });

  it('leaves a day without a manifest out and tells', async () => {
    const { bucket, open } = await recorded();
    bucket.objects.delete(`rec/${DAY_2}/manifest.json`);
    const view = await open();
    expect((await openRecordings([view]))[0]?.summary?.events.end).toBe(0);
    const [traffic] = listTraffic([view]);
    expect(traffic?.withoutManifest).toEqual([DAY_2]);
  });
});

describe('a bucket that is busy or breaks', () => {
  it('is asked again: after 503, a cut body, a lost connection', async () => {
    const { bucket, open } = await recorded();
    const times = new Map<string, number>();
    bucket.fault = ({ key }) => {
      const asked = (times.get(key) ?? 0) + 1;
      times.set(key, asked);
      if (asked % 3 === 0) return null;
      return asked % 3 === 1
        ? { status: 503, body: errorXml('SlowDown', 'Please reduce your request rate.') }
        : { cutAfter: key === '' ? 0 : 10 };
    };
    expect(await play(await open())).toEqual(SHORT_LIFE);
  });

  it('is given up with what it said', async () => {
    const { bucket, open } = await recorded();
    bucket.fault = () => ({ status: 503, body: errorXml('SlowDown', 'Please reduce your request rate.') });
    await expect(open()).rejects.toThrow(
      's3://bucket/rec/: the server answered 503 (SlowDown: Please reduce your request rate.)',
    );
    expect(bucket.asked).toHaveLength(QUICK.tries);
  });

  it('is asked again for a list without its end, which is no shorter list', async () => {
    const { bucket, open } = await recorded();
    const body = '<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>rec/market=mar';
    let lists = 0;
    bucket.fault = ({ key }) => (key === '' && lists++ === 0 ? { status: 200, body } : null);
    expect(await play(await open())).toEqual(SHORT_LIFE);
    bucket.fault = () => ({ status: 200, body });
    await expect(open()).rejects.toThrow(
      'cannot list s3://bucket/rec/: the list broke off: it has no </ListBucketResult>, asked 3 times',
    );
  });

  it('that never sends the whole body is an error that says so, and leaves nothing in the cache', async () => {
    const { bucket, cache, open } = await recorded();
    const view = await open();
    bucket.fault = ({ key }) => (key.endsWith('.parquet') ? { cutAfter: 100 } : null);
    await expect(play(view)).rejects.toThrow(`cannot read s3://bucket/rec/${DAY_1}/events-0001.parquet`);
    expect(filesIn(join(cache, 'recordings', 'files'))).toEqual([]);
    expect(leftInHeld(cache)).toEqual([]);
    expect(existsSync(join(cache, 'recordings', 'files'))).toBe(true);
  });

  it.each([
    [
      'refuses',
      403,
      errorXml('AccessDenied', 'Access Denied'),
      {},
      'the server answered 403 (AccessDenied: Access Denied)',
    ],
    [
      'has another clock',
      403,
      errorXml('RequestTimeTooSkewed', 'The difference is too large.'),
      { date: 'Mon, 23 Nov 2020 06:00:00 GMT' },
      /this machine's clock differs too much: it is \d+ minutes ahead of the server's, wanted less than 15 minutes/,
    ],
    [
      'lies elsewhere',
      301,
      errorXml('PermanentRedirect', 'Use the endpoint.'),
      { 'x-amz-bucket-region': 'eu-west-9', location: 'http://127.0.0.1:1/' },
      'the bucket lies in the region eu-west-9, asked was us-east-1',
    ],
    ['is no bucket', 404, errorXml('NoSuchBucket', 'none'), {}, 'the server answered 404 (NoSuchBucket: none)'],
    [
      'is no server of objects',
      200,
      '<html>Welcome</html>',
      {},
      'got "<html>Welcome</html>", wanted a list of objects',
    ],
  ])('that %s is an error at once', async (_, status, body, headers, message) => {
    const { bucket, open } = await recorded();
    bucket.fault = () => ({ status, body, headers });
    await expect(open()).rejects.toMatchObject({
      message: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
      hint: expect.stringMatching(/\w/),
    });
    expect(bucket.asked).toHaveLength(1);
  });

  it('does not print keys, even where a server echoes them', async () => {
    const { bucket, open } = await recorded();
    bucket.fault = () => ({ status: 403, body: errorXml('InvalidAccessKeyId', `no ${KEYS.id} with ${KEYS.secret}`) });
    const error = await open().then(
      () => null,
      (thrown: Error) => thrown,
    );
    expect(error?.message).toContain('no … with …');
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/AKIATEST|a-secret/);
  });

  it('answers nonsense in place of a manifest: the error names the object', async () => {
    const { bucket, open } = await recorded();
    bucket.objects.set(`rec/${DAY_1}/manifest.json`, Buffer.from('<html>'));
    await expect(open()).rejects.toThrow(
      `s3://bucket/rec/${DAY_1}/manifest.json: got "<html>", wanted a manifest of a recording as JSON`,
    );
    bucket.objects.set(`rec/${DAY_1}/manifest.json`, Buffer.from('{"format":"other"}'));
    await expect(open().then((view) => openRecordings([view]))).rejects.toThrow(
      `s3://bucket/rec/${DAY_1}/manifest.json is not a manifest`,
    );
  });

  it('changes while it is looked at: it is listed again, and in the end the error says what came', async () => {
    const { bucket, open } = await recorded();
    const key = `rec/${DAY_1}/manifest.json`;
    const real = bucket.objects.get(key) as Buffer;
    let changes = 0;
    bucket.fault = (asked) => {
      if (asked.key === key && changes++ < 1) bucket.objects.set(key, Buffer.concat([real, Buffer.from('\n')]));
      return null;
    };
    expect(await play(await open())).toEqual(SHORT_LIFE);
    bucket.fault = (asked) => {
      if (asked.key === key)
        bucket.objects.set(key, Buffer.concat([bucket.objects.get(key) as Buffer, Buffer.from(' ')]));
      return null;
    };
    bucket.objects.set(key, Buffer.concat([real, Buffer.from('\n\n')]));
    await expect(open()).rejects.toThrow(
      /manifest\.json: got \d+ bytes with the ETag "[0-9a-f]+", wanted \d+ bytes .* as it was listed/,
    );
  });

  it('holds other data than its manifest says: nothing of it is played or kept', async () => {
    const { bucket, cache, open } = await recorded();
    const key = `rec/${DAY_1}/events-0001.parquet`;
    const view = await open();
    const sound = bucket.objects.get(key) as Buffer;
    bucket.objects.set(key, Buffer.concat([sound.subarray(0, -1), Buffer.from('x')]));
    await expect(play(view)).rejects.toThrow(
      `cannot use s3://bucket/${key}: got ${sound.length} bytes with the SHA-256`,
    );
    expect(filesIn(join(cache, 'recordings', 'files'))).not.toContain(expect.stringContaining('parquet'));
    bucket.objects.set(key, sound);
    expect(await play(view)).toEqual(SHORT_LIFE);
  });
});

describe('the cache', () => {
  it('holds no more than its size: the least recently used go first', async () => {
    const { cache, open } = await recorded();
    await play(await open());
    const recordings = openCache(join(cache, 'recordings'));
    expect(recordings.figures()).toMatchObject({ files: 2, heldFiles: 0 });
    const [first, second] = filesIn(join(cache, 'recordings', 'files'));
    expect([first, second].every((name) => name?.endsWith('.parquet'))).toBe(true);
    recordings.clear();
    expect(recordings.figures()).toMatchObject({ files: 0, bytes: 0 });
    expect(await play(await open())).toEqual(SHORT_LIFE);
  });

  it('replaces a copy that the disk has spoilt', async () => {
    const { bucket, cache, open } = await recorded();
    await play(await open());
    const [name = ''] = filesIn(join(cache, 'recordings', 'files'));
    const path = join(cache, 'recordings', 'files', name);
    writeFileSync(path, Buffer.alloc(readFileSync(path).length));
    bucket.asked.length = 0;
    expect(await play(await open())).toEqual(SHORT_LIFE);
    expect(dataReads(bucket)).toHaveLength(1);
  });

  it('gives a file to a reader that keeps it, whatever another one throws away', async () => {
    const { cache, open } = await recorded();
    const view = await open();
    const [recording] = await openRecordings([view]);
    const stream = recording?.chunks()[Symbol.asyncIterator]();
    await stream?.next();
    openCache(join(cache, 'recordings')).clear();
    let more = 0;
    for (let read = await stream?.next(); read?.done === false; read = await stream?.next()) more += read.value.length;
    expect(more).toBeGreaterThan(0);
  });

  it('is never larger than it may be: the oldest copy makes room, and what is being read stays', async () => {
    const cache = openCache(newFolder());
    cache.resize(1_000_000);
    const hold = (fill: number, bytes = 400_000) => {
      const content = Buffer.alloc(bytes, fill);
      const sha256 = createHash('sha256').update(content).digest('hex');
      const fetchTo = (path: string) => {
        writeFileSync(path, content);
        return Promise.resolve({ bytes, sha256 });
      };
      return cache.hold({ sha256, bytes, name: `file ${fill}` }, fetchTo, (got) => new TwinbookError('usage', got));
    };
    const [first, second] = [await hold(1), await hold(2)];
    await expect(hold(3)).rejects.toThrow(/is too small: file 3 has 400000 bytes, 800000 of 1000000 are being read/);
    second.release();
    (await hold(3)).release();
    expect(cache.figures()).toMatchObject({ files: 2, bytes: 800_000, heldFiles: 1 });
    first.release();
    expect((await hold(1)).isNew).toBe(false);
    expect((await hold(2)).isNew).toBe(true);
  });

  it('says that its disk is full, and leaves nothing half', async () => {
    const folder = newFolder();
    const cache = openCache(folder);
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    const fetchTo = (path: string) => {
      writeFileSync(path, 'half');
      return Promise.reject(full);
    };
    const file = { sha256: 'a'.repeat(64), bytes: 4, name: 's3://bucket/key' };
    await expect(cache.hold(file, fetchTo, () => full as never)).rejects.toThrow(
      `cannot write the cache ${folder}: its disk is full; s3://bucket/key with its 4 bytes is not kept`,
    );
    expect(filesIn(folder)).toEqual([]);
    expect(cache.figures()).toMatchObject({ files: 0, bytes: 0, heldFiles: 0 });
  });

  it('is given free what a process held that died', () => {
    const held = join(newFolder(), 'held');
    const [gone, alive, elsewhere] = [`${hostname()}~999999999~~a`, `${hostname()}~${process.pid}~~b`, 'other~1~~c'];
    for (const name of [gone, alive, elsewhere]) mkdirSync(join(held, name), { recursive: true });
    openCache(join(held, '..'));
    expect(readdirSync(held).sort()).toEqual([alive, elsewhere].sort());
  });
});

const leftInHeld = (cache: string): string[] => readdirSync(join(cache, 'recordings', 'held'));
