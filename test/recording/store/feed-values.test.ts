import { expect, it } from 'vitest';
import type { RecordedFeedValue, Recording } from '../../../src/recording/contract.js';
import type { FeedRow } from '../../../src/recording/store/segment.js';
import { collected } from '../../support/collected.js';
import { newFolder } from '../../support/folders.js';
import { filesIn, market, opened, openStore, START_MS, shortLife, written } from './writing.js';

/** Our clock is 5 s ahead of the venue's. */
const row = (ms: number, p: number | null, validUntilMs: number | null = null): FeedRow => ({
  feed: 'model',
  timeMs: START_MS + ms,
  seenMs: START_MS + ms + 5000,
  value: {
    conditionId: 'market-1',
    p,
    bid: p === null ? 0.4 : null,
    ask: p === null ? 0.45 : null,
    sd: 0.1,
    atMs: START_MS + ms + 4700,
    validUntilMs,
  },
});

const valuesOf = (recording: Recording): Promise<RecordedFeedValue[]> => collected(recording.feedValues?.() ?? []);

const EXPECTED = [
  { feed: 'model', timeMs: START_MS + 1000, value: { ...row(1000, 0.123456789).value, atMs: START_MS + 700 } },
  {
    feed: 'model',
    timeMs: START_MS + 70_000,
    value: { ...row(70_000, null).value, atMs: START_MS + 69_700, validUntilMs: START_MS + 80_000 },
  },
];

it('reads back what feeds said, of closed files and of those that are being written', async () => {
  const folder = newFolder();
  const store = await openStore(folder);
  const sink = store.market(market());
  sink.feedValue(row(1000, 0.123456789));
  shortLife(sink);
  sink.feedValue(row(70_000, null, START_MS + 85_000));
  await store.flush();
  expect(await valuesOf(await opened(folder))).toEqual(EXPECTED);
  await store.close();
  expect(filesIn(folder).filter((name) => name.includes('feeds'))).toHaveLength(2);
  expect(await valuesOf(await opened(folder))).toEqual(EXPECTED);
});

it('has none where no feed spoke', async () => {
  const folder = newFolder();
  await written(folder, shortLife);
  expect(filesIn(folder).filter((name) => name.includes('feeds'))).toEqual([]);
  expect(await valuesOf(await opened(folder))).toEqual([]);
});
