/** What a price may do before anything that rests can be moved. */

import { type BookSide, type MarketView, newsSigma } from '../../src/trader/strategy/strategy.js';
import { getSign } from './quotes.js';

/**
 * How far the price goes, as a deviation, between two looks and until an order that the second one asks for stands: by the volatility
 * that was measured or, with a known time of resolution, by what is still to be decided, if that is more.
 */
export function computeStaleSigma({ estimates, pace, timeToResolutionMs }: MarketView): number {
  const news =
    estimates.mid === null || timeToResolutionMs === null ? 0 : newsSigma(estimates.mid, timeToResolutionMs / 1000);
  return Math.max(estimates.sigmaPricePerSqrtS, news) * Math.sqrt((pace.lookEveryS ?? 0) + pace.reactS);
}

/** Whether an order is nearer to the middle than this distance, in price: so far the price may go before anybody could move the order. */
export const isTooNear = (side: BookSide, price: number, middle: number, nearest: number): boolean =>
  nearest > 0 && getSign(side) * (middle - price) < nearest;

export const staleSigmas = (help: string, value: number) =>
  ({ kind: 'number', unit: 'standard deviations', min: 0, max: 10, default: value, help }) as const;
