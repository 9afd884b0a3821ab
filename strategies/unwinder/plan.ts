/** How much of a position should be left when: the schedule of Almgren and Chriss (2000), in its closed form. */

/** Position to reduce, start and duration. */
export interface Plan {
  /** +1 for YES held, -1 for NO. */
  readonly sign: 1 | -1;
  /** Shares above the target when it began, > 0. */
  readonly shares: number;
  /** Our clock, ms. */
  readonly fromMs: number;
  readonly forMs: number;
}

/**
 * Shares that should be left after a part of the time: X sinh(K (1 - u)) / sinh K. With K = 0 a straight line; the larger
 * K, the sooner most of it is gone.
 *
 * @param part of the time that has passed; beyond 1 nothing should be left
 */
export function plannedShares(shares: number, urgency: number, part: number): number {
  const left = 1 - Math.min(1, Math.max(0, part));
  return urgency === 0 ? shares * left : (shares * Math.sinh(urgency * left)) / Math.sinh(urgency);
}

/** Part of the plan's time that has passed, 0 to 1. */
export const passedPart = ({ fromMs, forMs }: Plan, nowMs: number): number =>
  forMs <= 0 ? 1 : Math.min(1, Math.max(0, (nowMs - fromMs) / forMs));

/** How to trade now: rest at the best price of others, one tick better, or take. */
export type Manner = 'rest' | 'improve' | 'take';

/** Part of the time after which the rest is sold by taking. */
const LAST_PART = 0.9;
const TAKING_LAG = 0.3;

/** Lag of the position behind its plan, as a part of the position to reduce. */
export function chooseManner(lag: number, passed: number, lagFraction: number): Manner {
  if (lag > Math.max(TAKING_LAG, lagFraction) || passed >= LAST_PART) return 'take';
  return lag > lagFraction ? 'improve' : 'rest';
}

/** The plan as it was saved; null where there is none. */
export function savedPlan(saved: unknown): Plan | null {
  if (typeof saved !== 'object' || saved === null || !('plan' in saved) || saved.plan === null) return null;
  // What `save` of this very version returned.
  return saved.plan as Plan;
}
