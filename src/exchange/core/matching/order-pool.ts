import { f64, fillSparse, i32, sparse, widen } from '../money.js';

/** Maximum number of slots. A handle is generation × 2^22 + slot, and each reuse of a slot has a new generation. */
const SLOT_SPAN = 2 ** 22;

/** The four legs. In the YES book, `BUY_YES` and `SELL_NO` are bids; `SELL_YES` and `BUY_NO` are asks. */
const BUY_YES = 0;
const SELL_YES = 1;
const BUY_NO = 2;
const SELL_NO = 3;
/** Outcome and side of an order, as `BUY_YES`, `SELL_YES`, `BUY_NO` or `SELL_NO`. */
export type LegCode = number;

/** Returns the leg of an order by its outcome and side. */
export const legOf = (isYes: boolean, isBuy: boolean): LegCode =>
  isYes ? (isBuy ? BUY_YES : SELL_YES) : isBuy ? BUY_NO : SELL_NO;

/** True if the leg is on the bid side of the YES book. */
export const isBidLeg = (leg: LegCode): boolean => leg === BUY_YES || leg === SELL_NO;
/** True if the leg pays currency for shares. */
export const isBuyLeg = (leg: LegCode): boolean => leg === BUY_YES || leg === BUY_NO;
/** True if the leg trades YES shares. */
export const isYesLeg = (leg: LegCode): boolean => leg === BUY_YES || leg === SELL_YES;

/** Fields of all resting orders: one array per field, indexed by slot. Slots are reused without an allocation. */
export class OrderPool {
  /** `next`, `prev`: slots of the neighbours in the tick's queue, or 0. A free slot's `next` is the next free slot. */
  next = new Int32Array(1024);
  prev = new Int32Array(1024);
  tick = new Int32Array(1024);
  market = new Int32Array(1024);
  account = new Int32Array(1024);
  /** Id of the API order; 0 for an internal order. */
  record = new Int32Array(1024);
  leg = new Uint8Array(1024);
  remaining = new Float64Array(1024);
  /** Locked currency of a buy; 0 for a sell, which locks its remaining shares. */
  locked = new Float64Array(1024);
  /** Part of the level's recorded amount that is ahead of this order in the queue. */
  ahead = new Float64Array(1024);
  #generation = new Int32Array(1024);
  #free = 0;
  #used = 1;

  /** Returns a slot for a new order. The slot still has old values, so the caller must write every field. */
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

  /** Returns the slot of an order's handle; 0 if the order no longer rests. */
  findSlot(handle: number): number {
    const slot = handle % SLOT_SPAN;
    if (slot <= 0 || slot >= this.#used || f64(this.remaining, slot) === 0) return 0;
    return this.makeHandle(slot) === handle ? slot : 0;
  }

  /** Returns the handles of resting internal orders, of one account or of all. Too slow for the hot path. */
  internalHandles(account?: number): number[] {
    const handles: number[] = [];
    for (let slot = 1; slot < this.#used; slot++) {
      const rests = f64(this.remaining, slot) > 0 && i32(this.record, slot) === 0;
      if (rests && (account === undefined || i32(this.account, slot) === account)) handles.push(this.makeHandle(slot));
    }
    return handles;
  }

  #widen(size: number): void {
    if (size > SLOT_SPAN) throw new RangeError(`there are more than ${SLOT_SPAN} resting orders`);
    for (const name of ['next', 'prev', 'tick', 'market', 'account', 'record'] as const)
      this[name] = widen(this[name], size);
    for (const name of ['remaining', 'locked', 'ahead'] as const) this[name] = widen(this[name], size);
    this.leg = widen(this.leg, size);
    this.#generation = widen(this.#generation, size);
  }

  /** Free slots and generations, for a snapshot. The core dumps the orders themselves, in queue order. */
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
