/** Applies new settings to a running trader between two steps. */

import { type Micros, sub } from '../../../shared/base/micros.js';
import type { ConfigureCommand } from '../../../shared/protocol/seam.js';
import type { RiskLimits } from '../../risk/limits.js';
import type { Economics } from '../../strategy/economics.js';
import { isOfPlace } from '../gate.js';
import type { MergeSettings, StrategySettings } from '../settings.js';
import type { TraderState } from '../state.js';
import { rememberConfig } from './config-history.js';

/** All settings that a running trader can change, as data. */
export interface LiveSettings {
  readonly capitalMicros: Micros;
  readonly risk: RiskLimits;
  readonly merge: MergeSettings;
  readonly economics: Economics;
  readonly strategies: readonly LiveStrategy[];
}

export interface LiveStrategy extends Omit<StrategySettings, 'module' | 'moduleKey'> {
  readonly moduleKey: string;
}

/**
 * Applies all new settings; applies none if the code of a strategy was not loaded. Requests in flight under the old
 * settings are withdrawn and decided again. Halts, pauses, a kill, loss marks and market estimates stay.
 */
export function configure(state: TraderState, command: ConfigureCommand, nowMs: number): void {
  // The shell wrote it from these types; the journal keeps it as text.
  const { strategies: wanted, ...live } = JSON.parse(command.config).settings as LiveSettings;
  const strategies = wanted.flatMap((strategy) => withModule(strategy, state));
  if (strategies.length < wanted.length) {
    return state.alert(nowMs, 'command_refused', `configure: the code of a strategy is not loaded; nothing was taken`);
  }
  const { capitalMicros: before } = state.settings;
  state.settings = { ...state.settings, ...live, strategies, configHash: command.hash };
  state.guards.configure(live.risk);
  if (live.capitalMicros !== before) {
    state.ledger.setCapital(live.capitalMicros, nowMs);
    state.capitalMoved(sub(live.capitalMicros, before));
  }
  state.executor.setConfigHash(command.hash);
  state.executor.withdraw(null, nowMs);
  state.queue.recall(isOfPlace, 'the configuration has changed');
  state.markets.configure(state.settings, nowMs);
  state.poller.expedite({ kind: 'catalog' });
  for (const { conditionId } of state.markets.all) state.requestRequote(conditionId);
  rememberConfig(state.ledger, { ...command, atMs: nowMs });
  const reason = command.reason === '' ? '' : `: ${command.reason}`;
  state.alert(nowMs, 'configured', `configuration ${command.hash.slice(0, 12)} is in force (${command.by}${reason})`);
}

/** Keeps the running module if its code is unchanged. */
function withModule(strategy: LiveStrategy, { settings }: TraderState): readonly StrategySettings[] {
  const running = settings.strategies.find(
    ({ name, moduleKey }) => name === strategy.name && moduleKey === strategy.moduleKey,
  );
  const module = running?.module ?? settings.findModule?.(strategy.moduleKey) ?? null;
  return module === null ? [] : [{ ...strategy, module }];
}
