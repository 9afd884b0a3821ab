/** Selling what is held into the book, when an operator orders it: the last rung of the kill ladder. */

import { complement, type Micros, micros, minMicros, ZERO } from '../../../shared/base/micros.js';
import type { MarketFacts, Sight } from '../../market/view.js';
import type { PlaceIntent } from '../../risk/intent.js';
import { approveAndExecute, gatherFacts, type StepContext } from '../gate.js';
import type { MarketEntry } from '../markets.js';
import { heldIn } from '../own/own-state.js';

/** The name under which these orders stand in the ledger; no strategy's, so what does not fill at once is pulled. */
export const FLATTEN = 'flatten';

/**
 * Offers what is held beyond complete sets, which are merged, to the best price of the other side, no more than stands
 * there. Waits while any order of ours is in the market: first everything is canceled, and each sale is settled before
 * the next is sized. `mark` is what a YES share is probably worth: the price collar keeps a lonely bid far below it from
 * getting everything. Returns true when something was begun.
 */
export function flattenMarket(
  { feed, conditionId, saleAfterMs }: MarketEntry,
  sight: Sight | null,
  mark: Micros | null,
  context: StepContext,
): boolean {
  const facts = feed.facts;
  if (sight === null || facts === null || facts.phase !== 'open') return false;
  // A market that is paused on the chain is still `open`: it refuses every sale until somebody lifts that.
  if (context.nowMs < saleAfterMs) return false;
  if ((context.own.orders.get(conditionId) ?? []).length > 0) return false;
  const { yesMicros, noMicros } = heldIn(context.own, conditionId);
  const isYes = yesMicros > noMicros;
  const level = isYes ? sight.others.bids[0] : sight.others.asks[0];
  if (level === undefined) return false;
  // Holding YES we hit the best bid; holding NO we sell it to whoever asks for YES, at 1 - ask.
  const priceMicros = isYes ? level.priceMicros : complement(level.priceMicros);
  const beyondPairs = micros(Math.abs(yesMicros - noMicros));
  const wanted = minMicros(level.amountMicros, beyondPairs);
  return sell({ isYes, priceMicros, wanted, mark }, sight, context);
}

/** Shares that a flatten has to leave: no complete set, and fewer than the smallest order. The smallest order is no bound of a merge. */
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
    intentId: context.nextIntentId(market.conditionId),
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
