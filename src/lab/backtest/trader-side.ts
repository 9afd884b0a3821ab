/** The live trader's code as a backtest builds it: a ledger in memory, and a signer that has nothing to hide. */

import type { TraderSettings } from '../../trader/engine/settings.js';
import { Trader } from '../../trader/engine/trader.js';
import type { DraftSigner } from '../../trader/executor/contract.js';
import { Executor } from '../../trader/executor/executor.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import { openMemoryLedger } from '../../trader/ledger/ledger.js';
import { SIGNATURE } from './in-process-exchange.js';

export type BacktestTraderSettings = Omit<TraderSettings, 'runId' | 'boundedCall' | 'findModule' | 'startedWith'>;

/**
 * Each field by its name: of a spread V8 makes an object of another hidden class for every backtest of a sweep, and compiles whatever reads the
 * settings for each of them, until it gives up telling them apart. The type has none of them forgotten.
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
