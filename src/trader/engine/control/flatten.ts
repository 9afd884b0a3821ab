/**
 * Selling what is held into the book, when an operator orders it: the last rung of the kill ladder. Of everything, which is a mode
 * of its own, or of one market while all others go on.
 */

import { formatDecimal } from '../../../shared/base/decimal.js';
import { complement, type Micros, micros, minMicros, ZERO } from '../../../shared/base/micros.js';
import type { MarketFacts, Sight } from '../../market/view.js';
import type { PlaceIntent } from '../../risk/intent.js';
import { approveAndExecute, gatherFacts, type StepContext } from '../gate.js';
import type { MarketEntry } from '../markets.js';
import { heldIn } from '../own/own-state.js';
import { makeStepContext } from '../quoting/step-context.js';
import { showTitle, type TraderState } from '../state.js';
import { unclaimedBecause } from './pauses.js';

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

/** Sells what is held, market by market; ends the mode when nothing that could be sold is left. */
export function flattenAll(state: TraderState, nowMs: number): void {
  const context = makeStepContext(state, 'flattening', nowMs);
  let left = state.own.unsettled > 0;
  for (const entry of state.markets.all) {
    // It could not be sold: another wallet of the fleet may be the one who buys.
    if (unclaimedBecause(state, entry.conditionId) !== undefined) continue;
    if (isHeld(state, entry)) left = true;
    sellWhatIsHeld(state, entry, context);
  }
  if (left) return;
  state.modes.onFlat();
  const rest = restText(state, openMarkets(state));
  state.alert(nowMs, 'flattened', `nothing that could be sold is held any more; the trader is paused${rest}`);
}

/** Markets of ours; what another wallet of the fleet has is not sold here. */
const openMarkets = (state: TraderState): readonly string[] =>
  Array.from(state.markets.all, ({ conditionId }) => conditionId).filter(
    (conditionId) => unclaimedBecause(state, conditionId) === undefined,
  );

/** The same in the markets of which an operator said so, each for itself. What was sold is not sold again: then it is only paused. */
export function flattenMarkets(state: TraderState, nowMs: number): void {
  const { flattening } = state.pauses;
  if (flattening.length === 0) return;
  const context = makeStepContext(state, 'flattening', nowMs);
  for (const conditionId of flattening) {
    if (unclaimedBecause(state, conditionId) !== undefined) continue;
    const entry = state.markets.get(conditionId);
    if (entry !== undefined && (isHeld(state, entry) || isUnderWay(state, conditionId))) {
      sellWhatIsHeld(state, entry, context);
      continue;
    }
    state.pauses.endFlattening(conditionId);
    const title = `"${showTitle(state, conditionId)}"`;
    const rest = restText(state, [conditionId]);
    state.alert(nowMs, 'flattened', `nothing that could be sold is held in ${title} any more; it is paused${rest}`);
  }
}

function sellWhatIsHeld(state: TraderState, entry: MarketEntry, context: StepContext): void {
  const mark = state.valuation.marks.get(entry.conditionId) ?? null;
  if (flattenMarket(entry, entry.feed.sight(context.nowMs), mark, context)) state.invalidateOwn();
}

/** Whether anything is held that may be sold, or of which that is not known. */
function isHeld({ own }: TraderState, { feed, conditionId }: MarketEntry): boolean {
  const { yesMicros, noMicros } = heldIn(own, conditionId);
  const { facts } = feed;
  return facts === null ? yesMicros > 0 || noMicros > 0 : !isFlat(yesMicros, noMicros, facts);
}

/** What stays, in words, each with a separator before it; empty when nothing does. */
function restText(state: TraderState, conditionIds: readonly string[]): string {
  const rests = conditionIds.flatMap((conditionId) => {
    const { yesMicros, noMicros } = heldIn(state.own, conditionId);
    const amounts = [
      [yesMicros, 'YES'],
      [noMicros, 'NO'],
    ] as const;
    return amounts
      .filter(([shares]) => shares > 0)
      .map(
        ([shares, name]) =>
          `; ${formatDecimal(shares)} ${name} are less than the smallest order and stay in "${showTitle(state, conditionId)}"`,
      );
  });
  return rests.join('');
}

/** Whether an order or a merge there may still change what is held. */
const isUnderWay = ({ own, executor }: TraderState, conditionId: string): boolean =>
  (own.orders.get(conditionId)?.length ?? 0) > 0 ||
  executor.pendingConversion('merge', conditionId) !== null ||
  executor.pendingConversion('split', conditionId) !== null;
