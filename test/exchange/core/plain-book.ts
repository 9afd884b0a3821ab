/**
 * Both sides of a recorded book with real orders in it, share by share: two plain queues, and the rule about what a
 * recorded amount does that comes to the price of a real order. Slow and obvious; the exchange core is compared with it.
 *
 * Prices are whole ticks from 1 to `TICKS`; amounts are whole shares. Bids and asks belong to two accounts, so that nobody
 * meets himself.
 */

import { ASK, BID, type BookSide } from '../../../src/exchange/core/contract.js';
import { type PlainOrder, PlainQueue } from './plain-queue.js';

export const TICKS = 7;

/** One real order's fill: which order, in the order of joining, at which tick. */
export interface PlainFill {
  readonly order: number;
  readonly tick: number;
}

export class PlainBook {
  readonly orders: (PlainOrder & { readonly side: BookSide; readonly tick: number })[] = [];
  readonly #queues: readonly [PlainQueue, PlainQueue];
  readonly #postsOnly: boolean;
  #isSnapshotShown = true;

  constructor(model: string) {
    const [first = '', ...rest] = model.split(':');
    this.#postsOnly = first === 'posts-only';
    const queue = this.#postsOnly ? rest.join(':') || 'risk-averse' : model;
    this.#queues = [new PlainQueue(queue), new PlainQueue(queue)];
  }

  /** What trades at once is taken, the rest joins. Returns what was taken. */
  join(side: BookSide, tick: number, amount: number): number {
    const other = side === BID ? ASK : BID;
    const taken = this.#queues[other].take(rankOf(other, tick), amount);
    const order = this.#queues[side].join(rankOf(side, tick), amount - taken);
    this.orders.push(Object.assign(order, { side, tick }));
    return taken;
  }

  cancel(at: number): void {
    const order = this.orders[at];
    if (order !== undefined) this.#queues[order.side].cancel(order);
  }

  /** The recording's level, and the fills of those that it met, a share each. */
  level(side: BookSide, tick: number, total: number): PlainFill[] {
    const queue = this.#queues[side];
    const rank = rankOf(side, tick);
    this.#isSnapshotShown = true;
    queue.change(rank, total);
    const fills: PlainFill[] = [];
    while (!this.#postsOnly && queue.shown(rank) > 0) {
      const met = this.#bestOpposite(side, tick);
      if (met === undefined) break;
      met.left -= 1;
      met.filled += 1;
      queue.level(rank).eaten += 1;
      fills.push({ order: this.orders.indexOf(met), tick: met.tick });
    }
    return fills;
  }

  /** The real order of the other side that would trade with `side` at `tick`: best price first, then the oldest. */
  #bestOpposite(side: BookSide, tick: number) {
    const offers = this.orders.filter((order) => {
      if (order.left <= 0 || order.side === side) return false;
      return side === ASK ? order.tick >= tick : order.tick <= tick;
    });
    const ticks = offers.map((order) => order.tick);
    const best = side === ASK ? Math.max(...ticks) : Math.min(...ticks);
    return offers.find((order) => order.tick === best);
  }

  /** `taker` BID bought from the asks. */
  trade(taker: BookSide, tick: number, amount: number): void {
    const side = taker === BID ? ASK : BID;
    this.#queues[side].trade(rankOf(side, tick), amount);
  }

  clear(): void {
    for (const queue of this.#queues) queue.clear();
    this.#isSnapshotShown = false;
  }

  /** Time goes by: the snapshot after a clear, all of one moment, is over if it has begun. */
  wait(): void {
    if (this.#isSnapshotShown) for (const queue of this.#queues) queue.forgetUnshown();
  }

  displayed(side: BookSide, tick: number): number {
    return this.#queues[side].displayed(rankOf(side, tick));
  }

  recorded(side: BookSide, tick: number): number {
    return this.#queues[side].level(rankOf(side, tick)).total;
  }
}

/** 0 is the best price that the side could have. */
const rankOf = (side: BookSide, tick: number): number => (side === BID ? TICKS - tick : tick - 1);
