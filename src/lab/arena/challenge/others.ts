/** All participants of the challenge except the maker, on any book: competitor, arbitrageur, uninformed takers. */

import type { Configuration } from './configuration.js';
import { HIGHEST_TICK, type LadderSide, LOWEST_TICK, type RestingOrder, TICK, tickToPrice } from './ladder-book.js';
import { PythonRandom } from './python-random.js';
import { floorToQuantum, QUANTUM, round10 } from './round.js';

/** Tolerance of the arbitrageur's comparison of prices. */
const WRONG_BY = 1e-9;
const SELL_PRICE_FLOOR = 0.05;
/** More than any book holds. */
const ALL_SHARES = 100_000;

export type Taker = 'arbitrageur' | 'retail';

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
  readonly #venue: Venue;
  readonly #config: Configuration;
  readonly #retail: Retail;
  /** Random numbers beyond the published simulator's draws. */
  readonly #extra: PythonRandom;
  /** Used-up orders of the competitor, in order. */
  #used: RestingOrder[] = [];

  constructor(venue: Venue, config: Configuration, seed: number) {
    this.#venue = venue;
    this.#config = config;
    this.#retail = new Retail(config, seed + 1);
    this.#extra = new PythonRandom(seed + 2 ** 32);
  }

  /**
   * The competitor quotes a ladder on every tick outside its spread around this probability's fair ticks, and ignores
   * later prices.
   */
  open(probability: number): void {
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

  /** The arbitrageur acts before the uninformed takers. */
  act(probability: number): void {
    const { informedPart } = this.#config;
    if (informedPart >= 1 || this.#extra.random() < informedPart) this.#arbitrage(probability);
    for (const order of this.#retail.step()) this.#serve(order, probability);
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

  #serve({ buys, notional }: RetailOrder, probability: number): void {
    if (!buys) {
      const shares = Math.min(ALL_SHARES, floorToQuantum(notional / Math.max(probability, SELL_PRICE_FLOOR)));
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

interface RetailOrder {
  readonly buys: boolean;
  /** Currency to spend, or the fair value of the shares to sell. */
  readonly notional: number;
}

/** Uninformed takers: random arrivals that take any offer. */
export class Retail {
  readonly #random: PythonRandom;
  readonly #config: Configuration;

  constructor(config: Configuration, seed: number) {
    this.#random = new PythonRandom(seed);
    this.#config = config;
  }

  /** Orders of one step, in order of arrival. */
  step(): RetailOrder[] {
    const { retailRate, retailMeanNotional, retailSigma } = this.#config;
    const mu = Math.log(retailMeanNotional) - retailSigma ** 2 / 2;
    const orders: RetailOrder[] = [];
    for (let left = this.#random.poisson(retailRate); left > 0; left--) {
      const buys = this.#random.random() < 0.5;
      orders.push({ buys, notional: this.#random.lognormal(mu, retailSigma) });
    }
    return orders;
  }
}
