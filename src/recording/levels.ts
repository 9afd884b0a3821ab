/** The recorded book while it is read: the amount at each price, to convert changes into totals and back. */

import { SIDE } from './contract.js';

export class Levels {
  readonly #stepMicros: number;
  readonly #amounts: readonly [Float64Array, Float64Array];

  /** @param stepMicros every price is a multiple of it */
  constructor(stepMicros: number) {
    this.#stepMicros = stepMicros;
    const slots = 1_000_000 / stepMicros + 1;
    this.#amounts = [new Float64Array(slots), new Float64Array(slots)];
  }

  /** The level's total in millionths of a share; 0 without one. */
  get(side: number, priceMicros: number): number {
    return this.#side(side)[priceMicros / this.#stepMicros] ?? 0;
  }

  set(side: number, priceMicros: number, amountMicros: number): void {
    this.#side(side)[priceMicros / this.#stepMicros] = amountMicros;
  }

  clear(): void {
    for (const amounts of this.#amounts) amounts.fill(0);
  }

  /** Non-empty prices of a side, lowest first. */
  prices(side: number): number[] {
    const prices: number[] = [];
    const amounts = this.#side(side);
    for (let slot = 0; slot < amounts.length; slot++)
      if ((amounts[slot] ?? 0) > 0) prices.push(slot * this.#stepMicros);
    return prices;
  }

  /** Non-empty prices better than this one: bids above it, or asks below it. */
  betterThan(side: number, priceMicros: number): number[] {
    const found: number[] = [];
    const amounts = this.#side(side);
    const slot = Math.round(priceMicros / this.#stepMicros);
    const [from, to] = side === SIDE.bid ? [slot + 1, amounts.length] : [0, slot];
    for (let at = from; at < to; at++) if ((amounts[at] ?? 0) > 0) found.push(at * this.#stepMicros);
    return found;
  }

  #side(side: number): Float64Array {
    return side === SIDE.bid ? this.#amounts[0] : this.#amounts[1];
  }
}

/** Strictly between 0 and 1, on this tick. */
export function isPrice(priceMicros: number, tickMicros: number): boolean {
  return priceMicros > 0 && priceMicros < 1_000_000 && priceMicros % tickMicros === 0;
}
