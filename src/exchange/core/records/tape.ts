import type { CandleInterval } from '../../../shared/protocol/states.js';
import { f64, widen } from '../money.js';

const FIRST_CAPACITY = 32;

/** Ring buffer of the newest rows of numbers, in one array that grows as needed. Most new rows need no allocation. */
class Ring {
  /** Number of rows ever added, dropped rows included. */
  count = 0;
  protected cells: Float64Array;
  readonly #stride: number;
  readonly #limit: number;
  #capacity = FIRST_CAPACITY;
  /** First cell of the ring's next row. At the end of the array, the next row begins at cell 0. */
  #next = 0;

  /** `stride`: number of cells per row. `limit`: maximum number of kept rows. */
  constructor(stride: number, limit: number) {
    this.#stride = stride;
    this.#limit = limit;
    this.cells = new Float64Array(FIRST_CAPACITY * stride);
  }

  /** Adds a row and returns the row's first cell; the caller fills the row. A full ring drops its oldest row. */
  protected begin(): number {
    if (this.count === this.#capacity && this.#capacity < this.#limit) {
      // Row n is at position n until the ring is full, so growing copies the cells unchanged.
      this.#capacity = Math.min(this.#capacity * 2, this.#limit);
      this.cells = widen(this.cells, this.#capacity * this.#stride);
    }
    this.count += 1;
    const at = this.#next === this.cells.length ? 0 : this.#next;
    this.#next = at + this.#stride;
    return at;
  }

  /** Returns the first cell of a row; rows count from 0. */
  protected at(row: number): number {
    return (row % this.#capacity) * this.#stride;
  }

  /** Returns the number of the oldest kept row, from 0. */
  protected get oldest(): number {
    return Math.max(0, this.count - this.#capacity);
  }

  protected dumpRows(): number[] {
    const cells: number[] = [];
    for (let row = this.oldest; row < this.count; row++) {
      const at = this.at(row);
      cells.push(...this.cells.subarray(at, at + this.#stride));
    }
    return cells;
  }

  protected loadRows(count: number, dump: readonly number[]): void {
    const kept = dump.length / this.#stride;
    // A ring drops rows only when it is full. Its capacity then equals the number of kept rows.
    let capacity = kept < count ? kept : FIRST_CAPACITY;
    while (capacity < kept) capacity *= 2;
    this.count = count;
    this.#capacity = Math.min(capacity, this.#limit);
    this.cells = new Float64Array(this.#capacity * this.#stride);
    for (let row = this.oldest, from = 0; row < count; row++, from += this.#stride)
      this.cells.set(dump.slice(from, from + this.#stride), this.at(row));
    this.#next = count === 0 ? 0 : this.at(count - 1) + this.#stride;
  }
}

/** Number of trades kept for `GET /markets/{id}/trades/`: some hours of a busy market, in 1.1 MB. */
const TAPE_LENGTH = 20_000;
/** Number of trades kept for a settled market. Settled markets stay in memory, and their number only grows. */
const SETTLED_TAPE_LENGTH = 1_000;

/** Number of cells of a trade; cell 0 is the trade's time, and the constants below are the other cells. */
const TRADE_STRIDE = 7;
const PRICE = 1;
const AMOUNT = 2;
const MAKER_FEE = 3;
const TAKER_FEE = 4;
const IS_YES = 5;
/** Total volume of the market after the trade. */
const VOLUME_AFTER = 6;

/** The newest trades of a market, and sums over all its trades. The trade in row n has the id n + 1. */
export class TradeHistory extends Ring {
  /** Volume in currency: price × amount of every trade at the taker's price. */
  volume = 0;
  /** YES price of the newest trade; 0 before the first trade. */
  lastPrice = 0;
  lastMs = 0;
  readonly candles = new Candles();

  constructor() {
    super(TRADE_STRIDE, TAPE_LENGTH);
  }

  /** Adds a public trade. `notional`: value of the traded shares at the taker's price, micros of currency. */
  write(
    timeMs: number,
    yesPrice: number,
    amount: number,
    notional: number,
    isYes: boolean,
    makerFee: number,
    takerFee: number,
  ): void {
    const at = this.begin();
    const { cells } = this;
    this.volume += notional;
    this.lastPrice = yesPrice;
    this.lastMs = timeMs;
    this.candles.write(timeMs, yesPrice, notional);
    cells[at] = timeMs;
    cells[at + PRICE] = isYes ? yesPrice : 1_000_000 - yesPrice;
    cells[at + AMOUNT] = amount;
    cells[at + MAKER_FEE] = makerFee;
    cells[at + TAKER_FEE] = takerFee;
    cells[at + IS_YES] = isYes ? 1 : 0;
    cells[at + VOLUME_AFTER] = this.volume;
  }

  /** Drops all but the newest `keep` trades of a closed market; `keep` must be at least 1. */
  settle(keep = SETTLED_TAPE_LENGTH): void {
    if (this.count <= keep) return;
    const dump = this.dump();
    this.load({ ...dump, trades: dump.trades.slice(-keep * TRADE_STRIDE) });
  }

  /** Returns the exact currency volume of trades after `sinceMs`; null if some of these trades were dropped. */
  volumeSince(sinceMs: number): number | null {
    const { cells, oldest, count } = this;
    if (oldest > 0 && f64(cells, this.at(oldest)) > sinceMs) return null;
    let low = oldest;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (f64(cells, this.at(middle)) <= sinceMs) low = middle + 1;
      else high = middle;
    }
    // Now `low` is the row of the first trade after `sinceMs`.
    if (low === count) return 0;
    return low === 0 ? this.volume : this.volume - f64(cells, this.at(low - 1) + VOLUME_AFTER);
  }

  read(limit: number, beforeId: number) {
    const trades: ReturnType<TradeHistory['trade']>[] = [];
    for (let id = Math.min(beforeId - 1, this.count); id > this.oldest && trades.length < limit; id--)
      trades.push(this.trade(id));
    return trades;
  }

  /** True if the history still has a trade with a smaller id than `id`. */
  hasBefore(id: number): boolean {
    return id > this.oldest + 1;
  }

  /** Returns a stored trade, in micros. `price` and `isYes` refer to the outcome that the taker traded. */
  trade(id: number) {
    const at = this.at(id - 1);
    const { cells } = this;
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
    const { count, volume, lastPrice, lastMs } = this;
    return { count, volume, lastPrice, lastMs, trades: this.dumpRows() };
  }

  load({ count, volume, lastPrice, lastMs, trades }: ReturnType<TradeHistory['dump']>): void {
    Object.assign(this, { volume, lastPrice, lastMs });
    this.loadRows(count, trades);
  }
}

const BAR_MS = 300_000;
/** Number of kept five-minute bars: 32 days without a gap, which is two days more than one call may request. */
const BARS_KEPT = 9_216;

const BARS_OF: Readonly<Record<CandleInterval, number>> = { '5m': 1, '30m': 6 };

/** Number of cells of a price bar. Cell 0 counts the five-minute intervals from 1970 to the bar's start. */
const BAR_STRIDE = 6;
const OPEN = 1;
const HIGH = 2;
const LOW = 3;
const CLOSE = 4;
const VOLUME = 5;

/** A price bar: its start (Unix ms), YES prices, and volume in currency, in micros. */
type Bar = ReturnType<Candles['bar']>;

/** Five-minute bars of one market; an interval without a price has no bar. Half-hour bars are built on request. */
export class Candles extends Ring {
  /** End of the newest bar, Unix ms. */
  #endMs = Number.NEGATIVE_INFINITY;
  /** First cell of the newest bar. */
  #newest = 0;

  constructor() {
    super(BAR_STRIDE, BARS_KEPT);
  }

  /** Adds the price of a trade worth `notional`, or a moved reference price (`notional` 0). Times must not decrease. */
  write(timeMs: number, yesPrice: number, notional: number): void {
    if (timeMs >= this.#endMs) return this.#open(Math.floor(timeMs / BAR_MS), yesPrice, notional);
    const { cells } = this;
    const at = this.#newest;
    if (yesPrice > f64(cells, at + HIGH)) cells[at + HIGH] = yesPrice;
    if (yesPrice < f64(cells, at + LOW)) cells[at + LOW] = yesPrice;
    cells[at + CLOSE] = yesPrice;
    cells[at + VOLUME] = f64(cells, at + VOLUME) + notional;
  }

  #open(interval: number, price: number, notional: number): void {
    const at = this.begin();
    this.cells[at] = interval;
    this.cells.fill(price, at + OPEN, at + VOLUME);
    this.cells[at + VOLUME] = notional;
    this.#newest = at;
    this.#endMs = (interval + 1) * BAR_MS;
  }

  /** Returns bars that begin at `fromMs` or later and before `toMs`, oldest first. */
  read(interval: CandleInterval, fromMs: number, toMs: number): readonly Bar[] {
    const size = BARS_OF[interval];
    const bars: Bar[] = [];
    for (let row = this.oldest; row < this.count; row++) {
      const next = this.bar(row, size);
      if (next.timeMs < fromMs) continue;
      if (next.timeMs >= toMs) break;
      const last = bars.at(-1);
      if (last?.timeMs === next.timeMs) {
        const [high, low] = [Math.max(last.high, next.high), Math.min(last.low, next.low)];
        bars[bars.length - 1] = { ...last, high, low, close: next.close, volume: last.volume + next.volume };
      } else bars.push(next);
    }
    return bars;
  }

  /** Returns the volume, in currency, of all bars that end after `sinceMs`. */
  volumeSince(sinceMs: number): number {
    let sum = 0;
    for (let row = this.count - 1; row >= this.oldest; row--) {
      const at = this.at(row);
      if ((f64(this.cells, at) + 1) * BAR_MS <= sinceMs) break;
      sum += f64(this.cells, at + VOLUME);
    }
    return sum;
  }

  /** The price bar of a row. Its time is the start of its interval, which is `size` five-minute bars long. */
  bar(row: number, size: number) {
    const at = this.at(row);
    const { cells } = this;
    return {
      timeMs: Math.floor(f64(cells, at) / size) * size * BAR_MS,
      open: f64(cells, at + OPEN),
      high: f64(cells, at + HIGH),
      low: f64(cells, at + LOW),
      close: f64(cells, at + CLOSE),
      volume: f64(cells, at + VOLUME),
    };
  }

  /** Values of the stored bars, six per bar, oldest bar first. */
  dump(): readonly number[] {
    return this.dumpRows();
  }

  load(dump: readonly number[]): void {
    this.loadRows(dump.length / BAR_STRIDE, dump);
    if (this.count === 0) return;
    this.#newest = this.at(this.count - 1);
    this.#endMs = (f64(this.cells, this.#newest) + 1) * BAR_MS;
  }
}
