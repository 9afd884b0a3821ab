/** All resting orders, as columns of typed arrays: slots are recycled, so an order needs no allocation. */

import { f64, fillSparse, i32, sparse, widen } from '../money.js';

/** A handle is generation × 2^22 + slot, so that an old handle never matches a recycled slot. */
const SLOT_BITS = 22;
const SLOT_SPAN = 2 ** SLOT_BITS;

/** Effect of an order on its account. Bids in YES space: buy YES, sell NO. Asks: sell YES, buy NO. */
export const BUY_YES = 0;
export const SELL_YES = 1;
export const BUY_NO = 2;
export const SELL_NO = 3;
/** Outcome and side of an order in one number, 0 to 3: `BUY_YES`, `SELL_YES`, `BUY_NO` or `SELL_NO`. */
export type Leg = number;

/** True for legs on the bid side of the YES book. */
export const isBidLeg = (leg: Leg): boolean => leg === BUY_YES || leg === SELL_NO;
/** True for legs that pay currency for shares. */
export const isBuyLeg = (leg: Leg): boolean => leg === BUY_YES || leg === BUY_NO;
/** True for legs of YES shares. */
export const isYesLeg = (leg: Leg): boolean => leg === BUY_YES || leg === SELL_YES;

/** Columns of every resting order by slot; slots are reused. */
export class OrderPool {
  /** Neighbours in the level's queue; slot 0 means none. In a free slot, `next` is the next free slot. */
  next = new Int32Array(1024);
  prev = new Int32Array(1024);
  tick = new Int32Array(1024);
  market = new Int32Array(1024);
  account = new Int32Array(1024);
  /** Id of the resting API order, 0 for an internal one. */
  record = new Int32Array(1024);
  leg = new Uint8Array(1024);
  remaining = new Float64Array(1024);
  /** Locked currency of a buy; a sell locks its remaining shares. */
  locked = new Float64Array(1024);
  /** Recorded amount of the level ahead of this order. */
  ahead = new Float64Array(1024);
  #generation = new Int32Array(1024);
  #free = 0;
  #used = 1;

  /** A slot with old column values; the caller writes every one. */
  take(): number {
    const recycled = this.#free;
    if (recycled !== 0) {
      this.#free = i32(this.next, recycled);
      return recycled;
    }
    if (this.#used === this.next.length) this.#widen(this.#used * 2);
    return this.#used++;
  }

  release(slot: number): void {
    this.#generation[slot] = i32(this.#generation, slot) + 1;
    this.remaining[slot] = 0;
    this.next[slot] = this.#free;
    this.#free = slot;
  }

  makeHandle(slot: number): number {
    return i32(this.#generation, slot) * SLOT_SPAN + slot;
  }

  /** The slot of a handle, or 0 when its order no longer rests. */
  findSlot(handle: number): number {
    const slot = handle % SLOT_SPAN;
    if (slot <= 0 || slot >= this.#used || f64(this.remaining, slot) === 0) return 0;
    return this.makeHandle(slot) === handle ? slot : 0;
  }

  /** Handles of an account's resting internal orders. Scans every slot: not for the hot path. */
  internalHandles(account: number): number[] {
    const handles: number[] = [];
    for (let slot = 1; slot < this.#used; slot++) {
      const rests = f64(this.remaining, slot) > 0 && i32(this.record, slot) === 0;
      if (rests && i32(this.account, slot) === account) handles.push(this.makeHandle(slot));
    }
    return handles;
  }

  #widen(size: number): void {
    if (size > SLOT_SPAN) throw new RangeError(`more than ${SLOT_SPAN} resting orders`);
    this.next = widen(this.next, size);
    this.prev = widen(this.prev, size);
    this.tick = widen(this.tick, size);
    this.market = widen(this.market, size);
    this.account = widen(this.account, size);
    this.record = widen(this.record, size);
    this.leg = widen(this.leg, size);
    this.remaining = widen(this.remaining, size);
    this.locked = widen(this.locked, size);
    this.ahead = widen(this.ahead, size);
    this.#generation = widen(this.#generation, size);
  }

  /** Free slots and generations; the books dump the orders, in queue order. */
  dump() {
    const free: number[] = [];
    for (let slot = this.#free; slot !== 0; slot = i32(this.next, slot)) free.push(slot);
    return { used: this.#used, free, generations: sparse(this.#generation) };
  }

  load(dump: ReturnType<OrderPool['dump']>): void {
    if (dump.used > this.next.length) this.#widen(2 ** Math.ceil(Math.log2(dump.used)));
    this.#used = dump.used;
    fillSparse(this.#generation, dump.generations);
    let after = 0;
    for (const slot of [...dump.free].reverse()) {
      this.next[slot] = after;
      after = slot;
    }
    this.#free = after;
  }
}
