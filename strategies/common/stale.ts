/** Price moves before a resting order can be moved. */

import { type BookSide, type MarketView, newsSigma } from '../../src/trader/strategy/strategy.js';
import { getSign } from './quotes.js';

/**
 * Deviation of the price between two looks and until an order of the second one rests: by the measured volatility
 * or, with a known time of resolution, by the undecided part, if that is more.
 */
export function computeStaleSigma({ estimates, pace, timeToResolutionMs }: MarketView): number {
  const news =
    estimates.mid === null || timeToResolutionMs === null ? 0 : newsSigma(estimates.mid, timeToResolutionMs / 1000);
  return Math.max(estimates.sigmaPricePerSqrtS, news) * Math.sqrt((pace.lookEveryS ?? 0) + pace.reactS);
}

/** Whether an order is nearer to the middle than this distance, in price: the possible price move before the order could be moved. */
export const isTooNear = (side: BookSide, price: number, middle: number, nearest: number): boolean =>
  nearest > 0 && getSign(side) * (middle - price) < nearest;

export const staleSigmas = (help: string, value: number) =>
  ({ kind: 'number', unit: 'standard deviations', min: 0, max: 10, default: value, help }) as const;
