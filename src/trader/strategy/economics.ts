/**
 * Value of bound currency and of requests, and the consequences for complete sets: batch size, when to cancel orders
 * for a merge, and when to sell a nearly sure winner. Pure; floats, because nothing here is booked.
 */

import { feePerShare } from '../../shared/base/fees.js';
import { ONE } from '../../shared/base/micros.js';
import type { MarketFacts } from '../market/view.js';

/** Two prices set by the operator; every choice between currency, requests and fees uses them. */
export interface Economics {
  /** Price of binding one unit of currency for a second, as a part of it: 1e-7 is 0.9 % a day. */
  readonly currencyPricePerS: number;
  /** Value of a signed request in currency. */
  readonly requestPrice: number;
}

export const SECONDS_PER_DAY = 86_400;

/** With a pair every 100 s the batch is twenty. */
export const USUAL_ECONOMICS: Economics = { currencyPricePerS: 0.00864 / SECONDS_PER_DAY, requestPrice: 0.001 };

/** Prior of pairs per second. */
export const USUAL_PAIRS_PER_S = 0.01;

/**
 * Batch size in sets, fractional: two requests per batch against the currency that waits for it (the economic order
 * quantity). Infinite for free currency, 0 for free requests.
 *
 * @param setsPerS rate at which sets arise or are used
 */
export const batchOf = ({ requestPrice, currencyPricePerS }: Economics, setsPerS: number): number =>
  requestPrice === 0 ? 0 : 2 * Math.sqrt((requestPrice * setsPerS) / currencyPricePerS);

/** Cost of completing one pair until it is merged: its part of the batch's requests, and its own waiting. */
export const pairCost = ({ requestPrice, currencyPricePerS }: Economics, setsPerS: number): number =>
  2 * Math.sqrt((requestPrice * currencyPricePerS) / setsPerS);

/**
 * True when sell orders that hold pairs should be pulled for a merge: further waiting would cost more than the requests
 * of the merge and the cancels. Places in the queue are not counted.
 *
 * @param waitS how long the pairs would still wait
 */
export const isPullingWorth = (
  { requestPrice, currencyPricePerS }: Economics,
  { pairs, orders, waitS }: { readonly pairs: number; readonly orders: number; readonly waitS: number },
): boolean => pairs * currencyPricePerS * waitS > 2 * requestPrice * (1 + orders);

/**
 * Present worth of a share that probably wins, when it is kept until its market settles: a sale for less, after fees, gives
 * something away.
 *
 * @param probability of winning
 * @param seconds until the market settles
 */
export const keepingWorth = ({ currencyPricePerS }: Economics, probability: number, seconds: number): number =>
  probability * Math.exp(-currencyPricePerS * seconds);

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
