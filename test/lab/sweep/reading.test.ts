/** Inputs of a sweep's plan: the manifests of recordings in our own format give the same as reading them. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planData } from '../../../src/lab/sweep/facts.js';
import type { EventChunk, Recording } from '../../../src/recording/contract.js';
import { openRecordings } from '../../../src/recording/recording.js';

const DATA = join(import.meta.dirname, '../../../data');

const unread = (recording: Recording): Recording => ({
  ...recording,
  chunks: () => {
    throw new Error('this was to be planned without reading it');
  },
});

/** Removes the recording's fingerprint. */
const untold = ({ fingerprint: _, ...recording }: Recording): Recording => recording;

describe.each(['sample', 'polymarket'])('the recordings of data/%s', (name) => {
  it('are planned from their manifests, as reading them would say', async () => {
    const recordings = await openRecordings([join(DATA, name)]);
    expect(recordings.length).toBeGreaterThan(0);
    const planned = await planData(recordings.map(unread));
    const read = await planData(recordings.map(untold));
    const spans = ({ markets }: typeof read) => markets.map(({ hash: _, ...rest }) => rest);
    expect(spans(planned)).toEqual(spans(read));
  });

  it('have the same fingerprint each time they are opened, and another when a file is another', async () => {
    const [first, second] = [await openRecordings([join(DATA, name)]), await openRecordings([join(DATA, name)])];
    const planned = await planData(first);
    expect((await planData(second)).hash).toBe(planned.hash);
    const other = first.map((recording, index) =>
      index === 0 ? { ...recording, fingerprint: 'f'.repeat(64) } : recording,
    );
    expect((await planData(other)).hash).not.toBe(planned.hash);
  });
});

it('recordings without a fingerprint have one fingerprint, in whatever chunks their events come', async () => {
  const recordings = (await openRecordings([join(DATA, 'sample')])).map(untold);
  const planned = await planData(recordings);
  const single = recordings.map((recording) => ({ ...recording, chunks: () => oneByOne(recording) }));
  expect((await planData(single)).hash).toBe(planned.hash);
  const shorter = recordings.map((recording) => ({ ...recording, chunks: () => withoutLast(recording) }));
  expect((await planData(shorter)).hash).not.toBe(planned.hash);
});

const cut = (chunk: EventChunk, from: number, to: number): EventChunk => ({
  length: to - from,
  timeMs: chunk.timeMs.subarray(from, to),
  kind: chunk.kind.subarray(from, to),
  side: chunk.side.subarray(from, to),
  priceMicros: chunk.priceMicros.subarray(from, to),
  amountMicros: chunk.amountMicros.subarray(from, to),
});

async function* oneByOne(recording: Recording): AsyncGenerator<EventChunk> {
  for await (const chunk of recording.chunks()) for (let at = 0; at < chunk.length; at++) yield cut(chunk, at, at + 1);
}

async function* withoutLast(recording: Recording): AsyncGenerator<EventChunk> {
  for await (const chunk of recording.chunks()) yield cut(chunk, 0, chunk.length - 1);
}
