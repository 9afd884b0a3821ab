/** What we are worth now, at the middle of what others quote. */

import { add, complement, type Micros, micros, minMicros, mul, ONE } from '../../../shared/base/micros.js';
import type { Notes } from '../guards/guard.js';
import { Marks } from './marks.js';
import type { OwnState } from './own-state.js';

/** What `MarketFeed.mark` says, rounded to a micro; it books nothing. */
export function roundMark(price: number | null): Micros | null {
  return price === null || !Number.isFinite(price) ? null : micros(Math.round(price * ONE));
}

/** YES prices per market, and what all is worth at them. */
export class Valuation {
  readonly marks: Marks;
  #equity: Micros | null = null;

  constructor(notes: Notes) {
    this.marks = new Marks(notes);
  }

  /** Currency plus shares at their marks; null while a holding has no mark. */
  get equityMicros(): Micros | null {
    return this.#equity;
  }

  /** Takes in what a market says that a YES share of it is worth; null changes nothing. */
  mark(conditionId: string, price: number | null): void {
    const mark = roundMark(price);
    if (mark !== null) this.marks.set(conditionId, mark);
  }

  /**
   * @param isOut whether nothing that comes of a market is taken in
   * @param ageMs of the process
   */
  value(own: OwnState, isOut: (conditionId: string) => boolean, ageMs: number): Micros | null {
    this.marks.fill(own.held, isOut, ageMs);
    this.#equity = computeEquity(own, this.marks);
    return this.#equity;
  }
}

/**
 * Cash plus shares at their marks, rounded against us; null when a holding has no mark. Complete sets are worth one
 * each and need none.
 */
export function computeEquity(own: OwnState, marks: ReadonlyMap<string, Micros>): Micros | null {
  let equity = own.cashMicros;
  for (const [market, { yesMicros, noMicros }] of own.held) {
    const pairs = minMicros(yesMicros, noMicros);
    equity = add(equity, pairs);
    const mark = marks.get(market);
    const [yes, no] = [micros(yesMicros - pairs), micros(noMicros - pairs)];
    if (yes === 0 && no === 0) continue;
    if (mark === undefined) return null;
    equity = add(equity, add(mul(yes, mark, 'floor'), mul(no, complement(mark), 'floor')));
  }
  return equity;
}
