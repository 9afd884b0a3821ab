import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHUNKS_AHEAD } from '../../../src/recording/beside/contract.js';
import { CHUNK_EVENTS } from '../../../src/recording/chunks.js';
import type { EventChunk, Recording } from '../../../src/recording/contract.js';
import { openRecordings } from '../../../src/recording/recording.js';
import { CLOSE_MS, delta, kalshiFile, OPEN_MS, snapshot, writeKalshi } from '../samples.js';

const T = OPEN_MS + 60_000;
const START = snapshot(T, [['0.4000', '100.00']], [['0.5500', '50.00']]);
const CLOSED = snapshot(CLOSE_MS + 800, [], []);
/** More than are read ahead. */
const MANY = (CHUNKS_AHEAD + 2) * CHUNK_EVENTS;

async function open(
  lines: readonly string[],
  damage: (bytes: Buffer) => Buffer = (bytes) => bytes,
): Promise<Recording> {
  const set = writeKalshi(lines);
  writeFileSync(kalshiFile(set), damage(readFileSync(kalshiFile(set))));
  const [recording] = await openRecordings([set]);
  if (recording === undefined) throw new Error('one recording');
  return recording;
}

async function read(recording: Recording, chunks: AsyncIterable<EventChunk> | undefined) {
  const read: string[] = [];
  let failure: unknown = null;
  try {
    for await (const { length, ...columns } of chunks ?? []) {
      const hash = createHash('sha256');
      for (const column of Object.values(columns)) hash.update(column.subarray(0, length));
      read.push(`${length} ${hash.digest('hex')}`);
    }
  } catch (error) {
    failure = error;
  }
  return { read, failure, warnings: recording.warnings };
}

const changes = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => delta(T + at, 'yes', '0.4000', at % 2 === 0 ? '1.00' : '-1.00'));

describe('reading raw files on a thread beside', () => {
  it.each([
    ['a whole file', [START, ...changes(100), CLOSED], undefined],
    ['one with broken lines and without a close', ['{"broken', START, ...changes(5)], undefined],
    ['one of which nothing can be read', [delta(T, 'yes', '0.4000', '1.00')], undefined],
    ['a cut one', [START, ...changes(5000), CLOSED], (bytes: Buffer) => bytes.subarray(0, bytes.length - 400)],
  ])('gives the chunks, warnings and errors of %s as they are given here', async (_, lines, damage) => {
    const here = await open(lines, damage);
    const expected = await read(here, here.chunks());
    const beside = await read(here, here.chunksBeside?.());
    expect(beside).toEqual(expected);
  });

  it('reads more than it may send ahead, several files at once, and goes on where one is not read to its end', async () => {
    const [long, other] = [await open([START, ...changes(MANY), CLOSED]), await open([START, ...changes(10), CLOSED])];
    for await (const chunk of long.chunksBeside?.() ?? []) {
      expect(chunk.length).toBe(CHUNK_EVENTS);
      break;
    }
    const [all, few] = await Promise.all([read(long, long.chunksBeside?.()), read(other, other.chunksBeside?.())]);
    expect(all.read).toHaveLength(CHUNKS_AHEAD + 3);
    expect(all).toEqual(await read(long, long.chunks()));
    expect(few).toEqual(await read(other, other.chunks()));
  });
});
