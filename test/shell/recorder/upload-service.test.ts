/** A recorder's files reach the bucket, however often that is away; until then they are on the disk. */

import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openView } from '../../../src/recording/objects/open-view.js';
import { openRecordings } from '../../../src/recording/recording.js';
import { UploadService } from '../../../src/shell/recorder/upload-service.js';
import { rowsOf } from '../../recording/samples.js';
import { at, market, openStore, SHORT_LIFE, START_MS, shortLife } from '../../recording/store/writing.js';
import { type Bucket, errorXml, openBucket } from '../../support/bucket.js';
import { newFolder } from '../../support/folders.js';

interface Place {
  readonly folder: string;
  readonly bucket: Bucket;
  readonly said: string[];
  readonly service: UploadService;
}

async function open(keepDays = 10_000): Promise<Place> {
  const [folder, bucket, said] = [newFolder(), await openBucket(), [] as string[]];
  const say = (text: string): void => void said.push(text);
  const url = `${bucket.url}/rec?region=eu-north-1`;
  return {
    folder,
    bucket,
    said,
    service: await UploadService.open({ folder, url, keepDays, env: bucket.env(''), say }),
  };
}

const refuse = () => ({ status: 403, body: errorXml('AccessDenied', 'Access Denied') });

describe('the uploads of a recorder', () => {
  it('wait on the disk while the bucket refuses, say so once, and follow with all that waited', async () => {
    const { folder, bucket, said, service } = await open();
    const store = await openStore(folder);
    const sink = store.market(market());
    sink.clear(at(0));
    await store.rotate();
    bucket.fault = refuse;
    await service.pass();
    await service.pass();
    expect(said).toEqual([
      expect.stringMatching(
        /^recordings are not uploaded now and wait on the disk: .*market=market-1.*403 \(AccessDenied/,
      ),
    ]);
    bucket.fault = () => null;
    sink.level(at(10), 0, 400_000, 1_000_000);
    await store.rotate();
    await service.pass();
    expect(said).toHaveLength(2);
    expect([...bucket.objects.keys()].filter((key) => key.endsWith('.parquet'))).toHaveLength(2);
    sink.end(at(20));
    await store.close();
    await service.end(10_000);
    const [recording] = await openRecordings([await openView(`${bucket.url}/rec`, bucket.env(newFolder()))]);
    expect(await rowsOf(recording, START_MS)).toEqual(['0 clear', '10 level bid 0.4 1', '20 end']);
  });

  it('that did not all succeed are an error at the end that says how to go on, and harm nothing', async () => {
    const { folder, bucket, service } = await open();
    const store = await openStore(folder);
    shortLife(store.market(market()));
    await store.close();
    bucket.fault = refuse;
    const error = await service.end(10_000).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'file_unreadable',
      message: expect.stringContaining(
        `${folder} is not all in s3://bucket/rec: cannot read s3://bucket/rec/market=market-1`,
      ),
      hint: expect.stringContaining(`twinbook data upload ${folder} --to s3://bucket/rec`),
    });
    expect(await rowsOf((await openRecordings([folder]))[0], START_MS)).toEqual(SHORT_LIFE);
  });

  it('make room: days that the bucket has and that are old enough go', async () => {
    const { folder, bucket, service } = await open(1);
    const store = await openStore(folder);
    // A market of years ago, as far as the machine's clock knows.
    const sink = store.market(market());
    sink.clear({ timeMs: 1_700_000_000_000, seenMs: null });
    sink.end({ timeMs: 1_700_000_000_001, seenMs: null });
    await store.close();
    await service.end(10_000);
    expect(readdirSync(folder).filter((name) => name.startsWith('market='))).toEqual([]);
    expect([...bucket.objects.keys()]).toHaveLength(3);
  });

  it('are refused at once for an address that is none', async () => {
    const open = (url: string, env = {}) =>
      UploadService.open({ folder: newFolder(), url, keepDays: 1, env, say: () => undefined });
    await expect(open('s3://')).rejects.toThrow('its bucket is no name of a bucket');
    await expect(open('s3://bucket/rec/market=a')).rejects.toThrow('is a place inside a recording');
    await expect(open('s3://bucket/rec?endpoint=http://example.com')).rejects.toThrow('plain http to another machine');
    await expect(open('s3://bucket?colour=red')).rejects.toThrow('it has no option colour, only endpoint, region');
    await expect(open('s3://bucket', { AWS_ACCESS_KEY_ID: 'a' })).rejects.toThrow(
      'AWS_ACCESS_KEY_ID is set, AWS_SECRET_ACCESS_KEY is not',
    );
  });
});
