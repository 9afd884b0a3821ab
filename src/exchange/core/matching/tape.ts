/** Public trades of one market and their sums. A ring of cells: a trade costs no allocation. */

import { f64, widen } from '../money.js';

/** Trades kept for `GET /markets/{id}/trades/`: hours of a busy market, 1.1 MB. */
export const TAPE_LENGTH = 20_000;
/** Kept trades of a settled market: the number of settled markets only grows, and all stay in memory. */
export const SETTLED_TAPE_LENGTH = 1_000;
const FIRST_CAPACITY = 32;

/** Number of cells per trade. */
const STRIDE = 7;
const PRICE = 1;
const AMOUNT = 2;
const MAKER_FEE = 3;
const TAKER_FEE = 4;
const IS_YES = 5;
/** Volume of the market after the trade. */
const VOLUME_AFTER = 6;

/** The newest trades of a market, and sums over all its trades. */
export class Tape {
  /** Number of all trades; id of the newest. */
  count = 0;
  /** Currency: price × amount of every trade at the taker's price. */
  volume = 0;
  /** YES space, 0 before the first trade. */
  lastPrice = 0;
  lastMs = 0;

  #capacity = FIRST_CAPACITY;
  #cells = new Float64Array(FIRST_CAPACITY * STRIDE);
  /** First cell of the next trade; the end of the ring counts as its start. */
  #next = 0;

  write(
    timeMs: number,
    yesPrice: number,
    amount: number,
    notional: number,
    isYes: boolean,
    makerFee: number,
    takerFee: number,
  ): void {
    // Trade n is in place n until the ring is full, so a larger ring copies the cells unchanged.
    if (this.count === this.#capacity && this.#capacity < TAPE_LENGTH) this.#widen(this.#capacity * 2);
    this.count += 1;
    this.volume += notional;
    this.lastPrice = yesPrice;
    this.lastMs = timeMs;
    const cells = this.#cells;
    const at = this.#next === cells.length ? 0 : this.#next;
    this.#next = at + STRIDE;
    cells[at] = timeMs;
    cells[at + PRICE] = isYes ? yesPrice : 1_000_000 - yesPrice;
    cells[at + AMOUNT] = amount;
    cells[at + MAKER_FEE] = makerFee;
    cells[at + TAKER_FEE] = takerFee;
    cells[at + IS_YES] = isYes ? 1 : 0;
    cells[at + VOLUME_AFTER] = this.volume;
  }

  #widen(capacity: number): void {
    this.#capacity = Math.min(capacity, TAPE_LENGTH);
    this.#cells = widen(this.#cells, this.#capacity * STRIDE);
  }

  /** Ends the trading: keeps only the newest trades, at least one. */
  settle(keep = SETTLED_TAPE_LENGTH): void {
    if (this.count <= keep) return;
    const dump = this.dump();
    this.load({ ...dump, trades: dump.trades.slice(-keep * STRIDE) });
  }

  #at(id: number): number {
    return ((id - 1) % this.#capacity) * STRIDE;
  }

  get #oldest(): number {
    return Math.max(1, this.count - this.#capacity + 1);
  }

  /** Currency of trades after `sinceMs`, exact; null when such trades are no longer kept. */
  volumeSince(sinceMs: number): number | null {
    let low = this.#oldest;
    if (low > 1 && f64(this.#cells, this.#at(low)) > sinceMs) return null;
    let high = this.count + 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (f64(this.#cells, this.#at(middle)) <= sinceMs) low = middle + 1;
      else high = middle;
    }
    // `low` is the first trade of the window.
    if (low > this.count) return 0;
    return low === 1 ? this.volume : this.volume - f64(this.#cells, this.#at(low - 1) + VOLUME_AFTER);
  }

  /** Up to `limit` trades with ids below `beforeId`, newest first. */
  read(limit: number, beforeId: number) {
    const trades: ReturnType<Tape['trade']>[] = [];
    for (let id = Math.min(beforeId - 1, this.count); id >= this.#oldest && trades.length < limit; id--) {
      trades.push(this.trade(id));
    }
    return trades;
  }

  /** True when a trade below this id is kept. */
  hasBefore(id: number): boolean {
    return id > this.#oldest;
  }

  /** A kept trade; amounts and fees in micros, `price` and `isYes` in the taker's outcome space. */
  trade(id: number) {
    const at = this.#at(id);
    const cells = this.#cells;
    return {
      id,
      timeMs: f64(cells, at),
      price: f64(cells, at + PRICE),
      amount: f64(cells, at + AMOUNT),
      makerFee: f64(cells, at + MAKER_FEE),
      takerFee: f64(cells, at + TAKER_FEE),
      isYes: f64(cells, at + IS_YES) === 1,
    };
  }

  dump() {
    const trades: number[] = [];
    for (let id = this.#oldest; id <= this.count; id++) {
      const at = this.#at(id);
      trades.push(...this.#cells.subarray(at, at + STRIDE));
    }
    const { count, volume, lastPrice, lastMs } = this;
    return { count, volume, lastPrice, lastMs, trades };
  }

  load(dump: ReturnType<Tape['dump']>): void {
    this.count = dump.count;
    this.volume = dump.volume;
    this.lastPrice = dump.lastPrice;
    this.lastMs = dump.lastMs;
    // A ring that has dropped trades is full; before that it has room.
    const kept = dump.trades.length / STRIDE;
    let capacity = kept < dump.count ? kept : FIRST_CAPACITY;
    while (capacity < kept) capacity *= 2;
    this.#capacity = Math.min(capacity, TAPE_LENGTH);
    this.#cells = new Float64Array(this.#capacity * STRIDE);
    for (let id = this.#oldest, from = 0; id <= this.count; id++, from += STRIDE) {
      this.#cells.set(dump.trades.slice(from, from + STRIDE), this.#at(id));
    }
    this.#next = this.count === 0 ? 0 : this.#at(this.count) + STRIDE;
  }
}
