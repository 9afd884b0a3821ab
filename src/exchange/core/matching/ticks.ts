/** A set of ticks with fast search up and down: one bit per tick, and one bit per word of bits. */

import { i32 } from '../typed-arrays.js';

/** Result of `up` and `down` without a member. */
export const NO_TICK = -1;

const lowest = (bits: number): number => 31 - Math.clz32(bits & -bits);
const highest = (bits: number): number => 31 - Math.clz32(bits);

/** A set of ticks from 0 to a fixed size. */
export class TickSet {
  readonly #words: Int32Array;
  readonly #summary: Int32Array;

  /** For ticks 0..size - 1. */
  constructor(size: number) {
    const words = (size + 31) >>> 5;
    this.#words = new Int32Array(words);
    this.#summary = new Int32Array((words + 31) >>> 5);
  }

  add(tick: number): void {
    const word = tick >>> 5;
    this.#words[word] = i32(this.#words, word) | (1 << (tick & 31));
    this.#summary[word >>> 5] = i32(this.#summary, word >>> 5) | (1 << (word & 31));
  }

  remove(tick: number): void {
    const word = tick >>> 5;
    const left = i32(this.#words, word) & ~(1 << (tick & 31));
    this.#words[word] = left;
    if (left === 0) this.#summary[word >>> 5] = i32(this.#summary, word >>> 5) & ~(1 << (word & 31));
  }

  /** Smallest member at or above `from`. */
  up(from: number): number {
    const word = from >>> 5;
    if (word >= this.#words.length) return NO_TICK;
    const bits = i32(this.#words, word) & (-1 << (from & 31));
    if (bits !== 0) return (word << 5) + lowest(bits);
    // Shifts count modulo 32: the last word of a group has no later neighbour in its group.
    let mask = (word & 31) === 31 ? 0 : -1 << ((word & 31) + 1);
    for (let group = word >>> 5; group < this.#summary.length; group++) {
      const groupBits = i32(this.#summary, group) & mask;
      if (groupBits !== 0) {
        const found = (group << 5) + lowest(groupBits);
        return (found << 5) + lowest(i32(this.#words, found));
      }
      mask = -1;
    }
    return NO_TICK;
  }

  /** Largest member at or below `from`. */
  down(from: number): number {
    if (from < 0) return NO_TICK;
    const word = from >>> 5;
    const bits = i32(this.#words, word) & (-1 >>> (31 - (from & 31)));
    if (bits !== 0) return (word << 5) + highest(bits);
    let mask = (1 << (word & 31)) - 1;
    for (let group = word >>> 5; group >= 0; group--) {
      const groupBits = i32(this.#summary, group) & mask;
      if (groupBits !== 0) {
        const found = (group << 5) + highest(groupBits);
        return (found << 5) + highest(i32(this.#words, found));
      }
      mask = -1;
    }
    return NO_TICK;
  }
}
