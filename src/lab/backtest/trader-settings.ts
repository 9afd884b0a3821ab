/** What a backtest tells its trader: the settings of a live start, and what is the shell's there. */

import type { TraderSettings } from '../../trader/engine/settings.js';

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
