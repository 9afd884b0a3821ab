/** Knows the latest lines of a Kalshi recording by the numbers of their messages, so that what stands in it twice is taken once. */

import type { TextRing } from './text-ring.js';

/** Numbers remembered for each subscription, at most; a power of two. Duplicates come close together. */
const REMEMBERED = 8_192;
/** Each subscription begins with so many; a power of two. */
const FIRST_REMEMBERED = 64;

export class DuplicateFilter {
  readonly #told = new Map<number, Told>();
  readonly #ring: TextRing;

  /** @param ring holds the lines that `knows` is asked of, and those before them */
  constructor(ring: TextRing) {
    this.#ring = ring;
  }

  /**
   * Whether this very line, given by its place in the ring, was there before; notes it if not. Two changes may be alike, so
   * only where messages are numbered (not all by the same number) is the second one a repetition.
   */
  knows(from: number, end: number, sid: number | null, seq: number | null): boolean {
    if (sid === null || seq === null) return false;
    const told = this.#of(sid, seq);
    const at = told.find(seq);
    if (at >= 0 && told.isNumbered && this.#isSame(told.from[at] ?? 0, told.length[at] ?? 0, from, end)) return true;
    told.note(seq, this.#ring.place(from), end - from);
    return false;
  }

  #isSame(place: number, length: number, from: number, end: number): boolean {
    if (length !== end - from) return false;
    const at = this.#ring.find(place);
    return at >= 0 && this.#ring.bytes.compare(this.#ring.bytes, from, end, at, at + length) === 0;
  }

  #of(sid: number, seq: number): Told {
    const known = this.#told.get(sid);
    if (known !== undefined) return known;
    const fresh = new Told(seq);
    this.#told.set(sid, fresh);
    return fresh;
  }
}

/** The latest lines of one subscription: each stands at the place that its number gives. */
class Told {
  /** More than one number was seen. */
  isNumbered = false;
  numbers = new Float64Array(FIRST_REMEMBERED).fill(Number.NaN);
  /** Where the line begins in the ring, counted over all laps. */
  from = new Float64Array(FIRST_REMEMBERED);
  /** Bytes of the line. */
  length = new Int32Array(FIRST_REMEMBERED);
  #count = 0;
  readonly #first: number;

  constructor(first: number) {
    this.#first = first;
  }

  /** Where the line of this number stands; -1 where none does. */
  find(seq: number): number {
    const at = seq & (this.numbers.length - 1);
    return this.numbers[at] === seq ? at : -1;
  }

  /** Takes the place of what stands at that of its number. */
  note(seq: number, from: number, length: number): void {
    if (this.find(seq) < 0) {
      this.#count++;
      if (this.#count > this.numbers.length && this.numbers.length < REMEMBERED) this.#grow();
    }
    if (seq !== this.#first) this.isNumbered = true;
    this.#put(seq, from, length);
  }

  #put(seq: number, from: number, length: number): void {
    const at = seq & (this.numbers.length - 1);
    this.numbers[at] = seq;
    this.from[at] = from;
    this.length[at] = length;
  }

  #grow(): void {
    const { numbers, from, length } = this;
    this.numbers = new Float64Array(2 * numbers.length).fill(Number.NaN);
    this.from = new Float64Array(2 * numbers.length);
    this.length = new Int32Array(2 * numbers.length);
    for (const [at, seq] of numbers.entries()) {
      if (!Number.isNaN(seq)) this.#put(seq, from[at] ?? 0, length[at] ?? 0);
    }
  }
}
