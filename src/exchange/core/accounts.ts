/** Balances of all accounts in typed arrays, integers in micros: currency over all markets, and shares per market. */

import type { Micros } from '../../shared/base/micros.js';
import { asMicros, f64, fillSparse, sparse, widen } from './money.js';

/** Cells per account: currency, locked part of the currency, and 1 if the account is unlimited. */
const FUNDS_STRIDE = 4;
const FUNDS_LOCKED = 1;
const UNLIMITED = 2;

/** Currency of all accounts. An account's total includes its locked amount. */
export class Funds {
  #cells = new Float64Array(64 * FUNDS_STRIDE);
  count = 0;

  open(unlimited: boolean): number {
    if (this.count * FUNDS_STRIDE === this.#cells.length) this.#cells = widen(this.#cells, this.#cells.length * 2);
    this.#cells[this.count * FUNDS_STRIDE + UNLIMITED] = unlimited ? 1 : 0;
    return this.count++;
  }

  total(account: number): number {
    return f64(this.#cells, account * FUNDS_STRIDE);
  }

  read(account: number): { readonly total: Micros; readonly locked: Micros; readonly available: Micros } {
    const total = this.total(account);
    const locked = f64(this.#cells, account * FUNDS_STRIDE + FUNDS_LOCKED);
    return { total: asMicros(total), locked: asMicros(locked), available: asMicros(total - locked) };
  }

  /** Unlocked currency of an account; infinite if the account is unlimited. */
  available(account: number): number {
    const at = account * FUNDS_STRIDE;
    if (f64(this.#cells, at + UNLIMITED) === 1) return Number.POSITIVE_INFINITY;
    return f64(this.#cells, at) - f64(this.#cells, at + FUNDS_LOCKED);
  }

  add(account: number, change: number): void {
    const at = account * FUNDS_STRIDE;
    this.#cells[at] = f64(this.#cells, at) + change;
  }

  lock(account: number, change: number): void {
    const at = account * FUNDS_STRIDE + FUNDS_LOCKED;
    this.#cells[at] = f64(this.#cells, at) + change;
  }

  dump() {
    const column = (cell: number) => sparse(this.#cells, FUNDS_STRIDE, cell);
    return { count: this.count, total: column(0), locked: column(FUNDS_LOCKED), unlimited: column(UNLIMITED) };
  }

  load(dump: ReturnType<Funds['dump']>): void {
    const places = 2 ** Math.ceil(Math.log2(dump.count));
    if (dump.count * FUNDS_STRIDE > this.#cells.length) this.#cells = widen(this.#cells, places * FUNDS_STRIDE);
    this.count = dump.count;
    const columns = [dump.total, dump.locked, dump.unlimited];
    for (const [cell, pairs] of columns.entries()) fillSparse(this.#cells, pairs, FUNDS_STRIDE, cell);
  }
}

/** Cells per account in `Shares`: four for YES, then four for NO; these eight fill one cache line. */
const STRIDE = 8;
const LOCKED = 1;
/** Shares bought since the account's position was last flat, and their cost; cost / shares is the average price. */
const BOUGHT = 2;
const PAID = 3;

/** Cells per account for its history: times of the first YES and NO holdings, net currency, redeemed currency. */
const BOOK_STRIDE = 4;
const CASH = 2;
const REDEEMED = 3;

/** Shares of one market by account, and the currency that each account paid for them. */
export class Shares {
  #cells = new Float64Array(STRIDE * 4);
  #books = new Float64Array(BOOK_STRIDE * 4);

  /** Creates the share cells of an account. Call this method before the account's shares are changed. */
  ensureAccount(account: number): void {
    const needed = (account + 1) * STRIDE;
    if (needed <= this.#cells.length) return;
    const cells = Math.max(needed, this.#cells.length * 2);
    this.#cells = widen(this.#cells, cells);
    this.#books = widen(this.#books, (cells / STRIDE) * BOOK_STRIDE);
  }

  total(account: number, isYes: boolean): number {
    return account < this.accounts ? f64(this.#cells, this.#at(account, isYes)) : 0;
  }

  lockedAmount(account: number, isYes: boolean): number {
    return account < this.accounts ? f64(this.#cells, this.#at(account, isYes) + LOCKED) : 0;
  }

  read(account: number) {
    return {
      yes: asMicros(this.total(account, true)),
      yesLocked: asMicros(this.lockedAmount(account, true)),
      no: asMicros(this.total(account, false)),
      noLocked: asMicros(this.lockedAmount(account, false)),
    };
  }

  available(account: number, isYes: boolean): number {
    const at = this.#at(account, isYes);
    return f64(this.#cells, at) - f64(this.#cells, at + LOCKED);
  }

  lock(account: number, isYes: boolean, change: number): void {
    const at = this.#at(account, isYes) + LOCKED;
    this.#cells[at] = f64(this.#cells, at) + change;
  }

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

  give(account: number, isYes: boolean, amount: number, proceeds: number): void {
    const at = this.#at(account, isYes);
    this.#cells[at] = f64(this.#cells, at) - amount;
    this.pay(account, proceeds);
  }

  /** Books currency that the account received through this market; negative for a payment such as a fee. */
  pay(account: number, funds: number): void {
    const at = account * BOOK_STRIDE + CASH;
    this.#books[at] = f64(this.#books, at) + funds;
  }

  redeem(account: number, yes: number, no: number, funds: number): void {
    this.give(account, true, yes, funds);
    this.give(account, false, no, 0);
    const at = account * BOOK_STRIDE + REDEEMED;
    this.#books[at] = f64(this.#books, at) + funds;
  }

  readBuys(account: number, isYes: boolean): { readonly amount: number; readonly paid: number } {
    const at = this.#at(account, isYes);
    return { amount: f64(this.#cells, at + BOUGHT), paid: f64(this.#cells, at + PAID) };
  }

  /** Time at which the account first held this outcome, ms; 0 if it never held the outcome. */
  sinceMs(account: number, isYes: boolean): number {
    return f64(this.#books, account * BOOK_STRIDE + (isYes ? 0 : 1));
  }

  /** Currency received minus currency paid in trades, conversions and redeems, fees included. */
  cash(account: number): number {
    return account < this.accounts ? f64(this.#books, account * BOOK_STRIDE + CASH) : 0;
  }

  redeemedPayout(account: number): number {
    return account < this.accounts ? f64(this.#books, account * BOOK_STRIDE + REDEEMED) : 0;
  }

  /** Number of accounts with cells in this market. An account whose number is at least this value never traded here. */
  get accounts(): number {
    return this.#cells.length / STRIDE;
  }

  #at(account: number, isYes: boolean): number {
    return account * STRIDE + (isYes ? 0 : STRIDE / 2);
  }

  dump() {
    return { cells: sparse(this.#cells), books: sparse(this.#books) };
  }

  load(dump: ReturnType<Shares['dump']>): void {
    const last = Math.max((dump.cells.at(-2) ?? 0) / STRIDE, (dump.books.at(-2) ?? 0) / BOOK_STRIDE);
    this.ensureAccount(Math.floor(last));
    fillSparse(this.#cells, dump.cells);
    fillSparse(this.#books, dump.books);
  }
}
