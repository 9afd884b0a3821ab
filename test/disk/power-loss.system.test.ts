import { describe, expect, it } from 'vitest';
import { times } from '../support/effort.js';
import { FaultyDisk, LOSS_MODES } from './faulty-disk.js';
import { inPeace, type Peace, powerLoss, type Work } from './power-loss.js';

const missing = FaultyDisk.missing();
if (missing !== null) console.warn(`the tests of power losses are skipped: ${missing}`);

const WORK: Work = { seed: 5, commits: 80, reopenAfter: 30 };

/** This number of power losses, spread over the work, each with the next mode; `npm run lab -- disk` takes every place. */
const losses = (work: Work, peace: Peace, count: number, again?: number) =>
  Array.from({ length: count }, (_, n) => {
    const at = 1 + Math.floor((n * peace.operations) / count);
    return { at, ...powerLoss(work, peace, at, LOSS_MODES[n % LOSS_MODES.length] ?? 'all', again) };
  });

describe.skipIf(missing !== null)('a ledger whose power goes', () => {
  it('at any write or sync has every commit that it acknowledged, none in part, and goes on from there', () => {
    const results = losses(WORK, inPeace(WORK), times(50, 100));
    expect(results.filter(({ lost, damage }) => lost > 0 || damage.length > 0)).toEqual([]);
    expect(new Set(results.map(({ acknowledged }) => acknowledged)).size).toBeGreaterThan(results.length / 2);
  });

  it.each(times([3], [1, 3, 8]))('and goes again at operation %i of the recovery, too', (again) => {
    const results = losses(WORK, inPeace(WORK), times(10, 20), again);
    expect(results.filter(({ lost, damage }) => lost > 0 || damage.length > 0)).toEqual([]);
  });

  it('loses commits under synchronous=NORMAL: the control, without which the above shows nothing', () => {
    const work: Work = { ...WORK, synchronous: 'NORMAL' };
    const results = losses(work, inPeace(work), times(20, 40));
    expect(results.filter(({ lost }) => lost > 0).length).toBeGreaterThan(results.length / 3);
    expect(results.flatMap(({ damage }) => damage)).toEqual([]);
  });
});
