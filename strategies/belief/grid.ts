/** A probability distribution over the log-odds of a market, on a fixed grid. Only the constructor allocates memory. */

import { normalCdf, sigmoid } from '../../src/trader/strategy/strategy.js';
import { Blur } from './blur.js';
import type { Saved } from './saved.js';

/** Log-odds from -LIMIT to LIMIT: prices from 0.0001 to 0.9999. */
const LIMIT = 9.2;
export const STEP = 0.025;
export const POINTS = Math.round((2 * LIMIT) / STEP) + 1;
/** Points at the ends of the computed range are dropped if their mass is below this. */
const NEGLIGIBLE = 1e-12;
/** Fraction of jumps whose size is normally distributed. Other jumps end anywhere on the grid. */
const WELL_BEHAVED = 0.95;

/** Price at each point of the grid. */
export const PRICES = Float64Array.from({ length: POINTS }, (_, index) => sigmoid(index * STEP - LIMIT));

/** At index i: sum of the prices of the first i grid points. */
const PRICE_SUMS = new Float64Array(POINTS + 1);
for (let i = 0; i < POINTS; i++) PRICE_SUMS[i + 1] = (PRICE_SUMS[i] ?? 0) + (PRICES[i] ?? 0);

/** Position of a price in (0, 1) on the grid, as a fractional index, limited to the ends of the grid. */
export const locatePrice = (price: number): number =>
  Math.min(POINTS - 1, Math.max(0, (Math.log(price / (1 - price)) + LIMIT) / STEP));

interface Moments {
  readonly mean: number;
  readonly deviation: number;
}

/** Temporary memory of one call. All grids share this memory, so that it stays in the processor's cache. */
const BLUR = new Blur(POINTS);
const JUMPED = new Float64Array(POINTS);

export class Grid {
  /** Probability of each grid point; uniform at first. */
  readonly mass = new Float64Array(POINTS).fill(1 / POINTS);
  /** For each grid point: fraction of its mass that came from a jump in the last move. */
  readonly #ofJumps = new Float64Array(POINTS);
  /** Cached mean and deviation of the price; null after a change of the mass. */
  #price: Moments | null = null;
  /** First grid point with mass; `high` is the last one. */
  low = 0;
  high = POINTS - 1;

  /** Sets a uniform belief between two prices in (0, 1). */
  fillUniform(from: number, to: number): void {
    this.#price = null;
    this.mass.fill(0);
    this.low = Math.floor(locatePrice(Math.min(from, to)));
    this.high = Math.ceil(locatePrice(Math.max(from, to)));
    this.mass.fill(1 / (this.high - this.low + 1), this.low, this.high + 1);
  }

  copyFrom(other: Grid): void {
    this.mass.set(other.mass);
    this.low = other.low;
    this.high = other.high;
    this.#price = other.#price;
  }

  /** Mass of the points `low` to `high` as exact doubles, in base64. */
  save(): Saved['grid'] {
    const held = this.mass.slice(this.low, this.high + 1);
    return { low: this.low, mass: Buffer.from(held.buffer).toString('base64') };
  }

  /** Throws RangeError for a value that is not a distribution on this grid. */
  restore({ low, mass }: Saved['grid']): void {
    const bytes = Uint8Array.from(Buffer.from(mass, 'base64'));
    const held = new Float64Array(bytes.buffer, 0, Math.floor(bytes.length / Float64Array.BYTES_PER_ELEMENT));
    const isOnGrid = Number.isInteger(low) && low >= 0 && held.length > 0 && low + held.length <= POINTS;
    if (!isOnGrid || held.some((part) => !(part >= 0))) throw new RangeError('the saved belief does not fit the grid');
    this.#price = null;
    this.mass.fill(0);
    this.mass.set(held, low);
    this.low = low;
    this.high = low + held.length - 1;
    if (!(Math.abs(this.sum() - 1) < 1e-6)) throw new RangeError('the saved belief does not sum to 1');
  }

  /**
   * Moves the mass as time passes: a normal move of deviation `sigma` in log-odds, or with probability `jumpPart` a
   * jump of deviation `jumpSigma`. On average a jump raises a price near 0, at most by `hope` times the price, and
   * lowers a price near 1. Small moves compensate this drift.
   */
  move(sigma: number, jumpPart: number, jumpSigma: number, hope: number): void {
    const { mean } = this.price();
    let back = 0;
    if (jumpPart > 0) {
      JUMPED.set(this.mass);
      BLUR.apply(JUMPED, this.low, this.high, jumpSigma / STEP, computeJumpDrift(jumpSigma, mean, hope));
      back = (WELL_BEHAVED * jumpPart * sumGain(JUMPED, mean)) / ((1 - jumpPart) * mean * (1 - mean)) / STEP;
    }
    BLUR.apply(this.mass, this.low, this.high, sigma / STEP, computeDrift(sigma, mean) - back);
    [this.low, this.high] = [BLUR.low, BLUR.high];
    if (jumpPart > 0) this.#addJumps(jumpPart, mean);
    this.#trim();
  }

  /** Adds the jumps of a move. Jumps that end anywhere do not change the expected price. */
  #addJumps(jumpPart: number, mean: number): void {
    const at = Math.min(POINTS - 2, Math.max(0, Math.floor(locatePrice(mean))));
    const [below, above] = [PRICE_SUMS[at + 1] ?? 0, (PRICE_SUMS[POINTS] ?? 0) - (PRICE_SUMS[at + 1] ?? 0)];
    const [meanBelow, meanAbove] = [below / (at + 1), above / (POINTS - 1 - at)];
    const up = Math.min(1, Math.max(0, (mean - meanBelow) / (meanAbove - meanBelow)));
    const downEach = (1 - up) / (at + 1);
    const upEach = up / (POINTS - 1 - at);
    for (let i = 0; i < POINTS; i++) {
      const anywhere = i <= at ? downEach : upEach;
      const ofJumps = jumpPart * (WELL_BEHAVED * (JUMPED[i] ?? 0) + (1 - WELL_BEHAVED) * anywhere);
      const mass = (1 - jumpPart) * (this.mass[i] ?? 0) + ofJumps;
      this.mass[i] = mass;
      this.#ofJumps[i] = mass > NEGLIGIBLE ? ofJumps / mass : ofJumps / NEGLIGIBLE;
    }
  }

  /** Probability of a jump in the last move, given the evidence since then. */
  jumpProbability(): number {
    let [jumped, sum] = [0, 0];
    for (let i = this.low; i <= this.high; i++) {
      sum += this.mass[i] ?? 0;
      jumped += (this.mass[i] ?? 0) * Math.min(1, this.#ofJumps[i] ?? 0);
    }
    return sum > 0 ? jumped / sum : 1;
  }

  /** Multiplies the mass below `price` by `below`, and the mass above by `above`; in proportion at `price`. */
  weigh(price: number, below: number, above: number): void {
    this.#price = null;
    const place = locatePrice(price);
    // A grid point represents the cell around it. If the price divides the cell, its two parts are weighted separately.
    const divided = Math.round(place);
    for (let i = this.low; i <= this.high; i++) {
      const part = i < divided ? 1 : i > divided ? 0 : place - (divided - 0.5);
      this.mass[i] = (this.mass[i] ?? 0) * (part * below + (1 - part) * above);
    }
  }

  /** Multiplies the mass of each point by its likelihood. The likelihood applies with probability `part`. */
  weighBy(likelihood: Float64Array, part: number): void {
    this.#price = null;
    for (let i = this.low; i <= this.high; i++)
      this.mass[i] = (this.mass[i] ?? 0) * (1 - part + part * (likelihood[i] ?? 0));
  }

  /** Applies evidence that the log-odds equal `logOdds`, with the standard error `deviation`. */
  weighByLogOdds(logOdds: number, deviation: number): void {
    this.#price = null;
    for (let i = this.low; i <= this.high; i++) this.#weighPoint(i, (i * STEP - LIMIT - logOdds) / deviation);
  }

  /** Applies evidence that the price is (or is at most) `price`, with the standard error `deviation`, in price. */
  weighByPrice(says: 'is' | 'is at most', price: number, deviation: number): void {
    this.#price = null;
    for (let i = this.low; i <= this.high; i++) {
      const z = ((PRICES[i] ?? 0) - price) / deviation;
      if (says === 'is') this.#weighPoint(i, z);
      else this.mass[i] = (this.mass[i] ?? 0) * Math.max(NEGLIGIBLE, normalCdf(-z));
    }
  }

  /** Weighs a grid point by evidence. Even distant evidence excludes no price, because its source may be wrong. */
  #weighPoint(point: number, deviations: number): void {
    this.mass[point] = (this.mass[point] ?? 0) * Math.max(NEGLIGIBLE, Math.exp(-0.5 * deviations * deviations));
  }

  /** Scales the probability mass to sum 1. If the sum is 0, changes nothing and returns false. */
  normalise(): boolean {
    const sum = this.sum();
    if (!(sum > 1e-300)) return false;
    for (let i = this.low; i <= this.high; i++) this.mass[i] = (this.mass[i] ?? 0) / sum;
    this.#trim();
    return true;
  }

  /** Sum of the mass over all grid points. */
  sum(): number {
    let sum = 0;
    for (let i = this.low; i <= this.high; i++) sum += this.mass[i] ?? 0;
    return sum;
  }

  /** Probability mass below a price. */
  below(price: number): number {
    const place = locatePrice(price);
    const divided = Math.round(place);
    let sum = 0;
    for (let i = this.low; i < divided && i <= this.high; i++) sum += this.mass[i] ?? 0;
    return divided < this.low || divided > this.high
      ? sum
      : sum + (place - (divided - 0.5)) * (this.mass[divided] ?? 0);
  }

  /** Mean and deviation of the price. */
  price(): Moments {
    this.#price ??= this.#computeMoments();
    return this.#price;
  }

  #computeMoments(): Moments {
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
    this.#price = null;
    let [low, high] = [0, POINTS - 1];
    while (low < high && (this.mass[low] ?? 0) < NEGLIGIBLE) this.mass[low++] = 0;
    while (high > low && (this.mass[high] ?? 0) < NEGLIGIBLE) this.mass[high--] = 0;
    this.low = low;
    this.high = high;
  }
}

/**
 * Drift of a jump, in steps of the grid. A price with normal log-odds has about the mean of the log-odds mean / sqrt(1
 * + pi variance / 8) (MacKay, "The evidence framework applied to classification networks", 1992). The drift moves a
 * jump outwards until the mean gain is at most `hope` times the price.
 */
function computeJumpDrift(deviation: number, mean: number, hope: number): number {
  const outer = Math.min(mean, 1 - mean);
  const farthest = Math.min(0.5, outer * (1 + hope));
  const wanted = Math.log(farthest / (1 - farthest)) * Math.sqrt(1 + (Math.PI * deviation ** 2) / 8);
  const drift = Math.min(0, wanted - Math.log(outer / (1 - outer))) / STEP;
  return mean < 0.5 ? drift : -drift;
}

/** Sum over the grid of mass times the price's difference from `mean`. */
function sumGain(mass: Float64Array, mean: number): number {
  let sum = 0;
  for (let i = BLUR.low; i <= BLUR.high; i++) sum += (mass[i] ?? 0) * ((PRICES[i] ?? 0) - mean);
  return sum;
}

/** Drift of small moves, in steps of the grid. Because the price is a martingale, its log-odds drift away from 0. */
const computeDrift = (deviation: number, mean: number): number =>
  (((deviation * deviation) / 2) * (2 * mean - 1)) / STEP;
