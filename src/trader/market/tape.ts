/**
 * Collects a market's public trades, each once, from overlapping pages of rows without ids.
 *
 * Trade rows with equal second, outcome, price and amount are indistinguishable, so they are counted. If m equal rows
 * were counted and a page shows n > m of them, n - m trades are new. Missing newest rows, overlapping pages and
 * reordered rows of a second cause no error. A trade is missed only if an equal row of the same second is no longer on the page.
 * Trade rows older than the newest trade by more than `LATE_MS` are ignored.
 */

import { complement, type Micros, ONE } from '../../shared/base/micros.js';
import type { PublicTradeRow } from '../../shared/protocol/records.js';
import { midOf } from './book.js';
import type { Book, TapeTrade } from './view.js';

/** Trade rows that are older than the newest known trade by more than this time are ignored, ms. */
const LATE_MS = 30_000;

/** Maximum number of trades in a strategy's view: one page. */
const MAX_TRADES = 100;

/** Count of indistinguishable trade rows: equal second, outcome, price and amount. */
interface Twins {
  readonly isYes: boolean;
  readonly priceMicros: Micros;
  readonly amountMicros: Micros;
  count: number;
  /** Index of the last page with such rows; `shown` is the number of such rows on that page. */
  page: number;
  shown: number;
}

/** Collects one market's trades from overlapping pages, each trade once. */
export class Tape {
  trades: readonly TapeTrade[] = Object.freeze([]);
  /** Counts of identical trade rows by exchange time, Unix s. */
  readonly #seconds = new Map<number, Twins[]>();
  #newestMs = Number.NEGATIVE_INFINITY;
  #page = 0;
  /** Mean size of `trades`, shares; null if there are no trades. */
  meanShares: number | null = null;

  /** Adds a page of rows (newest first). Returns new trades, oldest first. `bookAt`: book for `inferTaker`. */
  add(rows: readonly PublicTradeRow[], seenMs: number, bookAt: (timeMs: number) => Book): readonly TapeTrade[] {
    this.#page += 1;
    const fresh: TapeTrade[] = [];
    for (let i = rows.length - 1; i >= 0; i--) {
      const row = rows[i];
      if (row === undefined || row.state === 'failed' || row.timestamp * 1000 < this.#newestMs - LATE_MS) continue;
      const twins = this.#findTwins(row);
      twins.shown = twins.page === this.#page ? twins.shown + 1 : 1;
      twins.page = this.#page;
      if (twins.shown <= twins.count) continue;
      twins.count = twins.shown;
      const priceMicros = row.is_yes ? row.price : complement(row.price);
      const taker = inferTaker(priceMicros, row.is_yes, bookAt(row.timestamp * 1000));
      fresh.push({ priceMicros, amountMicros: row.amount, taker, venueTimeMs: row.timestamp * 1000, seenMs });
    }
    this.#keep(fresh);
    return fresh;
  }

  #findTwins({ timestamp, is_yes, price, amount }: PublicTradeRow): Twins {
    let second = this.#seconds.get(timestamp);
    if (second === undefined) {
      second = [];
      this.#seconds.set(timestamp, second);
    }
    for (const twins of second)
      if (twins.priceMicros === price && twins.amountMicros === amount && twins.isYes === is_yes) return twins;
    const twins = { isYes: is_yes, priceMicros: price, amountMicros: amount, count: 0, page: 0, shown: 0 };
    second.push(twins);
    return twins;
  }

  #keep(fresh: readonly TapeTrade[]): void {
    if (fresh.length === 0) return;
    for (const trade of fresh) this.#newestMs = Math.max(this.#newestMs, trade.venueTimeMs);
    for (const second of this.#seconds.keys())
      if (second * 1000 < this.#newestMs - LATE_MS) this.#seconds.delete(second);
    const all = [...fresh.toReversed(), ...this.trades];
    // The sort moves late rows behind rows with later times. It is stable, so rows of one second keep their order.
    const isNewestFirst = all.every((trade, i) => i === 0 || trade.venueTimeMs <= (all[i - 1]?.venueTimeMs ?? 0));
    if (!isNewestFirst) all.sort((a, b) => b.venueTimeMs - a.venueTimeMs);
    if (all.length > MAX_TRADES) all.length = MAX_TRADES;
    this.trades = Object.freeze(all);
    this.meanShares = all.reduce((sum, { amountMicros }) => sum + amountMicros, 0) / all.length / ONE;
  }
}

/**
 * Infers whether the taker bought or sold YES, because a trade row only names the traded outcome. A trade above the mid
 * counts as bought, below the mid as sold (quote rule of Lee and Ready, 1991). At the mid, or without a book, the taker
 * is assumed to buy the traded outcome.
 */
function inferTaker(priceMicros: Micros, isYes: boolean, book: Book): 'buy' | 'sell' {
  const mid = midOf(book);
  const price = priceMicros / ONE;
  if (mid === null || price === mid) return isYes ? 'buy' : 'sell';
  return price > mid ? 'buy' : 'sell';
}
