/** The trader of the benchmarks: a real executor and engine on a real ledger; limits and budgets never bind. */

import { micros } from '../../src/shared/base/micros.js';
import type { VenueProfile } from '../../src/shared/protocol/profile.js';
import type { Wallet } from '../../src/shell/wallet/wallet.js';
import { Trader } from '../../src/trader/engine/trader.js';
import { Executor } from '../../src/trader/executor/executor.js';
import type { Ledger } from '../../src/trader/ledger/contract.js';
import { riskLimitsSchema } from '../../src/trader/risk/limits.js';
import type { ParamValues, Strategy } from '../../src/trader/strategy/contract.js';
import { USUAL_ECONOMICS } from '../../src/trader/strategy/economics.js';
import { profile } from '../shell/client/hostile-server.js';
import { POLLING } from '../trader/scheduler/world.js';

export const BENCH_PROFILE: VenueProfile = {
  ...profile,
  // High enough that the trader's own work is the limit.
  rate_limits: { public_per_minute: 100_000, signed_per_minute: 100_000, bootstrap_per_minute: 100_000 },
};

export interface BenchTrader {
  readonly wallet: Wallet;
  readonly ledger: Ledger;
  readonly strategy: Strategy;
  readonly params: ParamValues;
  /** Maximum number of quoted markets. */
  readonly markets: number;
  readonly nowMs: number;
}

export function benchTrader({ wallet, ledger, strategy, params, markets, nowMs }: BenchTrader): Trader {
  const signer = wallet.draftSigner({
    service_name: BENCH_PROFILE.service_name,
    draft_message: BENCH_PROFILE.draft_message,
    allowBlindSigning: false,
    loadDraft: (id) => ledger.storedDraft(id),
  });
  const run = { runId: 'bench', configHash: 'bench' };
  const executor = new Executor(ledger, signer, BENCH_PROFILE, { ...run, ownPollMs: 1000 });
  const risk = riskLimitsSchema.parse({
    max_open_orders: 10_000,
    max_total_cost: '1000000',
    max_loss_day: '100000',
    max_actions_per_second: 10_000,
    max_actions_per_minute: 100_000,
    max_fills: 10_000,
  });
  const settings = {
    ...run,
    version: 'bench',
    profile: BENCH_PROFILE,
    capitalMicros: micros(1_000_000_000_000),
    risk,
    polling: POLLING,
    merge: { enabled: true, minSharesMicros: micros(20_000_000) },
    economics: USUAL_ECONOMICS,
    events: [],
    strategies: [
      {
        name: 'maker',
        module: strategy,
        params,
        markets: { ids: [], state: 'open' as const, categories: [], max: markets },
        quoteHours: null,
        risk,
      },
    ],
    boundedCall: <T>(call: () => T): T => call(),
  };
  return new Trader(settings, ledger, executor, nowMs);
}
