/**
 * What a place in a queue is worth. A taker's size is exponential with mean s: he reaches an order behind f shares with
 * probability e^(-f / s), and what he takes of it has mean s (1 - e^(-Q / s)). He sweeps what stands behind it as well with
 * probability e^(-(Q + behind) / s), and then the price moves through. Whoever comes after the price has gone beyond the order, before
 * that can be seen and the order moved, takes all of it.
 */

import { staleCost } from '../../src/trader/strategy/strategy.js';

/** A place in the queue of one side. */
export interface Place {
  /** Distance from the fair price, in price: what a fill earns if nothing moves. */
  readonly half: number;
  /** Shares of others before the order, and behind it at its price. */
  readonly ahead: number;
  readonly behind: number;
}

/** Takers, and what the price does to an order. */
export interface SweepingTakers {
  /** Mean size, in shares, > 0. */
  readonly meanShares: number;
  /** How far the price moves when its level is swept, in price. */
  readonly sweepMove: number;
  /** Deviation of the price from a look at the book until what it says has changed a quote. */
  readonly staleSigma: number;
}

/** Probability that a taker of this side reaches the order. */
export const computeReach = (ahead: number, { meanShares }: SweepingTakers): number => Math.exp(-ahead / meanShares);

/** Probability that one who reaches it takes all that stands there. */
export const computeSweep = (order: number, behind: number, { meanShares }: SweepingTakers): number =>
  Math.exp(-(order + behind) / meanShares);

/** Expected gain for each taker who comes to this side, in currency. */
export function placeValue({ half, ahead, behind }: Place, order: number, takers: SweepingTakers): number {
  const { meanShares, sweepMove, staleSigma } = takers;
  const earned = half - sweepMove * computeSweep(order, behind, takers);
  const brought = computeReach(ahead, takers) * earned * meanShares * (1 - Math.exp(-order / meanShares));
  return brought - order * staleCost(half, staleSigma);
}
