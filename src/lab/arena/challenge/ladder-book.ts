/** A FIFO book on ticks 1 to 99: orders of the competitor and the maker. */

export const LOWEST_TICK = 1;
export const HIGHEST_TICK = 99;
/** Price of a tick. */
export const TICK = 0.01;
/** A division, not a multiplication: gives 0.57, not the double next to it. */
export const tickToPrice = (tick: number): number => tick / 100;

export type LadderSide = 'bid' | 'ask';

export interface RestingOrder {
  /** Id of the maker's order; null for the competitor's. */
  readonly id: string | null;
  readonly side: LadderSide;
  readonly tick: number;
  /** Shares. */
  remaining: number;
}

export class LadderBook {
  readonly #bids: RestingOrder[][] = emptyTicks();
  readonly #asks: RestingOrder[][] = emptyTicks();

  /** Adds it at the end of its queue. */
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

  /** Best tick of the competitor; null without an order. */
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
