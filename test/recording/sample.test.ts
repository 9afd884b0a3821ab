/** The sample in `data/sample` is what its maker makes, and a good recording. */

import { describe, expect, it } from 'vitest';
import { verifyRecordings } from '../../src/recording/inspect/verify.js';
import { openRecordings } from '../../src/recording/recording.js';
import { makeSample, SAMPLE } from './make-sample.js';
import { newFolder, rowsOf } from './samples.js';

describe('the sample recording', () => {
  it('is made again event by event', async () => {
    const folder = newFolder();
    await makeSample(folder);
    const [kept, made] = [await openRecordings([SAMPLE]), await openRecordings([folder])];
    expect(kept).toHaveLength(3);
    for (const [index, recording] of kept.entries()) {
      const { source: _, ...market } = recording.market;
      expect(made[index]?.market).toMatchObject(market);
      expect(await rowsOf(made[index])).toEqual(await rowsOf(recording));
      expect(await pollsOf(made[index])).toEqual(await pollsOf(recording));
    }
  });

  it('is whole, resolved and without a warning', async () => {
    expect(await verifyRecordings([SAMPLE])).toMatchObject({ markets: 3, findings: [] });
    for (const { market, warnings } of await openRecordings([SAMPLE])) {
      expect(market.outcome).not.toBeNull();
      expect(warnings).toEqual([]);
    }
  });
});

async function pollsOf(recording: Awaited<ReturnType<typeof openRecordings>>[number] | undefined) {
  const polls = [];
  for await (const poll of recording?.polls?.() ?? []) polls.push(poll);
  expect(polls.length).toBeGreaterThan(100);
  return polls;
}
