/** A run as data: the inputs of the core. */

import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { Config, StrategyConfig } from '../config/types.js';
import type { JournaledStrategy, RunDescription } from './contract.js';

export interface RunFacts {
  readonly config: Config;
  readonly runId: string;
  readonly version: string;
  readonly startedMs: number;
  /** With the actual address. */
  readonly profile: VenueProfile;
  readonly strategyLimitMs: number;
}

export function describeRun(facts: RunFacts, ledgerMissing: string | null): RunDescription {
  const { config, runId, version, startedMs, profile, strategyLimitMs } = facts;
  return {
    format: 1,
    runId,
    version,
    configHash: config.configHash,
    configFile: config.file,
    ledgerPath: config.ledger.path,
    startedMs,
    profile,
    capitalMicros: config.capitalMicros,
    risk: config.risk,
    polling: config.polling,
    merge: config.merge,
    economics: config.economics,
    events: config.events,
    feeds: config.feeds.map(({ name, maxAgeMs }) => ({ name, maxAgeMs })),
    strategyLimitMs,
    strategies: config.strategies.map(describeStrategy),
    ledgerMissing,
  };
}

function describeStrategy(strategy: StrategyConfig): JournaledStrategy {
  const { name, file, moduleName, moduleKey, params, markets, quoteHours, risk } = strategy;
  return { name, file, moduleName, moduleKey, params, markets, quoteHours, risk };
}
