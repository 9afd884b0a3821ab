/** What we are worth now, by prices that others quote and never above the slow average of a market's price. */

import { add, type Micros, maxMicros, micros, ONE, sub, ZERO } from '../../../shared/base/micros.js';
import type { Notes } from '../../ledger/contract.js';
import { micropriceOf } from '../../market/book.js';
import type { Book } from '../../market/view.js';
import { SlowAverages } from '../../risk/slow-average.js';
import { valueAtPrice, valueByDepth } from '../../risk/worth.js';
import { Marks } from './marks.js';
import type { OwnState } from './own-state.js';

/** `MarketTracker.mark` rounded to a micro; books nothing. */
export function roundMark(price: number | null): Micros | null {
  return price === null || !Number.isFinite(price) ? null : micros(Math.round(price * ONE));
}

const AVERAGES_NOTE = 'slow_averages';
/** Maximum age of stored averages, ms: a restart loses at most this. */
const STORED_EVERY_MS = 600_000;

/** Currency plus shares. */
export interface HoldingsWorth {
  /** Shares at their marks, capped by the slow average. */
  readonly equityMicros: Micros;
  /** Part of the value that others' bids do not cover now, never negative. It vanishes when bids return. */
  readonly passingMicros: Micros;
}

/** YES prices per market, and the value of all holdings at them. */
export class Valuation {
  readonly marks: Marks;
  readonly averages: SlowAverages;
  readonly #notes: Notes;
  /** Others' newest books. */
  readonly #books = new Map<string, Book>();
  #worth: HoldingsWorth | null = null;
  /** Our clock, ms; null before the first look. */
  #storedMs: number | null = null;

  constructor(notes: Notes) {
    this.#notes = notes;
    this.marks = new Marks(notes);
    // Only `save` writes the note.
    this.averages = new SlowAverages(JSON.parse(notes.note(AVERAGES_NOTE) ?? '[]') as SlowAverages['stored']);
  }

  /** Null while a held share has no mark. */
  get equityMicros(): Micros | null {
    return this.#worth?.equityMicros ?? null;
  }

  /** Takes in the YES price of a market (no effect if null) and the others' book there; null without a book. */
  look(conditionId: string, price: number | null, others: Book | null, nowMs: number): void {
    const mark = roundMark(price);
    if (mark !== null) this.marks.set(conditionId, mark);
    if (others === null) this.#books.delete(conditionId);
    else this.#books.set(conditionId, others);
    this.averages.look(conditionId, others === null ? null : micropriceOf(others), nowMs);
  }

  /** Drops prices of untracked markets; their averages stay. */
  forget(isTracked: (conditionId: string) => boolean): void {
    for (const market of this.marks.keys()) if (!isTracked(market)) this.marks.delete(market);
    for (const market of this.#books.keys()) if (!isTracked(market)) this.#books.delete(market);
  }

  /**
   * @param isOut whether observations of a market are ignored
   * @param ageMs age of the process
   */
  value(
    own: Pick<OwnState, 'cashMicros' | 'held'>,
    isOut: (conditionId: string) => boolean,
    ageMs: number,
  ): HoldingsWorth | null {
    this.marks.fill(own.held, isOut, ageMs);
    this.#worth = this.#compute(own);
    return this.#worth;
  }

  #compute({ cashMicros, held }: Pick<OwnState, 'cashMicros' | 'held'>): HoldingsWorth | null {
    let equityMicros = cashMicros;
    let passingMicros = ZERO;
    for (const [market, shares] of held) {
      const caps = this.averages.caps(market);
      const value = valueAtPrice(shares, this.marks.get(market) ?? null, caps);
      if (value === null) return null;
      equityMicros = add(equityMicros, value);
      const others = this.#books.get(market);
      if (others === undefined) continue;
      passingMicros = add(passingMicros, maxMicros(ZERO, sub(value, valueByDepth(shares, others, caps))));
    }
    return { equityMicros, passingMicros };
  }

  /** True once whenever the averages are due to be stored. */
  takeDue(nowMs: number): boolean {
    this.#storedMs ??= nowMs;
    if (Math.abs(nowMs - this.#storedMs) < STORED_EVERY_MS) return false;
    this.#storedMs = nowMs;
    return true;
  }

  /** Call within a ledger transaction. */
  save(held: Iterable<string>): void {
    this.marks.save(held);
    this.averages.prune();
    this.#notes.setNote(AVERAGES_NOTE, JSON.stringify(this.averages.stored));
  }
}
