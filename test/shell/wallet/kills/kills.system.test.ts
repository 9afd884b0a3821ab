/** A few kills; with TWINBOOK_EFFORT=long a hundred. */

import { afterAll, describe, expect, it } from 'vitest';
import { tracingMissing } from '../../../disk/traced.js';
import { times } from '../../../support/effort.js';
import { CALLS, KilledWriter } from './kills.js';

const writer = new KilledWriter(3);
afterAll(() => writer.remove());

const kills = (usual: number, long: number) => Array.from({ length: times(usual, long) }, (_, n) => n + 1);

describe('a writer of keys and credentials that is killed', () => {
  it.each(kills(3, 50))('at a random moment (%i) loses no key, neither old nor new', async () => {
    expect(await writer.kill(null)).toEqual([]);
  });

  it.skipIf(tracingMissing() !== null).each(CALLS)('at %s loses no key, neither old nor new', async (call) => {
    for (const number of kills(1, 10)) expect(await writer.kill({ call, number: 1 + number }), `${number}`).toEqual([]);
  });
});
