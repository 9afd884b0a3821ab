/**
 * Sells holdings into the book by order of the operator: the last rung of the kill ladder. It applies to all markets,
 * as a mode, or to one market while the others continue.
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

/**
 * Strategy name of these orders in the ledger. No strategy has it, so a remainder that does not fill at once is
 * canceled.
 */
export const FLATTEN = 'flatten';

/**
 * Sells shares beyond complete sets at the best price of the other side, at most the amount there; complete sets are
 * merged. It waits while an own order is in the market: first everything is canceled, and each sale settles before the
 * next is sized. `mark` is the probable value of a YES share: the price collar rejects a lone bid far below it. Returns
 * true when something was begun.
 */
export function flattenMarket(
  { feed, conditionId, saleAfterMs }: MarketEntry,
  sight: Sight | null,
  mark: Micros | null,
  context: StepContext,
): boolean {
  const facts = feed.facts;
  if (sight === null || facts === null || facts.phase !== 'open') return false;
  // A market paused on the chain still shows `open`, and rejects every sale until it is unpaused.
  if (context.nowMs < saleAfterMs) return false;
  if ((context.own.orders.get(conditionId) ?? []).length > 0) return false;
  const { yesMicros, noMicros } = heldIn(context.own, conditionId);
  const isYes = yesMicros > noMicros;
  const level = isYes ? sight.others.bids[0] : sight.others.asks[0];
  if (level === undefined) return false;
  // A YES holding sells to the best bid. A NO holding sells to the best ask of YES, at 1 - ask.
  const priceMicros = isYes ? level.priceMicros : complement(level.priceMicros);
  const beyondPairs = micros(Math.abs(yesMicros - noMicros));
  const wanted = minMicros(level.amountMicros, beyondPairs);
  return sell({ isYes, priceMicros, wanted, mark }, sight, context);
}

/**
 * True when the rest cannot be sold: no complete set, and fewer shares than the smallest order. The smallest order does
 * not limit a merge.
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

/** Sells all holdings, market by market; ends the mode when nothing sellable is left. */
export function flattenAll(state: TraderState, nowMs: number): void {
  const context = makeStepContext(state, 'flattening', nowMs);
  let left = state.own.unsettled > 0;
  for (const entry of state.markets.all) {
    // It could not be sold: another wallet of the fleet might be the buyer.
    if (unclaimedBecause(state, entry.conditionId) !== undefined) continue;
    if (isHeld(state, entry)) left = true;
    sellWhatIsHeld(state, entry, context);
  }
  if (left) return;
  state.modes.onFlat();
  const rest = restText(state, openMarkets(state));
  state.alert(nowMs, 'flattened', `nothing that could be sold is held any more; the trader is paused${rest}`);
}

/** Own markets only: markets of other wallets in the fleet are not sold here. */
const openMarkets = (state: TraderState): readonly string[] =>
  Array.from(state.markets.all, ({ conditionId }) => conditionId).filter(
    (conditionId) => unclaimedBecause(state, conditionId) === undefined,
  );

/** Flattens the markets that the operator named. A market that is flat stays paused and is not sold again. */
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

/** True when a sellable holding exists or the holding is unknown. */
function isHeld({ own }: TraderState, { feed, conditionId }: MarketEntry): boolean {
  const { yesMicros, noMicros } = heldIn(own, conditionId);
  const { facts } = feed;
  return facts === null ? yesMicros > 0 || noMicros > 0 : !isFlat(yesMicros, noMicros, facts);
}

/** Text of the unsellable rest, each part with a leading separator; empty when nothing is left. */
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

/** True while an order or a merge there may still change the holding. */
const isUnderWay = ({ own, executor }: TraderState, conditionId: string): boolean =>
  (own.orders.get(conditionId)?.length ?? 0) > 0 ||
  executor.pendingConversion('merge', conditionId) !== null ||
  executor.pendingConversion('split', conditionId) !== null;
