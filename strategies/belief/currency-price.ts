/**
 * What a unit of currency is worth beyond itself until the market resolves. Where takers will want more than the currency
 * pays for, a share in hand that covers a sale is worth more than its price, and a dear uncovered sale less.
 */

import { type MarketView, ONE } from '../../src/trader/strategy/strategy.js';
import type { Choice } from './quote-choice.js';
import { expectedFill, SIZE_SIGMA, type Takers } from './takers.js';

/** The price follows what the newest quotes say by this part. */
const FOLLOWED = 0.05;

export class CurrencyPrice {
  readonly #horizonS: number;
  #value = 0;

  constructor(horizonS: number) {
    this.#horizonS = horizonS;
  }

  get value(): number {
    return this.#value;
  }

  /** Value of one more YES share as cover of a later sale: less, the more is held of what takers will want. */
  coverWorth(yesShares: number, wantedShares: number): number {
    return this.#value * Math.max(0, 1 - yesShares / Math.max(1, wantedShares));
  }

  /** Where the currency would not last, what a unit of it brings on average; nothing while resolution is unknown or far. */
  update(choices: readonly (Choice | null)[], takers: Takers, mean: number, view: MarketView): void {
    const leftS = Math.max(0, view.timeToResolutionMs ?? 0) / 1000;
    if (leftS > this.#horizonS) {
      this.#value = 0;
      return;
    }
    const free = view.inventory.availableFundsMicros / ONE;
    let [needed, brought, bound] = [0, 0, 0];
    for (const choice of choices) {
      if (choice === null || choice.shares <= 0) continue;
      const { side, price, demand } = choice;
      const usual = Math.max(choice.shares, Math.exp(demand.logMean));
      const shares = takers.rate * leftS * expectedFill(usual, demand.logMean, SIZE_SIGMA);
      const each = side === 'bid' ? price : 1 - price;
      // What is sold out of what is held needs none.
      const covered = side === 'ask' ? view.inventory.yesMicros / ONE : 0;
      needed += Math.max(0, shares - covered) * each;
      bound += shares * each;
      brought += shares * Math.max(0, side === 'ask' ? price - mean : mean - price);
    }
    const scarce = needed > free ? (brought / bound) * (1 - free / needed) : 0;
    this.#value += FOLLOWED * (scarce - this.#value);
  }
}
