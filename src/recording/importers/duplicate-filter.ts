/** Recognises repeated messages of a recording by their numbers, so that each is used once. */

/** Messages remembered per subscription. Duplicates come close together. */
const REMEMBERED = 8_192;

export class DuplicateFilter {
  readonly #known = new Map<number, Subscription>();

  /**
   * True for a known message, given by the hash of its line; else stores it. Changes may be equal, so a second one is a
   * repetition only where messages are numbered (not all by the same number).
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

/** The latest messages of one subscription, each at the index given by its number. */
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
