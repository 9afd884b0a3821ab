/**
 * The random numbers of Python's `random` module, bit for bit: the published simulator was written against them, so the
 * same seed must give the same market here. Generator: MT19937 (Matsumoto, Nishimura, "Mersenne Twister", 1998).
 */

const WORDS = 624;
const MIDDLE = 397;
/** Constant of Kinderman and Monahan's method: 4 exp(-1/2) / sqrt 2. */
const NORMAL_MAGIC = (4 * Math.exp(-0.5)) / Math.sqrt(2);

export class PythonRandom {
  readonly #state = new Uint32Array(WORDS);
  #next = WORDS;
  /** Second value of the last pair of `gauss`. */
  #spare: number | null = null;

  /** @param seed a safe integer, 0 or more */
  constructor(seed: number) {
    const low = seed >>> 0;
    const high = Math.floor(seed / 2 ** 32);
    const key = high === 0 ? [low] : [low, high];
    const mt = this.#state;
    mt[0] = 19_650_218;
    for (let i = 1; i < WORDS; i++) mt[i] = Math.imul(1_812_433_253, this.#mixWord(i - 1)) + i;
    let at = 1;
    const stir = (factor: number, addend: number): void => {
      mt[at] = ((mt[at] ?? 0) ^ Math.imul(this.#mixWord(at - 1), factor)) + addend;
      if (++at < WORDS) return;
      mt[0] = mt[WORDS - 1] ?? 0;
      at = 1;
    };
    for (let k = 0; k < WORDS; k++) stir(1_664_525, (key[k % key.length] ?? 0) + (k % key.length));
    for (let k = 0; k < WORDS - 1; k++) stir(1_566_083_941, -at);
    mt[0] = 0x80000000;
  }

  /** Uniform in [0, 1), 53 bits. */
  random(): number {
    const high = this.#word() >>> 5;
    const low = this.#word() >>> 6;
    return (high * 67_108_864 + low) / 9_007_199_254_740_992;
  }

  uniform(from: number, to: number): number {
    return from + (to - from) * this.random();
  }

  /** Normal by Box and Muller, in pairs. */
  gauss(mean: number, deviation: number): number {
    const spare = this.#spare;
    if (spare !== null) {
      this.#spare = null;
      return mean + spare * deviation;
    }
    const angle = this.random() * 2 * Math.PI;
    const radius = Math.sqrt(-2 * Math.log(1 - this.random()));
    this.#spare = Math.sin(angle) * radius;
    return mean + Math.cos(angle) * radius * deviation;
  }

  /** exp of a normal drawn by Kinderman and Monahan's rejection. */
  lognormal(mean: number, deviation: number): number {
    for (;;) {
      const first = this.random();
      const second = 1 - this.random();
      const z = (NORMAL_MAGIC * (first - 0.5)) / second;
      if ((z * z) / 4 <= -Math.log(second)) return Math.exp(mean + z * deviation);
    }
  }

  /** Uniform whole number, both ends included. */
  randint(from: number, to: number): number {
    const count = to - from + 1;
    const bits = Math.floor(Math.log2(count)) + 1;
    for (;;) {
      const value = this.#word() >>> (32 - bits);
      if (value < count) return from + value;
    }
  }

  /** Poisson by Knuth's product of uniforms. */
  poisson(mean: number): number {
    const threshold = Math.exp(-mean);
    let product = 1;
    let draws = 0;
    while (product > threshold) {
      product *= this.random();
      draws++;
    }
    return draws - 1;
  }

  #mixWord(index: number): number {
    const word = this.#state[index] ?? 0;
    return word ^ (word >>> 30);
  }

  #word(): number {
    if (this.#next >= WORDS) this.#twist();
    let word = this.#state[this.#next++] ?? 0;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  #twist(): void {
    const mt = this.#state;
    for (let i = 0; i < WORDS; i++) {
      const joined = ((mt[i] ?? 0) & 0x80000000) | ((mt[(i + 1) % WORDS] ?? 0) & 0x7fffffff);
      mt[i] = (mt[(i + MIDDLE) % WORDS] ?? 0) ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
    }
    this.#next = 0;
  }
}
