/** A run as data: what the core was made of. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import { shippedStrategies, shippedStrategyFile } from '../config/shipped.js';
import type { Config, StrategyConfig } from '../config/types.js';
import type { JournaledStrategy, RunDescription } from './contract.js';

export interface RunFacts {
  readonly config: Config;
  readonly runId: string;
  readonly version: string;
  readonly startedMs: number;
  /** As it is traded on. */
  readonly profile: VenueProfile;
  readonly strategyLimitMs: number;
}

/** Throws what the file system says when a shipped strategy's file is gone since it was loaded. */
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
  const { name, file, moduleName, params, markets, quoteHours, risk } = strategy;
  const moduleFile = findModuleFile(strategy);
  return {
    name,
    file,
    fileText: existsSync(file) ? readFileSync(file, 'utf8') : '',
    moduleName,
    moduleFile,
    moduleText: strategy.moduleFiles[0]?.text ?? readFileSync(moduleFile, 'utf8'),
    moduleFiles: strategy.moduleFiles,
    params,
    markets,
    quoteHours,
    risk,
  };
}

function findModuleFile({ moduleName, file }: StrategyConfig): string {
  if (shippedStrategies().includes(moduleName)) return shippedStrategyFile(moduleName);
  return isAbsolute(moduleName) ? moduleName : resolve(dirname(file), moduleName);
}
