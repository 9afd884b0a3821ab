/** Values the holdings by others' prices, capped by the slow average of each market's price. */

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

/** Rounds `MarketTracker.mark` to a micro; null without a price. */
export function roundMark(price: number | null): Micros | null {
  return price === null || !Number.isFinite(price) ? null : micros(Math.round(price * ONE));
}

const AVERAGES_NOTE = 'slow_averages';
/** Interval at which averages are stored, ms. */
const STORED_EVERY_MS = 600_000;

/** Value of currency and shares. */
export interface HoldingsWorth {
  /** Currency plus shares at their marks, each capped by its slow average. */
  readonly equityMicros: Micros;
  /** Part of the value that others' present bids would not pay, never negative. */
  readonly passingMicros: Micros;
}

/** Marks (YES prices) per market, and the value of all holdings. */
export class Valuation {
  readonly marks: Marks;
  readonly averages: SlowAverages;
  readonly #notes: Notes;
  /** Newest books without own orders, by market. */
  readonly #books = new Map<string, Book>();
  /** Value of the holdings; null while a held share has no mark. */
  equityMicros: Micros | null = null;
  /** Time when averages were last stored, our clock, ms; null before the first check. */
  #storedMs: number | null = null;

  constructor(notes: Notes) {
    this.#notes = notes;
    this.marks = new Marks(notes);
    // Only `save` writes this note, so it is valid JSON.
    this.averages = new SlowAverages(JSON.parse(notes.note(AVERAGES_NOTE) ?? '[]') as SlowAverages['stored']);
  }

  /** Takes in a market's YES price (ignored if null), and the book without own orders (null without a book). */
  look(conditionId: string, price: number | null, others: Book | null, nowMs: number): void {
    const mark = roundMark(price);
    if (mark !== null) this.marks.set(conditionId, mark);
    if (others === null) this.#books.delete(conditionId);
    else this.#books.set(conditionId, others);
    this.averages.look(conditionId, others === null ? null : micropriceOf(others), nowMs);
  }

  /** Drops marks and books of untracked markets; their averages stay. */
  forget(isTracked: (conditionId: string) => boolean): void {
    for (const market of this.marks.keys()) if (!isTracked(market)) this.marks.delete(market);
    for (const market of this.#books.keys()) if (!isTracked(market)) this.#books.delete(market);
  }

  /**
   * Values the holdings; null while a held share has no mark.
   *
   * @param isOut true when observations of a market are ignored
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

  /** True once per interval, when the averages must be stored. */
  takeDue(nowMs: number): boolean {
    this.#storedMs ??= nowMs;
    if (Math.abs(nowMs - this.#storedMs) < STORED_EVERY_MS) return false;
    this.#storedMs = nowMs;
    return true;
  }

  /** Stores marks and averages. Call it inside a ledger transaction. */
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
 * Value of shares at the YES price, each capped, rounded down; null without a needed price. A complete set is worth
 * exactly 1.
 */
export function valueAtPrice(shares: Shares, yesPrice: Micros | null, caps: ShareCaps): Micros | null {
  const { pairs, single, isYes } = splitSets(shares);
  if (single === 0) return pairs;
  if (yesPrice === null) return null;
  const price = isYes ? yesPrice : complement(yesPrice);
  return add(pairs, mul(single, minMicros(price, isYes ? caps.yesMicros : caps.noMicros), 'floor'));
}

/**
 * Value of shares if sold to others' bids, each capped, rounded down. Shares without a bid are worth 0.
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
/** Time after a start in which a market must deliver its own mark, ms. */
const FRESH_MS = 60_000;

/** Stored marks of held markets. */
export const storedMarks = (ledger: Pick<LedgerReader, 'note'>): Map<string, Micros> =>
  // Only `Marks` writes this note, so it is valid JSON.
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
   * Uses the stored mark of a market that cannot be valued, so that quoting elsewhere continues.
   *
   * @param held holdings by condition id
   * @param isOut true when observations of a market are ignored
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

  /**
   * Stores the marks of held markets.
   *
   * @param held condition ids
   */
  save(held: Iterable<string>): void {
    this.#stored.clear();
    for (const conditionId of held) {
      const mark = this.get(conditionId);
      if (mark !== undefined) this.#stored.set(conditionId, mark);
    }
    this.#ledger.setNote(NOTE, JSON.stringify([...this.#stored]));
  }
}
