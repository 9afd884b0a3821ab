/** A recorder does not wait for the disk: input during a flush must be written by the next one. */

import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openRecordings } from '../../../src/recording/recording.js';
import { times } from '../../support/effort.js';
import { folderOf } from '../../support/folders.js';
import { at, market, openStore } from './writing.js';

it.each([
  ['one segment', {}],
  ['many segments', { rotateAfterRows: 50 }],
])('rows given while the store writes are written by a later flush, in %s', async (_, settings) => {
  const folder = folderOf({});
  const store = await openStore(folder, settings);
  const sink = store.market(market());
  sink.clear(at(0));
  let given = 0;
  for (let round = 0; round < times(2, 8); round++) {
    let isDone = false;
    const flushed = store.flush().then(() => (isDone = true));
    while (!isDone) {
      given += 1;
      sink.level(at(given), given % 2, 400_000 + 10_000 * (given % 20), given);
      const poll = { endpoint: 'markets.book', sentMs: at(given).timeMs, seenMs: given, venueMs: null } as const;
      sink.poll({ ...poll, outcome: 'answered' });
      await turn();
    }
    await flushed;
  }
  await store.close();
  const [recording] = await openRecordings([folder]);
  const amounts: number[] = [];
  for await (const chunk of recording?.chunks() ?? []) {
    for (let i = 0; i < chunk.length; i++) if (chunk.kind[i] === 0) amounts.push(chunk.amountMicros[i] ?? 0);
  }
  expect(amounts).toEqual(Array.from({ length: given }, (_, i) => i + 1));
  let polls = 0;
  for await (const poll of recording?.polls?.() ?? []) polls += poll.endpoint === 'markets.book' ? 1 : 0;
  expect(polls).toBe(given);
});
