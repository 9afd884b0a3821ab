/** Keeps a simulated trader's inputs and requests in memory, in the form of a journal on disk. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ReplayResult, replay } from '../../../src/lab/replay/replay.js';
import { must } from '../../../src/shared/base/errors.js';
import type { Observation, Request } from '../../../src/shared/protocol/seam.js';
import { StepInputRecorder } from '../../../src/shell/journal/journal-writer.js';
import type { RunStep } from '../../../src/shell/journal/runs.js';
import type { IntentSigner } from '../../../src/trader/executor/contract.js';
import { openLedger, openMemoryLedger } from '../../../src/trader/ledger/ledger.js';
import { traderSettings } from '../../simulation/setting.js';
import type { Diary } from '../../simulation/world.js';

export interface KeptRun {
  readonly runId: string;
  readonly startedMs: number;
  /** The content of the ledger's file at the start; null for a replay without it. */
  readonly ledger: Uint8Array | null;
  readonly steps: RunStep[];
}

export class MemoryDiary implements Diary {
  readonly runs: KeptRun[] = [];
  #witness = new StepInputRecorder();

  get onlyRun(): KeptRun {
    return must(this.runs[0], 'the run of a world');
  }

  begin(runId: string, ledgerFile: string, startedMs: number): (signer: IntentSigner) => IntentSigner {
    const ledger = existsSync(ledgerFile) ? readFileSync(ledgerFile) : freshLedger();
    this.runs.push({ runId, startedMs, ledger, steps: [] });
    const witness = new StepInputRecorder();
    this.#witness = witness;
    return (signer) => witness.signer(signer);
  }

  step(observation: Observation, requests: readonly Request[]): void {
    const steps = this.runs.at(-1)?.steps ?? [];
    const step: RunStep = { index: steps.length, observation, requests, failure: null, ...this.#witness.take() };
    // The form after reading from disk.
    steps.push(JSON.parse(JSON.stringify(step)) as RunStep);
  }
}

/** Decides a run once more, from its own ledger. */
export function replayed(run: KeptRun, changes: Partial<Parameters<typeof replay>[0]> = {}): Promise<ReplayResult> {
  const ledger = openMemoryLedger(run.ledger);
  const { runId, startedMs, steps } = run;
  const plan = { trader: traderSettings(runId), startedMs, strategyLimitMs: 250, ledger, steps, ...changes };
  return replay(plan).finally(() => ledger.close());
}

/** A run copies its ledger after opening it: the first run's ledger is empty but exists. */
function freshLedger(): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-fresh-'));
  try {
    const path = join(folder, 'ledger.sqlite');
    openLedger(path, { pid: process.pid, startedMs: 0 }).close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
