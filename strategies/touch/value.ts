/**
 * Value of a place in a queue. A taker's size is exponential with mean s. He reaches an order behind f shares with
 * probability e^(-f / s), and takes s (1 - e^(-Q / s)) of it on average. With probability e^(-(Q + behind) / s) he
 * sweeps the level, and the price moves through it. A taker who comes after the price has passed the order, before it
 * can be moved, takes all of it.
 */

import { staleCost } from '../../src/trader/strategy/strategy.js';

/** A place in the queue of one side. */
export interface Place {
  /** Distance from the fair price: the gain per share of a fill if the price does not move. */
  readonly half: number;
  /** Shares of others ahead of the order, and behind it at its price. */
  readonly ahead: number;
  readonly behind: number;
}

/** Takers, and price moves that affect an order. */
export interface SweepingTakers {
  /** Mean size of takers, in shares, > 0. */
  readonly meanShares: number;
  /** Price move when the order's level is swept. */
  readonly sweepMove: number;
  /** Standard deviation of the price between a read of the book and the changed quote. */
  readonly staleSigma: number;
}

/** Probability that a taker of this side reaches the order. */
export const computeReach = (ahead: number, { meanShares }: SweepingTakers): number => Math.exp(-ahead / meanShares);

/** Probability that a taker who reaches it takes the whole level. */
export const computeSweep = (order: number, behind: number, { meanShares }: SweepingTakers): number =>
  Math.exp(-(order + behind) / meanShares);

/** Expected gain per taker on this side, in currency. */
export function placeValue({ half, ahead, behind }: Place, order: number, takers: SweepingTakers): number {
  const { meanShares, sweepMove, staleSigma } = takers;
  const earned = half - sweepMove * computeSweep(order, behind, takers);
  const brought = computeReach(ahead, takers) * earned * meanShares * (1 - Math.exp(-order / meanShares));
  return brought - order * staleCost(half, staleSigma);
}
