/** Orders on ticks 1 to 99, and the rounding of the published simulator, which its golden values depend on. */

export const LOWEST_TICK = 1;
export const HIGHEST_TICK = 99;
export const TICK = 0.01;
/** A division, not a multiplication: gives 0.57, not the double next to it. */
export const tickToPrice = (tick: number): number => tick / 100;

/** To 10 decimal places of the exact binary value, half to even. */
export function round10(value: number): number {
  // A double is exactly half-way between two such decimals only as an odd multiple of 2^-11.
  const halves = value * 2048;
  if (!Number.isInteger(halves) || halves % 2 === 0) return Number(value.toFixed(10)) + 0;
  const below = Math.floor(value * 1e10);
  return (below % 2 === 0 ? below : below + 1) / 1e10;
}

/** The simulator's smallest step of shares. */
export const QUANTUM = 0.01;

/** Shares rounded down to that step; a float error below 1e-9 steps is ignored. */
export const floorToQuantum = (shares: number): number => round10(Math.floor(shares / QUANTUM + 1e-9) * QUANTUM);

export type LadderSide = 'bid' | 'ask';

export interface RestingOrder {
  /** Id of the maker's order; null for the competitor's. */
  readonly id: string | null;
  readonly side: LadderSide;
  readonly tick: number;
  /** Shares. */
  remaining: number;
}

/** The order that trades first on a side: best price, then oldest; `orders` are oldest first. */
export function findBest(orders: Iterable<RestingOrder>, side: LadderSide): RestingOrder | null {
  let best: RestingOrder | null = null;
  for (const order of orders) {
    if (order.side !== side) continue;
    if (best === null || (side === 'ask' ? order.tick < best.tick : order.tick > best.tick)) best = order;
  }
  return best;
}
