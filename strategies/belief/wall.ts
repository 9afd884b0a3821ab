/** Others' best price of a side as evidence: how likely they would stand there, by where the truth is. */

import { type BookSide, normalCdf } from '../../src/trader/strategy/strategy.js';
import { locatePrice, POINTS, STEP } from './grid.js';

/** So many deviations on the safe side of the truth they stand for certain; so many beyond it, next to never. */
const SAFE = 5;
const BEYOND = -7;
const NEVER = 1e-12;

/** Of one side of one market. Kept while the price stays where it is: most looks find it there. */
export class Wall {
  readonly #sign: number;
  readonly #width: number;
  readonly #likelihood = new Float64Array(POINTS);
  #price = Number.NaN;

  /** `logOdds` is the deviation by which those who stand there err. */
  constructor(side: BookSide, logOdds: number) {
    this.#sign = side === 'bid' ? 1 : -1;
    this.#width = logOdds / STEP;
  }

  /** For each point of the grid, the likelihood that others stand at a price in (0, 1). Overwritten by the next call. */
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
