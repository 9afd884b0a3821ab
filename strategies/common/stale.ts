/** Estimates how far the price moves before a resting order can be moved. */

import { type BookSide, type MarketView, newsSigma } from '../../src/trader/strategy/strategy.js';
import { getSign } from './quotes.js';

/**
 * Standard deviation of the price over one poll interval plus the time to place an order, by measured volatility. If
 * the time of resolution is known and the volatility of an undecided outcome is larger, this volatility is used.
 */
export function computeStaleSigma({ estimates, pace, timeToResolutionMs }: MarketView): number {
  const news =
    estimates.mid === null || timeToResolutionMs === null ? 0 : newsSigma(estimates.mid, timeToResolutionMs / 1000);
  return Math.max(estimates.sigmaPricePerSqrtS, news) * Math.sqrt((pace.lookEveryS ?? 0) + pace.reactS);
}

/** True if an order is nearer to the mid than `nearest`, so that the price may pass it before it can be moved. */
export const isTooNear = (side: BookSide, price: number, middle: number, nearest: number): boolean =>
  nearest > 0 && getSign(side) * (middle - price) < nearest;

export const staleSigmas = (help: string, value: number) =>
  ({ kind: 'number', unit: 'standard deviations', min: 0, max: 10, default: value, help }) as const;
