/** Balances as columns by account slot: currency for all markets, shares per market. Plain integers of Micros. */

import { f64, fillSparse, sparse, u8, widenF64, widenU8 } from './cells.js';

/** Currency of every account. `locked` is part of `total`. */
export class Funds {
  #total = new Float64Array(64);
  #locked = new Float64Array(64);
  #unlimited = new Uint8Array(64);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  open(unlimited: boolean): number {
    if (this.#count === this.#total.length) this.#widen(this.#count * 2);
    this.#unlimited[this.#count] = unlimited ? 1 : 0;
    return this.#count++;
  }

  total(account: number): number {
    return f64(this.#total, account);
  }

  locked(account: number): number {
    return f64(this.#locked, account);
  }

  /** What is not locked; without end for an unlimited account. */
  available(account: number): number {
    if (u8(this.#unlimited, account) === 1) return Number.POSITIVE_INFINITY;
    return f64(this.#total, account) - f64(this.#locked, account);
  }

  add(account: number, change: number): void {
    this.#total[account] = f64(this.#total, account) + change;
  }

  lock(account: number, change: number): void {
    this.#locked[account] = f64(this.#locked, account) + change;
  }

  #widen(size: number): void {
    this.#total = widenF64(this.#total, size);
    this.#locked = widenF64(this.#locked, size);
    this.#unlimited = widenU8(this.#unlimited, size);
  }

  dump(): FundsDump {
    return {
      count: this.#count,
      total: sparse(this.#total),
      locked: sparse(this.#locked),
      unlimited: sparse(this.#unlimited),
    };
  }

  load(dump: FundsDump): void {
    if (dump.count > this.#total.length) this.#widen(2 ** Math.ceil(Math.log2(dump.count)));
    this.#count = dump.count;
    fillSparse(this.#total, dump.total);
    fillSparse(this.#locked, dump.locked);
    fillSparse(this.#unlimited, dump.unlimited);
  }
}

export interface FundsDump {
  readonly count: number;
  readonly total: readonly number[];
  readonly locked: readonly number[];
  readonly unlimited: readonly number[];
}

/** Eight cells per account, one cache line: the four of YES, then the four of NO. */
const STRIDE = 8;
const LOCKED = 1;
/** Shares bought since the position was last flat, and what they cost: the average trade price. */
const BOUGHT = 2;
const PAID = 3;

/** Shares of one market by account. */
export class Shares {
  #cells = new Float64Array(STRIDE * 16);

  /** Must be called before any other use of an account's shares. */
  reserve(account: number): void {
    const needed = (account + 1) * STRIDE;
    if (needed > this.#cells.length) this.#cells = widenF64(this.#cells, Math.max(needed, this.#cells.length * 2));
  }

  total(account: number, isYes: boolean): number {
    return f64(this.#cells, this.#at(account, isYes));
  }

  locked(account: number, isYes: boolean): number {
    return f64(this.#cells, this.#at(account, isYes) + LOCKED);
  }

  available(account: number, isYes: boolean): number {
    const at = this.#at(account, isYes);
    return f64(this.#cells, at) - f64(this.#cells, at + LOCKED);
  }

  lock(account: number, isYes: boolean, change: number): void {
    const at = this.#at(account, isYes) + LOCKED;
    this.#cells[at] = f64(this.#cells, at) + change;
  }

  /** Shares come in at this cost. */
  receive(account: number, isYes: boolean, amount: number, cost: number): void {
    const at = this.#at(account, isYes);
    const held = f64(this.#cells, at);
    this.#cells[at] = held + amount;
    this.#cells[at + BOUGHT] = held === 0 ? amount : f64(this.#cells, at + BOUGHT) + amount;
    this.#cells[at + PAID] = held === 0 ? cost : f64(this.#cells, at + PAID) + cost;
  }

  give(account: number, isYes: boolean, amount: number): void {
    const at = this.#at(account, isYes);
    this.#cells[at] = f64(this.#cells, at) - amount;
  }

  /** Amount and cost of the buys since the position was last flat. */
  bought(account: number, isYes: boolean): { readonly amount: number; readonly paid: number } {
    const at = this.#at(account, isYes);
    return { amount: f64(this.#cells, at + BOUGHT), paid: f64(this.#cells, at + PAID) };
  }

  /** Accounts beyond the last one that ever traded here hold nothing. */
  get accounts(): number {
    return this.#cells.length / STRIDE;
  }

  #at(account: number, isYes: boolean): number {
    return account * STRIDE + (isYes ? 0 : STRIDE / 2);
  }

  dump(): readonly number[] {
    return sparse(this.#cells);
  }

  load(dump: readonly number[]): void {
    const last = dump.at(-2);
    if (last !== undefined) this.reserve(Math.floor(last / STRIDE));
    fillSparse(this.#cells, dump);
  }
}
