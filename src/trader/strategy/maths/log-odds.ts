/** Probability and log-odds: x = ln(p / (1 - p)), p = S(x) = 1 / (1 + e^-x). */

/** Log-odds of a probability; -Infinity at 0 and Infinity at 1. RangeError outside [0, 1]. */
export function logit(p: number): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`a probability lies in [0, 1], got ${p}`);
  return Math.log(p) - Math.log1p(-p);
}

/** S(x): the probability of these log-odds; exact at both ends for any finite or infinite x. */
export function sigmoid(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const e = Math.exp(x);
  return e / (1 + e);
}

/** p (1 - p): price change per small change of log-odds, and variance of a settled binary. */
export const slope = (p: number): number => p * (1 - p);
