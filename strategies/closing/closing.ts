/** What the end of a market asks of its quotes. */

import { normalDensity, normalQuantile } from '../../src/trader/strategy/strategy.js';

/** Half-spread that so many deviations of the price between two looks stay within, in price. */
export const closingHalf = (sigmaPerSqrtS: number, lookS: number, sigmas: number): number =>
  sigmas === 0 ? 0 : sigmas * sigmaPerSqrtS * Math.sqrt(lookS);

/** Seconds before resolution at which a price that must settle needs more than this half-spread. */
export const lastQuoteS = (p: number, sigmas: number, lookS: number, maxHalf: number): number =>
  ((sigmas * normalDensity(normalQuantile(p)) * Math.sqrt(lookS)) / maxHalf) ** 2;

/** Full size at the start, falling with the root of the time left: the risk of what is held falls no faster. */
export const closingSize = (shares: number, leftS: number, startS: number): number =>
  shares * Math.min(1, Math.sqrt(Math.max(0, leftS) / startS));
