/** A few kills; `npm run key-kills` does a hundred. */

import { afterAll, describe, expect, it } from 'vitest';
import { CALLS, hasStrace, KilledWriter } from './kills.js';

const writer = new KilledWriter(3);
afterAll(() => writer.remove());

describe('a writer of keys and credentials that is killed', () => {
  it.each([1, 2, 3])('at a random moment (%i) loses no key, neither old nor new', async () => {
    expect(await writer.kill(null)).toEqual([]);
  });

  it.skipIf(!hasStrace()).each(CALLS)('at %s loses no key, neither old nor new', async (call) => {
    expect(await writer.kill({ call, number: 2 })).toEqual([]);
  });
});
