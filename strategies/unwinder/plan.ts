/** Plans the remaining position over time by the closed-form schedule of Almgren and Chriss (2000). */

/** Plan of an unwinding: position to reduce, start and duration. */
export interface Plan {
  /** +1 for a position in YES, -1 for a position in NO. */
  readonly sign: 1 | -1;
  /** Shares to reduce: shares held at the start less the shares to keep, > 0. */
  readonly shares: number;
  /** Smallest number of shares above `keep_shares` since the start of the plan. */
  readonly lowest: number;
  /** Start of the plan, our clock, ms. */
  readonly fromMs: number;
  /** Duration of the plan, ms. */
  readonly forMs: number;
}

/**
 * Planned remaining shares: X sinh(K (1 - u)) / sinh K. K = 0 is a straight line; a larger K reduces earlier.
 *
 * @param part fraction of the plan's time that has passed; above 1 the result is 0
 */
export function plannedShares(shares: number, urgency: number, part: number): number {
  const left = 1 - Math.min(1, Math.max(0, part));
  return urgency === 0 ? shares * left : (shares * Math.sinh(urgency * left)) / Math.sinh(urgency);
}

/** Fraction of the plan's time that has passed, 0 to 1. */
export const passedPart = ({ fromMs, forMs }: Plan, nowMs: number): number =>
  forMs <= 0 ? 1 : Math.min(1, Math.max(0, (nowMs - fromMs) / forMs));

/** How to trade: rest at others' best price, rest one tick better, or take others' orders. */
export type Manner = 'rest' | 'improve' | 'take';

/** After this fraction of the plan's time, the remaining position is sold by taking others' orders. */
const LAST_PART = 0.9;
/** Lag behind the plan above which others' orders are taken. */
const TAKING_LAG = 0.3;

/** Chooses how to trade. `lag`: how far the position is behind the plan, as a fraction of the whole reduction. */
export function chooseManner(lag: number, passed: number, lagFraction: number): Manner {
  if (lag > Math.max(TAKING_LAG, lagFraction) || passed >= LAST_PART) return 'take';
  return lag > lagFraction ? 'improve' : 'rest';
}

/** Returns the saved plan; null if there is none. */
export function savedPlan(saved: unknown): Plan | null {
  if (typeof saved !== 'object' || saved === null || !('plan' in saved) || saved.plan === null) return null;
  // The cast is safe, because `save` of this version wrote the plan. Plans of earlier releases have no `lowest`.
  const plan = saved.plan as Omit<Plan, 'lowest'>;
  return { lowest: plan.shares, ...plan };
}
