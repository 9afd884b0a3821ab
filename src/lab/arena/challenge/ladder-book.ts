/** One FIFO book on the ticks 1 to 99: the competitor's orders and the maker's. */

export const LOWEST_TICK = 1;
export const HIGHEST_TICK = 99;
/** Price of a tick. */
export const TICK = 0.01;
/** Divided, not multiplied: 0.57 and not the double next to it. */
export const tickToPrice = (tick: number): number => tick / 100;

export type LadderSide = 'bid' | 'ask';

export interface RestingOrder {
  /** Of the maker's order; null for one of the competitor. */
  readonly id: string | null;
  readonly side: LadderSide;
  readonly tick: number;
  /** Shares. */
  remaining: number;
}

export class LadderBook {
  readonly #bids: RestingOrder[][] = emptyTicks();
  readonly #asks: RestingOrder[][] = emptyTicks();

  /** Puts it at the end of its queue. */
  add(order: RestingOrder): void {
    this.#queue(order.side, order.tick).push(order);
  }

  remove(order: RestingOrder): void {
    const queue = this.#queue(order.side, order.tick);
    const place = queue.indexOf(order);
    if (place >= 0) queue.splice(place, 1);
  }

  /** The order that trades first on a side: best price, then oldest. */
  best(side: LadderSide, isWanted: (order: RestingOrder) => boolean = () => true): RestingOrder | null {
    const [from, step] = side === 'ask' ? [LOWEST_TICK, 1] : [HIGHEST_TICK, -1];
    for (let tick = from; tick >= LOWEST_TICK && tick <= HIGHEST_TICK; tick += step) {
      const found = this.#queue(side, tick).find(isWanted);
      if (found !== undefined) return found;
    }
    return null;
  }

  /** The best tick at which the competitor stands; null where he does not. */
  competitorBest(side: LadderSide): number | null {
    return this.best(side, ({ id }) => id === null)?.tick ?? null;
  }

  #queue(side: LadderSide, tick: number): RestingOrder[] {
    const queue = (side === 'bid' ? this.#bids : this.#asks)[tick];
    if (queue === undefined) throw new RangeError(`a tick lies from ${LOWEST_TICK} to ${HIGHEST_TICK}, got ${tick}`);
    return queue;
  }
}

const emptyTicks = (): RestingOrder[][] => Array.from({ length: HIGHEST_TICK + 1 }, () => []);
