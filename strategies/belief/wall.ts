/** Computes the likelihood of others' best price on a side as a function of the true price. */

import { type BookSide, normalCdf } from '../../src/trader/strategy/strategy.js';
import { locatePrice, POINTS, STEP } from './grid.js';

/** If a price is this many deviations on the safe side of the true price, others certainly quote there. */
const SAFE = 5;
/** If a price is this many deviations on the unsafe side, others quote there only with the likelihood `NEVER`. */
const BEYOND = -7;
const NEVER = 1e-12;

/** Likelihood of others' best price on one side of a market, cached until that price changes. */
export class Wall {
  readonly #sign: number;
  readonly #width: number;
  readonly #likelihood = new Float64Array(POINTS);
  #price = Number.NaN;

  /** `logOdds` is the standard deviation of the error of others' quotes, in log-odds. */
  constructor(side: BookSide, logOdds: number) {
    this.#sign = side === 'bid' ? 1 : -1;
    this.#width = logOdds / STEP;
  }

  /** Likelihood that others quote this price, in (0, 1), for each true price. The next call overwrites the array. */
  at(price: number): Float64Array {
    if (price === this.#price) return this.#likelihood;
    this.#price = price;
    const place = locatePrice(price);
    for (let i = 0; i < POINTS; i++) {
      const z = (this.#sign * (i - place)) / this.#width;
      this.#likelihood[i] = z > SAFE ? 1 : z < BEYOND ? NEVER : normalCdf(z);
    }
    return this.#likelihood;
  }
}
