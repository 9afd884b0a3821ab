/** The trader's actions after each observation: quote, convert, prove that no order rests, poll. */

import { minMicros } from '../../shared/base/micros.js';
import type { PlannedRequest } from '../../shared/protocol/seam.js';
import { isSettledMarket } from '../../shared/protocol/states.js';
import { type ConversionRules, convert, isShort, mergeBlockers, NO_CORE, scarceCash } from './control/complete-sets.js';
import { FLATTEN, flattenAll, flattenMarkets } from './control/flatten.js';
import { LADDER, type Mode } from './control/modes.js';
import { pausedBecause, unclaimedBecause } from './control/pauses.js';
import { isOfPlace, type StepContext } from './gate.js';
import type { MarketEntry } from './markets.js';
import { heldIn } from './own/own-state.js';
import { askDue } from './polling.js';
import {
  type EventTurns,
  findHold,
  isInStartupGrace,
  isUnassigned,
  makeView,
  NO_TURNS,
  takeEventTurns,
} from './quoting/event-turns.js';
import type { QuoteSlot } from './quoting/quote-slot.js';
import { cancelAll, quoteSlot } from './quoting/quoting.js';
import { makeStepContext } from './quoting/step-context.js';
import { react } from './reactions.js';
import { showTitle, type TraderState } from './state.js';

export function act(state: TraderState, nowMs: number): void {
  state.bornMs ??= nowMs;
  // First: a command that forbids something must hold before waiting requests are sent.
  applyRung(state, nowMs);
  const ticking = nowMs - state.tickedMs >= TICK_MS || nowMs < state.tickedMs;
  if (ticking) {
    state.tickedMs = nowMs;
    react(state, state.executor.tick(nowMs, state.venueClock.nowMs(nowMs)), nowMs);
    for (const conditionId of [...state.own.held.keys(), ...state.own.orders.keys()]) state.track(conditionId);
    state.markets.forget((conditionId) => state.isOurs(conditionId));
    state.valuation.forget((market) => state.markets.get(market) !== undefined);
    state.valueHoldings(nowMs);
    state.feeds.look(state, nowMs);
    state.selection.look(state, nowMs);
    state.requestPrice.look(state.queue, nowMs);
    for (const { kind, text } of state.budgetWatch.look(state.queue, nowMs)) state.alert(nowMs, kind, text);
  }
  if (!state.modes.isStarted && state.reconciler.isComplete) {
    state.modes.onStart();
    state.notify(nowMs, 'started', 'own orders, fills and assets have been read; quoting begins');
  }
  const { mode, reason } = state.mode();
  if (mode === 'stopped') return;
  applyRung(state, nowMs);
  const hold = LADDER[mode].orders === 'quotes' ? null : `${mode}: ${reason}`;
  actInMarkets(state, hold, ticking, nowMs);
  if (ticking && mode === 'flattening') flattenAll(state, nowMs);
  else if (ticking && LADDER[mode].orders === 'quotes') flattenMarkets(state, nowMs);
  pollForProof(state, ticking, nowMs);
  state.polling.quoting = LADDER[mode].orders === 'quotes';
  askDue(state, mode === 'stopping', nowMs);
}

function actInMarkets(state: TraderState, hold: string | null, ticking: boolean, nowMs: number): void {
  let context: StepContext | null = null;
  let turns = NO_TURNS;
  if (state.markets.sandboxes.haveEvents) {
    context = makeStepContext(state, hold, nowMs);
    turns = takeEventTurns(state, context);
  }
  for (const entry of state.markets.all) {
    if (hasNothingDue(state, entry, nowMs)) {
      state.markets.saveOwnFills(entry);
      if (!ticking || !state.own.orders.has(entry.conditionId)) continue;
      context ??= makeStepContext(state, hold, nowMs);
      if (cancelOrphans(state, entry, context)) state.invalidateOwn();
      continue;
    }
    context ??= makeStepContext(state, hold, nowMs);
    actInMarket(state, entry, context, turns, ticking);
    entry.actedOn = { own: context.own, mode: state.mode() };
  }
}

/** True when nothing changed since the market's last turn and no timer of it is due. */
function hasNothingDue(state: TraderState, entry: MarketEntry, nowMs: number): boolean {
  const { actedOn } = entry;
  const mode = state.mode();
  if (state.isStale || actedOn?.own !== state.own || actedOn.mode !== mode || !CALM_MODES.includes(mode.mode))
    return false;
  return !state.pauses.isFlattening(entry.conditionId) && nowMs < marketQuietUntilMs(state, entry);
}

/** Sends the orders that the current rung allows and withdraws the others. */
function applyRung(state: TraderState, nowMs: number): void {
  const { mode } = state.mode();
  const { orders, conversions, stance } = LADDER[mode];
  state.executor.setConverting(conversions);
  if (conversions !== 'all')
    state.queue.recall(conversions === 'none' ? isOfConversion : isOfSplit, `the trader is ${mode}`);
  // Flattening sells. Quotes that were in flight when it began must not rest afterwards.
  state.executor.setPlacing(orders === 'sales' ? { onlyStrategy: FLATTEN } : orders === 'quotes');
  // Orders in flight that were decided under a milder rung are withdrawn and quoted again under this one. The same
  // holds for orders that reduce a position that an odd or reverted fill has changed since.
  const isOutdated = state.guards.fillAlarm.takeNew() || stance !== state.stance;
  const isWishedAnew = orders !== 'none' && stance !== 'normal' && isOutdated;
  if (isWishedAnew) state.executor.withdraw(null, nowMs);
  // Orders that wait for the request budget must not leave now, even if they are signed.
  if (orders === 'none' || isWishedAnew) state.queue.recall(isOfPlace, `the trader is ${mode}`);
  if (stance !== state.stance) for (const { conditionId } of state.markets.all) state.requestRequote(conditionId);
  state.stance = stance;
}

const isOfSplit = ({ call }: PlannedRequest): boolean =>
  call.endpoint === 'splits.create' || call.endpoint === 'splits.submit';
const TO_CURRENCY_CALLS: readonly string[] = ['merges.create', 'merges.submit', 'redeems.create', 'redeems.submit'];
const isOfConversion = (request: PlannedRequest): boolean =>
  isOfSplit(request) || TO_CURRENCY_CALLS.includes(request.call.endpoint);

function actInMarket(
  state: TraderState,
  entry: MarketEntry,
  usual: StepContext,
  turns: EventTurns,
  ticking: boolean,
): void {
  const { nowMs } = usual;
  const isFlattening = state.pauses.isFlattening(entry.conditionId);
  const paused = isFlattening ? unclaimedBecause(state, entry.conditionId) : pausedBecause(state, entry.conditionId);
  const hold = findHold(state, entry, usual);
  const context = hold === usual.hold ? usual : makeStepContext(state, hold, nowMs);
  context.refresh();
  // No conversion where the signer refused one.
  const { conversions } = LADDER[state.mode().mode];
  let begun = false;
  if (conversions !== 'none' && paused === undefined) {
    // Before the slots: quotes must not offer the shares that a merge takes.
    const rules = conversionRules(state, entry, conversions === 'all');
    begun = convert(entry, rules, context);
    begun = cancelAll(mergeBlockers(entry, rules.merge, rules.core, context), entry.conditionId, context) || begun;
  }
  if (begun) {
    state.invalidateOwn();
    context.refresh();
  }
  for (const slot of entry.slots) {
    const { eventSandbox } = slot;
    const view = eventSandbox === null ? viewIfDue(state, entry, slot, nowMs) : turns.get(eventSandbox)?.get(entry);
    if (view === undefined || isInStartupGrace(state, slot, view)) continue;
    begun = quoteSlot(slot, entry, view, context) || begun;
    state.coreSets.take(slot, slot.quotes);
    remember(state, slot, nowMs);
    sayFailure(state, slot, nowMs);
  }
  state.markets.saveOwnFills(entry);
  withdrawUnwanted(state, entry, nowMs);
  if (ticking) begun = cancelOrphans(state, entry, context) || begun;
  if (begun) state.invalidateOwn();
}

/** Undefined until the slot's next turn is due. */
const viewIfDue = (state: TraderState, entry: MarketEntry, slot: QuoteSlot, nowMs: number) =>
  slot.isDue(nowMs) ? makeView(state, entry, slot, nowMs) : undefined;

/** Withdraws orders in flight to a market that no strategy quotes any more. */
function withdrawUnwanted(state: TraderState, { conditionId, slots }: MarketEntry, nowMs: number): void {
  if (slots.length === 0 || slots.some(({ quotes }) => quotes.fairMicros !== null)) return;
  const orders = state.own.orders.get(conditionId) ?? [];
  if (orders.some(({ phase, strategy }) => phase === 'pending' && strategy !== FLATTEN)) {
    state.executor.withdraw(conditionId, nowMs);
  }
}

/** Flattening merges every complete set down to the market's lot, even where a strategy keeps some. */
function conversionRules(
  state: TraderState,
  { feed, conditionId, slots }: MarketEntry,
  splits: boolean,
): ConversionRules {
  const lot = feed.facts?.lotMicros;
  const markMicros = state.valuation.marks.get(conditionId) ?? null;
  const isFlattening = state.mode().mode === 'flattening' || state.pauses.isFlattening(conditionId);
  if (!isFlattening || lot === undefined)
    return { merge: state.settings.merge, core: state.coreSets.of(slots), splits, markMicros };
  return { merge: { enabled: true, minSharesMicros: lot }, core: NO_CORE, splits: false, markMicros };
}

/** Cancels orders of strategies that no longer quote this market: nothing else would move them. */
function cancelOrphans(state: TraderState, { conditionId, slots }: MarketEntry, context: StepContext): boolean {
  const orders = state.own.orders.get(conditionId);
  if (orders === undefined || isUnassigned(state)) return false;
  const orphans = orders.filter((order) => !slots.some(({ strategy }) => strategy.name === order.strategy));
  return cancelAll(orphans, conditionId, context);
}

/** Stores what the strategy wants to keep over a restart, in the same step. */
function remember(state: TraderState, slot: QuoteSlot, nowMs: number): void {
  const { sandbox } = slot;
  if (slot.quotedMs === nowMs && sandbox?.isSaveDue(nowMs) === true) state.markets.saveStrategy(slot, nowMs);
  const trouble = sandbox?.takeMemoryTrouble() ?? null;
  if (trouble === null) return;
  const place = slot.eventSandbox === null ? `"${showTitle(state, slot.conditionId)}"` : `event ${slot.memoryId}`;
  const where = `strategy ${slot.strategy.name} in ${place}`;
  state.alert(nowMs, 'strategy_memory', `${where}: ${trouble}`);
}

/** Reports a failed strategy, whether it failed on creation, on an observation or on a quote. */
function sayFailure(state: TraderState, slot: QuoteSlot, nowMs: number): void {
  const failure = slot.sandbox?.takeFailure() ?? null;
  if (failure === null) return;
  const where = slot.eventSandbox === null ? `market ${slot.conditionId}` : `all markets of event ${slot.memoryId}`;
  const text = `strategy ${slot.strategy.name} is stopped in ${where}: ${failure}`;
  state.alert(nowMs, 'strategy_failed', text);
}

/** While a proof is required and no own request is unsettled, keeps reading the own resting orders. */
function pollForProof(state: TraderState, ticking: boolean, nowMs: number): void {
  if (state.own.unsettled > 0) {
    state.settledMs = null;
    state.modes.onUnsettled();
    return;
  }
  state.settledMs ??= nowMs;
  // Only on ticks: otherwise an exchange that refuses connections would be polled as fast as it refuses.
  if (ticking && state.modes.wantsProof) state.poller.expedite({ kind: 'orders' });
}

/**
 * Earliest time at which a timer alone makes the trader act. The shell may skip ticks before it, and the trader ignores
 * those that come. If uncertain, the result is "now": an extra tick costs a microsecond, a skipped one would change the
 * trader's actions.
 */

/** Tick interval, ms, for the executor's due work and the valuation. The executor needs at least one a second. */
const TICK_MS = 500;

/** Modes without repeated requests to the exchange. */
const CALM_MODES: readonly Mode[] = ['starting', 'quoting', 'widened', 'reducing', 'paused', 'halted', 'killed'];

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
function marketQuietUntilMs(state: TraderState, entry: MarketEntry): number {
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
