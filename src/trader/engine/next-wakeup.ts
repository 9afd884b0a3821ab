/**
 * Until when the passing of time alone makes the trader do nothing: its shell may leave out the beats before, and the
 * trader passes over those that come. Where that is not certain the answer is "now": an extra beat costs a
 * microsecond, a skipped one would change what the trader does.
 */

import { minMicros } from '../../shared/base/micros.js';
import { isSettledMarket } from '../../shared/protocol/states.js';
import { scarceCash } from './control/complete-sets.js';
import { isShort } from './control/core-sets.js';
import { LADDER, type Mode } from './control/modes.js';
import type { MarketEntry } from './markets.js';
import { heldIn } from './own/own-state.js';
import type { TraderState } from './state.js';

/** The executor's due work and the valuation; the executor asks for at least once a second. */
export const TICK_MS = 500;

/** Modes in which nothing is asked of the exchange again and again. */
export const CALM_MODES: readonly Mode[] = ['starting', 'quoting', 'widened', 'reducing', 'paused', 'halted', 'killed'];

/** Our clock, ms: not later than the first moment after the newest step at which a beat has something to do. */
export function quietUntilMs(state: TraderState): number {
  const nowMs = state.seenMs;
  if (!isCalm(state, nowMs)) return nowMs;
  const releaseMs = state.queue.nextReleaseMs(nowMs) ?? Number.POSITIVE_INFINITY;
  const roundMs = state.reconciler.againMs;
  let untilMs = Math.min(state.tickedMs + TICK_MS, state.poller.quietUntilMs, releaseMs, roundMs);
  for (const entry of state.markets.all) untilMs = Math.min(untilMs, marketQuietUntilMs(state, entry));
  return Math.max(nowMs, untilMs);
}

/** The newest step has left nothing to be taken in by the next, and the request budget does not change by itself. */
function isCalm(state: TraderState, nowMs: number): boolean {
  if (state.isStale || state.modes.wantsProof || !CALM_MODES.includes(state.mode().mode)) return false;
  return (state.own.unsettled === 0) === (state.settledMs !== null) && state.queue.isSteady(nowMs);
}

/** Our clock, ms: the first moment at which the passing of time alone lets something begin in this market. */
export function marketQuietUntilMs(state: TraderState, entry: MarketEntry): number {
  let untilMs = mayConvert(state, entry) ? entry.nextConversionMs : Number.POSITIVE_INFINITY;
  for (const slot of entry.slots) {
    if (slot.dirty) return Number.NEGATIVE_INFINITY;
    untilMs = Math.min(untilMs, slot.dueMs);
  }
  return untilMs;
}

/** Whether a conversion, or the cancels that make way for a merge, could be begun here at some time. */
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
