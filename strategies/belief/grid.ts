/** A belief over the log-odds of a market on a fixed grid. Nothing is allocated after it was made. */

import { sigmoid } from '../../src/trader/strategy/strategy.js';

/** Log-odds from -LIMIT to LIMIT: prices from 0.0009 to 0.9991. */
const LIMIT = 7;
export const STEP = 0.025;
export const POINTS = Math.round((2 * LIMIT) / STEP) + 1;
/** Mass below this is dropped at the edges of what is computed. */
const NEGLIGIBLE = 1e-12;
/** Kernels wider than so many steps are made of three running means. */
const WIDE_STEPS = 12;
const KERNEL_SIGMAS = 4;
const KERNEL_REACH = KERNEL_SIGMAS * WIDE_STEPS + 10;
/** The part of the jumps that are normally distributed; the rest end anywhere on the grid. */
const WELL_BEHAVED = 0.95;

/** Price at each point of the grid. */
export const PRICES = Float64Array.from({ length: POINTS }, (_, index) => sigmoid(index * STEP - LIMIT));

/** Sums of the prices of the first points. */
const PRICE_SUMS = new Float64Array(POINTS + 1);
for (let i = 0; i < POINTS; i++) PRICE_SUMS[i + 1] = (PRICE_SUMS[i] ?? 0) + (PRICES[i] ?? 0);

/** Of a price in (0, 1): the place on the grid, with its fraction, held within the grid. */
export const locatePrice = (price: number): number =>
  Math.min(POINTS - 1, Math.max(0, (Math.log(price / (1 - price)) + LIMIT) / STEP));

/** Points below the first and above the last have no mass. */
export interface SavedGrid {
  readonly low: number;
  /** Doubles, base64. */
  readonly mass: string;
}

export class Grid {
  /** At first nothing is known. */
  readonly mass = new Float64Array(POINTS).fill(1 / POINTS);
  readonly #scratch = new Float64Array(POINTS);
  readonly #jumped = new Float64Array(POINTS);
  /** Of the mass at each point, the part that a jump brought there in the last move. */
  readonly #ofJumps = new Float64Array(POINTS);
  readonly #kernel = new Float64Array(2 * KERNEL_REACH + 1);
  /** First and last point with mass. */
  low = 0;
  high = POINTS - 1;

  /** Nothing is known between two prices in (0, 1). */
  fillUniform(from: number, to: number): void {
    this.mass.fill(0);
    this.low = Math.floor(locatePrice(Math.min(from, to)));
    this.high = Math.ceil(locatePrice(Math.max(from, to)));
    this.mass.fill(1 / (this.high - this.low + 1), this.low, this.high + 1);
  }

  /** A normal belief in log-odds. */
  normal(mean: number, deviation: number): void {
    for (let i = 0; i < POINTS; i++) {
      const z = (i * STEP - LIMIT - mean) / deviation;
      this.mass[i] = Math.exp(-0.5 * z * z);
    }
    this.#trim();
  }

  copyFrom(other: Grid): void {
    this.mass.set(other.mass);
    this.low = other.low;
    this.high = other.high;
  }

  /** The mass from `low` to `high`, exactly. */
  save(): SavedGrid {
    const held = this.mass.slice(this.low, this.high + 1);
    return { low: this.low, mass: Buffer.from(held.buffer).toString('base64') };
  }

  /** Throws RangeError for what is no belief on this grid. */
  restore({ low, mass }: SavedGrid): void {
    const bytes = Uint8Array.from(Buffer.from(mass, 'base64'));
    const held = new Float64Array(bytes.buffer, 0, Math.floor(bytes.length / Float64Array.BYTES_PER_ELEMENT));
    const isOnGrid = Number.isInteger(low) && low >= 0 && held.length > 0 && low + held.length <= POINTS;
    if (!isOnGrid || held.some((part) => !(part >= 0))) throw new RangeError('the saved belief does not fit the grid');
    this.mass.fill(0);
    this.mass.set(held, low);
    this.low = low;
    this.high = low + held.length - 1;
    if (!(Math.abs(this.sum() - 1) < 1e-6)) throw new RangeError('the saved belief does not sum to 1');
  }

  /** Time passes: a normal move of this deviation in log-odds, or with `jumpPart` one of `jumpSigma`. */
  move(sigma: number, jumpPart: number, jumpSigma: number): void {
    const { mean } = this.price();
    // The price is a martingale, so the log-odds drift away from the middle.
    const computeDrift = (deviation: number): number => (((deviation * deviation) / 2) * (2 * mean - 1)) / STEP;
    if (jumpPart > 0) {
      this.#jumped.set(this.mass);
      const { low, high } = this;
      this.#blur(this.#jumped, jumpSigma / STEP, computeDrift(jumpSigma));
      [this.low, this.high] = [low, high];
    }
    this.#blur(this.mass, sigma / STEP, computeDrift(sigma));
    if (jumpPart > 0) this.#addJumps(jumpPart, mean);
    this.#trim();
  }

  /** Those that end anywhere end above or below as often as leaves the expected price where it is. */
  #addJumps(jumpPart: number, mean: number): void {
    const at = Math.min(POINTS - 2, Math.max(0, Math.floor(locatePrice(mean))));
    const [below, above] = [PRICE_SUMS[at + 1] ?? 0, (PRICE_SUMS[POINTS] ?? 0) - (PRICE_SUMS[at + 1] ?? 0)];
    const [meanBelow, meanAbove] = [below / (at + 1), above / (POINTS - 1 - at)];
    const up = Math.min(1, Math.max(0, (mean - meanBelow) / (meanAbove - meanBelow)));
    const downEach = (1 - up) / (at + 1);
    const upEach = up / (POINTS - 1 - at);
    for (let i = 0; i < POINTS; i++) {
      const anywhere = i <= at ? downEach : upEach;
      const jumped = WELL_BEHAVED * (this.#jumped[i] ?? 0) + (1 - WELL_BEHAVED) * anywhere;
      this.mass[i] = (1 - jumpPart) * (this.mass[i] ?? 0) + jumpPart * jumped;
      this.#ofJumps[i] = (jumpPart * jumped) / Math.max(NEGLIGIBLE, this.mass[i] ?? 0);
    }
  }

  /** Probability that there was a jump in the last move, by the evidence since. */
  jumpProbability(): number {
    let [jumped, sum] = [0, 0];
    for (let i = this.low; i <= this.high; i++) {
      sum += this.mass[i] ?? 0;
      jumped += (this.mass[i] ?? 0) * Math.min(1, this.#ofJumps[i] ?? 0);
    }
    return sum > 0 ? jumped / sum : 1;
  }

  /** Multiplies by `below` where the price is below `price`, by `above` elsewhere; the point between in proportion. */
  weigh(price: number, below: number, above: number): void {
    const place = locatePrice(price);
    const edge = Math.floor(place);
    for (let i = this.low; i <= this.high; i++) {
      // A point stands for the cell around it; the cell that the price divides is weighed by its parts.
      const part = Math.min(1, Math.max(0, place - (i - 0.5)));
      const factor = i < edge - 1 ? below : i > edge + 2 ? above : part * below + (1 - part) * above;
      this.mass[i] = (this.mass[i] ?? 0) * factor;
    }
  }

  /** Multiplies by a factor of the place on the grid. */
  weighBy(factor: (index: number) => number): void {
    for (let i = this.low; i <= this.high; i++) this.mass[i] = (this.mass[i] ?? 0) * factor(i);
  }

  /** Sum 1 again; false, and unchanged, when next to nothing is left: the evidence contradicts the belief. */
  normalise(): boolean {
    const sum = this.sum();
    if (!(sum > 1e-300)) return false;
    for (let i = this.low; i <= this.high; i++) this.mass[i] = (this.mass[i] ?? 0) / sum;
    this.#trim();
    return true;
  }

  /** All mass. */
  sum(): number {
    let sum = 0;
    for (let i = this.low; i <= this.high; i++) sum += this.mass[i] ?? 0;
    return sum;
  }

  /** Mass below a price. */
  below(price: number): number {
    const place = locatePrice(price);
    let sum = 0;
    const last = Math.min(this.high, Math.ceil(place + 0.5));
    for (let i = this.low; i <= last; i++) sum += Math.min(1, Math.max(0, place - (i - 0.5))) * (this.mass[i] ?? 0);
    return sum;
  }

  /** Mean and deviation of the price. */
  price(): { readonly mean: number; readonly deviation: number } {
    let mean = 0;
    let square = 0;
    for (let i = this.low; i <= this.high; i++) {
      const weighted = (this.mass[i] ?? 0) * (PRICES[i] ?? 0);
      mean += weighted;
      square += weighted * (PRICES[i] ?? 0);
    }
    return { mean, deviation: Math.sqrt(Math.max(0, square - mean * mean)) };
  }

  #trim(): void {
    let [low, high] = [0, POINTS - 1];
    while (low < high && (this.mass[low] ?? 0) < NEGLIGIBLE) this.mass[low++] = 0;
    while (high > low && (this.mass[high] ?? 0) < NEGLIGIBLE) this.mass[high--] = 0;
    this.low = low;
    this.high = high;
  }

  /** `steps` is the deviation of the kernel in steps of the grid; mass that would leave the grid stays at its end. */
  #blur(values: Float64Array, steps: number, drift: number): void {
    if (steps < 0.05) return;
    if (steps > WIDE_STEPS) {
      // Three running means of width w have the variance (w^2 - 1) / 4.
      const half = Math.min(POINTS >> 1, Math.max(1, Math.round((Math.sqrt(4 * steps * steps + 1) - 1) / 2)));
      for (let pass = 0; pass < 3; pass++) this.#runningMean(values, half);
      this.#shift(values, Math.round(drift));
      this.low = 0;
      this.high = POINTS - 1;
      return;
    }
    const reach = Math.min(KERNEL_REACH, Math.max(1, Math.ceil(KERNEL_SIGMAS * steps + Math.abs(drift))));
    this.#fillKernel(steps, reach, drift);
    this.#scratch.fill(0);
    for (let i = this.low; i <= this.high; i++) {
      const mass = values[i] ?? 0;
      if (mass < NEGLIGIBLE * 1e-3) continue;
      if (i >= reach && i + reach < POINTS) this.#spread(mass, i - reach, 2 * reach);
      else this.#spreadWithin(mass, i, reach);
    }
    values.set(this.#scratch);
    this.low = Math.max(0, this.low - reach);
    this.high = Math.min(POINTS - 1, this.high + reach);
  }

  /** Adds a mass by the kernel's first weights, to `last` after the first, from this point on: all of them on the grid. */
  #spread(mass: number, from: number, last: number): void {
    const scratch = this.#scratch;
    const kernel = this.#kernel;
    for (let k = 0; k <= last; k++) scratch[from + k] = (scratch[from + k] ?? 0) + mass * (kernel[k] ?? 0);
  }

  /** The same around a point near an end of the grid, where what would leave it stays. */
  #spreadWithin(mass: number, at: number, reach: number): void {
    const scratch = this.#scratch;
    for (let j = -reach; j <= reach; j++) {
      const to = Math.min(POINTS - 1, Math.max(0, at + j));
      scratch[to] = (scratch[to] ?? 0) + mass * (this.#kernel[reach + j] ?? 0);
    }
  }

  /** Moves all by whole steps; what would leave the grid stays at its end. */
  #shift(values: Float64Array, steps: number): void {
    if (steps === 0) return;
    this.#scratch.fill(0);
    for (let i = 0; i < POINTS; i++) {
      const to = Math.min(POINTS - 1, Math.max(0, i + steps));
      this.#scratch[to] = (this.#scratch[to] ?? 0) + (values[i] ?? 0);
    }
    values.set(this.#scratch);
  }

  /** Sums to 1 with exactly the variance that is wanted: a kernel narrower than a step sits on three points. */
  #fillKernel(steps: number, reach: number, drift: number): void {
    const kernel = this.#kernel;
    if (steps <= 0.8) {
      const side = (steps * steps) / 2;
      kernel.fill(0);
      kernel[reach - 1] = Math.max(0, side - drift / 2);
      kernel[reach] = 1 - 2 * side;
      kernel[reach + 1] = Math.max(0, side + drift / 2);
      return;
    }
    let sum = 0;
    for (let j = -reach; j <= reach; j++) {
      const value = Math.exp(-0.5 * ((j - drift) / steps) ** 2);
      kernel[reach + j] = value;
      sum += value;
    }
    for (let j = 0; j <= 2 * reach; j++) kernel[j] = (kernel[j] ?? 0) / sum;
  }

  #runningMean(values: Float64Array, half: number): void {
    const width = 2 * half + 1;
    let sum = 0;
    // What would come from beyond the grid comes from its end.
    const at = (index: number): number => (index < 0 || index >= POINTS ? 0 : (values[index] ?? 0));
    for (let j = -half; j <= half; j++) sum += at(j);
    for (let i = 0; i < POINTS; i++) {
      this.#scratch[i] = sum / width;
      sum += at(i + half + 1) - at(i - half);
    }
    values.set(this.#scratch);
  }
}
