/** Inputs of a sweep's plan: the manifests of recordings in our own format give the same as reading them. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planData, SlabWriter, shareMarkets } from '../../../src/lab/sweep/facts.js';
import type { Recording } from '../../../src/recording/contract.js';
import { openRecordings } from '../../../src/recording/recording.js';

const DATA = join(import.meta.dirname, '../../../data');
const MEMORY = 64 * 1024 * 1024;
const nobody = () => undefined;

const unread = (recording: Recording): Recording => ({
  ...recording,
  chunks: () => {
    throw new Error('this was to be planned without reading it');
  },
});

/** Removes the recording's fingerprint. */
const untold = ({ fingerprint: _, ...recording }: Recording): Recording => recording;

async function readWhole(recording: Recording) {
  const writer = new SlabWriter({ leftBytes: 0 });
  for await (const chunk of recording.chunks()) writer.write(chunk);
  const { events, firstMs, lastMs } = writer.end();
  return { events, firstMs, lastMs };
}

describe.each(['sample', 'polymarket'])('the recordings of data/%s', (name) => {
  it('are planned from their manifests, as reading them would say', async () => {
    const recordings = await openRecordings([join(DATA, name)]);
    expect(recordings.length).toBeGreaterThan(0);
    const planned = await planData(recordings.map(unread), MEMORY, nobody);
    expect(planned.read.size).toBe(0);
    expect(planned.isStreamed).toBe(false);
    for (const [index, { events, firstMs, lastMs }] of planned.markets.entries()) {
      const recording = recordings[index];
      if (recording === undefined) throw new Error('as many as were planned');
      expect({ events, firstMs, lastMs }).toEqual(await readWhole(recording));
    }
  });

  it('have the same fingerprint each time they are opened, and another when a file is another', async () => {
    const [first, second] = [await openRecordings([join(DATA, name)]), await openRecordings([join(DATA, name)])];
    const planned = await planData(first, MEMORY, nobody);
    expect((await planData(second, MEMORY, nobody)).hash).toBe(planned.hash);
    const other = first.map((recording, index) =>
      index === 0 ? { ...recording, fingerprint: 'f'.repeat(64) } : recording,
    );
    expect((await planData(other, MEMORY, nobody)).hash).not.toBe(planned.hash);
  });
});

describe('recordings that do not know themselves', () => {
  it('are read once, and shared as they were read', async () => {
    const recordings = (await openRecordings([join(DATA, 'sample')])).map(untold);
    const planned = await planData(recordings, MEMORY, nobody);
    expect(planned.read.size).toBe(recordings.length);
    const shared = await shareMarkets(recordings.map(unread), planned, MEMORY, nobody);
    expect(shared?.map(({ slabs }) => slabs.reduce((sum, { length }) => sum + length, 0))).toEqual(
      planned.markets.map(({ events }) => events),
    );
  });

  it('share the same events as those that are planned by their manifests', async () => {
    const recordings = await openRecordings([join(DATA, 'sample')]);
    const bytesOf = async (from: readonly Recording[]) => {
      const shared = await shareMarkets(from, await planData(from, MEMORY, nobody), MEMORY, nobody);
      return shared?.map(({ market, slabs }) => [
        market.conditionId,
        slabs.map(({ bytes }) => Buffer.from(bytes).toString('base64')),
      ]);
    };
    expect(await bytesOf(recordings)).toEqual(await bytesOf(recordings.map(untold)));
  });
});

describe('what does not fit into the memory', () => {
  it('is streamed: known before anything is read', async () => {
    const recordings = (await openRecordings([join(DATA, 'sample')])).map(unread);
    expect((await planData(recordings, 1000, nobody)).isStreamed).toBe(true);
  });

  it('though its manifests said it would is streamed too', async () => {
    const recordings = await openRecordings([join(DATA, 'sample')]);
    const planned = await planData(recordings, MEMORY, nobody);
    expect(await shareMarkets(recordings, planned, 1000, nobody)).toBeNull();
  });
});
