/**
 * Which of our own orders may be part of a book that came from a poll. A fair value taken from a book with our own
 * quotes in it would follow itself, so when in doubt an order counts as part of it: an order that was canceled or
 * filled after the poll had left, and one that was still on its way when the answer came.
 */

import { add, type Micros, maxMicros, ZERO } from '../base/micros.js';
import type { Removal } from './book.js';
import type { BookSide, OwnOrder, SeenAt } from './view.js';

interface Remembered {
  readonly order: OwnOrder;
  /** What remained before its last known fill, and when we learned of that fill. */
  readonly earlierMicros: Micros;
  readonly changedMs: number;
  /** When it was first missing from our orders; null while it is among them. */
  readonly goneMs: number | null;
}

export class OwnOrderMemory {
  #orders = new Map<string, Remembered>();
  #noted: readonly OwnOrder[] | null = null;

  /** Takes note of our orders as they are known now; the very array of the last time says nothing new. */
  update(nowMs: number, own: readonly OwnOrder[]): void {
    if (own === this.#noted) return;
    this.#noted = own;
    const next = new Map<string, Remembered>();
    for (const order of own) next.set(order.intentId, remember(this.#orders.get(order.intentId), order, nowMs));
    for (const [intentId, known] of this.#orders) {
      if (!next.has(intentId)) next.set(intentId, gone(known, nowMs));
    }
    this.#orders = next;
  }

  /** The amounts that are or may be ours in a book seen by this poll; forgets what left before the poll did. */
  inBook(at: SeenAt): Removal {
    const removal = { bid: new Map<Micros, Micros>(), ask: new Map<Micros, Micros>() };
    for (const [intentId, known] of this.#orders) {
      if (known.goneMs !== null && known.goneMs < at.sentMs) {
        this.#orders.delete(intentId);
      } else if (known.order.submittedMs < at.seenMs) {
        const { side, priceMicros, remainingMicros } = known.order;
        const amount = known.changedMs >= at.sentMs ? maxMicros(known.earlierMicros, remainingMicros) : remainingMicros;
        removal[side].set(priceMicros, add(removal[side].get(priceMicros) ?? ZERO, amount));
      }
    }
    return removal;
  }

  /** How many orders are remembered, gone ones included. */
  get size(): number {
    return this.#orders.size;
  }
}

function gone(known: Remembered, nowMs: number): Remembered {
  const { order, earlierMicros, changedMs, goneMs } = known;
  return goneMs === null ? { order, earlierMicros, changedMs, goneMs: nowMs } : known;
}

function remember(known: Remembered | undefined, order: OwnOrder, nowMs: number): Remembered {
  if (known === undefined) return { order, earlierMicros: order.remainingMicros, changedMs: -1, goneMs: null };
  const { earlierMicros, changedMs } = known;
  if (known.order.remainingMicros === order.remainingMicros) return { order, earlierMicros, changedMs, goneMs: null };
  return { order, earlierMicros: known.order.remainingMicros, changedMs: nowMs, goneMs: null };
}

/** Sum of what we have at one price. */
export const ownAt = (removal: Removal, side: BookSide, priceMicros: Micros): Micros =>
  removal[side].get(priceMicros) ?? ZERO;
