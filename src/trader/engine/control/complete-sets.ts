/** Complete sets into currency and back, and settled shares redeemed. */

import { type Micros, minMicros, ONE, sub, toMultiple } from '../../../shared/base/micros.js';
import { isSettledMarket } from '../../../shared/protocol/states.js';
import type { MarketFacts } from '../../market/view.js';
import type { MergeIntent, RedeemIntent } from '../../risk/intent.js';
import { isPullingWorth } from '../../strategy/economics.js';
import { approveAndExecute, factsOf, NO_REASON, type StepContext } from '../gate.js';
import type { MarketEntry } from '../markets.js';
import { heldIn, type OwnState } from '../own/own-state.js';
import type { QuotedOrder } from '../quoting/changes.js';
import type { MergeSettings } from '../settings.js';
import { type Core, splitOf } from './core-sets.js';

/** After one was begun here: a merge takes the venue about a second. */
const RETRY_MS = 10_000;
/** Doubled with each failure in a row, up to this: what the venue or the signer refuses needs something to change. */
const LONGEST_RETRY_MS = 3_600_000;

/** Free currency below this part of the cash makes smaller merges worth their requests. */
const SCARCE_CASH_FRACTION = 0.2;

/** What holds for the conversions of one market in one step. */
export interface ConversionRules {
  readonly merge: MergeSettings;
  readonly core: Core;
  /** Whether currency may be split. */
  readonly splits: boolean;
  /** What a YES share is probably worth; null while that is not known. */
  readonly markMicros: Micros | null;
}

/**
 * Sell orders that hold on to pairs worth merging: pulled, so that the pairs come free, when currency is scarce or the pairs have
 * waited for longer than the requests of it are worth.
 */
export function mergeBlockers(
  { feed, nextConversionMs }: MarketEntry,
  merge: MergeSettings,
  core: Core,
  turn: StepContext,
): readonly QuotedOrder[] {
  const facts = feed.facts;
  if (facts === null || !merge.enabled || !core.merges || turn.executor.pendingMerge(facts.conditionId) !== null)
    return [];
  if (turn.nowMs < nextConversionMs) return [];
  const { yesMicros, noMicros } = heldIn(turn.own, facts.conditionId);
  const pairs = sub(minMicros(yesMicros, noMicros), core.sharesMicros);
  if (facts.phase !== 'open' || pairs < merge.minSharesMicros || freePairs(facts, core, turn) >= merge.minSharesMicros)
    return [];
  const sells = (turn.own.orders.get(facts.conditionId) ?? []).filter(({ side, isYes }) => (side === 'ask') === isYes);
  const blockers = sells.filter(({ isYes }) => turn.own.exposure.freeShares(facts.conditionId, isYes) < pairs);
  // An order that has stood for so long without filling will probably stand for as long again.
  const waitS = Math.max(0, ...blockers.map(({ submittedMs }) => turn.nowMs - submittedMs)) / 1000;
  const isWorth = isPullingWorth(turn.economics, { pairs: pairs / ONE, orders: blockers.length, waitS });
  return scarceCash(turn.own) || isWorth ? blockers : [];
}

/**
 * Merges completed pairs when there are enough of them, or any when currency is scarce; redeems what a settled market
 * left us; splits what is missing of a core of sets. Shares that open orders offer are not free and stay. Returns true when something was begun.
 */
export function convert(tracked: MarketEntry, rules: ConversionRules, turn: StepContext): boolean {
  const facts = tracked.feed.facts;
  if (facts === null || turn.nowMs < tracked.nextConversionMs) return false;
  const intent = isSettledMarket(facts.phase) ? redeemOf(facts, turn) : mergeOf(facts, rules, turn);
  if (intent === null) return replenish(tracked, rules, turn);
  tracked.nextConversionMs = turn.nowMs + RETRY_MS;
  return approveAndExecute(intent, factsOf(turn), NO_REASON, turn) === null;
}

/** Splits what is missing of the sets that a strategy wants, where the rung lets it. */
function replenish(tracked: MarketEntry, { core, splits, markMicros }: ConversionRules, turn: StepContext): boolean {
  const { feed } = tracked;
  const split = splits && core.slot !== null ? splitOf(core, feed, markMicros, turn) : null;
  if (split === null || core.slot === null) return false;
  tracked.nextConversionMs = turn.nowMs + RETRY_MS;
  const facts = factsOf(turn, feed.sight(turn.nowMs), core.slot.strategy.risk);
  const refusal = approveAndExecute(split, facts, NO_REASON, turn);
  if (refusal !== null) core.slot.onRefusal(refusal, turn.nowMs);
  return refusal === null;
}

/** One that was begun in this market was refused, by the venue, by the signer or by silence: the next waits longer. */
export function conversionFailed(tracked: MarketEntry, nowMs: number): void {
  tracked.conversionFailures += 1;
  tracked.nextConversionMs = nowMs + Math.min(RETRY_MS * 2 ** tracked.conversionFailures, LONGEST_RETRY_MS);
}

export function conversionDone(tracked: MarketEntry): void {
  tracked.conversionFailures = 0;
}

function mergeOf(
  facts: MarketFacts,
  { merge: settings, core }: ConversionRules,
  turn: StepContext,
): MergeIntent | null {
  const { conditionId } = facts;
  if (!settings.enabled || !core.merges || facts.phase !== 'open' || turn.executor.pendingMerge(conditionId) !== null)
    return null;
  const amountMicros = freePairs(facts, core, turn);
  const scarce = scarceCash(turn.own) && amountMicros >= facts.minAmountMicros;
  const enough = amountMicros >= settings.minSharesMicros || scarce;
  if (!enough || amountMicros <= 0 || turn.queue.headroom('signed', 'draft', turn.nowMs) < 2) return null;
  return { kind: 'merge', intentId: turn.nextIntentId(conditionId), marketConditionId: conditionId, amountMicros };
}

export const scarceCash = ({ availableMicros, cashMicros }: OwnState): boolean =>
  availableMicros < cashMicros * SCARCE_CASH_FRACTION;

/** Pairs that no order offers, and that are held beyond the core; may be below zero. */
function freePairs(facts: MarketFacts, core: Core, turn: StepContext): Micros {
  const { exposure } = turn.own;
  const free = minMicros(exposure.freeShares(facts.conditionId, true), exposure.freeShares(facts.conditionId, false));
  const beyond = sub(exposure.setsMicros(facts.conditionId), core.sharesMicros);
  return toMultiple(minMicros(free, beyond), facts.lotMicros, 'floor');
}

function redeemOf({ conditionId }: MarketFacts, turn: StepContext): RedeemIntent | null {
  const { yesMicros, noMicros } = heldIn(turn.own, conditionId);
  if ((yesMicros === 0 && noMicros === 0) || turn.executor.pendingRedeem(conditionId) !== null) return null;
  // Orders of ours that may still fill, and merges that may still land, must be settled before we know what we hold.
  if ((turn.own.orders.get(conditionId) ?? []).length > 0 || turn.executor.pendingMerge(conditionId) !== null)
    return null;
  return {
    kind: 'redeem',
    intentId: turn.nextIntentId(conditionId),
    marketConditionId: conditionId,
    yesMicros,
    noMicros,
  };
}
