/** The truth of a crowd market: a probability that only informed takers see. */

import type { Random } from '../../shared/base/random.js';

const HOUR_MS = 3_600_000;

/** Deviation of log-odds per hour; at a price of 0.50 that is 2 cents per minute. */
const SIGMA_PER_SQRT_HOUR = 0.6;
/** Mean reversion per hour. Without it a market would stay near 0.01 or 0.99 for most of its days. */
const REVERSION_PER_HOUR = 0.4;
/** News: on average one jump in 40 minutes, of 7 cents at a price of 0.50. */
const JUMP_MEAN_MS = 40 * 60_000;
const JUMP_SIGMA = 0.3;
/** Deviation of start prices: two of three are between 0.35 and 0.65. */
const START_SIGMA = 0.6;

/**
 * An Ornstein–Uhlenbeck process in log-odds with jumps. Steps are exact for any length: results depend only on its
 * random numbers and the times of the calls.
 */
export class HiddenValue {
  readonly #random: Random;
  readonly #mean: number;
  #x: number;
  #atMs: number;
  #jumpMs: number;

  /** `mean`: log-odds that it reverts to; `x`: log-odds now. */
  constructor(random: Random, mean: number, x: number, nowMs: number) {
    this.#random = random;
    this.#mean = mean;
    this.#x = x;
    this.#atMs = nowMs;
    this.#jumpMs = nowMs + random.exponential(JUMP_MEAN_MS);
  }

  static drawStart(random: Random): number {
    return START_SIGMA * random.normal();
  }

  /** Log-odds at this time, which never goes back. */
  at(nowMs: number): number {
    while (this.#jumpMs <= nowMs) {
      this.#diffuse(this.#jumpMs);
      this.#x += JUMP_SIGMA * this.#random.normal();
      this.#jumpMs += this.#random.exponential(JUMP_MEAN_MS);
    }
    this.#diffuse(nowMs);
    return this.#x;
  }

  /** Probability at the last call. */
  get probability(): number {
    return sigmoid(this.#x);
  }

  #diffuse(nowMs: number): void {
    const hours = (nowMs - this.#atMs) / HOUR_MS;
    if (hours <= 0) return;
    this.#atMs = nowMs;
    const kept = Math.exp(-REVERSION_PER_HOUR * hours);
    const deviation = SIGMA_PER_SQRT_HOUR * Math.sqrt((1 - kept * kept) / (2 * REVERSION_PER_HOUR));
    this.#x = this.#mean + (this.#x - this.#mean) * kept + deviation * this.#random.normal();
  }
}

/** The probability, 0 to 1, of these log-odds. */
export const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
/** The log-odds of a probability strictly between 0 and 1. */
export const logit = (p: number): number => Math.log(p / (1 - p));
