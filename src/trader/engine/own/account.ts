/** The wallet's holdings and orders, and their value. */

import { add, complement, type Micros, micros, minMicros, mul, ONE, sub, ZERO } from '../../../shared/base/micros.js';
import type { Executor } from '../../executor/executor.js';
import type { Ledger, LedgerReader, Notes } from '../../ledger/contract.js';
import { CONVERSION_KINDS } from '../../ledger/tables.js';
import { micropriceOf } from '../../market/book.js';
import type { Book, BookLevel } from '../../market/view.js';
import type { EventRule } from '../../risk/exposure.js';
import type { HoldingsWorth } from '../../risk/loss-guard.js';
import { type ShareCaps, SlowAverages } from '../../risk/slow-average.js';
import type { Quotes, SetsWish } from '../../strategy/contract.js';
import type { Markets } from '../markets.js';
import type { QuoteSlot } from '../quoting/quote-slot.js';
import { heldIn, type OwnState, ownOrders, readOwnState } from './own-state.js';

export class Account {
  readonly valuation: Valuation;
  readonly coreSets: CoreSets;
  fills = 0;
  readonly #executor: Executor;
  readonly #markets: Markets;
  readonly #readOwn: () => OwnState;
  #own: OwnState | null = null;

  constructor(ledger: Ledger, executor: Executor, markets: Markets, events: readonly EventRule[]) {
    this.#executor = executor;
    this.#markets = markets;
    this.#readOwn = () => readOwnState(ledger, executor, markets, events);
    this.valuation = new Valuation(ledger);
    this.coreSets = new CoreSets(ledger);
  }

  /** Own holdings and orders, cached until `invalidate`. */
  get own(): OwnState {
    this.#own ??= this.#readOwn();
    return this.#own;
  }

  invalidate(): void {
    this.#own = null;
  }

  get isStale(): boolean {
    return this.#own === null;
  }

  /** Returns the value of the holdings at the newest marks; null while a held share has no mark. */
  value(ageMs: number): HoldingsWorth | null {
    // An excluded market gets no new mark, so its stored mark is used at once.
    const isOut = (conditionId: string) => (this.#markets.get(conditionId)?.excludedBecause ?? null) !== null;
    return this.valuation.value(this.own, isOut, ageMs);
  }

  readMarks(nowMs: number): void {
    for (const { conditionId, feed } of this.#markets.all) {
      // The empty book of a closed market says nothing about the worth of its shares.
      const others = feed.facts?.phase === 'open' ? feed.others : null;
      this.valuation.look(conditionId, feed.mark(nowMs, ownOrders(this.own, conditionId)), others, nowMs);
    }
  }

  /** Returns true if the wallet has shares, orders or conversions in flight in this market. */
  isOurs(conditionId: string): boolean {
    const held = heldIn(this.own, conditionId);
    if (held.yesMicros !== 0 || held.noMicros !== 0 || (this.own.orders.get(conditionId)?.length ?? 0) > 0) return true;
    return CONVERSION_KINDS.some((kind) => this.#executor.pendingConversion(kind, conditionId) !== null);
  }
}

const CORE_SETS_NOTE = 'core_sets';

/** Complete sets to keep in one market: the most that any strategy wants, and whether all strategies allow merges. */
export interface SetCore {
  readonly sharesMicros: Micros;
  readonly merges: boolean;
  /** Quote slot of the strategy that wants the most complete sets; null if no strategy wants sets. */
  readonly slot: QuoteSlot | null;
}

export const NO_CORE: SetCore = { sharesMicros: ZERO, merges: true, slot: null };

/** Maximum number of stored wishes for complete sets. The oldest, probably of ended markets, are dropped first. */
const MOST_WISHES = 2_000;

/** Complete sets that each strategy wants to keep per market. They do not change while an old book stops quotes. */
export class CoreSets {
  readonly #notes: Notes;
  readonly #wishes: Map<string, SetsWish>;

  constructor(notes: Notes) {
    this.#notes = notes;
    // Only `CoreSets` writes this ledger note, so it is valid JSON.
    const stored = JSON.parse(notes.note(CORE_SETS_NOTE) ?? '[]') as readonly (readonly [string, SetsWish])[];
    this.#wishes = new Map(stored);
  }

  /** Stores the complete sets that a strategy wants now. Quotes with neither a fair price nor `sets` change nothing. */
  take(slot: QuoteSlot, { fairMicros, sets }: Quotes): void {
    if (fairMicros === null && sets === undefined) return;
    const key = makeKey(slot);
    const before = this.#wishes.get(key);
    const wish = sets?.coreSharesMicros === 0 && sets.merge === 'auto' ? undefined : sets;
    if (before?.coreSharesMicros === wish?.coreSharesMicros && before?.merge === wish?.merge) return;
    this.#wishes.delete(key);
    if (wish !== undefined) this.#wishes.set(key, { coreSharesMicros: wish.coreSharesMicros, merge: wish.merge });
    for (const oldest of [...this.#wishes.keys()].slice(0, -MOST_WISHES)) this.#wishes.delete(oldest);
    this.#notes.setNote(CORE_SETS_NOTE, JSON.stringify([...this.#wishes]));
  }

  /** Combines the complete sets that a market's current strategies want. Wishes of removed strategies do not count. */
  of(slots: readonly QuoteSlot[]): SetCore {
    if (this.#wishes.size === 0) return NO_CORE;
    let core = NO_CORE;
    for (const slot of slots) {
      const wish = this.#wishes.get(makeKey(slot));
      if (wish === undefined || slot.isNotSelected) continue;
      const isMore = core.slot === null || wish.coreSharesMicros > core.sharesMicros;
      const merges = core.merges && wish.merge === 'auto';
      core = isMore ? { merges, sharesMicros: wish.coreSharesMicros, slot } : { ...core, merges };
    }
    return core;
  }
}

const makeKey = ({ conditionId, strategy }: QuoteSlot): string => `${conditionId} ${strategy.name}`;

const AVERAGES_NOTE = 'slow_averages';
/** Interval at which the slow price averages are stored, ms. */
const STORED_EVERY_MS = 600_000;

/** Mark (valuation price of a YES share) per market, and the value of all holdings. */
export class Valuation {
  readonly marks: Marks;
  readonly averages: SlowAverages;
  readonly #notes: Notes;
  readonly #books = new Map<string, Book>();
  /** Value of the holdings; null while a held share has no mark. */
  equityMicros: Micros | null = null;
  /** Time when price averages were last stored, our clock, ms; null before the first call of `takeDue`. */
  #storedMs: number | null = null;

  constructor(notes: Notes) {
    this.#notes = notes;
    this.marks = new Marks(notes);
    // Only `save` writes this ledger note, so it is valid JSON.
    this.averages = new SlowAverages(JSON.parse(notes.note(AVERAGES_NOTE) ?? '[]') as SlowAverages['stored']);
  }

  /** Updates a market's YES price (ignored if null) and its book without own orders (null without a book). */
  look(conditionId: string, price: number | null, others: Book | null, nowMs: number): void {
    if (price !== null && Number.isFinite(price)) this.marks.set(conditionId, micros(Math.round(price * ONE)));
    if (others === null) this.#books.delete(conditionId);
    else this.#books.set(conditionId, others);
    this.averages.look(conditionId, others === null ? null : micropriceOf(others), nowMs);
  }

  /** Drops the marks and books of untracked markets, but not their price averages. */
  forget(isTracked: (conditionId: string) => boolean): void {
    for (const market of this.marks.keys()) if (!isTracked(market)) this.marks.delete(market);
    for (const market of this.#books.keys()) if (!isTracked(market)) this.#books.delete(market);
  }

  /** Returns the value of the holdings; null while a held share has no mark. `isOut`: the market is excluded. */
  value(
    { cashMicros, held }: Pick<OwnState, 'cashMicros' | 'held'>,
    isOut: (conditionId: string) => boolean,
    ageMs: number,
  ): HoldingsWorth | null {
    this.marks.fill(held, isOut, ageMs);
    this.equityMicros = null;
    let equityMicros = cashMicros;
    let passingMicros = ZERO;
    for (const [market, shares] of held) {
      const value = this.valueOf(market, shares);
      if (value === null) return null;
      equityMicros = add(equityMicros, value);
      const others = this.#books.get(market);
      if (others === undefined) continue;
      const byDepth = valueByDepth(shares, others, this.averages.caps(market));
      if (value > byDepth) passingMicros = add(passingMicros, sub(value, byDepth));
    }
    this.equityMicros = equityMicros;
    return { equityMicros, passingMicros };
  }

  /** Returns the value of a market's shares at its mark, with price caps; null without a needed mark. */
  valueOf(conditionId: string, shares: ShareCounts): Micros | null {
    return valueAtPrice(shares, this.marks.get(conditionId) ?? null, this.averages.caps(conditionId));
  }

  /** Returns true once per interval: then the price averages must be stored. */
  takeDue(nowMs: number): boolean {
    this.#storedMs ??= nowMs;
    if (Math.abs(nowMs - this.#storedMs) < STORED_EVERY_MS) return false;
    this.#storedMs = nowMs;
    return true;
  }

  /** Stores marks and price averages. The caller must open a ledger transaction. */
  save(held: Iterable<string>): void {
    this.marks.save(held);
    this.averages.prune();
    this.#notes.setNote(AVERAGES_NOTE, JSON.stringify(this.averages.stored));
  }
}

type ShareCounts = Pick<ReturnType<typeof heldIn>, 'yesMicros' | 'noMicros'>;

/** Returns the shares' value, rounded down; null without a price. `caps`: maximum prices. A complete set is worth 1. */
export function valueAtPrice(shares: ShareCounts, yesPrice: Micros | null, caps: ShareCaps): Micros | null {
  const { pairs, single, isYes } = splitSets(shares);
  if (single === 0) return pairs;
  if (yesPrice === null) return null;
  const price = isYes ? yesPrice : complement(yesPrice);
  return add(pairs, mul(single, minMicros(price, isYes ? caps.yesMicros : caps.noMicros), 'floor'));
}

/** Returns the shares' value in a sale to other accounts' bids, rounded down. `caps`: maximum prices. No bid: 0. */
export function valueByDepth(shares: ShareCounts, others: Book, caps: ShareCaps): Micros {
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

function splitSets({ yesMicros, noMicros }: ShareCounts) {
  const pairs = minMicros(yesMicros, noMicros);
  const isYes = yesMicros > pairs;
  const single = isYes ? sub(yesMicros, pairs) : micros(Math.max(ZERO, noMicros - pairs));
  return { pairs, single, isYes };
}

const NOTE = 'marks';
/** After a start, a market waits at most this time for a new mark, ms. After it, the stored mark is used. */
const FRESH_MS = 60_000;

export const storedMarks = (ledger: Pick<LedgerReader, 'note'>): Map<string, Micros> =>
  // Only `Marks` writes this ledger note, so it is valid JSON.
  new Map(JSON.parse(ledger.note(NOTE) ?? '[]') as readonly (readonly [string, Micros])[]);

export class Marks extends Map<string, Micros> {
  readonly #ledger: Notes;
  readonly #stored: Map<string, Micros>;

  constructor(ledger: Notes) {
    super();
    this.#ledger = ledger;
    this.#stored = storedMarks(ledger);
  }

  /** Sets the stored mark of held markets without a new mark, so that quoting in other markets continues. */
  fill(held: ReadonlyMap<string, unknown>, isOut: (conditionId: string) => boolean, ageMs: number): void {
    let isNew = false;
    for (const conditionId of held.keys()) {
      const stored = this.#stored.get(conditionId);
      if (stored === undefined) isNew ||= this.has(conditionId);
      else if (!this.has(conditionId) && (ageMs > FRESH_MS || isOut(conditionId))) this.set(conditionId, stored);
    }
    if (isNew) this.save(held.keys());
  }

  /** Stores the marks of held markets. A market without a new mark keeps its stored mark. */
  save(held: Iterable<string>): void {
    const before = new Map(this.#stored);
    this.#stored.clear();
    for (const conditionId of held) {
      const mark = this.get(conditionId) ?? before.get(conditionId);
      if (mark !== undefined) this.#stored.set(conditionId, mark);
    }
    this.#ledger.setNote(NOTE, JSON.stringify([...this.#stored]));
  }
}
