/** Effects of a market's end on its quotes. */

import { normalDensity, normalQuantile } from '../../src/trader/strategy/strategy.js';

/** Half-spread of this many deviations of the price between two reads, in price. */
export const closingHalf = (sigmaPerSqrtS: number, lookS: number, sigmas: number): number =>
  sigmas === 0 ? 0 : sigmas * sigmaPerSqrtS * Math.sqrt(lookS);

/** Seconds before resolution at which the settling price needs more than this half-spread. */
export const lastQuoteS = (p: number, sigmas: number, lookS: number, maxHalf: number): number =>
  ((sigmas * normalDensity(normalQuantile(p)) * Math.sqrt(lookS)) / maxHalf) ** 2;

/** Size that falls from full with the square root of the time left, like the risk of holdings. */
export const closingSize = (shares: number, leftS: number, startS: number): number =>
  shares * Math.min(1, Math.sqrt(Math.max(0, leftS) / startS));
