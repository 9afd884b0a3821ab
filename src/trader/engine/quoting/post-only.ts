/**
 * Post-only quotes on a venue that has no such flag: the trader itself lets an order go that would trade at once, by the
 * newest that it has seen, before its draft is asked for and again before it is signed. What happens after that, nobody
 * here can see.
 */

import { formatDecimal } from '../../../shared/base/decimal.js';
import type { Micros } from '../../../shared/base/micros.js';
import type { IntentRow } from '../../ledger/contract.js';
import type { BookSide, Sight, TapeTrade } from '../../market/view.js';
import type { MarketEntry } from '../markets.js';
import { inYesSpace } from './legs.js';

/** In the counts of refusals, for `explain`. */
export const POST_ONLY = 'post_only';

/** What an order's price is held against; prices in YES space. */
type Seen = Pick<Sight, 'others' | 'newestTrade'>;

/** Why a post-only order at this YES price must not be sent: a sentence; null when it may. */
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
 * Somebody took at this price or a better one what we would take now, or traded beyond all that the book shows on our own side:
 * then it has moved through us. A maker inside the spread is not disturbed by trades at the best price beside him.
 */
function isTradedThrough(side: BookSide, price: Micros, trade: TapeTrade, beside: Micros | null): boolean {
  if (!reaches(side, price, trade.priceMicros)) return false;
  if (trade.taker === (side === 'bid' ? 'buy' : 'sell')) return true;
  if (beside === null) return false;
  return side === 'bid' ? trade.priceMicros < beside : trade.priceMicros > beside;
}

/** Why this place must not be signed now; null when it may, and for what no post-only strategy has asked for. */
export function objectionToPlace(row: IntentRow, market: MarketEntry | undefined, nowMs: number): string | null {
  const { isYes, side, priceMicros, strategy } = row;
  const slot = market?.slots.find((each) => each.strategy.name === strategy);
  if (slot?.isPostOnly !== true || isYes === null || side === null || priceMicros === null) return null;
  const sight = market?.feed.sight(nowMs) ?? null;
  if (sight === null) return 'post-only: nothing is known of the book any more';
  const order = inYesSpace(isYes, side, priceMicros);
  return findCrossing(order.side, order.priceMicros, sight);
}
