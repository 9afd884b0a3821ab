/**
 * Computes the value of reading a book now: the Whittle index of a cost that grows with the age of the newest read
 * (Tripathi and Modiano, "A Whittle index approach to minimizing functions of age of information", 2019). Values are
 * floats, because they are never booked.
 *
 * Model: a quote of Q shares rests at distance h from the fair price. Since the book read t seconds ago, the price has
 * moved by a normal amount with standard deviation s = sigma sqrt(t). Takers hit a wrong quote at rate nu. With g the
 * loss per share, the loss per second is nu Q g(h, s). The Whittle index is t g(t) less the integral of g from 0 to t:
 * the cost of reading later. An optimal schedule equalises the index across markets. Price jumps add to the loss.
 */

import { type Micros, ONE } from '../../shared/base/micros.js';
import { normalCdf, normalDensity } from '../../shared/base/random.js';

/** Returns g(h, s) / s for z = h / s. The loss per share is g = E[(move - h)+], for a normal price move. */
const pickOffPerDeviation = (z: number): number => Math.max(0, normalDensity(z) - z * normalCdf(-z));

/** Returns the index (t g(t) - integral of g over [0, t]) / (t s) for z = h / s, with s = sigma sqrt(t). */
export const indexPerDeviation = (z: number): number =>
  Math.max(0, ((1 - z * z) * normalDensity(z) + z ** 3 * normalCdf(-z)) / 3);

/** Sigma is treated as uncertain (normal error of 0.35 in its logarithm); else calm markets would never be read. */
const SPREAD_OF_SIGMA = [-Math.sqrt(3), 0, Math.sqrt(3)].map((k) => Math.exp(0.35 * k));
const WEIGHTS = [1 / 6, 2 / 3, 1 / 6] as const;

/** Averages a function of z = h / s over the uncertainty of sigma; the result is in units of s at the central sigma. */
const averageOver = (of: (z: number) => number) => (z: number) =>
  SPREAD_OF_SIGMA.reduce((sum, factor, k) => sum + (WEIGHTS[k] ?? 0) * factor * of(z / factor), 0);

/** Index as a function of z, averaged over the uncertainty of sigma. */
export const averagedIndex = averageOver(indexPerDeviation);

/** Largest tabulated z (quote distance / deviation of the price); beyond it the loss is below float precision. */
const LARGEST_Z = 12;
const STEPS_OF_Z = 64;

/** Table of a function of z with linear interpolation, because one decision needs thousands of values. */
class InterpolationTable {
  readonly #values: Float64Array;

  constructor(of: (z: number) => number) {
    this.#values = Float64Array.from({ length: LARGEST_Z * STEPS_OF_Z + 2 }, (_, i) => of(i / STEPS_OF_Z));
  }

  at(z: number): number {
    if (!(z < LARGEST_Z)) return 0;
    const place = z * STEPS_OF_Z;
    const below = Math.floor(place);
    const value = this.#values[below] ?? 0;
    return value + (place - below) * ((this.#values[below + 1] ?? 0) - value);
  }
}

const PICK_OFF = new InterpolationTable(averageOver(pickOffPerDeviation));
const INDEX = new InterpolationTable(averagedIndex);

/** Assumed time from a book read until the resulting quotes are open, s. */
const REACTION_S = 2;
/** Standard deviation of a price jump, as a fraction of p (1 - p). */
const JUMP_SIZE = 0.25;

/** Order size, shares, assumed for a market without own orders, because such a market may be quoted later. */
const BASE_SHARES = 0.5;

/** Unfilled part of an own order; an order for NO is converted to YES. */
export interface RestingQuote {
  readonly side: 'bid' | 'ask';
  readonly priceMicros: Micros;
  readonly remainingMicros: Micros;
}

/** Inputs for the value of reading one market's book. Prices are YES prices, as floats. */
export interface StaleMarket {
  /** Time of the newest book, our clock, ms; null before the first book read. Events after this time are unknown. */
  readonly seenMs: number | null;
  /** Price of a YES share by the newest book, in (0, 1). */
  readonly price: number;
  /** Usual price distance of quotes from the YES price in this market. */
  readonly usualDistance: number;
  /** Volatility of the price per square root of a second. */
  readonly sigmaPerSqrtS: number;
  readonly jumpsPerS: number;
  /** Number of takers per second that would hit a wrong quote. */
  readonly takersPerS: number;
  /** All own orders of the market that are open or may be open. */
  readonly quotes: readonly RestingQuote[];
  /** Price move since the newest book, by the exchange's mark (`VenueMark`); absent: no reported move. */
  readonly markMove?: number;
}

/**
 * Index (value of a read) for one share at distance `h`, `t` seconds after the last read, with one taker per second.
 * Changed quotes are open `d` seconds after a read. The index grows with t, sigma and the jump rate, falls with h, and
 * is never negative.
 *
 * @param variance p (1 - p), the largest possible variance of a probability
 * @param movedS time, s, that the price usually needs for the move that the exchange's mark shows; added to `t`
 */
export function shareIndex(
  h: number,
  t: number,
  d: number,
  sigma: number,
  variance: number,
  jumpsPerS: number,
  movedS = 0,
): number {
  const longest = variance / (sigma * sigma);
  const late = Math.min(t + d + movedS, longest);
  const soon = Math.min(d, longest);
  const lateS = sigma * Math.sqrt(late);
  const soonS = sigma * Math.sqrt(soon);
  const lateZ = h / lateS;
  const soonZ = soonS > 0 ? h / soonS : Number.POSITIVE_INFINITY;
  const area = late * lateS * INDEX.at(lateZ) - soon * soonS * INDEX.at(soonZ);
  const waited = d * (lateS * PICK_OFF.at(lateZ) - soonS * PICK_OFF.at(soonZ));
  const jump = JUMP_SIZE * variance;
  return Math.max(0, area - waited) + (jumpsPerS * jump * PICK_OFF.at(h / jump) * t * t) / 2;
}

/** Value of reading this market's book now, comparable between markets; Infinity before the first read. */
export function staleIndex(market: StaleMarket, nowMs: number): number {
  const { seenMs, price, sigmaPerSqrtS, jumpsPerS, quotes } = market;
  if (seenMs === null) return Number.POSITIVE_INFINITY;
  const t = Math.max(0, nowMs - seenMs) / 1000;
  const variance = Math.max(SMALLEST_VARIANCE, price * (1 - price));
  const sigma = Math.min(LARGEST_SIGMA, sigmaPerSqrtS);
  const movedS = sigma > 0 ? ((market.markMove ?? 0) / sigma) ** 2 : 0;
  let index = 0;
  for (const { side, priceMicros, remainingMicros } of quotes) {
    const h = Math.max(0, side === 'bid' ? price - priceMicros / ONE : priceMicros / ONE - price);
    index += (remainingMicros / ONE) * shareIndex(h, t, REACTION_S, sigma, variance, jumpsPerS, movedS);
  }
  if (quotes.length === 0)
    index = BASE_SHARES * shareIndex(market.usualDistance, t, REACTION_S, sigma, variance, jumpsPerS, movedS);
  return index * market.takersPerS;
}

/** Expected loss by a market's stale quotes, currency per second, with a book read every `everyS` seconds. */
export function staleLossPerS(market: StaleMarket, everyS: number): number {
  const { price, sigmaPerSqrtS, jumpsPerS, quotes, takersPerS } = market;
  const variance = Math.max(SMALLEST_VARIANCE, price * (1 - price));
  const sigma = Math.min(LARGEST_SIGMA, sigmaPerSqrtS);
  const deviation = sigma * Math.sqrt(Math.min(everyS + REACTION_S, variance / (sigma * sigma)));
  const jump = JUMP_SIZE * variance;
  let loss = 0;
  for (const { side, priceMicros, remainingMicros } of quotes) {
    const h = Math.max(0, side === 'bid' ? price - priceMicros / ONE : priceMicros / ONE - price);
    const atOldest = deviation * PICK_OFF.at(h / deviation) + jumpsPerS * jump * PICK_OFF.at(h / jump) * everyS;
    const mean = atOldest - shareIndex(h, everyS, REACTION_S, sigma, variance, jumpsPerS) / everyS;
    loss += (remainingMicros / ONE) * Math.max(0, mean);
  }
  return loss * takersPerS;
}

/** Smallest assumed variance p (1 - p): even a price near 0 or 1 moves by its rounding error. */
const SMALLEST_VARIANCE = 1e-6;
/** Largest assumed price volatility per square root of a second: near resolution the true volatility is infinite. */
const LARGEST_SIGMA = 1;
