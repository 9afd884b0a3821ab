/** What became of our own orders between two looks: the best evidence there is on where the truth lies. */

import { type BookSide, type MarketView, ONE, type StrategyEvent } from '../../src/trader/strategy/strategy.js';

/** Of one side since the last look; prices in (0, 1), shares. */
export interface SideFate {
  /** The worst price at which we were filled and nothing was left; null when none was. */
  readonly goneAt: number | null;
  readonly goneShares: number;
  /** The best price at which an order of ours rested all the time; null when none did. */
  readonly stoodAt: number | null;
  /** Shares filled of orders that still stand, and their price. */
  readonly partShares: number;
  readonly partPrice: number;
}

export type Fill = Extract<StrategyEvent, { kind: 'fill' }>;

export class OwnFills {
  #fills: Fill[] = [];

  add(event: StrategyEvent): void {
    if (event.kind === 'fill' && event.isMaker) this.#fills.push(event);
  }

  /** Fills that were not taken yet are of no use any more. */
  forget(): void {
    this.#fills = [];
  }

  save(): readonly Fill[] {
    return [...this.#fills];
  }

  restore(fills: readonly Fill[]): void {
    this.#fills = [...fills];
  }

  /** The fates of both sides since the last call. */
  take(view: MarketView): Readonly<Record<BookSide, SideFate>> {
    const fates = { bid: this.#fateOf('bid', view), ask: this.#fateOf('ask', view) };
    this.#fills = [];
    return fates;
  }

  #fateOf(side: BookSide, { orders }: MarketView): SideFate {
    const better = (a: number, b: number): boolean => (side === 'bid' ? a > b : a < b);
    const resting = orders.filter((order) => order.side === side && order.acceptedMs !== null);
    let stood: number | null = null;
    for (const { priceMicros } of resting) if (stood === null || better(priceMicros, stood)) stood = priceMicros;
    let gone: number | null = null;
    let [goneShares, partShares, partPrice] = [0, 0, 0];
    for (const fill of this.#fills) {
      if (fill.side !== side) continue;
      if (resting.some(({ priceMicros }) => priceMicros === fill.priceMicros)) {
        partShares += fill.amountMicros / ONE;
        partPrice = fill.priceMicros / ONE;
      } else {
        goneShares += fill.amountMicros / ONE;
        if (gone === null || better(gone, fill.priceMicros)) gone = fill.priceMicros;
      }
    }
    return {
      goneAt: gone === null ? null : gone / ONE,
      goneShares,
      stoodAt: stood === null ? null : stood / ONE,
      partShares,
      partPrice,
    };
  }
}
