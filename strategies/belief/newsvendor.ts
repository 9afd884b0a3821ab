/** Computes the size and value of an offer at a price: the newsvendor problem with informed and uninformed takers. */

import { expectedFill, sizeExceeded } from './takers.js';

/** Costs and gain of an offer at one price, per share, in price. */
export interface Prospect {
  /** Expected loss per share to informed takers, in price. */
  readonly loss: number;
  /** Expected gain per share from an uninformed taker, in price. */
  readonly gain: number;
}

/** Takers that are expected while the quote is open. */
export interface Demand {
  /** Expected number of uninformed takers. */
  readonly takers: number;
  /** Mean logarithm of an uninformed taker's size in shares. */
  readonly logMean: number;
  /** Standard deviation of the logarithm of a taker's shares. */
  readonly sigma: number;
  /** An offer is limited to the taker size that is exceeded with this probability. */
  readonly rare: number;
  /** Others' shares in the queue ahead of the own order. */
  readonly ahead: number;
}

/** From this ratio of cost to gain, nothing is offered. Near 1, an error in the cost decides whether an offer earns. */
export const HIGHEST_RATIO = 0.85;

/** Expected cost of one more offered share as a fraction of the expected gain from takers. */
export const criticalRatio = ({ loss, gain }: Prospect, takers: number): number =>
  gain > 0 ? Math.max(0, loss) / (takers * gain) : Number.POSITIVE_INFINITY;

/** Number of shares to offer, at most `most`; 0 if none is worth its risk. */
export function offer(prospect: Prospect, demand: Demand, most: number): number {
  const ratio = criticalRatio(prospect, demand.takers);
  if (ratio >= HIGHEST_RATIO) return 0;
  // If trades with informed takers are profitable too, the demand of uninformed takers does not limit the offer.
  if (prospect.loss < 0) return Math.max(0, most);
  const wanted = sizeExceeded(Math.max(demand.rare, ratio), demand.logMean, demand.sigma) - demand.ahead;
  return Math.min(most, Math.max(0, wanted));
}

/** Value of an offer of this many shares while it rests, in currency. */
export function computeWorth(
  { loss, gain }: Prospect,
  { takers, logMean, sigma, ahead }: Demand,
  shares: number,
): number {
  const filled = expectedFill(ahead + shares, logMean, sigma) - expectedFill(ahead, logMean, sigma);
  return takers * gain * filled - loss * shares;
}
