/**
 * Post-only quotes on a venue without that flag. The trader drops an order that would trade at once by the newest data:
 * before its draft is requested and again before it is signed. It cannot see later changes.
 */

import { formatDecimal } from '../../../shared/base/decimal.js';
import type { Micros } from '../../../shared/base/micros.js';
import type { IntentRow } from '../../ledger/contract.js';
import type { BookSide, Sight, TapeTrade } from '../../market/view.js';
import type { MarketEntry } from '../markets.js';
import { inYesSpace } from './legs.js';

/** Control name in the refusal counts of `explain`. */
export const POST_ONLY = 'post_only';

/** Facts that an order's price is compared with; prices in YES space. */
type Seen = Pick<Sight, 'others' | 'newestTrade'>;

/** Why a post-only order at this YES price must not be sent; null when it may. */
export function findCrossing(side: BookSide, priceMicros: Micros, { others, newestTrade }: Seen): string | null {
  const best = side === 'bid' ? others.asks[0] : others.bids[0];
  const what = `post-only: ${side} ${formatDecimal(priceMicros)}`;
  if (best !== undefined && reaches(side, priceMicros, best.priceMicros))
    return `${what} would trade with the newest ${side === 'bid' ? 'ask' : 'bid'} ${formatDecimal(best.priceMicros)}`;
  const beside = (side === 'bid' ? others.bids[0] : others.asks[0])?.priceMicros ?? null;
  if (newestTrade === null || !isTradedThrough(side, priceMicros, newestTrade, beside)) return null;
  return `${what} would trade where the newest trade was, ${formatDecimal(newestTrade.priceMicros)}`;
}

const reaches = (side: BookSide, price: Micros, opposite: Micros): boolean =>
  side === 'bid' ? price >= opposite : price <= opposite;

/**
 * True when another taker traded at this price or better, or beyond everything that the book shows on our side: the
 * market has moved through this price. A maker inside the spread ignores trades at the best price beside it.
 */
function isTradedThrough(side: BookSide, price: Micros, trade: TapeTrade, beside: Micros | null): boolean {
  if (!reaches(side, price, trade.priceMicros)) return false;
  if (trade.taker === (side === 'bid' ? 'buy' : 'sell')) return true;
  if (beside === null) return false;
  return side === 'bid' ? trade.priceMicros < beside : trade.priceMicros > beside;
}

/** Why this order must not be signed now; null when it may be, and for strategies without post-only. */
export function objectionToPlace(row: IntentRow, market: MarketEntry | undefined, nowMs: number): string | null {
  const { isYes, side, priceMicros, strategy } = row;
  const slot = market?.slots.find((each) => each.strategy.name === strategy);
  if (slot?.isPostOnly !== true || isYes === null || side === null || priceMicros === null) return null;
  const sight = market?.feed.sight(nowMs) ?? null;
  if (sight === null) return 'post-only: nothing is known of the book any more';
  const order = inYesSpace(isYes, side, priceMicros);
  return findCrossing(order.side, order.priceMicros, sight);
}
