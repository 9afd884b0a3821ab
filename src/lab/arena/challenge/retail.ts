/** The uninformed: they come at random and take whatever stands there. */

import type { Configuration } from './configuration.js';
import { PythonRandom } from './python-random.js';

export interface RetailOrder {
  readonly buys: boolean;
  /** Currency that it spends, or that its shares are worth at the fair price. */
  readonly notional: number;
}

export class Retail {
  readonly #random: PythonRandom;
  readonly #rate: number;
  readonly #mu: number;
  readonly #sigma: number;

  constructor({ retailRate, retailMeanNotional, retailSigma }: Configuration, seed: number) {
    this.#random = new PythonRandom(seed);
    this.#rate = retailRate;
    this.#mu = Math.log(retailMeanNotional) - retailSigma ** 2 / 2;
    this.#sigma = retailSigma;
  }

  /** The orders of one step, in the order of their coming. */
  step(): RetailOrder[] {
    const orders: RetailOrder[] = [];
    for (let left = this.#random.poisson(this.#rate); left > 0; left--) {
      const buys = this.#random.random() < 0.5;
      orders.push({ buys, notional: this.#random.lognormal(this.#mu, this.#sigma) });
    }
    return orders;
  }
}
