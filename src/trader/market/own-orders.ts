/**
 * Finds own orders in a polled book, to remove them: a fair value from own quotes would follow itself. A doubtful order
 * counts as contained. Doubtful orders ended after the request was sent, or were in flight when the answer arrived.
 */

import { add, type Micros, maxMicros, minMicros, sub, ZERO } from '../../shared/base/micros.js';
import { amountAt, type Removal } from './book.js';
import type { Book, OwnOrder, SeenAt, TapeTrade } from './view.js';

interface Remembered {
  readonly order: OwnOrder;
  /** Remaining amount before the last known fill; `changedMs` is our clock when that fill became known. */
  readonly earlierMicros: Micros;
  readonly changedMs: number;
  /** Our clock, ms, of the submit; -Infinity if our clock was set back since. Earlier books cannot show the order. */
  readonly submittedMs: number;
  /** Our clock, ms, when the order ended; null while it is working. */
  readonly goneMs: number | null;
}

/**
 * True when a book requested at `sentMs` shows fewer shares at a price than own orders have there: one was filled or
 * ended. Orders beyond the worst shown price are ignored, because a book shows a limited number of levels.
 */
export function isShortOfOwn(book: Book, orders: readonly OwnOrder[], sentMs: number): boolean {
  return orders.some(({ side, priceMicros, acceptedMs }) => {
    const worst = (side === 'bid' ? book.bids : book.asks).at(-1)?.priceMicros ?? priceMicros;
    const isShown = side === 'bid' ? priceMicros >= worst : priceMicros <= worst;
    if (acceptedMs === null || acceptedMs >= sentMs || !isShown) return false;
    const there = orders.filter((each) => each.side === side && each.priceMicros === priceMicros);
    const shown = there.filter((each) => each.acceptedMs !== null && each.acceptedMs < sentMs);
    return amountAt(book, side, priceMicros) < shown.reduce((sum, each) => sum + each.remainingMicros, 0);
  });
}

/** Stores own orders of one market long enough to remove them from every book that may show them. */
export class OwnOrderMemory {
  #orders = new Map<string, Remembered>();
  #noted: readonly OwnOrder[] | null = null;

  /** Takes in the current own orders; the same array as before changes nothing. */
  update(nowMs: number, own: readonly OwnOrder[]): void {
    if (own === this.#noted) return;
    this.#noted = own;
    const next = new Map<string, Remembered>();
    for (const order of own)
      next.set(order.intentId, remember(this.#orders.get(order.intentId) ?? firstSeen(order, nowMs), order, nowMs));
    for (const [intentId, known] of this.#orders) {
      if (!next.has(intentId)) next.set(intentId, known.goneMs === null ? { ...known, goneMs: nowMs } : known);
    }
    this.#orders = next;
  }

  /** Own amounts that the book of this poll may contain. Drops orders that ended before the request was sent. */
  inBook(at: SeenAt): Removal {
    const removal = { bid: new Map<Micros, Micros>(), ask: new Map<Micros, Micros>() };
    for (const [intentId, known] of this.#orders) {
      if (known.goneMs !== null && known.goneMs < at.sentMs) {
        this.#orders.delete(intentId);
      } else if (known.submittedMs < at.seenMs) {
        const { side, priceMicros, remainingMicros } = known.order;
        const amount = known.changedMs >= at.sentMs ? maxMicros(known.earlierMicros, remainingMicros) : remainingMicros;
        removal[side].set(priceMicros, add(removal[side].get(priceMicros) ?? ZERO, amount));
      }
    }
    return removal;
  }

  /** After our clock was set back: forgets ended orders, and assumes working orders in every new book. */
  clockSetBack(): void {
    for (const [intentId, { order, goneMs }] of this.#orders) {
      if (goneMs !== null) this.#orders.delete(intentId);
      else this.#orders.set(intentId, firstSeen(order, Number.NEGATIVE_INFINITY));
    }
  }

  /** Number of stored orders, ended ones included. */
  get size(): number {
    return this.#orders.size;
  }
}

function remember(known: Remembered, order: OwnOrder, nowMs: number): Remembered {
  const { remainingMicros } = known.order;
  const change =
    remainingMicros === order.remainingMicros ? null : { earlierMicros: remainingMicros, changedMs: nowMs };
  return { ...known, ...change, order, goneMs: null };
}

const firstSeen = (order: OwnOrder, nowMs: number): Remembered => ({
  order,
  earlierMicros: order.remainingMicros,
  changedMs: Number.NEGATIVE_INFINITY,
  // A submit time in the future is from before our clock was set back, perhaps in an earlier process.
  submittedMs: order.submittedMs > nowMs ? Number.NEGATIVE_INFINITY : order.submittedMs,
  goneMs: null,
});

/** Shares ahead of an own order after a book that shows `level` shares of others at its price. */
export const aheadAfterBook = (ahead: Micros | null, level: Micros): Micros =>
  ahead === null ? level : minMicros(ahead, level);

/** Shares ahead of an own order after a trade of `traded` shares at its price that no book shows yet. */
export const aheadAfterTrade = (ahead: Micros, traded: Micros): Micros => (traded >= ahead ? ZERO : sub(ahead, traded));

interface Place {
  readonly ahead: Micros | null;
  readonly remaining: Micros;
}

/**
 * Estimates the shares ahead of each own resting order, pessimistically ("risk-averse" in hftbacktest's queue models).
 * All shares that the first book shows at the price are ahead. A trade at the price reduces the queue from the front. A
 * level that shrinks without a trade loses shares behind the order first.
 */
export class QueuePlaces {
  #places = new Map<string, Place>();

  findAhead(order: OwnOrder): Micros | null {
    return this.#places.get(order.intentId)?.ahead ?? null;
  }

  /** Takes in a book without own orders, and the current own orders. */
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

  /** Takes in a trade that happened after the newest book. */
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
 * How far a trade's price went beyond the order's price: 0 at the price, negative before it. While a bid rests, no
 * taker can buy at its price or below, so the price alone shows the taker's side.
 */
function computeReach(trade: TapeTrade, order: OwnOrder): number {
  return order.side === 'bid' ? order.priceMicros - trade.priceMicros : trade.priceMicros - order.priceMicros;
}
