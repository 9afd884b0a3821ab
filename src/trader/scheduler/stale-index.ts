/**
 * What it is worth to look at a book now: the Whittle index of a cost that grows with the age of the newest look (Tripathi and
 * Modiano, "A Whittle index approach to minimizing functions of age of information", 2019). Pure; floats, because nothing
 * here is booked.
 *
 * Model: a quote of Q shares at distance h (price) from what we believe, a price that has moved normally with deviation
 * s = sigma sqrt(t) since the look, takers who hit what is wrong at a rate nu. Then nu Q g(h, s) is lost a second, and the
 * index is t g(t) less its integral from 0 to t: what would be lost from now on by looking later rather than now. It equals
 * across markets where every look is spent as well as any other. On top of it the price may jump.
 */

import { type Micros, ONE } from '../../shared/base/micros.js';
import { normalCdf, normalDensity } from '../../shared/base/normal.js';

/**
 * g(h, s) / s of z = h / s, where g = E[(move - h)+] is the cost per share at distance h (price) of a normal move with
 * deviation s.
 */
export const pickOffPerDeviation = (z: number): number => Math.max(0, normalDensity(z) - z * normalCdf(-z));

/** (t g(t) minus the integral of g over [0, t]) / (t s) of z = h / s, with s = sigma sqrt(t). */
export const indexPerDeviation = (z: number): number =>
  Math.max(0, ((1 - z * z) * normalDensity(z) + z ** 3 * normalCdf(-z)) / 3);

/**
 * Uncertainty of sigma, as three factors and their weights: a normal error of 0.35 in its logarithm. Without it a
 * market that seems calm would never be read.
 */
const SPREAD_OF_SIGMA = [-Math.sqrt(3), 0, Math.sqrt(3)].map((k) => Math.exp(0.35 * k));
const WEIGHTS = [1 / 6, 2 / 3, 1 / 6] as const;

/** Mean of a function of h / s over that uncertainty, in units of the middle s. */
const averageOver = (of: (z: number) => number) => (z: number) =>
  SPREAD_OF_SIGMA.reduce((sum, factor, k) => sum + (WEIGHTS[k] ?? 0) * factor * of(z / factor), 0);

/** The two functions of z that every index consists of. */
const averagedPickOff = averageOver(pickOffPerDeviation);
export const averagedIndex = averageOver(indexPerDeviation);

/** Beyond it the loss is below float precision. */
const LARGEST_Z = 12;
const STEPS_OF_Z = 64;

/** With hundreds of markets each decision needs thousands of values: a table makes them cheap. */
class Table {
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

const PICK_OFF = new Table(averagedPickOff);
const INDEX = new Table(averagedIndex);

/** Seconds from a read until the resulting quotes rest. */
const REACTION_S = 2;

/** Deviation of a jump, as a fraction of p (1 - p). */
const JUMP_SIZE = 0.25;

/** Shares assumed for a market without own orders, as a candidate for quotes: nothing can be lost there yet. */
const BASE_SHARES = 0.5;

/** Fillable part of an own order; its price in YES space. */
export interface RestingQuote {
  readonly side: 'bid' | 'ask';
  readonly priceMicros: Micros;
  readonly remainingMicros: Micros;
}

/** Inputs of one market's index. Prices are floats in YES space. */
export interface StaleMarket {
  /** Our clock, ms, of the newest book; later events are unknown. Null before the first read. */
  readonly seenMs: number | null;
  /** Value by the newest book, in (0, 1). */
  readonly price: number;
  /** Usual distance of quotes here. */
  readonly usualDistance: number;
  /** Volatility of the price per square root of a second. */
  readonly sigmaPerSqrtS: number;
  readonly jumpsPerS: number;
  /** Takers per second that would hit a wrong quote. */
  readonly takersPerS: number;
  /** Every own order that rests or may rest. */
  readonly quotes: readonly RestingQuote[];
  /** Price move since that book by the venue's mark (`VenueMarks`); absent: none reported. */
  readonly markMove?: number;
}

/**
 * The index of one share at distance `h`, `t` seconds after the look, where changed quotes stand `d` seconds after a look and
 * one taker comes a second. Grows with t, sigma and the rate of jumps, falls with h; never negative.
 *
 * @param variance p (1 - p): that of a probability, however wild it is, is no larger
 * @param movedS in which the price would usually move as far as it is known to have: by so much the look counts as older
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

/** Currency value of reading this market now, up to a common factor; Infinity before the first read. */
export function staleIndex(market: StaleMarket, nowMs: number): number {
  const { seenMs, price, sigmaPerSqrtS, jumpsPerS, quotes } = market;
  if (seenMs === null) return Number.POSITIVE_INFINITY;
  const t = Math.max(0, nowMs - seenMs) / 1000;
  const variance = Math.max(SMALLEST_VARIANCE, price * (1 - price));
  const sigma = Math.min(LARGEST_SIGMA, sigmaPerSqrtS);
  const movedS = sigma > 0 ? ((market.markMove ?? 0) / sigma) ** 2 : 0;
  let index = 0;
  for (const { side, priceMicros, remainingMicros } of quotes) {
    const distance = side === 'bid' ? price - priceMicros / ONE : priceMicros / ONE - price;
    const h = Math.max(0, distance);
    index += (remainingMicros / ONE) * shareIndex(h, t, REACTION_S, sigma, variance, jumpsPerS, movedS);
  }
  if (quotes.length === 0)
    index = BASE_SHARES * shareIndex(market.usualDistance, t, REACTION_S, sigma, variance, jumpsPerS, movedS);
  return index * market.takersPerS;
}

/**
 * Expected mean loss per second of its quotes, currency, with a book read every `everyS` seconds and changed quotes
 * resting slightly later.
 */
export function staleLossPerS(market: StaleMarket, everyS: number): number {
  const { price, sigmaPerSqrtS, jumpsPerS, quotes, takersPerS } = market;
  const variance = Math.max(SMALLEST_VARIANCE, price * (1 - price));
  const sigma = Math.min(LARGEST_SIGMA, sigmaPerSqrtS);
  const oldest = Math.min(everyS + REACTION_S, variance / (sigma * sigma));
  const deviation = sigma * Math.sqrt(oldest);
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

/** A price at its extreme still moves by the rounding error. */
const SMALLEST_VARIANCE = 1e-6;
/** In price: at resolution the true value is infinite. */
const LARGEST_SIGMA = 1;
