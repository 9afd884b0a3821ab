/** Converts a strategy's quotes into order and cancel intents. The risk module must approve each intent. */

import { formatDecimal, type Micros, sub } from '../../../shared/base/micros.js';
import type { IntentRow } from '../../ledger/contract.js';
import type { MarketTracker } from '../../market/market-tracker.js';
import type { BookSide, MarketView, Sight, TapeTrade } from '../../market/view.js';
import type { Intent, PlaceIntent } from '../../risk/intent.js';
import type { Quotes } from '../../strategy/contract.js';
import { approveAndExecute, gatherFacts, NO_REASON, type StepContext } from '../gate.js';
import type { MarketEntry } from '../markets.js';
import { heldIn } from '../own/own-state.js';
import { chooseLegs, findChanges, findTooNear, inYesSpace, type QuotedOrder } from './changes.js';
import type { QuoteSlot } from './quote-slot.js';

type DesiredQuotes = Parameters<typeof chooseLegs>[0];

/** Pause before the next order after the exchange or the signer rejected an order in a market, ms. */
export const PLACE_PAUSE_MS = 5_000;

/** Probe orders are sent only while open orders are below this fraction of the allowed number. */
const PROBES_PART = 1 / 4;

/** Maximum time for which new orders wait for a newer book after a fill, ms. */
const FILL_PATIENCE_MS = 3_000;

/** Orders are moved only while at least this fraction of the request burst is free, unless the move is urgent. */
const KEPT_FROM_MOVES = 1 / 4;

/** Cancels and places orders to match the slot's quotes. Returns true if a cancel or order intent was begun. */
export function quoteSlot(
  slot: QuoteSlot,
  { feed, filledMs }: Pick<MarketEntry, 'filledMs'> & { readonly feed: Pick<MarketTracker, 'sight'> },
  view: MarketView | null,
  context: StepContext,
): boolean {
  const { nowMs } = context;
  const quotes = slot.wish(view, context);
  // The book comes from the market tracker, because the strategy could have changed the book in its own view.
  const sight = feed.sight(nowMs);
  const orders = (context.own.orders.get(slot.conditionId) ?? []).filter(
    (order) => order.strategy === slot.strategy.name,
  );
  if (sight === null) return cancelAll(orders, slot.conditionId, context);
  // The last quarter of the request burst is reserved for levels without an order and for urgent cancels.
  const movesWait = () => context.requests.queue.burstLeft(nowMs) < KEPT_FROM_MOVES;
  // In the stance `widen`, an order nearer than the distance must not stay, even within the strategy's tolerance.
  const isWide = context.stance === 'widen';
  const tooNear = isWide ? findTooNear(orders, quotes.fairMicros, context.limits.widenDistanceMicros) : [];
  const begun = cancelAll(tooNear, slot.conditionId, context);
  const asCanceling = (order: QuotedOrder) =>
    tooNear.includes(order) ? { ...order, phase: 'canceling' as const } : order;
  const shown = tooNear.length === 0 ? orders : orders.map(asCanceling);
  const { cancels, wishes } = findChanges(quotes, shown, sight.market, movesWait);
  const canceled = cancelAll(cancels, slot.conditionId, context) || begun;
  if (wishes.length === 0 || nowMs < slot.placeAfterMs) return canceled;
  // New orders wait for a book that was read after the newest own fill.
  const bookMs = nowMs - sight.health.bookAgeMs;
  if (bookMs < filledMs && nowMs < filledMs + FILL_PATIENCE_MS) return canceled;
  let placed = false;
  for (const wish of nearestFirst(wishes, quotes)) {
    if (wish.isProbe === true && !mayProbe(slot, context)) break;
    placed = placeWish(wish, slot, sight, quotes, context) || placed;
  }
  return canceled || placed;
}

/** Returns true if probe orders may be sent: the whole request burst is free, and few orders are open. */
const mayProbe = ({ strategy }: QuoteSlot, { requests, nowMs, own }: StepContext): boolean =>
  requests.queue.burstLeft(nowMs) >= 1 && own.exposure.workingOrders < strategy.risk.maxOpenOrders * PROBES_PART;

/** Cancels the resting orders that have no recent or pending cancel. Returns true if a cancel began. */
export function cancelAll(orders: readonly QuotedOrder[], conditionId: string, context: StepContext): boolean {
  let begun = false;
  for (const { orderPubkey, phase } of orders) {
    if (phase !== 'resting' || context.requests.noteCancelTry(orderPubkey, context.nowMs)) continue;
    begun = cancelOrder(orderPubkey, conditionId, context) || begun;
  }
  return begun;
}

/** Cancels one order, even one that is not in the ledger. Returns false if risk refuses, or a cancel is in flight. */
export function cancelOrder(orderPubkey: string, marketConditionId: string, context: StepContext): boolean {
  if (context.executor.pendingCancel(orderPubkey) !== null) return false;
  const intentId = context.requests.nextIntentId(marketConditionId);
  const intent: Extract<Intent, { kind: 'cancel' }> = { kind: 'cancel', intentId, orderPubkey, marketConditionId };
  return approveAndExecute(intent, gatherFacts(context), NO_REASON, context) === null;
}

/** Places the orders of one wanted level. Returns true if risk approved at least one order. */
function placeWish(wish: DesiredQuotes, slot: QuoteSlot, sight: Sight, quotes: Quotes, context: StepContext): boolean {
  const { own, blockedMicros } = context;
  const freeOf = (isYes: boolean) => sub(own.exposure.freeShares(slot.conditionId, isYes), blockedMicros);
  const free = { yesMicros: freeOf(true), noMicros: freeOf(false), cashMicros: own.availableMicros };
  const crossing = findCrossing(wish.side, wish.priceMicros, sight);
  if (quotes.postOnly === true && crossing !== null) {
    slot.refusals.add({ name: POST_ONLY, text: crossing });
    return false;
  }
  let placed = false;
  const isProbe = wish.isProbe === true;
  const pricing = { isTaking: crossing !== null, economics: context.economics };
  for (const leg of chooseLegs(wish, free, sight.market, pricing)) {
    const intent: PlaceIntent = {
      kind: 'place',
      intentId: context.requests.nextIntentId(slot.conditionId),
      marketConditionId: slot.conditionId,
      eventConditionId: sight.market.eventConditionId,
      ...leg,
      isProbe,
      fairYesMicros: quotes.fairMicros,
      strategy: slot.strategy.name,
    };
    const explain = () => explainQuotes(quotes, isProbe, sight, slot, context);
    const refusal = approveAndExecute(intent, gatherFacts(context, sight, slot.strategy.risk), explain, context);
    if (refusal === null) placed = true;
    else slot.refusals.add(refusal);
  }
  return placed;
}

/** Sorts levels by distance from the fair price, probes last. If requests run out, only far levels are omitted. */
function nearestFirst(wishes: readonly DesiredQuotes[], quotes: Quotes): readonly DesiredQuotes[] {
  const fair = quotes.fairMicros ?? 0;
  if (wishes.length < 2) return wishes;
  const isLast = ({ isProbe }: DesiredQuotes): number => (isProbe === true ? 1 : 0);
  return [...wishes].sort(
    (a, b) => isLast(a) - isLast(b) || Math.abs(a.priceMicros - fair) - Math.abs(b.priceMicros - fair),
  );
}

/** Returns an order's reason as JSON for the command `explain`: the strategy's note and the input data. */
function explainQuotes(
  quotes: Quotes,
  isProbe: boolean,
  { book, health }: Sight,
  { conditionId }: QuoteSlot,
  context: StepContext,
): string {
  const { yesMicros, noMicros } = heldIn(context.own, conditionId);
  const showPrice = (price: Micros | undefined) => (price === undefined ? null : formatDecimal(price));
  return JSON.stringify({
    note: isProbe ? `a probe, sent to gain information; ${quotes.note}` : quotes.note,
    fair: quotes.fairMicros === null ? null : formatDecimal(quotes.fairMicros),
    best_bid: showPrice(book.bids[0]?.priceMicros),
    best_ask: showPrice(book.asks[0]?.priceMicros),
    book_age_ms: health.bookAgeMs,
    net_shares: formatDecimal(sub(yesMicros, noMicros)),
    post_only: quotes.postOnly === true,
    factors: quotes.factors,
  });
}

/** Name of the post-only rule in the refusal counts of the command `explain`. */
export const POST_ONLY = 'post_only';

/** Other accounts' book and the newest public trade, with which an order's YES price is compared. */
type SeenPrices = Pick<Sight, 'others' | 'newestTrade'>;

/**
 * Returns why a post-only order at this YES price must not be sent; null if it may be sent. The exchange has no
 * post-only flag, so the trader drops orders that would trade at once. The check runs before draft and signature.
 */
export function findCrossing(side: BookSide, priceMicros: Micros, { others, newestTrade }: SeenPrices): string | null {
  const best = side === 'bid' ? others.asks[0] : others.bids[0];
  const what = `post-only: ${side} ${formatDecimal(priceMicros)}`;
  if (best !== undefined && reaches(side, priceMicros, best.priceMicros))
    return `${what} would trade with the newest ${side === 'bid' ? 'ask' : 'bid'} ${formatDecimal(best.priceMicros)}`;
  const beside = (side === 'bid' ? others.bids[0] : others.asks[0])?.priceMicros ?? null;
  if (newestTrade === null || !isTradedThrough(side, priceMicros, newestTrade, beside)) return null;
  return `${what} would trade at the price of the newest trade, ${formatDecimal(newestTrade.priceMicros)}`;
}

const reaches = (side: BookSide, price: Micros, opposite: Micros): boolean =>
  side === 'bid' ? price >= opposite : price <= opposite;

/**
 * Returns true if an order at `price` reaches the newest trade's price and the book may be outdated. It may be outdated
 * if the taker was on the order's side, or if `beside`, the best price of that side (null: none), beats the trade's.
 */
function isTradedThrough(side: BookSide, price: Micros, trade: TapeTrade, beside: Micros | null): boolean {
  if (!reaches(side, price, trade.priceMicros)) return false;
  if (trade.taker === (side === 'bid' ? 'buy' : 'sell')) return true;
  if (beside === null) return false;
  return side === 'bid' ? trade.priceMicros < beside : trade.priceMicros > beside;
}

/** Returns why a post-only order must not be signed, because it would now trade at once; null if it may be signed. */
export function objectionToPlace(row: IntentRow, market: MarketEntry | undefined, nowMs: number): string | null {
  const { isYes, side, priceMicros, strategy } = row;
  const slot = market?.slots.find((each) => each.strategy.name === strategy);
  if (slot?.isPostOnly !== true || isYes === null || side === null || priceMicros === null) return null;
  const sight = market?.feed.sight(nowMs) ?? null;
  if (sight === null) return 'post-only: the book is no longer known';
  const order = inYesSpace(isYes, side, priceMicros);
  return findCrossing(order.side, order.priceMicros, sight);
}
