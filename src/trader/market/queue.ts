/**
 * How many shares of others stand before each of our resting orders, guessed against ourselves ("risk-averse" in
 * hftbacktest's queue models): all that a book first shows at our price stands before us; a trade at our price takes
 * from the front; a level that shrinks without a trade shrank behind us, unless what is left is less than we thought
 * stood before us.
 */

import { type Micros, minMicros, sub, ZERO } from '../../shared/base/micros.js';
import { amountAt } from './book.js';
import type { Book, OwnOrder, SeenAt, TapeTrade } from './view.js';

/** After a book with `level` shares of others at our price. */
export const aheadAfterBook = (ahead: Micros | null, level: Micros): Micros =>
  ahead === null ? level : minMicros(ahead, level);

/** After a trade of this size at our price that no book shows yet. */
export const aheadAfterTrade = (ahead: Micros, traded: Micros): Micros => (traded >= ahead ? ZERO : sub(ahead, traded));

interface Place {
  readonly ahead: Micros | null;
  readonly remaining: Micros;
}

/** Stores, for each own resting order, others' shares ahead of it. */
export class QueuePlaces {
  #places = new Map<string, Place>();

  findAhead(order: OwnOrder): Micros | null {
    return this.#places.get(order.intentId)?.ahead ?? null;
  }

  /** A new book without own orders, and the current own orders. */
  onBook(others: Book, at: SeenAt, own: readonly OwnOrder[]): void {
    const next = new Map<string, Place>();
    for (const order of own) {
      const known = this.#places.get(order.intentId) ?? { ahead: null, remaining: order.remainingMicros };
      const showsIt = order.acceptedMs !== null && order.acceptedMs <= at.sentMs;
      const ahead = showsIt
        ? aheadAfterBook(known.ahead, amountAt(others, order.side, order.priceMicros))
        : known.ahead;
      // A partly filled order is first in the queue.
      const filled = order.remainingMicros < known.remaining;
      next.set(order.intentId, { ahead: filled ? ZERO : ahead, remaining: order.remainingMicros });
    }
    this.#places = next;
  }

  /** A trade after the newest book. */
  onTrade(trade: TapeTrade, own: readonly OwnOrder[]): void {
    for (const order of own) {
      const place = this.#places.get(order.intentId);
      if (place === undefined || place.ahead === null) continue;
      const reach = computeReach(trade, order);
      if (reach < 0) continue;
      const ahead = reach > 0 ? ZERO : aheadAfterTrade(place.ahead, trade.amountMicros);
      this.#places.set(order.intentId, { ahead, remaining: place.remaining });
    }
  }
}

/**
 * Positive when the trade went through the order's price, 0 at it, negative before it. While a bid rests nobody can buy
 * at its price or below, so the price alone tells the taker's side.
 */
function computeReach(trade: TapeTrade, order: OwnOrder): number {
  return order.side === 'bid' ? order.priceMicros - trade.priceMicros : trade.priceMicros - order.priceMicros;
}
