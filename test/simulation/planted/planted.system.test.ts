import { stop } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { times } from '../../support/effort.js';
import type { Bug } from './bug.js';
import { BUGS } from './bugs.js';
import { type Seeds, trial } from './trial.js';
import { typeErrors } from './type-check.js';

/** Found by the first seeds, each by another invariant; `npm run lab -- planted` tries them all. */
const QUICK = ['sign-before-durable', 'unknown-is-done', 'trade-booked-twice', 'capital-at-every-start'];
const FEW: Seeds = { first: 1, last: 3 };
const SOUND: Seeds = { first: 1, last: times(1, 3) };

// The bundler's program ends with this test file; the next file of this process starts another.
afterAll(() => stop());

describe('planted bugs', () => {
  it('there are at least 25, each with a name of its own', () => {
    expect(new Set(BUGS.map(({ name }) => name)).size).toBe(BUGS.length);
    expect(BUGS.length).toBeGreaterThanOrEqual(25);
  });

  it('each text stands in the product exactly once, and what the bug makes of it type-checks', () => {
    for (const { text, replacement } of BUGS.flatMap(({ edits }) => edits)) expect(replacement).not.toBe(text);
    // One with a missing function must fail, which proves the check.
    const edits = BUGS[0]?.edits.slice(0, 1).map((edit) => ({ ...edit, replacement: `gone();${edit.text}` })) ?? [];
    const stale: Bug = { name: 'stale', what: '', edits };
    expect(typeErrors([...BUGS, stale])).toEqual([expect.stringMatching(/^stale: .* Cannot find name 'gone'/)]);
  });

  it('without a bug the same seeds find nothing', async () =>
    expect(await trial(null, SOUND)).toMatchObject({ seed: null, threw: 0 }));

  it.each(times(QUICK.slice(3), QUICK))('%s is found by the random simulation', async (name) => {
    const bug = BUGS.find((each) => each.name === name);
    expect(bug).toBeDefined();
    expect(await trial(bug ?? null, FEW)).toMatchObject({ seed: expect.any(Number) });
  });
});
