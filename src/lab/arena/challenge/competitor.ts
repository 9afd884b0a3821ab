/** The other maker: a ladder on every tick outside of his spread, that never looks at the price again. */

import type { Configuration } from './configuration.js';
import { HIGHEST_TICK, type LadderBook, LOWEST_TICK, type RestingOrder, TICK, tickToPrice } from './ladder-book.js';
import { floorToQuantum, QUANTUM } from './round.js';

export class Competitor {
  readonly #book: Pick<LadderBook, 'add'>;
  readonly #config: Configuration;
  /** Orders that were used up, in the order in which they were. */
  #used: RestingOrder[] = [];

  constructor(book: Pick<LadderBook, 'add'>, config: Configuration) {
    this.#book = book;
    this.#config = config;
  }

  /** Quotes around the fair ticks of this probability. */
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

  /** Replaces each order that was used up by one on the other side, his spread away. */
  replace(): void {
    const { competitorSpread } = this.#config;
    for (const { side, tick } of this.#used) {
      if (side === 'ask') this.#rest('bid', tick - competitorSpread);
      else this.#rest('ask', tick + competitorSpread);
    }
    this.#used = [];
  }

  #rest(side: RestingOrder['side'], tick: number): void {
    const { competitorSides, competitorNotional } = this.#config;
    if (!competitorSides.includes(side)) return;
    const at = Math.min(HIGHEST_TICK, Math.max(LOWEST_TICK, tick));
    const remaining = floorToQuantum(competitorNotional / tickToPrice(at));
    if (remaining >= QUANTUM) this.#book.add({ id: null, side, tick: at, remaining });
  }
}
