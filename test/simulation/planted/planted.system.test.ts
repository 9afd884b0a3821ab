import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { patched } from './bug.js';
import { BUGS } from './bugs.js';
import { type Seeds, trial } from './trial.js';

const ROOT = join(import.meta.dirname, '../../..');
/** Found by the first seeds, each by another invariant; `npm run planted` tries them all. */
const QUICK = ['sign-before-durable', 'unknown-is-done', 'trade-booked-twice', 'capital-at-every-start'];
const FEW: Seeds = { first: 1, last: 3 };
const LONG_MS = 240_000;

describe('planted bugs', () => {
  it('there are at least 25, each with a name of its own', () => {
    expect(new Set(BUGS.map(({ name }) => name)).size).toBe(BUGS.length);
    expect(BUGS.length).toBeGreaterThanOrEqual(25);
  });

  it.each(BUGS)('$name: its text stands in the product exactly once, and what it makes of it compiles', async (bug) => {
    for (const file of new Set(bug.edits.map((edit) => edit.file))) {
      const source = readFileSync(join(ROOT, file), 'utf8');
      const text = patched(bug, file, source);
      expect(text).not.toBe(source);
      await transform(text, { loader: 'ts' });
    }
  });

  it('without a bug the same seeds find nothing', { timeout: LONG_MS }, async () => {
    expect(await trial(null, FEW)).toMatchObject({ seed: null, threw: 0 });
  });

  it.each(QUICK)('%s is found by the random simulation', { timeout: LONG_MS }, async (name) => {
    const bug = BUGS.find((each) => each.name === name);
    expect(bug).toBeDefined();
    expect(await trial(bug ?? null, FEW)).toMatchObject({ seed: expect.any(Number) });
  });
});
