/** Seeded pseudo-random numbers (sfc32) for crowd, simulation and tests; never for anything secret. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  private constructor(state: RandomState) {
    [this.#a, this.#b, this.#c, this.#counter] = state;
  }

  /** A stream for a seed and, optionally, a name: streams of different names are independent. */
  static fromSeed(seed: number, stream = ''): Random {
    let hash = 0x811c9dc5 ^ (seed >>> 0);
    for (let i = 0; i < stream.length; i++) hash = Math.imul(hash ^ stream.charCodeAt(i), 0x01000193);
    const random = new Random([hash | 0, Math.floor(seed / 2 ** 32) | 0, Math.imul(hash, 0x9e3779b1) | 0, 1]);
    for (let i = 0; i < 16; i++) random.uint32();
    return random;
  }

  static restore(state: RandomState): Random {
    return new Random(state);
  }

  get state(): RandomState {
    return [this.#a, this.#b, this.#c, this.#counter];
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

  /** Uniform in [0, 1), 53 bits. */
  uniform(): number {
    return ((this.uint32() >>> 5) * 67108864 + (this.uint32() >>> 6)) / 9007199254740992;
  }

  /** Uniform integer in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.uniform() * bound);
  }

  chance(probability: number): boolean {
    return this.uniform() < probability;
  }

  /** Exponential waiting time with this mean. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.uniform());
  }

  /** Standard normal (Box–Muller; the second value is dropped so that the state stays four words). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }
}

export type RandomState = readonly [number, number, number, number];
