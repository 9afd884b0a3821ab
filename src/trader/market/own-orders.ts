/**
 * Own orders that may be part of a polled book. A fair value from a book with own quotes would follow itself. When in
 * doubt an order counts as part of the book: one canceled or filled after the poll left, and one that was in flight
 * when the answer came.
 */

import { add, type Micros, maxMicros, minMicros, sub, ZERO } from '../../shared/base/micros.js';
import { amountAt, type Removal } from './book.js';
import type { Book, OwnOrder, SeenAt, TapeTrade } from './view.js';

interface Remembered {
  readonly order: OwnOrder;
  /** Remaining amount before its last known fill, and when that fill was known. */
  readonly earlierMicros: Micros;
  readonly changedMs: number;
  /** Our clock, ms: earlier books cannot show it. The past, if our clock was set back since it left. */
  readonly submittedMs: number;
  /** When it was first missing from our orders; null while present. */
  readonly goneMs: number | null;
}

/**
 * True when a book requested at `sentMs` shows less at a price than own orders rest there: a fill, or an ended order.
 * Orders beyond the worst price of the book say nothing, because a book shows a limited number of levels.
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
      if (!next.has(intentId)) next.set(intentId, markGone(known, nowMs));
    }
    this.#orders = next;
  }

  /** Amounts that are or may be ours in a book of this poll; drops orders that ended before the poll left. */
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

  /** Ended orders are in no book requested since; present ones may be in all of them. */
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

function markGone(known: Remembered, nowMs: number): Remembered {
  return known.goneMs === null ? { ...known, goneMs: nowMs } : known;
}

function remember(known: Remembered, order: OwnOrder, nowMs: number): Remembered {
  const { earlierMicros, changedMs, submittedMs } = known;
  if (known.order.remainingMicros === order.remainingMicros)
    return { order, earlierMicros, changedMs, submittedMs, goneMs: null };
  return { order, earlierMicros: known.order.remainingMicros, changedMs: nowMs, submittedMs, goneMs: null };
}

const firstSeen = (order: OwnOrder, nowMs: number): Remembered => ({
  order,
  earlierMicros: order.remainingMicros,
  changedMs: Number.NEGATIVE_INFINITY,
  // An order that seems to leave later left before our clock was set back, perhaps in another process.
  submittedMs: order.submittedMs > nowMs ? Number.NEGATIVE_INFINITY : order.submittedMs,
  goneMs: null,
});

/** After a book with `level` shares of others at our price. */
export const aheadAfterBook = (ahead: Micros | null, level: Micros): Micros =>
  ahead === null ? level : minMicros(ahead, level);

/** After a trade of this size at our price that no book shows yet. */
export const aheadAfterTrade = (ahead: Micros, traded: Micros): Micros => (traded >= ahead ? ZERO : sub(ahead, traded));

interface Place {
  readonly ahead: Micros | null;
  readonly remaining: Micros;
}

/**
 * Shares of others before each of our resting orders, guessed against ourselves ("risk-averse" in hftbacktest's queue
 * models). All that a book first shows at our price stands before us. A trade at our price takes from the front. A level that
 * shrinks without a trade shrank behind us, unless less is left than stood before us.
 */
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
