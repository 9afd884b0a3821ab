/** Decides when to merge or split complete sets, by costs of currency and requests. Floats here are never booked. */

import { feePerShare } from '../../shared/base/fees.js';
import { ONE } from '../../shared/base/micros.js';
import type { MarketFacts } from '../market/view.js';

/** Two prices that the operator sets. Decisions that weigh currency against requests use these prices. */
export interface Economics {
  /** Cost of tying up one unit of currency for a second, as a fraction of it. 1e-7 is 0.9 % per day. */
  readonly currencyPricePerS: number;
  /** Cost of a signed request, in currency. */
  readonly requestPrice: number;
}

export const SECONDS_PER_DAY = 86_400;

/** Default costs. At these costs and one new YES-NO pair per 100 s, a merge combines about twenty pairs. */
export const USUAL_ECONOMICS: Economics = { currencyPricePerS: 0.00864 / SECONDS_PER_DAY, requestPrice: 0.001 };

/** Assumed initial rate of new complete sets, pairs per second. */
export const USUAL_PAIRS_PER_S = 0.01;

/**
 * Best number of sets per merge or split (economic order quantity). This number balances the cost of two requests
 * against the cost of tied-up currency. It is infinite if tied-up currency costs nothing, 0 if requests cost nothing.
 *
 * @param setsPerS rate at which sets arise or are used
 */
export const batchOf = ({ requestPrice, currencyPricePerS }: Economics, setsPerS: number): number =>
  requestPrice === 0 ? 0 : 2 * Math.sqrt((requestPrice * setsPerS) / currencyPricePerS);

/** Cost of a YES-NO pair until its merge, currency: its share of request costs, plus the cost of tied-up currency. */
export const pairCost = ({ requestPrice, currencyPricePerS }: Economics, setsPerS: number): number =>
  2 * Math.sqrt((requestPrice * currencyPricePerS) / setsPerS);

/**
 * True if sell orders that lock pairs should be canceled for a merge, because waiting costs more than the requests of
 * the merge and the cancels. Lost queue positions are not counted as a cost.
 *
 * @param waitS time for which the pairs wait if no order is canceled, s
 */
export const isPullingWorth = (
  { requestPrice, currencyPricePerS }: Economics,
  { pairs, orders, waitS }: { readonly pairs: number; readonly orders: number; readonly waitS: number },
): boolean => pairs * currencyPricePerS * waitS > 2 * requestPrice * (1 + orders);

/**
 * Maker fee of one share at this YES price, in currency: the higher of the fees of the YES and the NO share.
 *
 * @param price in (0, 1)
 */
export function dearerFee(market: Pick<MarketFacts, 'feeSchedule' | 'makerFeeRateMicros'>, price: number): number {
  const rate = market.makerFeeRateMicros / ONE;
  const { feeSchedule } = market;
  return Math.max(feePerShare(feeSchedule, rate, price), feePerShare(feeSchedule, rate, 1 - price));
}
