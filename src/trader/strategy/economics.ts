/**
 * What currency that is bound and requests are worth, and what follows for complete sets: how many make a batch, when it
 * pays to make way for one, and when to sell what will almost surely win. Pure; floats, because nothing here is booked.
 */

import { feePerShare } from '../../shared/base/fees.js';
import { ONE } from '../../shared/base/micros.js';
import type { MarketFacts } from '../market/view.js';

/** Two prices that an operator sets; every choice between currency, requests and fees goes by them. */
export interface Economics {
  /** What one unit of currency costs while it is bound for a second, as a part of it: 1e-7 is 0.9 % a day. */
  readonly currencyPricePerS: number;
  /** Currency that one signed request is worth. */
  readonly requestPrice: number;
}

export const SECONDS_PER_DAY = 86_400;

/** With pairs that arise every 100 s these make a batch of twenty. */
export const USUAL_ECONOMICS: Economics = { currencyPricePerS: 0.00864 / SECONDS_PER_DAY, requestPrice: 0.001 };

/** Pairs per second before any was seen. */
export const USUAL_PAIRS_PER_S = 0.01;

/**
 * Sets of one batch, fractional: two requests for each batch against the currency that waits for it (the economic order
 * quantity). Infinite where currency costs nothing, 0 where requests do.
 *
 * @param setsPerS at which sets arise, or are used up
 */
export const batchOf = ({ requestPrice, currencyPricePerS }: Economics, setsPerS: number): number =>
  requestPrice === 0 ? 0 : 2 * Math.sqrt((requestPrice * setsPerS) / currencyPricePerS);

/** What completing one pair costs until it is merged: its part of the batch's requests, and its own waiting. */
export const pairCost = ({ requestPrice, currencyPricePerS }: Economics, setsPerS: number): number =>
  2 * Math.sqrt((requestPrice * currencyPricePerS) / setsPerS);

/**
 * Whether sell orders that hold on to pairs are worth pulling, so that the pairs can be merged: what they would go on waiting
 * costs more than the requests of the merge and of the cancels. What their places in the queue are worth is not counted.
 *
 * @param waitS how long the pairs would still wait
 */
export const isPullingWorth = (
  { requestPrice, currencyPricePerS }: Economics,
  { pairs, orders, waitS }: { readonly pairs: number; readonly orders: number; readonly waitS: number },
): boolean => pairs * currencyPricePerS * waitS > 2 * requestPrice * (1 + orders);

/**
 * What a share that probably wins is worth now to one who keeps it until its market settles: sell it for less, after
 * fees, and something is given away.
 *
 * @param probability of winning
 * @param seconds until the market settles
 */
export const keepingWorth = ({ currencyPricePerS }: Economics, probability: number, seconds: number): number =>
  probability * Math.exp(-currencyPricePerS * seconds);

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
