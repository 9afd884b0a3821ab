/** Sells holdings into the book by the operator's command (flatten), in all markets as a mode, or in single markets. */

import { complement, formatDecimal, type Micros, micros, minMicros, ZERO } from '../../../shared/base/micros.js';
import type { Executor } from '../../executor/executor.js';
import type { MarketFacts, Sight } from '../../market/view.js';
import type { PlaceIntent } from '../../risk/intent.js';
import { approveAndExecute, gatherFacts, makeStepContext, type StepContext } from '../gate.js';
import type { MarketEntry, Markets } from '../markets.js';
import { showTitle } from '../notices.js';
import type { Account } from '../own/account.js';
import { heldIn } from '../own/own-state.js';
import type { TraderState } from '../state.js';

/** Strategy name of flatten orders in the ledger. No strategy has this name, so an unfilled remainder is canceled. */
export const FLATTEN = 'flatten';

/**
 * Sells the shares beyond complete sets at the best opposite price, at most the amount there; complete sets are merged.
 * While an own order is in the market it waits, so that each sale settles before the next is sized. The price collar
 * rejects a lone bid far below `mark`, the mark of the YES share. True when a sale was begun.
 */
export function flattenMarket(
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

/**
 * True when the rest cannot be sold: no complete set, and fewer shares than the smallest order. Merges have no smallest
 * amount.
 */
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
