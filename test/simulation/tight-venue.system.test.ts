/** A venue with a third of the profile's limits, with and without rate headers. */

import { describe, expect, it } from 'vitest';
import { times } from '../support/effort.js';
import { CALM } from './faults.js';
import { STANDARD } from './setting.js';
import { World } from './world.js';

const MINUTE_MS = 60_000;
const allowed = { public_per_minute: 40, signed_per_minute: 100, bootstrap_per_minute: 10 };
const seeds = Array.from({ length: times(4, 20) }, (_, i) => i + 1);

function trade(seed: number, hasHeaders: boolean) {
  const world = new World(seed, CALM, null, 'given', { ...STANDARD, allowed });
  if (!hasHeaders) world.network.script = () => ({ says: { budget: null } });
  const minutes = [1, 2].map(() => {
    const before = world.tally.of('requests');
    world.pass(MINUTE_MS);
    return world.tally.of('requests') - before;
  });
  const { tally, invariants } = world;
  world.close();
  return { tally, minutes, violations: invariants.violations };
}

describe.each([
  ['with rate headers', true],
  ['that sends no rate headers', false],
])('a venue %s that allows a third', (_, hasHeaders) => {
  it.each(seeds)('refuses little in two minutes, and nothing leaves inside a Retry-After (seed %i)', (seed) => {
    const { tally, minutes, violations } = trade(seed, hasHeaders);
    expect(violations).toEqual([]);
    expect(tally.of('throttled by the exchange')).toBeLessThanOrEqual(3);
    expect(tally.of('sent inside a Retry-After')).toBe(0);
    // The venue's whole budget is used.
    for (const requests of minutes) expect(requests).toBeGreaterThan(allowed.public_per_minute);
  });
});
