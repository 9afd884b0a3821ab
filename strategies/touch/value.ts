/**
 * Computes the value of a place in the queue of orders at a price. A taker's size has an exponential distribution with
 * mean s. A taker reaches an order of Q shares behind f shares with probability e^(-f / s), and then takes s (1 - e^(-Q
 * / s)) shares on average. With probability e^(-(Q + behind) / s) the taker sweeps the level, and the price moves
 * through it. If the price passes the order before it can be moved, a taker takes the whole order.
 */

import { staleCost } from '../../src/trader/strategy/strategy.js';

/** A place in the queue of orders on one side. */
export interface Place {
  /** Distance from the fair price less the maker fee: the gain per share of a fill if the price does not move. */
  readonly half: number;
  /** Others' shares in the queue ahead of the order. */
  readonly ahead: number;
  /** Others' shares in the queue behind the order, at its price. */
  readonly behind: number;
}

/** Takers' sizes, and price moves that affect an order. */
export interface SweepingTakers {
  /** Mean size of takers, in shares, > 0. */
  readonly meanShares: number;
  /** Price move after a taker has taken the order's whole level. */
  readonly sweepMove: number;
  /** Standard deviation of the price over one poll interval plus the time to place an order. */
  readonly staleSigma: number;
}

/** Probability that a taker reaches an order behind this many shares. */
export const computeReach = (ahead: number, { meanShares }: SweepingTakers): number => Math.exp(-ahead / meanShares);

/** Probability that a taker who reaches the order takes the whole level. */
export const computeSweep = (order: number, behind: number, { meanShares }: SweepingTakers): number =>
  Math.exp(-(order + behind) / meanShares);

/** Expected gain of an order per taker on its side, in currency. */
export function placeValue({ half, ahead, behind }: Place, order: number, takers: SweepingTakers): number {
  const { meanShares, sweepMove, staleSigma } = takers;
  const earned = half - sweepMove * computeSweep(order, behind, takers);
  const brought = computeReach(ahead, takers) * earned * meanShares * (1 - Math.exp(-order / meanShares));
  return brought - order * staleCost(half, staleSigma);
}
