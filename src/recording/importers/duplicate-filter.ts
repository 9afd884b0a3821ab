/** Knows the latest messages of a recording by their numbers, so that a message that is in it twice is taken once. */

/** Messages remembered for each subscription. Duplicates come close together. */
const REMEMBERED = 8_192;

export class DuplicateFilter {
  readonly #known = new Map<number, Subscription>();

  /**
   * Whether this message, given by the hash of its line, was there before; notes it if not. Two changes may be alike, so
   * only where messages are numbered (not all by the same number) is the second one a repetition.
   */
  knows(sid: number, seq: number, hash: number): boolean {
    if (Number.isNaN(sid) || Number.isNaN(seq)) return false;
    const known = this.#known.get(sid);
    if (known === undefined) {
      this.#known.set(sid, new Subscription(seq, hash));
      return false;
    }
    return known.knows(seq, hash);
  }
}

/** The latest messages of one subscription: each is at the place that its number gives. */
class Subscription {
  readonly #first: number;
  /** More than one number was seen. */
  #isNumbered = false;
  readonly #numbers = new Float64Array(REMEMBERED).fill(Number.NaN);
  readonly #hashes = new Float64Array(REMEMBERED);

  constructor(seq: number, hash: number) {
    this.#first = seq;
    this.knows(seq, hash);
  }

  knows(seq: number, hash: number): boolean {
    const at = seq % REMEMBERED;
    if (this.#isNumbered && this.#numbers[at] === seq && this.#hashes[at] === hash) return true;
    this.#numbers[at] = seq;
    this.#hashes[at] = hash;
    this.#isNumbered ||= seq !== this.#first;
    return false;
  }
}
