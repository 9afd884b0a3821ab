/**
 * What the venue says a share is worth in its answer on what we hold: one signed request tells of up to two hundred markets. It
 * orders looks and nothing else: no price is taken from it. How good it is is learned before it is believed, from the looks that
 * come after it.
 */

import { parseDecimal } from '../../shared/base/decimal.js';
import type { AssetRow } from '../../shared/protocol/records.js';
import type { PriceMotion, SeenAt } from './view.js';

/** Below this holding, millionths of a share, rounding of the value would look like a move. */
const LEAST_MICROS = 10_000;

/** The venue's value of a YES share of this row's market, a float in (0, 1); null if absent. */
export function readVenueMark({ amounts, value, position }: AssetRow): number | null {
  const total = amounts.total;
  const worth = value.usdt === null ? null : parseDecimal(value.usdt);
  if (worth === null || total < LEAST_MICROS || position.is_final === true) return null;
  const price = worth / total;
  const isPrice = price > 0 && price < 1;
  return isPrice ? (position.is_yes ? price : 1 - price) : null;
}

/** A later read shows mostly what happened after the mark. */
const YOUNG_MS = 30_000;

/** The venue's newest mark of one market, until a later book. */
export class VenueMark {
  #price: number | null = null;
  #at: Pick<SeenAt, 'requestId' | 'sentMs'> = { requestId: 0, sentMs: 0 };
  /** Learns from each following book; null when nothing learns. */
  trust: MarkTrust | null = null;

  take(price: number, at: SeenAt): void {
    this.#price = price;
    this.#at = at;
  }

  forget(): void {
    this.#price = null;
  }

  /**
   * Distance from a book's price; 0 without a mark. A venue's mark may include own orders, so it is compared with the
   * mid of the whole book too.
   */
  distance(price: number, wholeMid: number | null): number {
    if (this.#price === null) return 0;
    const fromMid = wholeMid === null ? Number.POSITIVE_INFINITY : Math.abs(this.#price - wholeMid);
    return Math.min(Math.abs(this.#price - price), fromMid);
  }

  /** A book requested at `at` arrived: compares it with the mark. `before` and `wholeMid` are of the previous book. */
  judge(at: SeenAt, before: Pick<PriceMotion, 'price' | 'halfSpread'>, wholeMid: number | null, price: number): void {
    if (this.#price === null || at.requestId < this.#at.requestId) return;
    const isMove = (distance: number): boolean => distance >= before.halfSpread / 2;
    const told = isMove(this.distance(before.price, wholeMid));
    this.#price = null;
    if (at.sentMs - this.#at.sentMs <= YOUNG_MS) this.trust?.note(told, isMove(Math.abs(price - before.price)));
  }
}

/** Number of marks that reported a move, and of those read again, before they are trusted or not. */
const ENOUGH = 20;
/** Older ones decay beyond this number: a venue that starts to report wrong marks is found in about as many reads. */
const MOST = 40;
const LEAST_PRECISION = 0.5;

/** How often a mark and the following book agreed on a move. Means of beta distributions with flat priors. */
export class MarkTrust {
  #toldRightly = 0;
  #toldWrongly = 0;
  #missed = 0;

  /** One book with a young mark. `told`: the mark had moved. `moved`: the book had. */
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

  /** Marks that reported a move and were checked; older ones count less. */
  get told(): number {
    return this.#toldRightly + this.#toldWrongly;
  }

  /** Fraction of reported moves that were real. */
  get precision(): number {
    return (this.#toldRightly + 1) / (this.told + 2);
  }

  /** Fraction of moves that were reported. */
  get recall(): number {
    return (this.#toldRightly + 1) / (this.#toldRightly + this.#missed + 2);
  }

  get isBelieved(): boolean {
    return this.told >= ENOUGH && this.precision >= LEAST_PRECISION;
  }
}
