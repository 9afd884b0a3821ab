/**
 * Earliest time at which a timer alone makes the trader act. The shell may skip ticks before it, and the trader ignores
 * those that come. If uncertain, the result is "now": an extra tick costs a microsecond, a skipped one would change the
 * trader's actions.
 */

import { minMicros } from '../../shared/base/micros.js';
import { isSettledMarket } from '../../shared/protocol/states.js';
import { scarceCash } from './control/complete-sets.js';
import { isShort } from './control/core-sets.js';
import { LADDER, type Mode } from './control/modes.js';
import type { MarketEntry } from './markets.js';
import { heldIn } from './own/own-state.js';
import type { TraderState } from './state.js';

/** Tick interval, ms, for the executor's due work and the valuation. The executor needs at least one a second. */
export const TICK_MS = 500;

/** Modes without repeated requests to the exchange. */
export const CALM_MODES: readonly Mode[] = ['starting', 'quoting', 'widened', 'reducing', 'paused', 'halted', 'killed'];

/** Our clock, ms: at most the first time after the newest step at which a tick has work. */
export function quietUntilMs(state: TraderState): number {
  const nowMs = state.seenMs;
  if (!isCalm(state, nowMs)) return nowMs;
  const releaseMs = state.queue.nextReleaseMs(nowMs) ?? Number.POSITIVE_INFINITY;
  const roundMs = state.reconciler.againMs;
  let untilMs = Math.min(state.tickedMs + TICK_MS, state.poller.quietUntilMs, releaseMs, roundMs);
  for (const entry of state.markets.all) untilMs = Math.min(untilMs, marketQuietUntilMs(state, entry));
  return Math.max(nowMs, untilMs);
}

/** True when the newest step left no work for the next one and the request budget is unchanged until then. */
function isCalm(state: TraderState, nowMs: number): boolean {
  if (state.isStale || state.modes.wantsProof || !CALM_MODES.includes(state.mode().mode)) return false;
  return (state.own.unsettled === 0) === (state.settledMs !== null) && state.queue.isSteady(nowMs);
}

/** Our clock, ms: first time at which a timer alone lets an action begin in this market. */
export function marketQuietUntilMs(state: TraderState, entry: MarketEntry): number {
  let untilMs = mayConvert(state, entry) ? entry.nextConversionMs : Number.POSITIVE_INFINITY;
  for (const slot of entry.slots) {
    if (slot.dirty) return Number.NEGATIVE_INFINITY;
    untilMs = Math.min(untilMs, slot.dueMs);
  }
  return untilMs;
}

/** True when a conversion, or the cancels before a merge, could begin here at some time. */
function mayConvert(state: TraderState, { feed, conditionId, slots }: MarketEntry): boolean {
  const { facts } = feed;
  const { conversions } = LADDER[state.mode().mode];
  if (conversions === 'none' || facts === null) return false;
  const core = state.coreSets.of(slots);
  const sets = state.own.exposure.setsMicros(conditionId);
  const splits = conversions === 'all' && facts.phase === 'open';
  if (splits && isShort(core.sharesMicros, sets, state.settings.economics)) return true;
  const { yesMicros, noMicros } = heldIn(state.own, conditionId);
  if (yesMicros === 0 && noMicros === 0) return false;
  if (isSettledMarket(facts.phase)) return true;
  const { enabled, minSharesMicros } = state.settings.merge;
  const pairs = minMicros(yesMicros, noMicros);
  const enough = pairs >= minSharesMicros || (scarceCash(state.own) && pairs >= facts.minAmountMicros);
  return enabled && facts.phase === 'open' && enough;
}
