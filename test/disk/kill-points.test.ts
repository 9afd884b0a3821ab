import { describe, expect, it } from 'vitest';
import { type KillPair, killedAt } from './kill-run.js';
import { type Call, tracingMissing } from './traced.js';

const missing = tracingMissing();
if (missing !== null) console.warn(`the tests that kill at system calls are skipped: ${missing}`);

const pair = (first: readonly [Call, number], second: readonly [Call, number]): KillPair => ({
  first: { call: first[0], nth: first[1] },
  second: { call: second[0], nth: second[1] },
});

// Twenty points of those that `npm run kill-points` finds by watching each flow.
describe.skipIf(missing !== null)('a process that is killed as it writes, and again as it recovers', () => {
  it.each<{ flow: string; at: readonly KillPair[] }>([
    { flow: 'place', at: [pair(['fsync', 12], ['pwrite64', 80]), pair(['fsync', 14], ['fsync', 9])] },
    { flow: 'place', at: [pair(['pwrite64', 140], ['fsync', 10]), pair(['writev', 2], ['pwrite64', 60])] },
    { flow: 'cancel', at: [pair(['fsync', 1], ['fsync', 8]), pair(['fsync', 3], ['pwrite64', 70])] },
    { flow: 'merge', at: [pair(['fsync', 13], ['fsync', 9]), pair(['fsync', 15], ['pwrite64', 75])] },
    { flow: 'split', at: [pair(['fsync', 10], ['fsync', 8])] },
    { flow: 'redeem', at: [pair(['fsync', 12], ['pwrite64', 75]), pair(['fsync', 14], ['fsync', 10])] },
    { flow: 'kill', at: [pair(['fsync', 1], ['fsync', 8]), pair(['pwrite64', 20], ['fsync', 9])] },
    { flow: 'key', at: [pair(['link', 1], ['fsync', 1]), pair(['fsync', 2], ['unlink', 1])] },
    {
      flow: 'migration',
      at: [
        pair(['fsync', 4], ['pwrite64', 30]),
        pair(['pwrite64', 70], ['fsync', 3]),
        pair(['fsync', 6], ['fsync', 5]),
        pair(['unlink', 2], ['pwrite64', 74]),
        pair(['pwrite64', 12], ['unlink', 1]),
      ],
    },
  ])(
    'loses nothing and does nothing twice: $flow',
    async ({ flow, at }) => {
      const results = await killedAt(flow, at);
      expect(results).toEqual(at.map((points) => expect.objectContaining({ ...points, lost: [], doubled: [] })));
      expect(results.flatMap(({ different }) => different)).toEqual([]);
      expect(results.reduce((sum, { hits }) => sum + hits, 0)).toBeGreaterThan(0);
    },
    240_000,
  );
});
