/** Recognises repeated messages of a recording by their numbers, so that each is used once. */

/** Messages remembered per subscription. Duplicates come close together. */
const REMEMBERED = 8_192;

/** The latest messages of one subscription, each at the index given by its number. */
const newSubscription = (first: number) => ({
  first,
  isNumbered: false,
  numbers: new Float64Array(REMEMBERED).fill(Number.NaN),
  hashes: new Float64Array(REMEMBERED),
});

export class DuplicateFilter {
  readonly #known = new Map<number, ReturnType<typeof newSubscription>>();

  /**
   * True for a known message, given by the hash of its line; else stores it. Changes may be equal, so a second one is a
   * repetition only where messages are numbered (not all by the same number).
   */
  knows(sid: number, seq: number, hash: number): boolean {
    if (Number.isNaN(sid) || Number.isNaN(seq)) return false;
    const known = this.#known.get(sid) ?? newSubscription(seq);
    this.#known.set(sid, known);
    const at = seq % REMEMBERED;
    if (known.isNumbered && known.numbers[at] === seq && known.hashes[at] === hash) return true;
    known.numbers[at] = seq;
    known.hashes[at] = hash;
    known.isNumbered ||= seq !== known.first;
    return false;
  }
}
