/**
 * Growth under a symmetric tridiagonal matrix whose off-diagonal is one non-negative number: the linear equation behind
 * optimal quotes with bounded inventory. Quotes are logarithms of ratios of neighbours, and far from the middle the
 * components fall to 1e-29 of the largest: a common eigenvalue or exponential routine, accurate against the largest,
 * returns noise there. Here every step only adds numbers that are not negative, so each component is accurate in itself.
 */

export interface Tridiagonal {
  readonly diagonal: Float64Array;
  /** Value above and below the diagonal; 0 or more. */
  readonly beside: number;
}

/**
 * exp(time x matrix) start, up to a common factor, by uniformisation: with c added to the diagonal, so that nothing is
 * negative, it is proportional to the sum over n of (time (matrix + c))^n / n! start. `start` is positive. O(size x time
 * x largest rate). RangeError when a component leaves the range of numbers or more than ten million terms are wanted.
 */
export function propagate(matrix: Tridiagonal, start: Float64Array, time: number): Float64Array {
  const grown = uniformise(matrix);
  // No component of a product grows faster than the largest row sum.
  const rate = time * (greatest(grown.diagonal) + 2 * grown.beside);
  if (!(rate <= MAX_TERMS)) throw new RangeError(`a shorter time is wanted: it takes ${rate} terms`);
  const sum = normalise(start.slice());
  let [term, next] = [sum.slice(), sum.slice()];
  for (let n = 1; ; n++) {
    multiply(grown, term, next, time / n);
    [term, next] = [next, term];
    const settled = addTo(sum, term);
    if (n > rate && settled) return normalise(sum);
    if (greatest(sum) > HUGE) for (const vector of [sum, term]) scale(vector, 1 / HUGE);
  }
}

const MAX_TERMS = 1e7;
/** A power of two, so that scaling does not round. */
const HUGE = 2 ** 600;

/**
 * The limit of every start: the positive eigenvector of the largest eigenvalue, by plain multiplication until no
 * component changes. RangeError when a component leaves the range of numbers or after a million steps.
 */
export function dominantVector(matrix: Tridiagonal): Float64Array {
  const grown = uniformise(matrix);
  let vector = new Float64Array(matrix.diagonal.length).fill(1);
  let next = vector.slice();
  for (let step = 0; step < MAX_STEPS; step++) {
    multiply(grown, vector, next, 1);
    normalise(next);
    [vector, next] = [next, vector];
    if (isStill(vector, next)) return vector;
  }
  throw new RangeError(`no eigenvector within ${MAX_STEPS} steps`);
}

const MAX_STEPS = 1e6;
/** Relative change per step that counts as none: some units of the last place. */
const STILL = 1e-15;

function isStill(vector: Float64Array, before: Float64Array): boolean {
  return vector.every((value, i) => Math.abs(value - (before[i] ?? 0)) <= STILL * value);
}

function uniformise({ diagonal, beside }: Tridiagonal): Tridiagonal {
  const least = Math.min(...diagonal);
  // Twice the off-diagonal more than needed, so that multiplication cannot oscillate between two vectors.
  return { diagonal: diagonal.map((value) => value - least + 2 * beside), beside };
}

/** into = factor x matrix x vector. */
function multiply({ diagonal, beside }: Tridiagonal, vector: Float64Array, into: Float64Array, factor: number): void {
  let [left, own] = [0, vector[0] ?? 0];
  for (let i = 0; i < vector.length; i++) {
    const right = i + 1 < vector.length ? (vector[i + 1] ?? 0) : 0;
    into[i] = factor * ((diagonal[i] ?? 0) * own + beside * (left + right));
    left = own;
    own = right;
  }
}

/** True when no component of the sum changed. */
function addTo(sum: Float64Array, term: Float64Array): boolean {
  let settled = true;
  for (let i = 0; i < sum.length; i++) {
    const before = sum[i] ?? 0;
    sum[i] = before + (term[i] ?? 0);
    settled &&= sum[i] === before;
  }
  return settled;
}

function greatest(vector: Float64Array): number {
  let most = 0;
  for (const value of vector) if (value > most) most = value;
  return most;
}

function scale(vector: Float64Array, factor: number): void {
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) * factor;
}

/** In place, to a largest component of 1. */
function normalise(vector: Float64Array): Float64Array {
  scale(vector, 1 / greatest(vector));
  // Below this a number is subnormal and has lost digits.
  if (!vector.every((value) => value >= 2.3e-308))
    throw new RangeError('components differ by more than 300 orders of magnitude');
  return vector;
}
