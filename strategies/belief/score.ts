/**
 * Models a price by a hidden score whose final sign is the outcome. The score makes small moves and a known mean number
 * of jumps. The standard deviation of all moves together is 1. The price is the probability that the score ends above
 * 0, summed over the possible numbers of jumps. A price near 0 or 1 is mostly the probability of a jump: small moves
 * hardly change it, and a jump moves it far towards 0.5. A score without jumps would behave in the opposite way.
 */

import { normalCdf, normalDensity, normalQuantile } from '../../src/trader/strategy/strategy.js';

/** Fraction of the score's remaining variance that comes from small moves; the rest comes from jumps. */
export const DIFFUSIVE_PART = 0.6;
/** If more jumps than this are expected, all jumps are treated as small moves. */
const MANY_JUMPS = 12;
/** A number of jumps is ignored if its probability is below this value. */
const NEVER = 1e-9;
const MOST_TERMS = 48;
/** Maximum relative error of the price at the score that the search returns. */
const EXACT = 1e-5;
const MOST_STEPS = 60;
/** Lower bound of the searched score. The price at this score is below the lowest requested price for any jump rate. */
const LOWEST_SCORE = -1000;

export interface ScoreReading {
  /** Change of the price in log-odds per change of the score, in units of the deviation of all remaining moves. */
  readonly slope: number;
  /** Mean gain by one additional jump of the smaller of price and 1 - price, as a fraction of the smaller one. */
  readonly hope: number;
}

/** Temporary memory of one call. */
const WEIGHTS = new Float64Array(MOST_TERMS);
const DEVIATIONS = new Float64Array(MOST_TERMS + 1);

/** @param price in (0, 1) @param jumps expected until the end, above 0 */
export function readScore(price: number, jumps: number): ScoreReading {
  const outer = Math.min(price, 1 - price);
  const variance = outer * (1 - outer);
  const z = normalQuantile(outer);
  const ofJump = (1 - DIFFUSIVE_PART) / jumps;
  if (jumps > MANY_JUMPS)
    return { slope: normalDensity(z) / variance, hope: normalCdf(z / Math.sqrt(1 + ofJump)) / outer - 1 };
  const terms = fillTerms(jumps, ofJump);
  const score = findScore(outer, terms, z);
  return { slope: sumDensity(score, terms) / variance, hope: sumBelow(score, terms, 1) / outer - 1 };
}

/** Fills, for each number of jumps, its probability and the deviation of all moves. Returns the number of terms. */
function fillTerms(jumps: number, ofJump: number): number {
  let weight = Math.exp(-jumps);
  for (let count = 0; count < MOST_TERMS; count++) {
    WEIGHTS[count] = weight;
    DEVIATIONS[count] = Math.sqrt(DIFFUSIVE_PART + count * ofJump);
    DEVIATIONS[count + 1] = Math.sqrt(DIFFUSIVE_PART + (count + 1) * ofJump);
    weight *= jumps / (count + 1);
    if (count > jumps && weight < NEVER) return count + 1;
  }
  return MOST_TERMS;
}

/** Finds the score of a price by Newton's method on the logarithm of the price, between a lower and an upper bound. */
function findScore(price: number, terms: number, from: number): number {
  let [low, high, score] = [LOWEST_SCORE, 0, Math.min(0, from)];
  for (let step = 0; step < MOST_STEPS; step++) {
    const is = sumBelow(score, terms, 0);
    if (Math.abs(is - price) < EXACT * price) break;
    if (is < price) low = score;
    else high = score;
    const next = score - (Math.log(is / price) * is) / sumDensity(score, terms);
    score = next > low && next < high ? next : (low + high) / 2;
  }
  return score;
}

/** Price at this score if `more` additional jumps come. */
function sumBelow(score: number, terms: number, more: number): number {
  let sum = 0;
  for (let i = 0; i < terms; i++) sum += (WEIGHTS[i] ?? 0) * normalCdf(score / (DEVIATIONS[i + more] ?? 1));
  return sum;
}

/** Derivative of the price with respect to the score. */
function sumDensity(score: number, terms: number): number {
  let sum = 0;
  for (let i = 0; i < terms; i++) {
    const deviation = DEVIATIONS[i] ?? 1;
    sum += ((WEIGHTS[i] ?? 0) * normalDensity(score / deviation)) / deviation;
  }
  return sum;
}
