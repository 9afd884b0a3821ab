/** The live trader's code as a backtest builds it: a ledger in memory, and a signer that has nothing to hide. */

import { Trader } from '../../trader/engine/trader.js';
import type { DraftSigner } from '../../trader/executor/contract.js';
import { Executor } from '../../trader/executor/executor.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import { openMemoryLedger } from '../../trader/ledger/ledger.js';
import type { BacktestPlan } from './contract.js';
import { SIGNATURE } from './in-process-exchange.js';
import { completeSettings } from './trader-settings.js';

export interface TraderSide {
  readonly trader: Trader;
  readonly ledger: Ledger;
}

export function startTrader({ trader }: BacktestPlan, nowMs: number): TraderSide {
  const settings = completeSettings(trader);
  const ledger = openMemoryLedger();
  const signer: DraftSigner = { sign: () => ({ ok: true, signature: SIGNATURE }) };
  const executor = new Executor(ledger, signer, settings.profile, {
    runId: settings.runId,
    configHash: settings.configHash,
    ownPollMs: settings.polling.ownIntervalMs,
  });
  return { trader: new Trader(settings, ledger, executor, nowMs), ledger };
}
