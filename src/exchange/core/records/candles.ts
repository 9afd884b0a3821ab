/**
 * The price bars of one market. Five minutes without a price have no bar. Half-hour bars are computed on request. The
 * ring of cells grows as needed.
 */

import type { CandleInterval } from '../../../shared/protocol/states.js';
import { f64, widen } from '../money.js';

const BAR_MS = 300_000;
/** Five-minute bars kept: 32 days without a gap, two more than one call may request. */
export const BARS_KEPT = 9_216;
const FIRST_CAPACITY = 32;

const BARS_OF: Readonly<Record<CandleInterval, number>> = { '5m': 1, '30m': 6 };

/** Cells per bar. The first cell is the bar's number of five-minute intervals since 1970. */
const STRIDE = 6;
const OPEN = 1;
const HIGH = 2;
const LOW = 3;
const CLOSE = 4;
const VOLUME = 5;

/** Prices in YES space and currency, micros. */
export interface Bar {
  /** Start of the interval, Unix ms: a multiple of its length. */
  readonly timeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** Five-minute bars of one market, in YES space, and half-hour bars built from them. */
export class Candles {
  /** Bars ever begun. */
  #count = 0;
  #capacity = FIRST_CAPACITY;
  #cells = new Float64Array(FIRST_CAPACITY * STRIDE);
  /** End of the newest bar, Unix ms, and its first cell: a trade needs nothing else. */
  #endMs = Number.NEGATIVE_INFINITY;
  #newest = 0;

  /** Records a price: from a trade of `notional` currency, or from a moved reference (0). Times never go back. */
  write(timeMs: number, yesPrice: number, notional: number): void {
    if (timeMs >= this.#endMs) {
      this.#begin(Math.floor(timeMs / BAR_MS), yesPrice, notional);
      return;
    }
    const cells = this.#cells;
    const at = this.#newest;
    if (yesPrice > f64(cells, at + HIGH)) cells[at + HIGH] = yesPrice;
    if (yesPrice < f64(cells, at + LOW)) cells[at + LOW] = yesPrice;
    cells[at + CLOSE] = yesPrice;
    cells[at + VOLUME] = f64(cells, at + VOLUME) + notional;
  }

  #begin(interval: number, price: number, notional: number): void {
    // Bar n is in place n until the ring is full, so a larger ring copies the cells unchanged.
    if (this.#count === this.#capacity && this.#capacity < BARS_KEPT) this.#widen(this.#capacity * 2);
    const at = this.#at(this.#count);
    const cells = this.#cells;
    this.#count += 1;
    this.#markNewest(interval);
    cells[at] = interval;
    cells[at + OPEN] = price;
    cells[at + HIGH] = price;
    cells[at + LOW] = price;
    cells[at + CLOSE] = price;
    cells[at + VOLUME] = notional;
  }

  #markNewest(interval: number): void {
    this.#newest = this.#at(this.#count - 1);
    this.#endMs = (interval + 1) * BAR_MS;
  }

  #widen(capacity: number): void {
    this.#capacity = Math.min(capacity, BARS_KEPT);
    this.#cells = widen(this.#cells, this.#capacity * STRIDE);
  }

  #at(bar: number): number {
    return (bar % this.#capacity) * STRIDE;
  }

  get #oldest(): number {
    return Math.max(0, this.#count - this.#capacity);
  }

  /** Bars that begin at `fromMs` or later and before `toMs`, oldest first. */
  read(interval: CandleInterval, fromMs: number, toMs: number): readonly Bar[] {
    const size = BARS_OF[interval];
    const bars: Bar[] = [];
    for (let bar = this.#oldest; bar < this.#count; bar++) {
      const next = this.#bar(bar, size);
      if (next.timeMs < fromMs) continue;
      if (next.timeMs >= toMs) break;
      const last = bars.at(-1);
      if (last?.timeMs === next.timeMs) bars[bars.length - 1] = joinBars(last, next);
      else bars.push(next);
    }
    return bars;
  }

  /** Currency of the bars that end after `sinceMs`. */
  volumeSince(sinceMs: number): number {
    let sum = 0;
    for (let bar = this.#count - 1; bar >= this.#oldest; bar--) {
      const at = this.#at(bar);
      if ((f64(this.#cells, at) + 1) * BAR_MS <= sinceMs) break;
      sum += f64(this.#cells, at + VOLUME);
    }
    return sum;
  }

  /** A bar, with the start of its interval of `size` bars. */
  #bar(bar: number, size: number): Bar {
    const at = this.#at(bar);
    const cells = this.#cells;
    return {
      timeMs: Math.floor(f64(cells, at) / size) * size * BAR_MS,
      open: f64(cells, at + OPEN),
      high: f64(cells, at + HIGH),
      low: f64(cells, at + LOW),
      close: f64(cells, at + CLOSE),
      volume: f64(cells, at + VOLUME),
    };
  }

  /** Six values per bar, oldest first. */
  dump(): readonly number[] {
    const values: number[] = [];
    for (let bar = this.#oldest; bar < this.#count; bar++) {
      const at = this.#at(bar);
      values.push(...this.#cells.subarray(at, at + STRIDE));
    }
    return values;
  }

  load(dump: readonly number[]): void {
    this.#count = dump.length / STRIDE;
    let capacity = FIRST_CAPACITY;
    while (capacity < this.#count) capacity *= 2;
    this.#widen(capacity);
    this.#cells.set(dump);
    if (this.#count > 0) this.#markNewest(f64(this.#cells, this.#at(this.#count - 1)));
  }
}

const joinBars = (first: Bar, next: Bar): Bar => ({
  timeMs: first.timeMs,
  open: first.open,
  high: Math.max(first.high, next.high),
  low: Math.min(first.low, next.low),
  close: next.close,
  volume: first.volume + next.volume,
});
