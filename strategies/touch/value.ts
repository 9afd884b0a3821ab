/**
 * Value of a place in a queue. A taker's size is exponential with mean s: he reaches an order behind f shares with
 * probability e^(-f / s), and takes s (1 - e^(-Q / s)) of it in the mean. He sweeps the amount behind it as well with
 * probability e^(-(Q + behind) / s), and then the price moves through. A taker who comes after the price has passed the order, before
 * that can be seen and the order moved, takes all of it.
 */

import { staleCost } from '../../src/trader/strategy/strategy.js';

/** A place in the queue of one side. */
export interface Place {
  /** Distance from the fair price, in price: the gain of a fill if nothing moves. */
  readonly half: number;
  /** Shares of others before the order, and behind it at its price. */
  readonly ahead: number;
  readonly behind: number;
}

/** Takers, and effects of the price on an order. */
export interface SweepingTakers {
  /** Mean size, in shares, > 0. */
  readonly meanShares: number;
  /** How far the price moves when its level is swept, in price. */
  readonly sweepMove: number;
  /** Deviation of the price from a look at the book until it has changed a quote. */
  readonly staleSigma: number;
}

/** Probability that a taker of this side reaches the order. */
export const computeReach = (ahead: number, { meanShares }: SweepingTakers): number => Math.exp(-ahead / meanShares);

/** Probability that a taker who reaches it takes the whole level. */
export const computeSweep = (order: number, behind: number, { meanShares }: SweepingTakers): number =>
  Math.exp(-(order + behind) / meanShares);

/** Expected gain for each taker on this side, in currency. */
export function placeValue({ half, ahead, behind }: Place, order: number, takers: SweepingTakers): number {
  const { meanShares, sweepMove, staleSigma } = takers;
  const earned = half - sweepMove * computeSweep(order, behind, takers);
  const brought = computeReach(ahead, takers) * earned * meanShares * (1 - Math.exp(-order / meanShares));
  return brought - order * staleCost(half, staleSigma);
}
