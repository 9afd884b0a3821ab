/** The live trader's code as a backtest builds it: a ledger in memory, and a signer without secrets. */

import type { TraderSettings } from '../../trader/engine/settings.js';
import { Trader } from '../../trader/engine/trader.js';
import type { DraftSigner } from '../../trader/executor/contract.js';
import { Executor } from '../../trader/executor/executor.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import { openMemoryLedger } from '../../trader/ledger/ledger.js';
import { SIGNATURE } from './in-process-exchange.js';

export type BacktestTraderSettings = Omit<TraderSettings, 'runId' | 'boundedCall' | 'findModule' | 'startedWith'>;

/**
 * Field by field: a spread makes an object of a new hidden class for every backtest of a sweep, which V8 compiles again
 * and again. The type ensures that none is missing.
 */
export function completeSettings(settings: BacktestTraderSettings): TraderSettings & Required<BacktestTraderSettings> {
  const { configHash, version, profile, capitalMicros, risk, polling, merge, economics, events, strategies } = settings;
  const { feeds = [] } = settings;
  return {
    runId: 'backtest',
    configHash,
    version,
    profile,
    capitalMicros,
    risk,
    polling,
    merge,
    economics,
    events,
    strategies,
    feeds,
    boundedCall: <T>(call: () => T): T => call(),
  };
}

export interface TraderSide {
  readonly trader: Trader;
  readonly ledger: Ledger;
}

export function startTrader(trader: BacktestTraderSettings, nowMs: number): TraderSide {
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
