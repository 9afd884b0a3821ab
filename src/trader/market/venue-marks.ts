/**
 * What the venue says a share is worth in its answer on what we hold: one signed request tells of up to two hundred markets. It
 * orders looks and nothing else: no price is taken from it. How good it is is learned before it is believed, from the looks that
 * come after it.
 */

import { parseDecimal } from '../../shared/base/decimal.js';
import type { AssetRow } from '../../shared/protocol/records.js';
import type { PriceMotion, SeenAt } from './view.js';

/** Fewer shares than this, in millionths, and the rounding of their value would pass for a move. */
const LEAST_MICROS = 10_000;

/** What the venue says a YES share of this row's market is worth, a float in (0, 1); null where it does not say. */
export function readVenueMark({ amounts, value, position }: AssetRow): number | null {
  const total = amounts.total;
  const worth = value.usdt === null ? null : parseDecimal(value.usdt);
  if (worth === null || total < LEAST_MICROS || position.is_final === true) return null;
  const price = worth / total;
  const isPrice = price > 0 && price < 1;
  return isPrice ? (position.is_yes ? price : 1 - price) : null;
}

/** A look that comes later says more of what happened after the mark than of the mark. */
const YOUNG_MS = 30_000;

/** The venue's newest word on one market, until a look that left after it. */
export class VenueMark {
  #price: number | null = null;
  #at: Pick<SeenAt, 'requestId' | 'sentMs'> = { requestId: 0, sentMs: 0 };
  /** What each look after it teaches; null where nobody learns. */
  trust: MarkTrust | null = null;

  take(price: number, at: SeenAt): void {
    this.#price = price;
    this.#at = at;
  }

  forget(): void {
    this.#price = null;
  }

  /**
   * How far it lies from what a book said; 0 without one. A venue may leave our own orders in it, so it may lie by the middle of the
   * whole book as well as by the price that others' orders make.
   */
  distance(price: number, wholeMid: number | null): number {
    if (this.#price === null) return 0;
    const fromMid = wholeMid === null ? Number.POSITIVE_INFINITY : Math.abs(this.#price - wholeMid);
    return Math.min(Math.abs(this.#price - price), fromMid);
  }

  /** A book has come that left at `at`: whether the mark told of what it shows. `before` and `wholeMid` are of the book before it. */
  judge(at: SeenAt, before: Pick<PriceMotion, 'price' | 'halfSpread'>, wholeMid: number | null, price: number): void {
    if (this.#price === null || at.requestId < this.#at.requestId) return;
    const isMove = (distance: number): boolean => distance >= before.halfSpread / 2;
    const told = isMove(this.distance(before.price, wholeMid));
    this.#price = null;
    if (at.sentMs - this.#at.sentMs <= YOUNG_MS) this.trust?.note(told, isMove(Math.abs(price - before.price)));
  }
}

/** Of so many that told of a move, as many as are looked at again, it is decided whether they are believed. */
const ENOUGH = 20;
/** Older ones fade beyond so many: what has begun to lie is found out in about as many looks. */
const MOST = 40;
const LEAST_PRECISION = 0.5;

/** How often a mark and the look after it agreed on whether a price had moved. Means of beta distributions that begin flat. */
export class MarkTrust {
  #toldRightly = 0;
  #toldWrongly = 0;
  #missed = 0;

  /** One look at a book whose mark was young. `told`: the mark had moved; `moved`: the book had. */
  note(told: boolean, moved: boolean): void {
    if (told && moved) this.#toldRightly++;
    else if (told) this.#toldWrongly++;
    else if (moved) this.#missed++;
    else return;
    if (this.told + this.#missed <= MOST) return;
    const kept = MOST / (this.told + this.#missed);
    this.#toldRightly *= kept;
    this.#toldWrongly *= kept;
    this.#missed *= kept;
  }

  /** Marks that told of a move and were looked at; older ones count less. */
  get told(): number {
    return this.#toldRightly + this.#toldWrongly;
  }

  /** The part of told moves that were there. */
  get precision(): number {
    return (this.#toldRightly + 1) / (this.told + 2);
  }

  /** The part of moves that were told. */
  get recall(): number {
    return (this.#toldRightly + 1) / (this.#toldRightly + this.#missed + 2);
  }

  get isBelieved(): boolean {
    return this.told >= ENOUGH && this.precision >= LEAST_PRECISION;
  }
}
