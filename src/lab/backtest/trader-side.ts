/** The live trader's code as a backtest builds it: a ledger in memory, and a signer that has nothing to hide. */

import { Trader } from '../../trader/engine/trader.js';
import type { DraftSigner } from '../../trader/executor/contract.js';
import { Executor } from '../../trader/executor/executor.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import { openMemoryLedger } from '../../trader/ledger/ledger.js';
import type { BacktestPlan } from './contract.js';
import { SIGNATURE } from './in-process-exchange.js';

const RUN_ID = 'backtest';

export interface TraderSide {
  readonly trader: Trader;
  readonly ledger: Ledger;
}

export function startTrader({ trader: settings }: BacktestPlan, nowMs: number): TraderSide {
  const ledger = openMemoryLedger();
  const signer: DraftSigner = { sign: () => ({ ok: true, signature: SIGNATURE }) };
  const executor = new Executor(ledger, signer, settings.profile, {
    runId: RUN_ID,
    configHash: settings.configHash,
    ownPollMs: settings.polling.ownIntervalMs,
  });
  const whole = { ...settings, runId: RUN_ID, boundedCall: <T>(call: () => T): T => call() };
  return { trader: new Trader(whole, ledger, executor, nowMs), ledger };
}
