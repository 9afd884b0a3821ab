/** The table of an arena, with made-up results. */

import { expect, it } from 'vitest';
import { arenaTables } from '../../../src/cli/lab/arena-tables.js';
import { madeUpArena } from './results.js';

it('shows requests and conditions only where there are some', () => {
  const text = arenaTables(madeUpArena({ seeds: 3 }));
  expect(text).toContain('rationed: 8 markets at once, 120 public requests a minute');
  expect(text).toMatch(/DRAWDOWN +REQUESTS/);
  expect(text).toContain('A limit of risk halted far in 1 of 3 simulations of rationed.');
  const steps = arenaTables(madeUpArena({ seeds: 3, worlds: ['challenge'] }));
  expect(steps).not.toContain('REQUESTS');
});

it('names the first failure and how often there was one', () => {
  expect(arenaTables(madeUpArena({ seeds: 3, failure: 'quote() failed: no idea' }))).toContain(
    'near failed in 1 of 3 simulations of challenge, which count as far as they went; the first, seed 500: quote() failed: no idea',
  );
});

it('never says NaN, and has no difference of one strategy', () => {
  for (const seeds of [1, 2, 20_000]) {
    const shown = arenaTables(madeUpArena({ seeds, strategies: ['near'] }));
    expect(shown).not.toMatch(/NaN|Infinity|undefined/);
    expect(shown).not.toContain('Differences');
  }
});
