/**
 * The exchange's marks: its valuations of held shares, for up to 200 markets per signed request. Marks only decide
 * which book is read next, and never set a price. They are ignored until later books have confirmed enough marks.
 */

import { parseDecimal } from '../../shared/base/micros.js';
import type { AssetRow } from '../../shared/protocol/records.js';
import type { PriceMotion, SeenAt } from './view.js';

/** Smallest holding whose mark is used, millionths of a share. For less, a rounding error looks like a price move. */
const LEAST_MICROS = 10_000;

/** Returns the exchange's mark of a YES share of this row's market, in (0, 1); null if the row has no usable mark. */
export function readVenueMark({ amounts, value, position }: AssetRow): number | null {
  const total = amounts.total;
  const worth = value.usdt === null ? null : parseDecimal(value.usdt);
  if (worth === null || total < LEAST_MICROS || position.is_final === true) return null;
  const price = worth / total;
  return price > 0 && price < 1 ? (position.is_yes ? price : 1 - price) : null;
}

/** Maximum time between a mark and the book that checks it, ms. Later books may contain newer price moves. */
const YOUNG_MS = 30_000;

/** The exchange's newest mark of one market. The mark is dropped when a later book arrives. */
export class VenueMark {
  #price: number | null = null;
  #at: Pick<SeenAt, 'requestId' | 'sentMs'> = { requestId: 0, sentMs: 0 };
  /** Statistics of the marks' reliability, updated at each comparison of a mark with a book; null: not counted. */
  trust: MarkTrust | null = null;

  take(price: number, at: SeenAt): void {
    this.#price = price;
    this.#at = at;
  }

  forget(): void {
    this.#price = null;
  }

  /** Returns the mark's distance from the nearer of `price` and `wholeMid` (mid with own orders); 0 without a mark. */
  distance(price: number, wholeMid: number | null): number {
    if (this.#price === null) return 0;
    const fromMid = wholeMid === null ? Number.POSITIVE_INFINITY : Math.abs(this.#price - wholeMid);
    return Math.min(Math.abs(this.#price - price), fromMid);
  }

  /** Compares the mark with the next book, requested at `at`. `before` and `wholeMid` describe the previous book. */
  judge(at: SeenAt, before: Pick<PriceMotion, 'price' | 'halfSpread'>, wholeMid: number | null, price: number): void {
    if (this.#price === null || at.requestId < this.#at.requestId) return;
    const isMove = (distance: number): boolean => distance >= before.halfSpread / 2;
    const told = isMove(this.distance(before.price, wholeMid));
    this.#price = null;
    if (at.sentMs - this.#at.sentMs <= YOUNG_MS) this.trust?.note(told, isMove(Math.abs(price - before.price)));
  }
}

/** Marks are trusted only after this number of reported price moves has been compared with books. */
const ENOUGH = 20;
/** Maximum weight of all counted price moves. After about this number of wrong marks, marks are no longer trusted. */
const MOST = 40;
const LEAST_PRECISION = 0.5;

/** Counts price moves in marks and in the next books. `precision` and `recall` are beta means with a uniform prior. */
export class MarkTrust {
  #toldRightly = 0;
  #toldWrongly = 0;
  #missed = 0;
  /** Number of checked marks that reported a price move; older marks count less. */
  told = 0;
  /** True if enough marks were checked, and books confirmed enough of the reported price moves. */
  isBelieved = false;

  /** Counts one check of a mark: `told` is true if the mark reported a price move, `moved` if the book moved. */
  note(told: boolean, moved: boolean): void {
    if (told && moved) this.#toldRightly++;
    else if (told) this.#toldWrongly++;
    else if (moved) this.#missed++;
    else return;
    const kept = Math.min(1, MOST / (this.#toldRightly + this.#toldWrongly + this.#missed));
    this.#toldRightly *= kept;
    this.#toldWrongly *= kept;
    this.#missed *= kept;
    this.told = this.#toldRightly + this.#toldWrongly;
    this.isBelieved = this.told >= ENOUGH && this.precision >= LEAST_PRECISION;
  }

  /** Fraction of the marks' price moves that the next book confirmed. */
  get precision(): number {
    return (this.#toldRightly + 1) / (this.told + 2);
  }

  /** Fraction of the books' price moves that a mark had reported before. */
  get recall(): number {
    return (this.#toldRightly + 1) / (this.#toldRightly + this.#missed + 2);
  }
}
