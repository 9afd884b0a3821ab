/** Others' best price of a side as evidence: its likelihood as a function of the truth. */

import { type BookSide, normalCdf } from '../../src/trader/strategy/strategy.js';
import { locatePrice, POINTS, STEP } from './grid.js';

/** Deviations: on the safe side of the truth from which others certainly quote, and beyond it from which they never do. */
const SAFE = 5;
const BEYOND = -7;
const NEVER = 1e-12;

/** Likelihood of one side of a market. Cached until its price changes. */
export class Wall {
  readonly #sign: number;
  readonly #width: number;
  readonly #likelihood = new Float64Array(POINTS);
  #price = Number.NaN;

  /** `logOdds` is the deviation of the error of others' quotes. */
  constructor(side: BookSide, logOdds: number) {
    this.#sign = side === 'bid' ? 1 : -1;
    this.#width = logOdds / STEP;
  }

  /** For each point of the grid, the likelihood that others quote a price in (0, 1). Overwritten by the next call. */
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
