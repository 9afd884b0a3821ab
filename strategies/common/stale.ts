/** What a price may do before anything that rests can be moved. */

import { type MarketView, newsSigma } from '../../src/trader/strategy/strategy.js';

/**
 * How far the price goes, as a deviation, between two looks and until an order that the second one asks for stands: by the volatility
 * that was measured or, with a known time of resolution, by what is still to be decided, if that is more.
 */
export function computeStaleSigma({ estimates, pace, timeToResolutionMs }: MarketView): number {
  const news =
    estimates.mid === null || timeToResolutionMs === null ? 0 : newsSigma(estimates.mid, timeToResolutionMs / 1000);
  return Math.max(estimates.sigmaPricePerSqrtS, news) * Math.sqrt((pace.lookEveryS ?? 0) + pace.reactS);
}
