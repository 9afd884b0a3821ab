/** All participants of the challenge except the maker, on any book: competitor, arbitrageur, uninformed takers. */

import {
  floorToQuantum,
  HIGHEST_TICK,
  type LadderSide,
  LOWEST_TICK,
  QUANTUM,
  type RestingOrder,
  round10,
  TICK,
  tickToPrice,
} from './ladder-book.js';
import { PythonRandom } from './python-random.js';
import type { Configuration, Truth } from './score.js';

/** Tolerance of the arbitrageur's comparison of prices. */
const WRONG_BY = 1e-9;
const SELL_PRICE_FLOOR = 0.05;
/** More than any book holds. */
const ALL_SHARES = 100_000;

type Taker = 'arbitrageur' | 'retail';

/** The book on which they trade, in ticks and shares. */
export interface Venue {
  /** Best tick of a side; null when empty. */
  best(side: LadderSide): number | null;
  /** Adds an order of the competitor. */
  rest(order: RestingOrder): void;
  /** Buys up to this tick, or sells down to it. Returns the traded shares. */
  take(taker: Taker, buys: boolean, tick: number, shares: number): number;
}

export class Others {
  readonly truth: Truth;
  /** Probability that YES pays, at the present step. */
  probability: number;
  readonly #venue: Venue;
  readonly #config: Configuration;
  readonly #retail: PythonRandom;
  /** Random numbers beyond the published simulator's draws. */
  readonly #extra: PythonRandom;
  /** Used-up orders of the competitor, in order. */
  #used: RestingOrder[] = [];

  /** The competitor quotes at once. */
  constructor(venue: Venue, config: Configuration, seed: number, truth: Truth) {
    this.#venue = venue;
    this.#config = config;
    this.truth = truth;
    this.probability = truth.probability;
    this.#retail = new PythonRandom(seed + 1);
    this.#extra = new PythonRandom(seed + 2 ** 32);
    this.#open(this.probability);
  }

  /**
   * The competitor quotes a ladder on every tick outside its spread around this probability's fair ticks, and ignores
   * later prices.
   */
  #open(probability: number): void {
    const below = Math.ceil(probability / TICK - 1e-12) - 1;
    const above = Math.floor(probability / TICK + 1e-12) + 1;
    const bestBid = below - (this.#config.competitorSpread - 1);
    const bestAsk = above + (this.#config.competitorSpread - 1);
    for (let tick = LOWEST_TICK; tick <= Math.min(bestBid, HIGHEST_TICK); tick++) this.#rest('bid', tick);
    for (let tick = Math.max(bestAsk, LOWEST_TICK); tick <= HIGHEST_TICK; tick++) this.#rest('ask', tick);
  }

  usedUp(order: RestingOrder): void {
    this.#used.push(order);
  }

  /** The competitor replaces each used-up order by one on the other side, a spread away. */
  replace(): void {
    const { competitorSpread } = this.#config;
    for (const { side, tick } of this.#used) {
      if (side === 'ask') this.#rest('bid', tick - competitorSpread);
      else this.#rest('ask', tick + competitorSpread);
    }
    this.#used = [];
  }

  #rest(side: LadderSide, tick: number): void {
    const { competitorSides, competitorNotional } = this.#config;
    if (!competitorSides.includes(side)) return;
    const at = Math.min(HIGHEST_TICK, Math.max(LOWEST_TICK, tick));
    const remaining = floorToQuantum(competitorNotional / tickToPrice(at));
    if (remaining >= QUANTUM) this.#venue.rest({ id: null, side, tick: at, remaining });
  }

  /** The next step of the truth; the arbitrageur acts before the uninformed takers. */
  act(): void {
    this.truth.step();
    this.probability = this.truth.probability;
    const { informedPart } = this.#config;
    if (informedPart >= 1 || this.#extra.random() < informedPart) this.#arbitrage(this.probability);
    for (const order of drawRetail(this.#retail, this.#config)) this.#serve(order);
  }

  /** Takes every offer on the wrong side of the truth. */
  #arbitrage(probability: number): void {
    const highest = Math.ceil((probability - WRONG_BY) * 100) - 1;
    const lowest = Math.floor((probability + WRONG_BY) * 100) + 1;
    if ((this.#venue.best('ask') ?? Number.POSITIVE_INFINITY) <= highest)
      this.#venue.take('arbitrageur', true, Math.min(HIGHEST_TICK, highest), ALL_SHARES);
    if ((this.#venue.best('bid') ?? Number.NEGATIVE_INFINITY) >= lowest)
      this.#venue.take('arbitrageur', false, Math.max(LOWEST_TICK, lowest), ALL_SHARES);
  }

  #serve({ buys, notional }: ReturnType<typeof drawRetail>[number]): void {
    if (!buys) {
      const price = Math.max(this.probability, SELL_PRICE_FLOOR);
      const shares = Math.min(ALL_SHARES, floorToQuantum(notional / price));
      if (shares >= QUANTUM) this.#venue.take('retail', false, LOWEST_TICK, shares);
      return;
    }
    let left = notional;
    for (let ask = this.#venue.best('ask'); ask !== null; ask = this.#venue.best('ask')) {
      const shares = floorToQuantum(left / tickToPrice(ask));
      if (shares < QUANTUM) return;
      const filled = this.#venue.take('retail', true, ask, shares);
      left = round10(left - filled * tickToPrice(ask));
      // Partly filled: the level is empty, and the next one is more expensive.
      if (filled === 0) return;
    }
  }
}

/** Orders of the uninformed takers in one step, in order of arrival: they take any offer. */
export function drawRetail(random: PythonRandom, config: Configuration) {
  const { retailRate, retailMeanNotional, retailSigma } = config;
  const mu = Math.log(retailMeanNotional) - retailSigma ** 2 / 2;
  return Array.from({ length: random.poisson(retailRate) }, () => {
    const buys = random.random() < 0.5;
    // Currency to spend, or the fair value of the shares to sell.
    return { buys, notional: random.lognormal(mu, retailSigma) };
  });
}
