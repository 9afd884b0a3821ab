import { describe, expect, it } from 'vitest';
import type { ReplayResult } from '../../../src/backtest/replay/contract.js';
import { replay } from '../../../src/backtest/replay/replay.js';
import { openMemoryLedger } from '../../../src/ledger/ledger.js';
import { CALM, type Faults } from '../../simulation/faults.js';
import { traderSettings } from '../../simulation/setting.js';
import { simulate } from '../../simulation/simulate.js';
import { type KeptRun, MemoryDiary } from './diary.js';

const MINUTE_MS = 60_000;

async function replayed(run: KeptRun, trader = traderSettings(run.runId)): Promise<ReplayResult> {
  const ledger = openMemoryLedger(run.ledger);
  try {
    return await replay({ trader, startedMs: run.startedMs, strategyLimitMs: 250, ledger, steps: run.steps });
  } finally {
    ledger.close();
  }
}

function lived(seed: number, faults?: Faults): readonly KeptRun[] {
  const diary = new MemoryDiary();
  const { violations } = simulate({ seed, faultyMs: MINUTE_MS, diary, ...(faults === undefined ? {} : { faults }) });
  expect(violations).toEqual([]);
  return diary.runs;
}

describe('a run that is decided once more', () => {
  it.each([1, 2, 3, 4])('seed %i: repeats every request of a hostile world, run after run', async (seed) => {
    for (const run of lived(seed)) {
      const result = await replayed(run);
      const requests = run.steps.reduce((sum, step) => sum + step.requests.length, 0);
      expect(result.difference).toBeNull();
      expect(result).toMatchObject({ steps: run.steps.length, repeatedSteps: run.steps.length });
      expect(result).toMatchObject({ requests, repeatedRequests: requests, after: null });
    }
  });

  it('goes on where a process that was killed had left its ledger', async () => {
    const runs = lived(5, { ...CALM, crash: 0.002, crashPending: 0.05, delayMs: 80 });
    expect(runs.length).toBeGreaterThan(2);
    let signatures = 0;
    for (const run of runs) {
      const result = await replayed(run);
      expect(result.difference).toBeNull();
      signatures += result.signatures;
    }
    expect(signatures).toBeGreaterThan(20);
    // The ledger that a run began with is part of it: with an empty one the second run decides otherwise.
    const second = runs.find(({ ledger, steps }) => ledger !== null && steps.length > 100);
    if (second === undefined) throw new Error('no later run of some length');
    expect((await replayed({ ...second, ledger: null })).difference).not.toBeNull();
  });
});
