/** Learns one cost of replacing an order: the time until the new order is open, during which no fill is possible. */

import type { BookSide, MarketView } from '../../src/trader/strategy/strategy.js';
import type { Saved } from './saved.js';

/** Half-life of the learned time, in orders. */
const MEMORY = 50;
/** Maximum counted time until an order is open, s. */
const LONGEST_S = 60;

export class Absence {
  /** Prior: one order that was open without delay. */
  #seconds = 0;
  #orders = 1;
  /** By side: time since which an order is wanted but none is open, our clock, ms; null if nothing is missing. */
  #since: Record<BookSide, number | null> = { bid: null, ask: null };

  /** Mean time from the decision to place an order until the order is open, s. */
  get perOrderS(): number {
    return this.#seconds / this.#orders;
  }

  save(): Saved['absence'] {
    return { seconds: this.#seconds, orders: this.#orders, since: { ...this.#since } };
  }

  restore({ seconds, orders, since }: Saved['absence']): void {
    [this.#seconds, this.#orders, this.#since] = [seconds, orders, { ...since }];
  }

  /** Forgets the present waits for orders; call it when the strategy wants no order. */
  forget(): void {
    this.#since = { bid: null, ask: null };
  }

  /** Processes a market view. Call this method for each view, before the quotes for the view are made. */
  see({ orders }: MarketView): void {
    for (const { side, acceptedMs } of orders) {
      const since = this.#since[side];
      if (since === null || acceptedMs === null) continue;
      this.#seconds += Math.min(LONGEST_S, Math.max(0, acceptedMs - since) / 1000);
      this.#orders += 1;
      this.#since[side] = null;
    }
    if (this.#orders <= MEMORY) return;
    this.#seconds /= 2;
    this.#orders /= 2;
  }

  /** Records whether the strategy wants an order on a side. */
  want(side: BookSide, isWanted: boolean, { orders, nowMs }: MarketView): void {
    const stands = orders.some((order) => order.side === side && order.acceptedMs !== null);
    if (!isWanted || stands) this.#since[side] = null;
    else this.#since[side] ??= nowMs;
  }
}
