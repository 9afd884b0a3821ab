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
import { CONVERSION_KINDS } from '../../ledger/tables.js';
import { findBeyondDust } from '../../market/book.js';
import type { MarketFacts } from '../../market/view.js';
import type { MergeIntent, PlaceIntent, RedeemIntent, SplitIntent } from '../../risk/intent.js';
import { batchOf, type Economics, isPullingWorth, USUAL_PAIRS_PER_S } from '../../strategy/economics.js';
import { approveAndExecute, gatherFacts, makeStepContext, NO_REASON, type StepContext } from '../gate.js';
import type { MarketEntry, Markets } from '../markets.js';
import { showTitle } from '../notices.js';
import { type Account, NO_CORE, type SetCore } from '../own/account.js';
import { heldIn, type OwnState } from '../own/own-state.js';
import type { QuotedOrder } from '../quoting/changes.js';
import type { MergeSettings } from '../settings.js';
import type { TraderState } from '../state.js';

/** Wait between two conversions of sets in one market, ms. The exchange needs about a second for a merge. */
const RETRY_MS = 10_000;
/** Time within which all sell orders that a merge needs must end, ms; a lost answer to a cancel is then known. */
const PULL_MS = 30_000;
/** Longest wait after failed conversions, ms. The wait doubles with each consecutive failed conversion. */
const LONGEST_RETRY_MS = 3_600_000;

/** Currency is scarce if less than this fraction of all cash is free; smaller merges then pay off. */
const SCARCE_CASH_FRACTION = 0.2;

/** Returns a market's rules for conversions. A flatten merges all complete sets, including those a strategy keeps. */
export function conversionRules(
  { settings, account, safety }: TraderState,
  { feed, conditionId, slots }: MarketEntry,
  splits: boolean,
) {
  const lot = feed.facts?.lotMicros;
  const markMicros = account.valuation.marks.get(conditionId) ?? null;
  if (!safety.isFlattening(conditionId) || lot === undefined)
    return { merge: settings.merge, core: account.coreSets.of(slots), splits, markMicros };
  const merge: MergeSettings = { enabled: true, minSharesMicros: lot };
  return { merge, core: NO_CORE, splits: false, markMicros };
}

type ConversionRules = ReturnType<typeof conversionRules>;

const NOT_BLOCKED: { readonly sharesMicros: Micros; readonly orders: readonly QuotedOrder[] } = {
  sharesMicros: ZERO,
  orders: [],
};

/**
 * Returns sets to merge and the sell orders to cancel for the merge, if currency is scarce or the fills take too long.
 * A decision holds for `PULL_MS`, so that all these orders can end before the merge begins. If an order does not end,
 * the free sets may merge if they are enough, and the next decision follows after `RETRY_MS`.
 */
export function decidePull(
  entry: MarketEntry,
  { merge, core }: ConversionRules,
  context: StepContext,
): typeof NOT_BLOCKED {
  const { feed, nextConversionMs, pulledMs } = entry;
  const { facts } = feed;
  const { own, nowMs, economics } = context;
  if (facts === null || !mayMerge(facts, merge, core, context) || nowMs < nextConversionMs) return NOT_BLOCKED;
  const { conditionId } = facts;
  const { yesMicros, noMicros } = heldIn(own, conditionId);
  const pairs = sub(minMicros(yesMicros, noMicros), core.sharesMicros);
  if (pairs < merge.minSharesMicros) {
    entry.pulledMs = Number.NEGATIVE_INFINITY;
    return NOT_BLOCKED;
  }
  const isDecided = nowMs < pulledMs + PULL_MS;
  const isOver = !isDecided && nowMs < pulledMs + PULL_MS + RETRY_MS;
  if (isOver || (!isDecided && freePairs(facts, core, context) >= merge.minSharesMicros)) return NOT_BLOCKED;
  const sells = (own.orders.get(conditionId) ?? []).filter(({ side, isYes }) => (side === 'ask') === isYes);
  const free = (isYes: boolean): number => own.exposure.freeShares(conditionId, isYes);
  const blockers = sells.filter(({ isYes }) => free(isYes) < pairs);
  if (blockers.length === 0) return NOT_BLOCKED;
  // An order with an unknown outcome cannot be canceled now, and may reserve its shares for long.
  const endable = blockers.filter(({ phase }) => phase !== 'pending');
  const freed = (outcome: boolean): number =>
    endable.reduce(
      (sum, { isYes, remainingMicros }) => (isYes === outcome ? sum + remainingMicros : sum),
      free(outcome),
    );
  if (!isDecided && Math.min(freed(true), freed(false)) < merge.minSharesMicros) return NOT_BLOCKED;
  // Each order is assumed to wait for its fill for as long again as it has already rested.
  const waitS = Math.max(0, ...blockers.map(({ submittedMs }) => nowMs - submittedMs)) / 1000;
  const isWorth = isPullingWorth(economics, { pairs: pairs / ONE, orders: blockers.length, waitS });
  if (!isDecided && !isWorth && !scarceCash(own)) return NOT_BLOCKED;
  if (!isDecided) entry.pulledMs = nowMs;
  return { sharesMicros: pairs, orders: blockers };
}

const mayMerge = (
  { phase, conditionId }: MarketFacts,
  merge: MergeSettings,
  core: SetCore,
  { executor }: StepContext,
) => merge.enabled && core.merges && phase === 'open' && executor.pendingConversion('merge', conditionId) === null;

/**
 * Begins one conversion: redeems shares of a settled market, merges free sets if they are enough, or splits currency
 * into sets that strategies want to keep. While currency is scarce, smaller merges are allowed. Shares offered by open
 * orders are not merged. Returns true if a conversion began.
 */
export function convert(entry: MarketEntry, rules: ConversionRules, context: StepContext): boolean {
  const { feed } = entry;
  const { facts } = feed;
  if (facts === null || context.nowMs < entry.nextConversionMs) return false;
  const intent = isSettledMarket(facts.phase) ? planRedeem(facts, context) : planMerge(facts, rules, context);
  if (intent !== null) {
    entry.nextConversionMs = context.nowMs + RETRY_MS;
    entry.pulledMs = Number.NEGATIVE_INFINITY;
    return approveAndExecute(intent, gatherFacts(context), NO_REASON, context) === null;
  }
  const { core, splits, markMicros } = rules;
  // A strategy that does not quote now, for example outside its quote hours, needs no new sets.
  const isWanted = splits && core.slot !== null && core.slot.quotes.fairMicros !== null;
  const split = isWanted ? planSplit(core, facts, markMicros, context) : null;
  if (split === null || core.slot === null) return false;
  entry.nextConversionMs = context.nowMs + RETRY_MS;
  const splitFacts = gatherFacts(context, feed.sight(context.nowMs), core.slot.strategy.risk);
  const refusal = approveAndExecute(split, splitFacts, NO_REASON, context);
  if (refusal !== null) core.slot.refusals.add(refusal);
  return refusal === null;
}

export function conversionFailed(entry: MarketEntry, nowMs: number): void {
  entry.conversionFailures += 1;
  entry.nextConversionMs = nowMs + Math.min(RETRY_MS * 2 ** entry.conversionFailures, LONGEST_RETRY_MS);
}

export function conversionDone(entry: MarketEntry): void {
  entry.conversionFailures = 0;
}

/** Permits the next conversion at once, even after failed conversions. */
export function endConversionWait(entry: MarketEntry | undefined): void {
  if (entry === undefined) return;
  conversionDone(entry);
  entry.nextConversionMs = 0;
  entry.pulledMs = Number.NEGATIVE_INFINITY;
}

function planMerge(facts: MarketFacts, { merge, core }: ConversionRules, context: StepContext): MergeIntent | null {
  if (!mayMerge(facts, merge, core, context)) return null;
  const { conditionId: marketConditionId } = facts;
  const { own, requests, nowMs } = context;
  const amountMicros = freePairs(facts, core, context);
  const scarce = scarceCash(own) && amountMicros >= facts.minAmountMicros;
  const enough = amountMicros >= merge.minSharesMicros || scarce;
  if (!enough || amountMicros <= 0 || requests.queue.headroom('signed', 'draft', nowMs) < 2) return null;
  return { kind: 'merge', intentId: requests.nextIntentId(marketConditionId), marketConditionId, amountMicros };
}

export const scarceCash = ({ availableMicros, cashMicros }: OwnState): boolean =>
  availableMicros < cashMicros * SCARCE_CASH_FRACTION;

/** Returns the number of complete sets that no order offers and no strategy keeps, micros; may be negative. */
function freePairs({ conditionId, lotMicros }: MarketFacts, core: SetCore, { own: { exposure } }: StepContext): Micros {
  const free = minMicros(exposure.freeShares(conditionId, true), exposure.freeShares(conditionId, false));
  const beyond = sub(exposure.setsMicros(conditionId), core.sharesMicros);
  return toMultiple(minMicros(free, beyond), lotMicros, 'floor');
}

function planRedeem({ conditionId }: MarketFacts, { own, executor, requests }: StepContext): RedeemIntent | null {
  const { yesMicros, noMicros } = heldIn(own, conditionId);
  if (yesMicros === 0 && noMicros === 0) return null;
  // The holding is known exactly only if no own order is open and no conversion is in flight.
  if (isUnderWay(own, executor, conditionId)) return null;
  const intentId = requests.nextIntentId(conditionId);
  return { kind: 'redeem', intentId, marketConditionId: conditionId, yesMicros, noMicros };
}

/** Returns true if a split is worth its requests: at least one batch of the wanted sets, or all, are missing. */
export const isShort = (coreMicros: Micros, setsMicros: Micros, economics: Economics): boolean =>
  coreMicros - setsMicros >= Math.min(coreMicros, batchOf(economics, USUAL_PAIRS_PER_S) * ONE) && coreMicros > 0;

/** Plans a split. Null if `isShort` is false, a conversion is in flight, or currency, requests or a mark is missing. */
function planSplit(
  { sharesMicros }: SetCore,
  { phase, conditionId, eventConditionId, lotMicros, minAmountMicros }: MarketFacts,
  markMicros: Micros | null,
  { executor, own, economics, requests, nowMs }: StepContext,
): SplitIntent | null {
  if (phase !== 'open' || sharesMicros === 0) return null;
  const pending = (kind: 'split' | 'merge') => executor.pendingConversion(kind, conditionId);
  if (pending('split') !== null || pending('merge') !== null) return null;
  const sets = own.exposure.setsMicros(conditionId);
  const amountMicros = toMultiple(sub(sharesMicros, sets), lotMicros, 'floor');
  if (!isShort(sharesMicros, sets, economics) || amountMicros < minAmountMicros) return null;
  if (amountMicros > own.availableMicros || markMicros === null || markMicros <= 0 || markMicros >= ONE) return null;
  if (requests.queue.headroom('signed', 'draft', nowMs) < 2) return null;
  const intent = { intentId: requests.nextIntentId(conditionId), marketConditionId: conditionId, eventConditionId };
  return { kind: 'split', ...intent, amountMicros, yesPriceMicros: markMicros };
}

/** Strategy name of a flatten's orders in the ledger. No strategy has this name, so `act` cancels unfilled sales. */
export const FLATTEN = 'flatten';

/**
 * Sells the shares that form no complete set (sets are merged) at the best opposite price that has enough shares for an
 * order. A sale waits while an own order is open in the market, so that the holding is known. The price collar refuses
 * a sale to a lone bid far below the market's mark.
 */
function sellHolding(account: Account, entry: MarketEntry, context: StepContext): void {
  const { feed, conditionId, saleAfterMs, saleRefusals } = entry;
  const { own, nowMs, requests } = context;
  const sight = feed.sight(nowMs);
  // A market that is paused on the blockchain shows `open` but rejects sales; `saleAfterMs` delays further attempts.
  if (sight === null || sight.market.phase !== 'open' || nowMs < saleAfterMs) return;
  if ((own.orders.get(conditionId) ?? []).length > 0) return;
  const { yesMicros, noMicros } = heldIn(own, conditionId);
  const isYes = yesMicros > noMicros;
  const { eventConditionId, lotMicros, minAmountMicros, maxAmountMicros } = sight.market;
  const [level] = findBeyondDust(isYes ? sight.others.bids : sight.others.asks, minAmountMicros);
  if (level === undefined) return;
  // YES shares are sold at the best bid, NO shares at 1 - best ask of YES.
  const priceMicros = isYes ? level.priceMicros : complement(level.priceMicros);
  const { maxOrderSharesMicros, maxOrderNotionalMicros } = context.limits;
  // A larger holding is sold by several orders: the limits of one order apply to a flatten too.
  const most = Math.min(
    ...[level.amountMicros, Math.abs(yesMicros - noMicros), own.exposure.freeShares(conditionId, isYes)],
    ...[maxAmountMicros, maxOrderSharesMicros, Math.floor((maxOrderNotionalMicros / priceMicros) * ONE)],
  );
  const amountMicros = toMultiple(micros(most), lotMicros, 'floor');
  if (amountMicros < minAmountMicros || amountMicros <= ZERO) return;
  const intent: PlaceIntent = {
    kind: 'place',
    intentId: requests.nextIntentId(conditionId),
    marketConditionId: conditionId,
    eventConditionId,
    isYes,
    side: 'sell',
    priceMicros,
    amountMicros,
    fairYesMicros: account.valuation.marks.get(conditionId) ?? null,
    strategy: FLATTEN,
  };
  const facts = { ...gatherFacts(context, sight), stance: 'flatten', stanceReason: 'the operator flattens' } as const;
  const refusal = approveAndExecute(intent, facts, () => '{"note":"the operator flattens"}', context);
  if (refusal === null) account.invalidate();
  else saleRefusals.add(refusal);
}

/** Returns true if a holding has no complete set to merge, and too few shares for a sell order. */
export function isFlat(yes: Micros, no: Micros, { minAmountMicros, lotMicros }: MarketFacts): boolean {
  return minMicros(yes, no) < lotMicros && yes < minAmountMicros && no < minAmountMicros;
}

/** Counts the orders that may rest or fill. An ended order does not count if no list shows its missing fill. */
export const countUnsettled = ({ account, executor, reconciler }: TraderState): number =>
  account.own.unsettled -
  executor.missingFills().filter((fill) => fill.closedMs !== null && reconciler.isUnlisted(fill.orderPubkey)).length;

/** Sells all holdings; ends the flattening mode when no sellable holding is left. */
export function flattenAll(state: TraderState, nowMs: number): void {
  const context = makeStepContext(state, 'flattening', nowMs);
  const { account, markets, safety, notices, executor } = state;
  let left = countUnsettled(state) > 0;
  let kept = '';
  for (const entry of markets.all) {
    const { conditionId } = entry;
    // A market not claimed by this wallet is skipped, because another wallet of the fleet might buy our shares.
    if (safety.whyUnclaimed(conditionId) !== undefined) continue;
    if (isUnderWay(account.own, executor, conditionId)) left = true;
    if (!isHeld(account, entry)) continue;
    if (safety.isFlattening(conditionId)) {
      left = true;
      sellHolding(account, entry, context);
    } else kept += `; the holding in "${showTitle(markets, conditionId)}" stays, because the trader paused that market`;
  }
  if (left) return;
  safety.modes.onFlat();
  // Holdings in markets that this wallet has not claimed are not reported.
  const ids = Array.from(markets.all, ({ conditionId }) => conditionId);
  const isSold = (id: string) => safety.whyUnclaimed(id) === undefined && safety.pauses.get(id)?.kind !== 'refused';
  const rest = describeRest(account, markets, ids.filter(isSold));
  notices.alert(nowMs, 'flattened', `no sellable holding is left; the trader is paused${rest}${kept}`);
}

/** Sells all holdings in the markets that the operator flattens. A market without remaining holdings stays paused. */
export function flattenMarkets(state: TraderState, nowMs: number): void {
  const { safety, markets, account, executor } = state;
  const { flattening } = safety.pauses;
  if (flattening.length === 0) return;
  const context = makeStepContext(state, 'flattening', nowMs);
  for (const conditionId of flattening) {
    if (safety.whyUnclaimed(conditionId) !== undefined) continue;
    const entry = markets.get(conditionId);
    if (entry !== undefined && isHeld(account, entry)) {
      sellHolding(account, entry, context);
      continue;
    }
    if (isUnderWay(account.own, executor, conditionId)) continue;
    safety.pauses.endFlattening(conditionId);
    const title = `"${showTitle(markets, conditionId)}"`;
    const rest = describeRest(account, markets, [conditionId]);
    const text = `no sellable holding is left in ${title}; the market is paused${rest}`;
    state.notices.alert(nowMs, 'flattened', text);
  }
}

/** Returns true if an order or a conversion may still change the market's holding. */
const isUnderWay = (own: OwnState, executor: StepContext['executor'], conditionId: string): boolean =>
  (own.orders.get(conditionId)?.length ?? 0) > 0 ||
  CONVERSION_KINDS.some((kind) => executor.pendingConversion(kind, conditionId) !== null);

/** Returns true if the market has a sellable holding, or any holding while it is unknown whether it is sellable. */
function isHeld({ own }: Account, { feed, conditionId, isEnded }: MarketEntry): boolean {
  const { yesMicros, noMicros } = heldIn(own, conditionId);
  const { facts, unsuitable } = feed;
  // One detail that calls the market unsuitable may be wrong.
  if (facts === null) return (unsuitable === null || !isEnded) && (yesMicros > 0 || noMicros > 0);
  return !isFlat(yesMicros, noMicros, facts);
}

/** Describes holdings that cannot be sold, each after a separator; empty if there are none. */
function describeRest({ own }: Account, markets: Markets, conditionIds: readonly string[]): string {
  const rests = conditionIds.map((conditionId) => {
    const { yesMicros, noMicros } = heldIn(own, conditionId);
    const because = markets.get(conditionId)?.feed.unsuitable ?? 'the smallest order is larger';
    const why = `shares stay unsold in "${showTitle(markets, conditionId)}", because ${because}`;
    const describe = (shares: Micros, name: string) => (shares > 0 ? `; ${formatDecimal(shares)} ${name} ${why}` : '');
    return describe(yesMicros, 'YES') + describe(noMicros, 'NO');
  });
  return rests.join('');
}
