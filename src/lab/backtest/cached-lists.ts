/**
 * Cached answers to frequent polls that rarely change: public trades, own trades, own orders. They equal the handlers'
 * answers in every field. Final rows are built once, and an unchanged answer is the same object.
 */

import { isDeepStrictEqual } from 'node:util';
import type { AccountSlot, MarketIndex } from '../../exchange/core/contract.js';
import type { ExchangeCore } from '../../exchange/core/core.js';
import { publicTradePage } from '../../exchange/core/records/market-rows.js';
import { type CursorList, cursorAt } from '../../exchange/service/answers.js';
import { must } from '../../shared/base/errors.js';
import type { DataOf } from '../../shared/protocol/endpoints.js';
import type { Outcome } from '../../shared/protocol/seam.js';
import { isFinalOrder } from '../../shared/protocol/states.js';
import { readOwnTrade, readPublicTrade } from './wire-records.js';

type OwnTrades = DataOf<'trades.list'>;
type PublicTrades = DataOf<'markets.trades'>;

const page = (list: CursorList, data: PublicTrades | OwnTrades, nextBeforeId: number | null): Outcome => ({
  kind: 'answered',
  data,
  nextCursor: nextBeforeId === null ? null : cursorAt(list, 'before_id', nextBeforeId),
});

/** Its answers are the newest public trades of a market. */
export function makePublicTradePage(core: ExchangeCore, index: MarketIndex, limit: number): () => Outcome {
  const market = core.catalog.market(index);
  let count = 0;
  let rows: PublicTrades = [];
  let answer: Outcome | null = null;
  return () => {
    const added = market.tape.count - count;
    if (answer !== null && added === 0) return answer;
    const fresh = publicTradePage(market, { limit: Math.min(limit, added) });
    rows = [...fresh.rows.map(readPublicTrade), ...rows].slice(0, limit);
    count += added;
    const oldest = count - rows.length + 1;
    answer = page('markets.trades', rows, rows.length === limit && oldest > 1 ? oldest : null);
    return answer;
  };
}

/** Newest own trades, as a first page of any length up to the maximum. */
export class OwnTradePage {
  readonly #core: ExchangeCore;
  readonly #account: AccountSlot;
  readonly #limit: number;
  /** Rows of the page, newest first; null while a row's order may change. */
  readonly #rows: (OwnTrades[number] | null)[] = [];
  /** Number of all own trades: ids count from 1 in order of fills. */
  #count = 0;
  /** Last answers by requested length, and the longest page. */
  readonly #answers = new Map<number, Outcome>();
  #shown: OwnTrades | null = null;
  #isOpen = false;
  #isDoubtful = false;

  constructor(core: ExchangeCore, account: AccountSlot, limit: number) {
    this.#core = core;
    this.#account = account;
    this.#limit = limit;
  }

  add(): void {
    this.#count += 1;
    this.#rows.unshift(null);
    if (this.#rows.length > this.#limit) this.#rows.pop();
    this.#shown = null;
    this.#answers.clear();
  }

  /** Own state may have changed: a row whose order is not final. */
  invalidate(): void {
    if (this.#isOpen) this.#isDoubtful = true;
  }

  /** @param limit maximum rows, up to the longest page */
  answer(limit = this.#limit): Outcome {
    const rows = this.#readAll();
    const known = this.#answers.get(limit);
    if (known !== undefined) return known;
    const data = limit === this.#limit ? rows : rows.slice(0, limit);
    const oldest = this.#count - data.length + 1;
    const answer = page('trades.list', data, data.length === limit && oldest > 1 ? oldest : null);
    this.#answers.set(limit, answer);
    return answer;
  }

  /** The longest page; the same object while unchanged. */
  #readAll(): OwnTrades {
    const shown = this.#shown;
    if (shown !== null && !this.#isDoubtful) return shown;
    this.#isDoubtful = false;
    const rows = this.#rows.map((row, at) => row ?? this.#read(at));
    this.#isOpen = this.#rows.includes(null);
    if (shown?.every((row, at) => row === rows[at]) === true) return shown;
    this.#shown = rows;
    this.#answers.clear();
    return rows;
  }

  /** The row at this place: cached once its order is final, or while unchanged. */
  #read(at: number): OwnTrades[number] {
    const id = this.#count - at;
    const { rows } = this.#core.orders.trades(this.#account, { limit: 1, beforeId: id + 1 });
    const fresh = readOwnTrade(must(rows[0], `own trade ${id}`));
    const shown = this.#shown?.[at];
    const row = shown !== undefined && isDeepStrictEqual(shown, fresh) ? shown : fresh;
    if (row.order.status !== null && isFinalOrder(row.order.status)) this.#rows[at] = row;
    return row;
  }
}
