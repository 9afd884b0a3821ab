/** The standard normal distribution. */

/** Density. */
export const normalDensity = (z: number): number => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);

/** Distribution function; absolute error below 1e-15 (series inside |z| < 6, continued fraction of the tail beyond 3). */
export function normalCdf(z: number): number {
  if (z > 3) return 1 - upperTail(z);
  if (z < -3) return upperTail(-z);
  // Phi(z) = 1/2 + phi(z) (z + z^3/3 + z^5/15 + ...): all terms of one sign, so nothing cancels.
  let term = z;
  let sum = z;
  for (let n = 3; Math.abs(term) > 1e-17 * Math.abs(sum); n += 2) {
    term *= (z * z) / n;
    sum += term;
  }
  return 0.5 + normalDensity(z) * sum;
}

/** 1 - Phi(z) for z > 3 as Laplace's continued fraction phi(z) / (z + 1/(z + 2/(z + ...))). */
function upperTail(z: number): number {
  let fraction = z;
  for (let n = 80; n >= 1; n--) fraction = z + n / fraction;
  return normalDensity(z) / fraction;
}

/** z with Phi(z) = p; -Infinity at 0, Infinity at 1. RangeError outside [0, 1]. Found by Newton steps on the above. */
export function normalQuantile(p: number): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`a probability lies in [0, 1], got ${p}`);
  if (p === 0) return Number.NEGATIVE_INFINITY;
  if (p === 1) return Number.POSITIVE_INFINITY;
  if (p > 0.5) return -normalQuantile(1 - p);
  let z = firstGuess(p);
  for (let i = 0; i < 4; i++) {
    const step = (normalCdf(z) - p) / normalDensity(z);
    // Halley's correction: converges from the first guess in the far tail too.
    z -= step / (1 + (z * step) / 2);
  }
  return z;
}

/** Abramowitz and Stegun 26.2.23: off by less than 4.5e-4, for p <= 1/2. */
function firstGuess(p: number): number {
  const t = Math.sqrt(-2 * Math.log(p));
  const numerator = 2.515517 + t * (0.802853 + t * 0.010328);
  return numerator / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
}
