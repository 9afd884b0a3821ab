/** The public trades of one market out of pages that overlap: each once, oldest first, and whether some were missed. */

import type { PublicTradeRow } from '../../../shared/protocol/records.js';
import { Tape } from '../../../trader/market/tape.js';
import type { Book, TapeTrade } from '../../../trader/market/view.js';

export interface NewTrades {
  readonly trades: readonly TapeTrade[];
  /** The page did not reach back to what was known: trades between were missed. */
  readonly missed: boolean;
}

export class TradePages {
  readonly #tape = new Tape();
  #newestMs: number | null = null;

  /** `isLast`: there is no page behind this one. `book`, the newest one as it came, tells buyers from sellers. */
  add(rows: readonly PublicTradeRow[], isLast: boolean, seenMs: number, book: Book): NewTrades {
    const known = this.#newestMs;
    const times = rows.map((row) => row.timestamp * 1000);
    const trades = this.#tape.add(rows, seenMs, book);
    for (const time of times) this.#newestMs = Math.max(this.#newestMs ?? time, time);
    // Rows carry no id: the page reaches back when it shows the second of the newest known trade, or an earlier one.
    const reaches = known === null || isLast || rows.length === 0 || Math.min(...times) <= known;
    return { trades, missed: !reaches };
  }
}
