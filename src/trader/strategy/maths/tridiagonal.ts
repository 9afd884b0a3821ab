/**
 * Computes the exponential and the dominant eigenvector of a symmetric tridiagonal matrix with one non-negative value
 * beside the diagonal. Optimal quotes with bounded inventory are logarithms of ratios of neighbouring components. Some
 * components are 1e-29 of the largest, where common routines return noise. These functions add only non-negative
 * numbers, so that each component has full relative accuracy.
 */

export interface Tridiagonal {
  readonly diagonal: Float64Array;
  /** Value of the matrix beside its diagonal; 0 or more. */
  readonly beside: number;
}

/**
 * Computes exp(time x matrix) start, up to a common factor, by uniformisation. A constant c is added to the matrix's
 * diagonal, so that no value is negative. The result is proportional to the sum over n of (time (matrix + c))^n / n!
 * start. `start` is positive. The computing cost is O(size x time x largest rate). Throws RangeError if a component
 * leaves the range of numbers, or if the sum needs more than ten million terms.
 */
export function propagate(matrix: Tridiagonal, start: Float64Array, time: number): Float64Array {
  const grown = uniformise(matrix);
  // No component of a matrix product grows faster than the largest row sum.
  const rate = time * (greatest(grown.diagonal) + 2 * grown.beside);
  if (!(rate <= MAX_TERMS)) throw new RangeError(`the time span needs ${rate} terms, at most ${MAX_TERMS}`);
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
/** Size at which the running sum is rescaled; a power of two, so that scaling does not round. */
const HUGE = 2 ** 600;

/** Positive eigenvector of the largest eigenvalue. Throws RangeError outside the number range or after 1e6 steps. */
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
/** Relative change per step at which the eigenvector has converged: a few units in the last place. */
const STILL = 1e-15;

function isStill(vector: Float64Array, before: Float64Array): boolean {
  return vector.every((value, i) => Math.abs(value - (before[i] ?? 0)) <= STILL * value);
}

function uniformise({ diagonal, beside }: Tridiagonal): Tridiagonal {
  const least = Math.min(...diagonal);
  // The diagonal gets twice the off-diagonal value, so that the iteration does not oscillate between two vectors.
  return { diagonal: diagonal.map((value) => value - least + 2 * beside), beside };
}

/** Computes `into` = factor x matrix x vector. */
function multiply({ diagonal, beside }: Tridiagonal, vector: Float64Array, into: Float64Array, factor: number): void {
  let [left, own] = [0, vector[0] ?? 0];
  for (let i = 0; i < vector.length; i++) {
    const right = i + 1 < vector.length ? (vector[i + 1] ?? 0) : 0;
    into[i] = factor * ((diagonal[i] ?? 0) * own + beside * (left + right));
    left = own;
    own = right;
  }
}

/** Adds a term in place. Returns true if no component of the sum changed. */
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

/** Scales a vector in place, so that its largest component is 1. */
function normalise(vector: Float64Array): Float64Array {
  scale(vector, 1 / greatest(vector));
  // Numbers below 2.3e-308 are subnormal and have lost digits.
  if (!vector.every((value) => value >= 2.3e-308))
    throw new RangeError('components differ by more than 300 orders of magnitude');
  return vector;
}
