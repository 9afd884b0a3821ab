/** One turn of a slot: from its quotes to intents that risk has judged and the executor has stored. */

import { formatDecimal } from '../../../shared/base/decimal.js';
import { type Micros, sub } from '../../../shared/base/micros.js';
import type { MarketTracker } from '../../market/market-tracker.js';
import type { MarketView, Sight } from '../../market/view.js';
import type { CancelIntent, PlaceIntent } from '../../risk/intent.js';
import type { Quotes } from '../../strategy/contract.js';
import { approveAndExecute, gatherFacts, NO_REASON, type StepContext } from '../gate.js';
import type { MarketEntry } from '../markets.js';
import { heldIn } from '../own/own-state.js';
import { type DesiredQuotes, findChanges, type QuotedOrder } from './changes.js';
import { chooseLegs, type Leg } from './legs.js';
import { findCrossing, POST_ONLY } from './post-only.js';
import type { QuoteSlot } from './quote-slot.js';

/** Pause of placing, ms, after the exchange or the signer rejected an order here. */
export const PLACE_PAUSE_MS = 5_000;

/** Longest wait, ms, for a book after a fill before new orders are placed here. */
const FILL_PATIENCE_MS = 3_000;

/** Moves that can wait leave this fraction of the burst that orders may use at once. */
const KEPT_FROM_MOVES = 1 / 4;

/** Post-only is the strategy's wish, not a risk control; controls are numbered from 1. */
const NO_CONTROL = 0;

/**
 * Asks the slot for quotes and works towards them: cancels first, then as many orders as budget and risk allow. Returns
 * true when something was begun, so that cached own state is stale.
 */
export function quoteSlot(
  slot: QuoteSlot,
  { feed, filledMs }: Pick<MarketEntry, 'filledMs'> & { readonly feed: Pick<MarketTracker, 'sight'> },
  view: MarketView | null,
  context: StepContext,
): boolean {
  const quotes = slot.wish(view, context);
  // Read from the feed after the strategy ran: changes that it made to its view have no effect here.
  const sight = feed.sight(context.nowMs);
  const orders = (context.own.orders.get(slot.conditionId) ?? []).filter(
    (order) => order.strategy === slot.strategy.name,
  );
  if (sight === null) return cancelAll(orders, slot.conditionId, context);
  const { cancels, wishes } = findChanges(quotes, orders, sight.market, () => areMovesToWait(context));
  const canceled = cancelAll(cancels, slot.conditionId, context);
  if (wishes.length === 0 || context.nowMs < slot.placeAfterMs) return canceled;
  if (awaitsLook(filledMs, sight, context)) return canceled;
  let placed = false;
  for (const wish of nearestFirst(wishes, quotes)) placed = placeWish(wish, slot, sight, quotes, context) || placed;
  return canceled || placed;
}

/** True when the rest of the burst is kept for missing orders and for retreats. */
const areMovesToWait = ({ queue, nowMs }: StepContext): boolean => queue.burstLeft(nowMs) < KEPT_FROM_MOVES;

/** True until a book shows the result of the newest own fill. */
function awaitsLook(filledMs: number, { health }: Sight, { nowMs }: StepContext): boolean {
  const seenMs = nowMs - health.bookAgeMs;
  return seenMs < filledMs && nowMs < filledMs + FILL_PATIENCE_MS;
}

/** Cancels these orders. Risk never rejects a cancel; an order whose cancel is in flight is skipped. */
export function cancelAll(orders: readonly QuotedOrder[], conditionId: string, context: StepContext): boolean {
  let begun = false;
  for (const { orderPubkey, phase } of orders) {
    if (phase !== 'resting' || context.noteCancelTry(orderPubkey)) continue;
    begun = cancelOrder(orderPubkey, conditionId, context) || begun;
  }
  return begun;
}

/** Cancels one order, own or foreign; false when a cancel of it is in flight. */
export function cancelOrder(orderPubkey: string, marketConditionId: string, context: StepContext): boolean {
  if (context.executor.pendingCancel(orderPubkey) !== null) return false;
  const intentId = context.nextIntentId(marketConditionId);
  const intent: CancelIntent = { kind: 'cancel', intentId, orderPubkey, marketConditionId };
  return approveAndExecute(intent, gatherFacts(context), NO_REASON, context) === null;
}

/** True when at least one leg was begun. */
function placeWish(wish: DesiredQuotes, slot: QuoteSlot, sight: Sight, quotes: Quotes, context: StepContext): boolean {
  const { exposure } = context.own;
  const free = {
    yesMicros: exposure.freeShares(slot.conditionId, true),
    noMicros: exposure.freeShares(slot.conditionId, false),
    cashMicros: context.own.availableMicros,
  };
  const crossing = findCrossing(wish.side, wish.priceMicros, sight);
  if (quotes.postOnly === true && crossing !== null) {
    slot.onRefusal({ name: POST_ONLY, control: NO_CONTROL, text: crossing }, context.nowMs);
    return false;
  }
  let placed = false;
  const pricing = { isTaking: crossing !== null, economics: context.economics };
  for (const leg of chooseLegs(wish, free, sight.market, pricing))
    placed = placeLeg(leg, slot, sight, quotes, context) || placed;
  return placed;
}

function placeLeg(leg: Leg, slot: QuoteSlot, sight: Sight, quotes: Quotes, context: StepContext): boolean {
  const { market } = sight;
  const intent: PlaceIntent = {
    kind: 'place',
    intentId: context.nextIntentId(slot.conditionId),
    marketConditionId: slot.conditionId,
    eventConditionId: market.eventConditionId,
    ...leg,
    fairYesMicros: quotes.fairMicros,
    strategy: slot.strategy.name,
  };
  const refusal = approveAndExecute(
    intent,
    gatherFacts(context, sight, slot.strategy.risk),
    () => explainQuotes(quotes, sight, slot, context),
    context,
  );
  if (refusal !== null) {
    slot.onRefusal(refusal, context.nowMs);
    return false;
  }
  return true;
}

/** The best prices of each side first: if the budget ends early, only the far levels are missing. */
function nearestFirst(wishes: readonly DesiredQuotes[], quotes: Quotes): readonly DesiredQuotes[] {
  const fair = quotes.fairMicros ?? 0;
  if (wishes.length < 2) return wishes;
  return [...wishes].sort((a, b) => Math.abs(a.priceMicros - fair) - Math.abs(b.priceMicros - fair));
}

/** Text for `explain`: the strategy's reason and its view. */
function explainQuotes(
  quotes: Quotes,
  { book, health }: Sight,
  { conditionId }: QuoteSlot,
  context: StepContext,
): string {
  const { yesMicros, noMicros } = heldIn(context.own, conditionId);
  const showPrice = (price: Micros | undefined) => (price === undefined ? null : formatDecimal(price));
  return JSON.stringify({
    note: quotes.note,
    fair: quotes.fairMicros === null ? null : formatDecimal(quotes.fairMicros),
    best_bid: showPrice(book.bids[0]?.priceMicros),
    best_ask: showPrice(book.asks[0]?.priceMicros),
    book_age_ms: health.bookAgeMs,
    net_shares: formatDecimal(sub(yesMicros, noMicros)),
    post_only: quotes.postOnly === true,
    factors: quotes.factors,
  });
}
