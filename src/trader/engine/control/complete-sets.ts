/** Merges complete sets into currency, splits currency into sets, and redeems settled shares. */

import {
  complement,
  formatDecimal,
  type Micros,
  micros,
  minMicros,
  ONE,
  sub,
  toMultiple,
  ZERO,
} from '../../../shared/base/micros.js';
import { isSettledMarket } from '../../../shared/protocol/states.js';
import type { Executor } from '../../executor/executor.js';
import type { MarketTracker } from '../../market/market-tracker.js';
import type { MarketFacts, Sight } from '../../market/view.js';
import type { MergeIntent, PlaceIntent, RedeemIntent, SplitIntent } from '../../risk/intent.js';
import { batchOf, type Economics, isPullingWorth, USUAL_PAIRS_PER_S } from '../../strategy/economics.js';
import { approveAndExecute, gatherFacts, makeStepContext, NO_REASON, type StepContext } from '../gate.js';
import type { MarketEntry, Markets } from '../markets.js';
import { showTitle } from '../notices.js';
import type { Account, Core } from '../own/account.js';
import { heldIn, type OwnState } from '../own/own-state.js';
import type { QuotedOrder } from '../quoting/changes.js';
import type { MergeSettings } from '../settings.js';
import type { TraderState } from '../state.js';

/** Wait after a conversion before the next in the same market, ms: a merge takes the venue about a second. */
const RETRY_MS = 10_000;
/** Longest wait after refusals, ms; the wait doubles with each consecutive one. */
const LONGEST_RETRY_MS = 3_600_000;

/** Below this fraction of all cash, free currency is scarce and smaller merges are worth their requests. */
const SCARCE_CASH_FRACTION = 0.2;

/** Rules for conversions of one market in one step. */
export interface ConversionRules {
  readonly merge: MergeSettings;
  readonly core: Core;
  /** True when currency may be split. */
  readonly splits: boolean;
  /** Mark of the YES share; null while unknown. */
  readonly markMicros: Micros | null;
}

/** Sell orders to cancel: they bind pairs that are worth a merge, as currency is scarce or the pairs wait long. */
export function mergeBlockers(
  { feed, nextConversionMs }: MarketEntry,
  merge: MergeSettings,
  core: Core,
  context: StepContext,
): readonly QuotedOrder[] {
  const facts = feed.facts;
  if (
    facts === null ||
    !merge.enabled ||
    !core.merges ||
    context.executor.pendingConversion('merge', facts.conditionId) !== null
  )
    return [];
  if (context.nowMs < nextConversionMs) return [];
  const { yesMicros, noMicros } = heldIn(context.own, facts.conditionId);
  const pairs = sub(minMicros(yesMicros, noMicros), core.sharesMicros);
  if (
    facts.phase !== 'open' ||
    pairs < merge.minSharesMicros ||
    freePairs(facts, core, context) >= merge.minSharesMicros
  )
    return [];
  const sells = (context.own.orders.get(facts.conditionId) ?? []).filter(
    ({ side, isYes }) => (side === 'ask') === isYes,
  );
  const blockers = sells.filter(({ isYes }) => context.own.exposure.freeShares(facts.conditionId, isYes) < pairs);
  // The expected further wait equals the time that the orders have rested.
  const waitS = Math.max(0, ...blockers.map(({ submittedMs }) => context.nowMs - submittedMs)) / 1000;
  const isWorth = isPullingWorth(context.economics, { pairs: pairs / ONE, orders: blockers.length, waitS });
  return scarceCash(context.own) || isWorth ? blockers : [];
}

/**
 * Begins one conversion: redeems shares of a settled market, merges enough free pairs, or splits currency for the core
 * of sets. Scarce currency lowers the size of a merge. Shares offered by open orders are not merged. True when a
 * conversion was begun.
 */
export function convert(entry: MarketEntry, rules: ConversionRules, context: StepContext): boolean {
  const facts = entry.feed.facts;
  if (facts === null || context.nowMs < entry.nextConversionMs) return false;
  const intent = isSettledMarket(facts.phase) ? planRedeem(facts, context) : planMerge(facts, rules, context);
  if (intent !== null) {
    entry.nextConversionMs = context.nowMs + RETRY_MS;
    return approveAndExecute(intent, gatherFacts(context), NO_REASON, context) === null;
  }
  const { feed } = entry;
  const { core, splits, markMicros } = rules;
  const split = splits && core.slot !== null ? planSplit(core, feed, markMicros, context) : null;
  if (split === null || core.slot === null) return false;
  entry.nextConversionMs = context.nowMs + RETRY_MS;
  const splitFacts = gatherFacts(context, feed.sight(context.nowMs), core.slot.strategy.risk);
  const refusal = approveAndExecute(split, splitFacts, NO_REASON, context);
  if (refusal !== null) core.slot.refusals.add(refusal, context.nowMs);
  return refusal === null;
}

/** Records a failed conversion of this market; the next one waits longer. */
export function conversionFailed(entry: MarketEntry, nowMs: number): void {
  entry.conversionFailures += 1;
  entry.nextConversionMs = nowMs + Math.min(RETRY_MS * 2 ** entry.conversionFailures, LONGEST_RETRY_MS);
}

export function conversionDone(entry: MarketEntry): void {
  entry.conversionFailures = 0;
}

function planMerge(facts: MarketFacts, { merge, core }: ConversionRules, context: StepContext): MergeIntent | null {
  const { conditionId } = facts;
  if (
    !merge.enabled ||
    !core.merges ||
    facts.phase !== 'open' ||
    context.executor.pendingConversion('merge', conditionId) !== null
  )
    return null;
  const amountMicros = freePairs(facts, core, context);
  const scarce = scarceCash(context.own) && amountMicros >= facts.minAmountMicros;
  const enough = amountMicros >= merge.minSharesMicros || scarce;
  if (!enough || amountMicros <= 0 || context.requests.queue.headroom('signed', 'draft', context.nowMs) < 2)
    return null;
  return {
    kind: 'merge',
    intentId: context.requests.nextIntentId(conditionId),
    marketConditionId: conditionId,
    amountMicros,
  };
}

export const scarceCash = ({ availableMicros, cashMicros }: OwnState): boolean =>
  availableMicros < cashMicros * SCARCE_CASH_FRACTION;

/** Pairs beyond the core that no order offers; may be negative. */
function freePairs(facts: MarketFacts, core: Core, context: StepContext): Micros {
  const { exposure } = context.own;
  const free = minMicros(exposure.freeShares(facts.conditionId, true), exposure.freeShares(facts.conditionId, false));
  const beyond = sub(exposure.setsMicros(facts.conditionId), core.sharesMicros);
  return toMultiple(minMicros(free, beyond), facts.lotMicros, 'floor');
}

function planRedeem({ conditionId }: MarketFacts, context: StepContext): RedeemIntent | null {
  const { yesMicros, noMicros } = heldIn(context.own, conditionId);
  const pending = (kind: 'merge' | 'redeem') => context.executor.pendingConversion(kind, conditionId);
  if ((yesMicros === 0 && noMicros === 0) || pending('redeem') !== null) return null;
  // The holding is final only when no own order and no merge is in flight.
  if ((context.own.orders.get(conditionId) ?? []).length > 0 || pending('merge') !== null) return null;
  return {
    kind: 'redeem',
    intentId: context.requests.nextIntentId(conditionId),
    marketConditionId: conditionId,
    yesMicros,
    noMicros,
  };
}

/** True when the missing sets are worth the requests of a split. */
export const isShort = (coreMicros: Micros, setsMicros: Micros, economics: Economics): boolean =>
  coreMicros - setsMicros >= Math.min(coreMicros, batchOf(economics, USUAL_PAIRS_PER_S) * ONE) && coreMicros > 0;

/** Plans a split once a whole batch is missing in the core; null without need, currency, requests or a mark. */
function planSplit(
  { sharesMicros }: Core,
  feed: Pick<MarketTracker, 'facts'>,
  markMicros: Micros | null,
  context: StepContext,
): SplitIntent | null {
  const { facts } = feed;
  if (facts === null || facts.phase !== 'open' || sharesMicros === 0) return null;
  const { conditionId, lotMicros } = facts;
  const { executor, own, economics, requests, nowMs } = context;
  const pending = (kind: 'split' | 'merge') => executor.pendingConversion(kind, conditionId);
  if (pending('split') !== null || pending('merge') !== null) return null;
  const sets = own.exposure.setsMicros(conditionId);
  const amountMicros = toMultiple(sub(sharesMicros, sets), lotMicros, 'floor');
  if (
    !isShort(sharesMicros, sets, economics) ||
    amountMicros < facts.minAmountMicros ||
    amountMicros > own.availableMicros
  )
    return null;
  if (markMicros === null || markMicros <= 0 || markMicros >= ONE) return null;
  if (requests.queue.headroom('signed', 'draft', nowMs) < 2) return null;
  return {
    kind: 'split',
    intentId: context.requests.nextIntentId(conditionId),
    marketConditionId: conditionId,
    eventConditionId: facts.eventConditionId,
    amountMicros,
    yesPriceMicros: markMicros,
  };
}

/** Strategy name of flatten orders in the ledger. No strategy has this name, so an unfilled remainder is canceled. */
export const FLATTEN = 'flatten';

/**
 * Sells the shares beyond complete sets at the best opposite price, at most the amount there; complete sets are merged.
 * While an own order is in the market it waits, so that each sale settles before the next is sized. The price collar
 * rejects a lone bid far below `mark`, the mark of the YES share. True when a sale was begun.
 */
function flattenMarket(
  { feed, conditionId, saleAfterMs }: MarketEntry,
  sight: Sight | null,
  mark: Micros | null,
  context: StepContext,
): boolean {
  const facts = feed.facts;
  if (sight === null || facts === null || facts.phase !== 'open') return false;
  // A market paused on the chain still shows `open`, and rejects every sale.
  if (context.nowMs < saleAfterMs) return false;
  if ((context.own.orders.get(conditionId) ?? []).length > 0) return false;
  const { yesMicros, noMicros } = heldIn(context.own, conditionId);
  const isYes = yesMicros > noMicros;
  const level = isYes ? sight.others.bids[0] : sight.others.asks[0];
  if (level === undefined) return false;
  // A YES holding is sold to the best bid, a NO holding to the best ask of YES, at 1 - ask.
  const priceMicros = isYes ? level.priceMicros : complement(level.priceMicros);
  const beyondPairs = micros(Math.abs(yesMicros - noMicros));
  const wanted = minMicros(level.amountMicros, beyondPairs);
  return sell({ isYes, priceMicros, wanted, mark }, sight, context);
}

/** True when the rest cannot be sold: no complete set (merges have no smallest amount), and less than an order. */
export function isFlat(yes: Micros, no: Micros, { minAmountMicros, lotMicros }: MarketFacts): boolean {
  return minMicros(yes, no) < lotMicros && yes < minAmountMicros && no < minAmountMicros;
}

interface Sale {
  readonly isYes: boolean;
  readonly priceMicros: Micros;
  readonly wanted: Micros;
  readonly mark: Micros | null;
}

function sell({ isYes, priceMicros, wanted, mark }: Sale, sight: Sight, context: StepContext): boolean {
  const { market } = sight;
  const free = context.own.exposure.freeShares(market.conditionId, isYes);
  const most = minMicros(minMicros(free, wanted), market.maxAmountMicros);
  const amountMicros = micros(most - (most % market.lotMicros));
  if (amountMicros < market.minAmountMicros || amountMicros <= ZERO) return false;
  const intent: PlaceIntent = {
    kind: 'place',
    intentId: context.requests.nextIntentId(market.conditionId),
    marketConditionId: market.conditionId,
    eventConditionId: market.eventConditionId,
    isYes,
    side: 'sell',
    priceMicros,
    amountMicros,
    fairYesMicros: mark,
    strategy: FLATTEN,
  };
  const facts = { ...gatherFacts(context, sight), stance: 'flatten', stanceReason: 'the operator flattens' } as const;
  return approveAndExecute(intent, facts, () => '{"note":"the operator flattens"}', context) === null;
}

/** Sells all holdings; ends the mode when no sellable holding is left. */
export function flattenAll(state: TraderState, nowMs: number): void {
  const context = makeStepContext(state, 'flattening', nowMs);
  const { account, markets, safety, notices } = state;
  let left = account.own.unsettled > 0;
  for (const entry of markets.all) {
    // Skipped when unclaimed: another wallet of the fleet might be the buyer.
    if (safety.whyUnclaimed(entry.conditionId) !== undefined) continue;
    if (isHeld(account, entry)) left = true;
    sellWhatIsHeld(account, entry, context);
  }
  if (left) return;
  safety.modes.onFlat();
  // Holdings in markets of other wallets of the fleet are not reported.
  const ids = Array.from(markets.all, ({ conditionId }) => conditionId);
  const claimed = ids.filter((conditionId) => safety.whyUnclaimed(conditionId) === undefined);
  const rest = describeRest(account, markets, claimed);
  notices.alert(nowMs, 'flattened', `no sellable holding is left; the trader is paused${rest}`);
}

/** Flattens the markets that the operator named. A flat market stays paused. */
export function flattenMarkets(state: TraderState, nowMs: number): void {
  const { safety, markets, account, executor } = state;
  const { flattening } = safety.pauses;
  if (flattening.length === 0) return;
  const context = makeStepContext(state, 'flattening', nowMs);
  for (const conditionId of flattening) {
    if (safety.whyUnclaimed(conditionId) !== undefined) continue;
    const entry = markets.get(conditionId);
    if (entry !== undefined && (isHeld(account, entry) || isUnderWay(account, executor, conditionId))) {
      sellWhatIsHeld(account, entry, context);
      continue;
    }
    safety.pauses.endFlattening(conditionId);
    const title = `"${showTitle(markets, conditionId)}"`;
    const rest = describeRest(account, markets, [conditionId]);
    const text = `no sellable holding is left in ${title}; the market is paused${rest}`;
    state.notices.alert(nowMs, 'flattened', text);
  }
}

function sellWhatIsHeld(account: Account, entry: MarketEntry, context: StepContext): void {
  const mark = account.valuation.marks.get(entry.conditionId) ?? null;
  if (flattenMarket(entry, entry.feed.sight(context.nowMs), mark, context)) account.invalidate();
}

/** True when a sellable holding exists, or when the holding cannot be judged. */
function isHeld({ own }: Account, { feed, conditionId }: MarketEntry): boolean {
  const { yesMicros, noMicros } = heldIn(own, conditionId);
  const { facts } = feed;
  return facts === null ? yesMicros > 0 || noMicros > 0 : !isFlat(yesMicros, noMicros, facts);
}

/** Text about the unsellable rest, each part with a leading separator; empty when nothing is left. */
function describeRest({ own }: Account, markets: Markets, conditionIds: readonly string[]): string {
  const rests = conditionIds.flatMap((conditionId) => {
    const { yesMicros, noMicros } = heldIn(own, conditionId);
    const amounts = [
      [yesMicros, 'YES'],
      [noMicros, 'NO'],
    ] as const;
    return amounts
      .filter(([shares]) => shares > 0)
      .map(
        ([shares, name]) =>
          `; ${formatDecimal(shares)} ${name} are less than the smallest order and stay in "${showTitle(markets, conditionId)}"`,
      );
  });
  return rests.join('');
}

/** True while an order or a conversion may still change the holding. */
const isUnderWay = ({ own }: Account, executor: Executor, conditionId: string): boolean =>
  (own.orders.get(conditionId)?.length ?? 0) > 0 ||
  executor.pendingConversion('merge', conditionId) !== null ||
  executor.pendingConversion('split', conditionId) !== null;
