/** What a fill costs a strategy that cannot choose the leg of its quotes. */

import { feePerShare } from '../../shared/base/fees.js';
import { ONE } from '../../shared/base/micros.js';
import type { MarketFacts } from '../market/view.js';

/**
 * Maker's fee of one share at this YES price, in currency, if the dearer of both outcomes turns out to be the leg.
 *
 * @param price in (0, 1)
 */
export function dearerFee(market: Pick<MarketFacts, 'feeSchedule' | 'makerFeeRateMicros'>, price: number): number {
  const rate = market.makerFeeRateMicros / ONE;
  const { feeSchedule } = market;
  return Math.max(feePerShare(feeSchedule, rate, price), feePerShare(feeSchedule, rate, 1 - price));
}
