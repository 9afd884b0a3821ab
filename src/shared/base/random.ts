export const normalDensity = (z: number): number => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);

/** Coefficients of the quotient of two polynomials, highest power first. */
interface Quotient {
  readonly above: readonly number[];
  readonly below: readonly number[];
}

// Cody (1969), "Rational Chebyshev approximations for the error function". Arguments: z^2 (`MIDDLE`), |z| (`SHOULDER`).
const MIDDLE: Quotient = {
  above: [0.06568233791820745, 2.2352520354606837, 161.02823106855587, 1067.6894854603709, 18154.98125334356],
  below: [1, 47.20258190468824, 976.0985517377767, 10260.932208618979, 45507.78933502673],
};
const SHOULDER: Quotient = {
  above: [
    1.0765576773720192e-8, 0.39894151208813466, 8.883149794388377, 93.50665613217785, 597.2702763948002,
    2494.5375852903726, 6848.190450536283, 11602.65143764735, 9842.714838383978,
  ],
  below: [
    1, 22.266688044328117, 235.387901782625, 1519.3775994075547, 6485.558298266761, 18615.571640885097,
    34900.95272114598, 38912.00328609327, 19685.429676859992,
  ],
};
const MIDDLE_END = 0.67448975;
const SHOULDER_END = 5.6;

/** Normal distribution function. Absolute error below 1e-15; relative error in the lower tail below 1e-12. */
export function normalCdf(z: number): number {
  const size = Math.abs(z);
  if (size <= MIDDLE_END) return 0.5 + z * divide(MIDDLE, z * z);
  const tail = size <= SHOULDER_END ? Math.exp((-z * z) / 2) * divide(SHOULDER, size) : upperTail(size);
  return z > 0 ? 1 - tail : tail;
}

/** Returns 1 - Phi(z) for large z, by Laplace's continued fraction phi(z) / (z + 1/(z + 2/(z + ...))). */
function upperTail(z: number): number {
  let fraction = z;
  for (let n = 30; n >= 1; n--) fraction = z + n / fraction;
  return normalDensity(z) / fraction;
}

// Source: M. J. Wichura (1988), algorithm AS 241 (PPND16). Central values use p; values near 0 or 1 use sqrt(-log p).
const CENTRAL: Quotient = {
  above: [
    2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946, 1971.5909503065513,
    133.14166789178438, 3.3871328727963665,
  ],
  below: [
    5226.495278852546, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751, 687.1870074920579,
    42.31333070160091, 1,
  ],
};
const OUTER: Quotient = {
  above: [
    7.745450142783414e-4, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684, 3.6478483247632045,
    5.769497221460691, 4.630337846156546, 1.4234371107496835,
  ],
  below: [
    1.0507500716444169e-9, 5.475938084995345e-4, 0.015198666563616457, 0.14810397642748008, 0.6897673349851,
    1.6763848301838038, 2.053191626637759, 1,
  ],
};
const FAR: Quotient = {
  above: [
    2.0103343992922881e-7, 2.7115555687434876e-5, 0.0012426609473880784, 0.026532189526576124, 0.29656057182850487,
    1.7848265399172913, 5.463784911164114, 6.657904643501103,
  ],
  below: [
    2.0442631033899397e-15, 1.421511758316446e-7, 1.8463183175100548e-5, 7.868691311456133e-4, 0.014875361290850615,
    0.1369298809227358, 0.599832206555888, 1,
  ],
};

/** Returns z with Phi(z) = p, exact to 1e-13; -Infinity for 0, Infinity for 1. Throws RangeError outside [0, 1]. */
export function normalQuantile(p: number): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`a probability must lie in [0, 1], got ${p}`);
  const away = p - 0.5;
  if (Math.abs(away) <= 0.425) return away * divide(CENTRAL, 0.180625 - away * away);
  const root = Math.sqrt(-Math.log(Math.min(p, 1 - p)));
  if (root === Number.POSITIVE_INFINITY) return away < 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const size = root <= 5 ? divide(OUTER, root - 1.6) : divide(FAR, root - 5);
  return away < 0 ? -size : size;
}

function divide({ above, below }: Quotient, x: number): number {
  let [numerator, denominator] = [0, 0];
  for (let i = 0; i < above.length; i++) {
    numerator = numerator * x + (above[i] ?? 0);
    denominator = denominator * x + (below[i] ?? 0);
  }
  return numerator / denominator;
}

/** Seeded pseudo-random numbers (sfc32) for simulated traders and tests. Do not use these numbers for secrets. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  private constructor(a: number, b: number, c: number, counter: number) {
    [this.#a, this.#b, this.#c, this.#counter] = [a, b, c, counter];
  }

  /** Returns a random number stream for a seed and an optional name. Streams with different names are independent. */
  static fromSeed(seed: number, stream = ''): Random {
    let hash = 0x811c9dc5 ^ (seed >>> 0);
    for (let i = 0; i < stream.length; i++) hash = Math.imul(hash ^ stream.charCodeAt(i), 0x01000193);
    const random = new Random(hash | 0, Math.floor(seed / 2 ** 32) | 0, Math.imul(hash, 0x9e3779b1) | 0, 1);
    for (let i = 0; i < 16; i++) random.uint32();
    return random;
  }

  uint32(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + sum) | 0;
    return sum >>> 0;
  }

  /** Returns a uniform number in [0, 1) with 53 bits. */
  uniform(): number {
    return ((this.uint32() >>> 5) * 67108864 + (this.uint32() >>> 6)) / 9007199254740992;
  }

  below(bound: number): number {
    return Math.floor(this.uniform() * bound);
  }

  chance(probability: number): boolean {
    return this.uniform() < probability;
  }

  exponential(mean: number): number {
    return -mean * Math.log(1 - this.uniform());
  }

  /** Returns a standard normal number by Box-Muller, which discards the second number, so no number is stored. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }
}
