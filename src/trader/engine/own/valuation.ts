/** What we are worth now, by prices that others quote and never above the slow average of a market's price. */

import {
  add,
  complement,
  type Micros,
  maxMicros,
  micros,
  minMicros,
  mul,
  ONE,
  sub,
  ZERO,
} from '../../../shared/base/micros.js';
import type { LedgerReader, Notes } from '../../ledger/contract.js';
import { micropriceOf } from '../../market/book.js';
import type { Book, BookLevel } from '../../market/view.js';
import { type ShareCaps, SlowAverages } from '../../risk/slow-average.js';
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
  /** Null while a held share has no mark. */
  equityMicros: Micros | null = null;
  /** Our clock, ms; null before the first look. */
  #storedMs: number | null = null;

  constructor(notes: Notes) {
    this.#notes = notes;
    this.marks = new Marks(notes);
    // Only `save` writes the note.
    this.averages = new SlowAverages(JSON.parse(notes.note(AVERAGES_NOTE) ?? '[]') as SlowAverages['stored']);
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
    const worth = this.#compute(own);
    this.equityMicros = worth?.equityMicros ?? null;
    return worth;
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

interface Shares {
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
}

/**
 * Shares at the YES price, each for no more than its cap, rounded against us; null without a price that is needed. A complete
 * set is worth exactly 1 and needs no buyer.
 */
export function valueAtPrice(shares: Shares, yesPrice: Micros | null, caps: ShareCaps): Micros | null {
  const { pairs, single, isYes } = splitSets(shares);
  if (single === 0) return pairs;
  if (yesPrice === null) return null;
  const price = isYes ? yesPrice : complement(yesPrice);
  return add(pairs, mul(single, minMicros(price, isYes ? caps.yesMicros : caps.noMicros), 'floor'));
}

/**
 * Shares at others' bids for that many, each at most at its cap, rounded down. Shares without a bid are worth 0.
 *
 * @param others YES book without own orders
 */
export function valueByDepth(shares: Shares, others: Book, caps: ShareCaps): Micros {
  const { pairs, single, isYes } = splitSets(shares);
  const cap = isYes ? caps.yesMicros : caps.noMicros;
  const levels: readonly BookLevel[] = isYes ? others.bids : others.asks;
  let left = single;
  let value = pairs;
  for (const { priceMicros, amountMicros } of levels) {
    if (left === 0) break;
    const sold = minMicros(left, amountMicros);
    value = add(value, mul(sold, minMicros(isYes ? priceMicros : complement(priceMicros), cap), 'floor'));
    left = sub(left, sold);
  }
  return value;
}

function splitSets({ yesMicros, noMicros }: Shares) {
  const pairs = minMicros(yesMicros, noMicros);
  const isYes = yesMicros > pairs;
  const single = isYes ? sub(yesMicros, pairs) : micros(Math.max(ZERO, noMicros - pairs));
  return { pairs, single, isYes };
}

const NOTE = 'marks';
/** How long a start waits for a market's own mark, ms. */
const FRESH_MS = 60_000;

/** Stored marks of held YES shares, by market. */
export const storedMarks = (ledger: Pick<LedgerReader, 'note'>): Map<string, Micros> =>
  // `Marks` alone writes the note, so it parses.
  new Map(JSON.parse(ledger.note(NOTE) ?? '[]') as readonly (readonly [string, Micros])[]);

export class Marks extends Map<string, Micros> {
  readonly #ledger: Notes;
  readonly #stored: Map<string, Micros>;

  constructor(ledger: Notes) {
    super();
    this.#ledger = ledger;
    this.#stored = storedMarks(ledger);
  }

  /**
   * Uses the last mark of a market that cannot be valued, so that it does not stop quoting elsewhere.
   *
   * @param held by condition id
   * @param isOut whether observations of a market are ignored
   * @param ageMs age of the process
   */
  fill(held: ReadonlyMap<string, unknown>, isOut: (conditionId: string) => boolean, ageMs: number): void {
    let isNew = false;
    for (const conditionId of held.keys()) {
      const stored = this.#stored.get(conditionId);
      if (stored === undefined) isNew ||= this.has(conditionId);
      else if (!this.has(conditionId) && (ageMs > FRESH_MS || isOut(conditionId))) this.set(conditionId, stored);
    }
    if (isNew) this.save(held.keys());
  }

  /** @param held condition ids */
  save(held: Iterable<string>): void {
    this.#stored.clear();
    for (const conditionId of held) {
      const mark = this.get(conditionId);
      if (mark !== undefined) this.#stored.set(conditionId, mark);
    }
    this.#ledger.setNote(NOTE, JSON.stringify([...this.#stored]));
  }
}
