/**
 * Moments of values that come one by one, in constant memory and without allocation, for tallies in a hot loop.
 * Welford's method, with the third and fourth power and the merging of two tallies after Pebay, "Formulas for robust,
 * one-pass parallel computation of covariances and arbitrary-order statistical moments", Sandia 2008.
 */

import { type Moments, shape } from './moments.js';
import { requireFinite } from './values.js';

export class RunningMoments {
  #count = 0;
  #mean = 0;
  #second = 0;
  #third = 0;
  #fourth = 0;
  #least = Number.POSITIVE_INFINITY;
  #greatest = Number.NEGATIVE_INFINITY;

  /** RangeError unless finite. */
  add(value: number): void {
    requireFinite(value, 'a sample');
    const before = this.#count;
    const count = before + 1;
    const delta = value - this.#mean;
    const part = delta / count;
    const square = part * part;
    const term = delta * part * before;
    this.#count = count;
    this.#mean += part;
    this.#fourth +=
      term * square * (count * count - 3 * count + 3) + 6 * square * this.#second - 4 * part * this.#third;
    this.#third += term * part * (count - 2) - 3 * part * this.#second;
    this.#second += term;
    if (value < this.#least) this.#least = value;
    if (value > this.#greatest) this.#greatest = value;
  }

  /** As if every value that the other has seen had been added here. */
  merge(other: RunningMoments): void {
    const [own, its] = [this.#count, other.#count];
    if (its === 0) return;
    const count = own + its;
    const delta = other.#mean - this.#mean;
    const part = delta / count;
    const term = delta * part * own * its;
    this.#fourth +=
      other.#fourth +
      term * part * part * (own * own - own * its + its * its) +
      6 * part * part * (own * own * other.#second + its * its * this.#second) +
      4 * part * (own * other.#third - its * this.#third);
    this.#third += other.#third + term * part * (own - its) + 3 * part * (own * other.#second - its * this.#second);
    this.#second += other.#second + term;
    this.#mean += part * its;
    this.#count = count;
    this.#least = Math.min(this.#least, other.#least);
    this.#greatest = Math.max(this.#greatest, other.#greatest);
  }

  get count(): number {
    return this.#count;
  }

  /** Null before the first value, as are the two below. */
  get mean(): number | null {
    return this.#count === 0 ? null : this.#mean;
  }

  get least(): number | null {
    return this.#count === 0 ? null : this.#least;
  }

  get greatest(): number | null {
    return this.#count === 0 ? null : this.#greatest;
  }

  /** The same figures as `momentsOf` gives for all values so far. */
  moments(): Moments {
    const { mean } = this;
    return { count: this.#count, mean, ...shape(this.#count, this.#second, this.#third, this.#fourth) };
  }
}
