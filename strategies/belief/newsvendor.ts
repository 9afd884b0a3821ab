/** Size of an offer at a price, and its value: the newsvendor problem with informed and uninformed takers. */

import { expectedFill, sizeExceeded } from './takers.js';

/** For one price, per share: cost of informed takers, gain from an uninformed one. Price. */
export interface Prospect {
  readonly loss: number;
  readonly gain: number;
  /** Currency cost of an open order for its time at rest, and the fee. */
  readonly carry: number;
}

/** Gain from takers while the quote rests. */
export interface Demand {
  /** Uninformed takers expected. */
  readonly takers: number;
  /** Mean of the logarithm of their size in shares. */
  readonly logMean: number;
  /** Deviation of the logarithm of a taker's shares. */
  readonly sigma: number;
  /** The probability of the rarest size that is offered. */
  readonly rare: number;
  /** Shares of others before ours. */
  readonly ahead: number;
}

/** No offer from this ratio on: near 1, an error in the cost of informed takers decides whether an offer earns. */
export const HIGHEST_RATIO = 0.85;

/** Cost of one more share as a part of a taker's gain. */
export const criticalRatio = ({ loss, gain, carry }: Prospect, takers: number): number =>
  gain > 0 ? Math.max(0, loss + carry) / (takers * gain) : Number.POSITIVE_INFINITY;

/** Shares to offer, at most `most`; 0 where none is worth its risk. */
export function offer(prospect: Prospect, demand: Demand, most: number): number {
  const ratio = criticalRatio(prospect, demand.takers);
  if (ratio >= HIGHEST_RATIO) return 0;
  // If informed takers bring a gain too, the demand of uninformed ones is no bound.
  if (prospect.loss + prospect.carry < 0) return Math.max(0, most);
  const wanted = sizeExceeded(Math.max(demand.rare, ratio), demand.logMean, demand.sigma) - demand.ahead;
  return Math.min(most, Math.max(0, wanted));
}

/** Value of an offer of this many shares while it rests, in currency. */
export function computeWorth(
  { loss, gain, carry }: Prospect,
  { takers, logMean, sigma, ahead }: Demand,
  shares: number,
): number {
  const filled = expectedFill(ahead + shares, logMean, sigma) - expectedFill(ahead, logMean, sigma);
  return takers * gain * filled - (loss + carry) * shares;
}
