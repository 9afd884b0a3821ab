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

/** Four more cells per account: since when it has a row for YES and for NO, and what the market has paid it. */
const BOOK_STRIDE = 4;
const CASH = 2;
const REDEEMED = 3;

/** Shares of one market by account, and the currency that they moved. */
export class Shares {
  #cells = new Float64Array(STRIDE * 4);
  #books = new Float64Array(BOOK_STRIDE * 4);

  /** Must be called before an account's shares are changed. */
  reserve(account: number): void {
    const needed = (account + 1) * STRIDE;
    if (needed <= this.#cells.length) return;
    const cells = Math.max(needed, this.#cells.length * 2);
    this.#cells = widenF64(this.#cells, cells);
    this.#books = widenF64(this.#books, (cells / STRIDE) * BOOK_STRIDE);
  }

  total(account: number, isYes: boolean): number {
    return account < this.accounts ? f64(this.#cells, this.#at(account, isYes)) : 0;
  }

  locked(account: number, isYes: boolean): number {
    return account < this.accounts ? f64(this.#cells, this.#at(account, isYes) + LOCKED) : 0;
  }

  available(account: number, isYes: boolean): number {
    const at = this.#at(account, isYes);
    return f64(this.#cells, at) - f64(this.#cells, at + LOCKED);
  }

  lock(account: number, isYes: boolean, change: number): void {
    const at = this.#at(account, isYes) + LOCKED;
    this.#cells[at] = f64(this.#cells, at) + change;
  }

  /** Shares come in and are paid for with `cost`. */
  receive(timeMs: number, account: number, isYes: boolean, amount: number, cost: number): void {
    const at = this.#at(account, isYes);
    const held = f64(this.#cells, at);
    this.#cells[at] = held + amount;
    this.#cells[at + BOUGHT] = held === 0 ? amount : f64(this.#cells, at + BOUGHT) + amount;
    this.#cells[at + PAID] = held === 0 ? cost : f64(this.#cells, at + PAID) + cost;
    const row = account * BOOK_STRIDE + (isYes ? 0 : 1);
    if (held === 0 && f64(this.#books, row) === 0) this.#books[row] = timeMs;
    this.pay(account, -cost);
  }

  /** Shares go out for `proceeds`. */
  give(account: number, isYes: boolean, amount: number, proceeds: number): void {
    const at = this.#at(account, isYes);
    this.#cells[at] = f64(this.#cells, at) - amount;
    this.pay(account, proceeds);
  }

  /** Currency that the account received through this market; negative: paid, a fee for one. */
  pay(account: number, funds: number): void {
    const at = account * BOOK_STRIDE + CASH;
    this.#books[at] = f64(this.#books, at) + funds;
  }

  /** All shares of both outcomes that a redeem took, for what they paid. */
  redeem(account: number, yes: number, no: number, funds: number): void {
    this.give(account, true, yes, funds);
    this.give(account, false, no, 0);
    const at = account * BOOK_STRIDE + REDEEMED;
    this.#books[at] = f64(this.#books, at) + funds;
  }

  /** Amount and cost of the buys since the position was last flat. */
  bought(account: number, isYes: boolean): { readonly amount: number; readonly paid: number } {
    const at = this.#at(account, isYes);
    return { amount: f64(this.#cells, at + BOUGHT), paid: f64(this.#cells, at + PAID) };
  }

  /** When the account first held this outcome, ms; 0 when that was before it was kept (a folder of an older format). */
  sinceMs(account: number, isYes: boolean): number {
    return f64(this.#books, account * BOOK_STRIDE + (isYes ? 0 : 1));
  }

  /** Received minus paid in trades, conversions and redeems, fees included. */
  cash(account: number): number {
    return account < this.accounts ? f64(this.#books, account * BOOK_STRIDE + CASH) : 0;
  }

  /** What redeems paid. */
  redeemed(account: number): number {
    return account < this.accounts ? f64(this.#books, account * BOOK_STRIDE + REDEEMED) : 0;
  }

  /** Accounts beyond the last one that ever traded here hold nothing. */
  get accounts(): number {
    return this.#cells.length / STRIDE;
  }

  #at(account: number, isYes: boolean): number {
    return account * STRIDE + (isYes ? 0 : STRIDE / 2);
  }

  dump(): SharesDump {
    return { cells: sparse(this.#cells), books: sparse(this.#books) };
  }

  load(dump: SharesDump): void {
    const last = Math.max((dump.cells.at(-2) ?? 0) / STRIDE, (dump.books.at(-2) ?? 0) / BOOK_STRIDE);
    this.reserve(Math.floor(last));
    fillSparse(this.#cells, dump.cells);
    fillSparse(this.#books, dump.books);
  }
}

export interface SharesDump {
  readonly cells: readonly number[];
  readonly books: readonly number[];
}
