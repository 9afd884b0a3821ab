/** Cost of a fill for a strategy that cannot choose the leg of its quotes. */

import { feePerShare } from '../../shared/base/fees.js';
import { ONE } from '../../shared/base/micros.js';
import type { MarketFacts } from '../market/view.js';

/**
 * Maker fee of one share at this YES price, in currency, for the more expensive of both legs.
 *
 * @param price in (0, 1)
 */
export function dearerFee(market: Pick<MarketFacts, 'feeSchedule' | 'makerFeeRateMicros'>, price: number): number {
  const rate = market.makerFeeRateMicros / ONE;
  const { feeSchedule } = market;
  return Math.max(feePerShare(feeSchedule, rate, price), feePerShare(feeSchedule, rate, 1 - price));
}
