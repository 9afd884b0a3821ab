/** Second part of a step: quotes, converts shares, verifies that no order rests if required, and polls the exchange. */

import { minMicros, ZERO } from '../../shared/base/micros.js';
import type { PlannedRequest } from '../../shared/protocol/seam.js';
import { isSettledMarket } from '../../shared/protocol/states.js';
import type { MarketView } from '../market/view.js';
import {
  conversionRules,
  convert,
  countUnsettled,
  decidePull,
  FLATTEN,
  flattenAll,
  flattenMarkets,
  isShort,
  scarceCash,
} from './control/complete-sets.js';
import { LADDER, type Mode } from './control/modes.js';
import { makeStepContext, type StepContext } from './gate.js';
import type { MarketEntry, Markets } from './markets.js';
import { type Notices, showTitle } from './notices.js';
import { heldIn } from './own/own-state.js';
import { findExcess } from './quoting/changes.js';
import { findHold, isInStartupGrace, isUnassigned, makeView, takeEventTurns } from './quoting/event-turns.js';
import type { QuoteSlot } from './quoting/quote-slot.js';
import { cancelAll, quoteSlot } from './quoting/quoting.js';
import { react } from './reactions.js';
import type { TraderState } from './state.js';

export function act(state: TraderState, nowMs: number): void {
  const { clock, safety, notices, requests } = state;
  clock.bornMs ??= nowMs;
  // The mode is applied first, so that a command can forbid requests that still wait in the queue.
  applyRung(state, nowMs);
  const ticking = nowMs - clock.tickedMs >= TICK_MS || nowMs < clock.tickedMs;
  if (ticking) tick(state, nowMs);
  if (!safety.modes.isStarted && state.reconciler.isComplete) {
    safety.modes.isStarted = true;
    notices.notify(nowMs, 'started', 'own orders, fills and assets have been read; quoting begins');
  }
  const { mode, reason } = safety.mode();
  if (mode === 'stopped') return;
  applyRung(state, nowMs);
  const hold = LADDER[mode].orders === 'quotes' ? null : `${mode}: ${reason}`;
  actInMarkets(state, hold, ticking, nowMs);
  if (ticking && mode === 'flattening') flattenAll(state, nowMs);
  else if (ticking && hold === null) flattenMarkets(state, nowMs);
  if (countUnsettled(state) > 0) safety.modes.onUnsettled();
  else {
    safety.modes.settledMs ??= nowMs;
    // Own orders are polled only on ticks, so that an unreachable exchange is not polled without a pause.
    if (ticking && safety.modes.wantsProof) requests.poller.expedite({ kind: 'orders' });
  }
  requests.polling.quoting = hold === null;
  askDue(state, mode === 'stopping', nowMs);
}

function tick(state: TraderState, nowMs: number): void {
  const { clock, markets, account, requests } = state;
  clock.tickedMs = nowMs;
  react(state, state.executor.tick(nowMs, clock.venue.nowMs(nowMs)), nowMs);
  const { held, orders } = account.own;
  for (const conditionId of [...held.keys(), ...orders.keys()]) markets.track(conditionId);
  markets.forget((conditionId) => account.isOurs(conditionId));
  account.valuation.forget((market) => markets.get(market) !== undefined);
  state.safety.valueHoldings(nowMs);
  state.feeds.look(state.notices, nowMs);
  state.selection.look(state, nowMs);
  requests.price.look(requests.queue, nowMs);
  for (const { kind, text } of requests.budgetWatch.look(requests.queue, nowMs)) state.notices.alert(nowMs, kind, text);
}

function actInMarkets(state: TraderState, hold: string | null, ticking: boolean, nowMs: number): void {
  let context: StepContext | null = null;
  let turns: ReturnType<typeof takeEventTurns> = new Map();
  if (state.markets.sandboxes.haveEvents) {
    context = makeStepContext(state, hold, nowMs);
    turns = takeEventTurns(state, context);
  }
  for (const entry of state.markets.all) {
    if (hasNothingDue(state, entry, nowMs)) {
      state.markets.saveOwnFills(entry);
      if (!ticking || !state.account.own.orders.has(entry.conditionId)) continue;
      context ??= makeStepContext(state, hold, nowMs);
      if (cancelOrphans(state, entry, context)) state.account.invalidate();
      continue;
    }
    context ??= makeStepContext(state, hold, nowMs);
    actInMarket(state, entry, context, turns, ticking);
    entry.actedOn = { own: context.own, mode: state.safety.mode() };
  }
}

/** Returns true if no input changed since the market was last processed, and none of the market's timers is due. */
function hasNothingDue(state: TraderState, entry: MarketEntry, nowMs: number): boolean {
  const { account, safety } = state;
  const { actedOn } = entry;
  const mode = safety.mode();
  if (account.isStale || actedOn?.own !== account.own || actedOn.mode !== mode || !CALM_MODES.includes(mode.mode))
    return false;
  return !safety.pauses.flattening.includes(entry.conditionId) && nowMs < marketQuietUntilMs(state, entry);
}

/** Applies the trader's current mode: withdraws orders and conversions in flight that the mode forbids. */
function applyRung({ executor, safety, markets }: TraderState, nowMs: number): void {
  const { mode } = safety.mode();
  const { orders, conversions, stance } = LADDER[mode];
  executor.allowed.converting = conversions;
  // During a flatten, only sales may be placed. Quotes in flight when a flatten begins must not rest afterwards.
  executor.allowed.placing = orders === 'sales' ? { onlyStrategy: FLATTEN } : orders === 'quotes';
  // If the risk stance changed, orders in flight that were decided under another stance are withdrawn and decided
  // again. The same happens after a fill that contradicts its signed order has changed the position.
  const isOutdated = safety.guards.fillAlarm.takeNew() || stance !== safety.stance;
  const isWishedAnew = orders !== 'none' && stance !== 'normal' && isOutdated;
  if (isWishedAnew) executor.withdraw(null, nowMs);
  if (stance !== safety.stance) markets.requestRequote();
  safety.stance = stance;
}

/** Returns true for a settled market that only an operator has paused: its shares are redeemed despite the pause. */
function mayRedeem({ safety }: TraderState, { conditionId, feed: { facts } }: MarketEntry): boolean {
  const isByOperator = ['operator', 'flattened'].includes(safety.pauses.get(conditionId)?.kind ?? '');
  return isByOperator && safety.whyUnclaimed(conditionId) === undefined && isSettledMarket(facts?.phase ?? 'open');
}

function actInMarket(
  state: TraderState,
  entry: MarketEntry,
  base: StepContext,
  turns: ReturnType<typeof takeEventTurns>,
  isTick: boolean,
): void {
  const { nowMs } = base;
  const { safety, account, markets } = state;
  const { conditionId } = entry;
  const paused = safety.isFlattening(conditionId) ? safety.whyUnclaimed(conditionId) : safety.whyPaused(conditionId);
  const hold = findHold(safety, conditionId, base.hold);
  const context = hold === base.hold ? base : makeStepContext(state, hold, nowMs);
  context.own = account.own;
  context.blockedMicros = ZERO;
  // A paused market converts nothing, for example after the signer refused a conversion.
  const { conversions } = LADDER[safety.mode().mode];
  let begun = false;
  if (conversions !== 'none' && (paused === undefined || mayRedeem(state, entry))) {
    // Conversions begin before quotes, because quotes must not offer shares that a merge takes.
    const rules = conversionRules(state, entry, conversions === 'all');
    const { sharesMicros, orders } = decidePull(entry, rules, context);
    begun = sharesMicros > 0 ? cancelAll(orders, conditionId, context) : convert(entry, rules, context);
    context.blockedMicros = sharesMicros;
  }
  if (begun) {
    account.invalidate();
    context.own = account.own;
  }
  for (const slot of entry.slots) {
    const { sandbox } = slot;
    let view: MarketView | null | undefined;
    if (sandbox?.event) view = turns.get(sandbox)?.get(entry);
    else if (nowMs >= slot.dueMs) view = makeView(state, entry, slot, nowMs);
    if (view === undefined || isInStartupGrace(state, slot, view)) continue;
    begun = quoteSlot(slot, entry, view, context) || begun;
    account.coreSets.take(slot, slot.quotes);
    finishTurn(markets, state.notices, slot, nowMs);
  }
  markets.saveOwnFills(entry);
  // If no strategy quotes the market any longer, the market's orders in flight are withdrawn.
  if (entry.slots.length > 0 && entry.slots.every(({ quotes }) => quotes.fairMicros === null)) {
    const orders = account.own.orders.get(conditionId) ?? [];
    if (orders.some(({ phase, strategy }) => phase === 'pending' && strategy !== FLATTEN))
      state.executor.withdraw(conditionId, nowMs);
  }
  if (isTick) begun = cancelOrphans(state, entry, context) || begun;
  if (LADDER[safety.mode().mode].stance === 'reduce-only') {
    const { yesMicros, noMicros } = heldIn(account.own, conditionId);
    const excess = findExcess(account.own.orders.get(conditionId) ?? [], yesMicros - noMicros);
    begun = cancelAll(excess, conditionId, context) || begun;
  }
  if (begun) account.invalidate();
}

/** Cancels orders of strategies that no longer quote this market. */
function cancelOrphans(state: TraderState, { conditionId, slots }: MarketEntry, context: StepContext): boolean {
  const orders = state.account.own.orders.get(conditionId);
  if (orders === undefined || isUnassigned(state)) return false;
  const orphans = orders.filter((order) => !slots.some(({ strategy }) => strategy.name === order.strategy));
  return cancelAll(orphans, conditionId, context);
}

/** Stores a strategy's state for a restart, and reports the strategy's failures. */
function finishTurn(markets: Markets, notices: Notices, slot: QuoteSlot, nowMs: number): void {
  const { sandbox, strategy, conditionId } = slot;
  if (sandbox === null) return;
  const { name } = strategy;
  if (sandbox.isSaveDue(nowMs)) markets.saveStrategy(slot, nowMs);
  const event = sandbox.event?.eventConditionId;
  const trouble = sandbox.takeMemoryTrouble();
  if (trouble !== null) {
    const place = event === undefined ? `"${showTitle(markets, conditionId)}"` : `event ${event}`;
    notices.alert(nowMs, 'strategy_memory', `strategy ${name} in ${place}: ${trouble}`);
  }
  const failure = sandbox.takeFailure();
  if (failure !== null) {
    const where = event === undefined ? `market ${conditionId}` : `all markets of event ${event}`;
    notices.alert(nowMs, 'strategy_failed', `strategy ${name} is stopped in ${where}: ${failure}`);
  }
}

/** Queues due polls; if `stopping`, only polls of own state. A poll of assets begins a reconciliation round. */
export function askDue({ requests, reconciler, account, safety }: TraderState, stopping: boolean, nowMs: number): void {
  const { queue, poller, polling } = requests;
  queue.setOpenOrders(account.own.exposure.workingOrders, safety.modes.wantsProof);
  if (nowMs >= reconciler.againMs) poller.expedite({ kind: 'assets' });
  const due = poller.takeDue(nowMs, polling.readFacts(stopping, nowMs));
  if (due.length === 0) return;
  // The round begins before reads of orders and trades in the same step, so these reads belong to the round.
  const round = due.filter(beginsRound).flatMap((request) => reconciler.begin(request, nowMs));
  for (const request of due) {
    if (request.call.endpoint === 'orders.list') reconciler.onAsk('orders');
    if (request.call.endpoint === 'trades.list') reconciler.onAsk('fills');
    for (const each of beginsRound(request) ? round : [request]) queue.push(each);
  }
}

/** Returns true for the assets poll, which begins a reconciliation round. The poll of marks has the same endpoint. */
const beginsRound = ({ owner }: PlannedRequest): boolean => owner.kind === 'poll' && owner.target.kind === 'assets';

/** Interval between the trader's ticks, ms. A tick runs the executor's due work and the valuation. */
const TICK_MS = 500;

/** Modes in which a market with unchanged inputs and no due timer is not processed. */
const CALM_MODES: readonly Mode[] = ['starting', 'quoting', 'widened', 'reducing', 'paused', 'halted', 'killed'];

/**
 * Earliest time at which a tick of the trader has work, our clock, ms. The shell may skip ticks before this time. In
 * doubt, the function returns the current time, because a skipped tick could change the trader's actions.
 */
export function quietUntilMs(state: TraderState): number {
  const { account, clock, requests, safety } = state;
  const { modes } = safety;
  const nowMs = clock.seenMs;
  if (account.isStale || modes.wantsProof || !CALM_MODES.includes(safety.mode().mode)) return nowMs;
  if ((countUnsettled(state) === 0) !== (modes.settledMs !== null)) return nowMs;
  // An unsteady request budget may change without a request, so every tick must then be processed.
  if (!requests.queue.isSteady(nowMs)) return nowMs;
  const releaseMs = requests.queue.nextReleaseMs(nowMs) ?? Number.POSITIVE_INFINITY;
  const roundMs = state.reconciler.againMs;
  let untilMs = Math.min(clock.tickedMs + TICK_MS, requests.poller.quietUntilMs, releaseMs, roundMs);
  for (const entry of state.markets.all) untilMs = Math.min(untilMs, marketQuietUntilMs(state, entry));
  return Math.max(nowMs, untilMs);
}

/** Earliest time at which a timer of this market starts an action, our clock, ms. */
function marketQuietUntilMs(state: TraderState, entry: MarketEntry): number {
  let untilMs = mayConvert(state, entry) ? entry.nextConversionMs : Number.POSITIVE_INFINITY;
  for (const { dueMs } of entry.slots) untilMs = Math.min(untilMs, dueMs);
  return untilMs;
}

/** Returns true if a conversion in this market, or a cancel that a merge needs, may become due as time passes. */
function mayConvert({ account, safety, settings }: TraderState, { feed, conditionId, slots }: MarketEntry): boolean {
  const { facts } = feed;
  const { conversions } = LADDER[safety.mode().mode];
  if (conversions === 'none' || facts === null) return false;
  const { own, coreSets } = account;
  const core = coreSets.of(slots);
  const splits = conversions === 'all' && facts.phase === 'open' && (core.slot?.quotes.fairMicros ?? null) !== null;
  if (splits && isShort(core.sharesMicros, own.exposure.setsMicros(conditionId), settings.economics)) return true;
  const { yesMicros, noMicros } = heldIn(own, conditionId);
  if (yesMicros === 0 && noMicros === 0) return false;
  if (isSettledMarket(facts.phase)) return true;
  const { enabled, minSharesMicros } = settings.merge;
  const pairs = minMicros(yesMicros, noMicros);
  const enough = pairs >= minSharesMicros || (scarceCash(own) && pairs >= facts.minAmountMicros);
  return enabled && facts.phase === 'open' && enough;
}
