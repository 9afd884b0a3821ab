import { describe, expect, it, onTestFinished } from 'vitest';
import { must } from '../../../src/shared/base/errors.js';
import { Random } from '../../../src/shared/base/random.js';
import { CALM, drawFaults, type Faults } from '../../simulation/faults.js';
import { World } from '../../simulation/world.js';
import { times } from '../../support/effort.js';
import { type KeptRun, MemoryDiary, replayed } from './diary.js';

// A world checks everything after every step, which is slow on a loaded machine.
/** A minute and a half of a trader with this seed, one run per crash. */
function lived(seed: number, faults: Faults = drawFaults(Random.fromSeed(seed, 'faults'))): readonly KeptRun[] {
  const diary = new MemoryDiary();
  const world = new World(seed, faults, diary);
  onTestFinished(() => world.close());
  world.pass(45_000);
  world.stepClock(faults.clockStepMs);
  world.resolveAny();
  world.pass(45_000);
  expect(world.invariants.violations).toEqual([]);
  return diary.runs;
}

describe('a run that is decided once more', () => {
  it('is decided up to a moment, and looked at then', async () => {
    const run = must(lived(1, CALM)[0], 'the run of a world');
    const { steps } = run;
    const untilMs = steps[Math.floor(steps.length / 2)]?.observation.nowMs ?? 0;
    const within = steps.filter(({ observation }) => observation.nowMs <= untilMs).length;
    const result = await replayed(run, { untilMs });
    expect(result).toMatchObject({ steps: within, repeatedSteps: within, toMs: untilMs, difference: null });
    expect(result.snapshot?.markets.length).toBeGreaterThan(0);
  });

  it.each(times([1, 2], [1, 2, 3, 4, 5, 6, 7, 8]))(
    'seed %i: repeats every request of a hostile world, run after run',
    async (seed) => {
      for (const run of lived(seed)) {
        const result = await replayed(run);
        const requests = run.steps.reduce((sum, step) => sum + step.requests.length, 0);
        expect(result.difference).toBeNull();
        expect(result).toMatchObject({ steps: run.steps.length, repeatedSteps: run.steps.length });
        expect(result).toMatchObject({ requests, repeatedRequests: requests });
      }
    },
  );

  it('goes on where a process that was killed had left its ledger', async () => {
    const runs = lived(5, { ...CALM, crashes: 300, delayMs: 80 });
    expect(runs.length).toBeGreaterThan(2);
    let signatures = 0;
    for (const run of runs) {
      const result = await replayed(run);
      expect(result.difference).toBeNull();
      signatures += result.signatures;
    }
    expect(signatures).toBeGreaterThan(20);
    // The run includes its initial ledger: with an empty one the second run decides differently.
    const later = runs.slice(1).find(({ steps }) => steps.length > 100);
    const second = must(later, 'a later run of some length');
    expect((await replayed({ ...second, ledger: null })).difference).not.toBeNull();
  });
});
