/** The trader of a run, made again as the daemon made it, but for its key and its clock. */

import type { BoundedCall } from '../../trader/engine/quoting/hosted-quoter.js';
import { Trader } from '../../trader/engine/trader.js';
import type { DraftSigner } from '../../trader/executor/contract.js';
import { Executor } from '../../trader/executor/executor.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import type { ReplayedTrader } from './contract.js';

export interface Remade {
  readonly trader: ReplayedTrader;
  /** As it was at the start; written from here on. */
  readonly ledger: Ledger;
  /** Our clock, ms. */
  readonly startedMs: number;
  readonly signer: DraftSigner;
  readonly boundedCall: BoundedCall;
}

export function remadeTrader({ trader: settings, ledger, startedMs, signer, boundedCall }: Remade): Trader {
  const { runId, configHash, profile, polling } = settings;
  const executor = new Executor(ledger, signer, profile, {
    runId,
    configHash,
    ownPollMs: polling.ownIntervalMs,
  });
  return new Trader({ ...settings, boundedCall }, ledger, executor, startedMs);
}
