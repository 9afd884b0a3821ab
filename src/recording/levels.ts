/** The recorded book while it is read: the amount at each price, so that changes become totals and totals changes. */

import { SIDE } from './contract.js';

/** Prices are whole thousandths, the finest tick of any recording. */
export const PRICE_STEP_MICROS = 1000;
const SLOTS = 1001;

export class Levels {
  readonly #amounts = [new Float64Array(SLOTS), new Float64Array(SLOTS)] as const;

  /** The level's total in millionths of a share; 0 when there is none. */
  get(side: number, priceMicros: number): number {
    return this.#side(side)[priceMicros / PRICE_STEP_MICROS] ?? 0;
  }

  set(side: number, priceMicros: number, amountMicros: number): void {
    this.#side(side)[priceMicros / PRICE_STEP_MICROS] = amountMicros;
  }

  /** The prices of a side that hold something, lowest first. */
  prices(side: number): number[] {
    const prices: number[] = [];
    const amounts = this.#side(side);
    for (let slot = 0; slot < SLOTS; slot++) if ((amounts[slot] ?? 0) > 0) prices.push(slot * PRICE_STEP_MICROS);
    return prices;
  }

  /** Held prices strictly better than this one: bids above it, or asks below it. */
  betterThan(side: number, priceMicros: number): number[] {
    const found: number[] = [];
    const amounts = this.#side(side);
    const slot = Math.round(priceMicros / PRICE_STEP_MICROS);
    const [from, to] = side === SIDE.bid ? [slot + 1, SLOTS] : [0, slot];
    for (let at = from; at < to; at++) if ((amounts[at] ?? 0) > 0) found.push(at * PRICE_STEP_MICROS);
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
