import { expect, it } from 'vitest';
import { times } from '../support/effort.js';
import { type KillPair, killedAt } from './kill-run.js';
import { type Call, tracingMissing } from './traced.js';

const missing = tracingMissing();
if (missing !== null) console.warn(`the tests that kill at system calls are skipped: ${missing}`);

const pair = (first: readonly [Call, number], second: readonly [Call, number]): KillPair => ({
  first: { call: first[0], nth: first[1] },
  second: { call: second[0], nth: second[1] },
});

// A sample of the points of `npm run lab -- kill-points`, each with a second kill: usually six kills in all.
const usual = [
  { flow: 'place', at: [pair(['fsync', 12], ['pwrite64', 80])] },
  { flow: 'kill', at: [pair(['fsync', 1], ['fsync', 8])] },
  { flow: 'prune', at: [pair(['pwrite64', 32], ['pwrite64', 9])] },
];
const more = [
  { flow: 'prune', at: [pair(['fsync', 13], ['pwrite64', 19])] },
  { flow: 'key', at: [pair(['link', 1], ['fsync', 1])] },
  { flow: 'place', at: [pair(['writev', 2], ['fsync', 9])] },
  { flow: 'cancel', at: [pair(['fsync', 3], ['pwrite64', 70])] },
  { flow: 'merge', at: [pair(['fsync', 13], ['fsync', 9])] },
  { flow: 'split', at: [pair(['fsync', 10], ['fsync', 8])] },
  { flow: 'redeem', at: [pair(['fsync', 14], ['pwrite64', 75])] },
];
it.skipIf(missing !== null).each<{ flow: string; at: readonly KillPair[] }>(times(usual, [...usual, ...more]))(
  'a process that is killed as it writes, and again as it recovers, loses nothing and does nothing twice: $flow',
  async ({ flow, at }) => {
    const results = await killedAt(flow, at);
    expect(results).toEqual(at.map((points) => expect.objectContaining({ ...points, lost: [], doubled: [] })));
    expect(results.flatMap(({ different }) => different)).toEqual([]);
    expect(results.reduce((sum, { hits }) => sum + hits, 0)).toBeGreaterThan(0);
  },
);
