/**
 * Answers to the polls that a trader makes all the time and that mostly say nothing new: public trades, own trades, own
 * orders. They are what the handlers would answer, to the field; only that rows which cannot change any more are made
 * once, and that an answer to the same question is the same object while nothing has happened.
 */

import { must } from '../base/errors.js';
import type { AccountSlot, MarketIndex } from '../exchange/core/contract.js';
import type { ExchangeCore } from '../exchange/core/core.js';
import { encodeCursor } from '../protocol/cursors.js';
import type { DataOf } from '../protocol/endpoints.js';
import type { Outcome } from '../protocol/seam.js';
import { isFinalOrder } from '../protocol/states.js';
import { readOwnTrade, readPublicTrade } from './wire-records.js';

type OwnTrades = DataOf<'trades.list'>;
type PublicTrades = DataOf<'markets.trades'>;

const page = (data: PublicTrades | OwnTrades, nextBeforeId: number | null): Outcome => ({
  kind: 'answered',
  data,
  nextCursor: nextBeforeId === null ? null : encodeCursor({ before_id: nextBeforeId }),
});

/** The newest public trades of one market. */
export class PublicTradePage {
  readonly #core: ExchangeCore;
  readonly #market: MarketIndex;
  readonly #limit: number;
  #count = 0;
  #rows: PublicTrades = [];
  #answer: Outcome | null = null;

  constructor(core: ExchangeCore, market: MarketIndex, limit: number) {
    this.#core = core;
    this.#market = market;
    this.#limit = limit;
  }

  answer(): Outcome {
    const count = this.#core.marketFacts(this.#market).tradeCount;
    if (this.#answer !== null && count === this.#count) return this.#answer;
    const fresh = this.#core.publicTrades(this.#market, { limit: Math.min(this.#limit, count - this.#count) });
    this.#rows = [...fresh.rows.map(readPublicTrade), ...this.#rows].slice(0, this.#limit);
    this.#count = count;
    const oldest = count - this.#rows.length + 1;
    this.#answer = page(this.#rows, this.#rows.length === this.#limit && oldest > 1 ? oldest : null);
    return this.#answer;
  }
}

/** The newest own trades. */
export class OwnTradePage {
  readonly #core: ExchangeCore;
  readonly #account: AccountSlot;
  readonly #limit: number;
  /** Newest last; null while its order may still change, which the row shows. */
  readonly #rows: (OwnTrades[number] | null)[] = [];
  #answer: Outcome | null = null;

  constructor(core: ExchangeCore, account: AccountSlot, limit: number) {
    this.#core = core;
    this.#account = account;
    this.#limit = limit;
  }

  /** One more own trade. */
  add(): void {
    this.#rows.push(null);
    this.changed();
  }

  /** Something of ours may be another than before. */
  changed(): void {
    this.#answer = null;
  }

  answer(): Outcome {
    if (this.#answer !== null) return this.#answer;
    const rows = this.#rows;
    const shown = Math.min(this.#limit, rows.length);
    const data: OwnTrades = [];
    for (let at = rows.length - 1; at >= rows.length - shown; at--) data.push(rows[at] ?? this.#read(at));
    const oldest = rows.length - shown + 1;
    this.#answer = page(data, shown === this.#limit && oldest > 1 ? oldest : null);
    return this.#answer;
  }

  /** The row at this place; kept when its order cannot change any more. */
  #read(at: number): OwnTrades[number] {
    // Ids count from 1 in the order of the fills.
    const { rows } = this.#core.ownTrades(this.#account, { limit: 1, beforeId: at + 2 });
    const row = readOwnTrade(must(rows[0], `own trade ${at + 1}`));
    if (row.order.status !== null && isFinalOrder(row.order.status)) this.#rows[at] = row;
    return row;
  }
}
