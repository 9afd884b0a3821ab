/**
 * Removes own orders from polled books, because a fair price must not depend on own quotes. A book may still contain an
 * own order that ended after the book was requested, or one whose acceptance is not known yet. Also estimates the queue
 * positions and markouts of own orders.
 */

import { add, type Micros, maxMicros, minMicros, ONE, sub, ZERO } from '../../shared/base/micros.js';
import { amountAt } from './book.js';
import type { Book, BookLevel, BookSide, MarkoutView, OwnFillsView, OwnOrder, SeenAt, TapeTrade } from './view.js';

interface Remembered {
  readonly order: OwnOrder;
  /** Remaining amount of the order before its last known fill. `changedMs`: time when the fill became known. */
  readonly earlierMicros: Micros;
  readonly changedMs: number;
  /** Submit time, our clock, ms; -Infinity if our clock was set back since. Books received earlier lack the order. */
  readonly submittedMs: number;
  /** Time when the order ended, our clock, ms; null while the order is or may be open. */
  readonly goneMs: number | null;
}

/**
 * Returns true if a book requested at `sentMs` shows fewer shares at a price than own orders have: an own order was
 * filled or has ended. Orders beyond the worst shown price are ignored, because a book has a limited number of levels.
 */
export function isShortOfOwn(book: Book, orders: readonly OwnOrder[], sentMs: number): boolean {
  return orders.some(({ side, priceMicros, acceptedMs }) => {
    const worst = (side === 'bid' ? book.bids : book.asks).at(-1)?.priceMicros ?? priceMicros;
    const isShown = side === 'bid' ? priceMicros >= worst : priceMicros <= worst;
    if (acceptedMs === null || acceptedMs >= sentMs || !isShown) return false;
    const there = orders.filter((each) => each.side === side && each.priceMicros === priceMicros);
    const shown = there.filter((each) => each.acceptedMs !== null && each.acceptedMs < sentMs);
    return amountAt(book, side, priceMicros) < shown.reduce((sum, each) => sum + each.remainingMicros, 0);
  });
}

/** Stores own orders of one market long enough to remove them from every book that may show them. */
export class OwnOrderMemory {
  #orders = new Map<string, Remembered>();
  #noted: readonly OwnOrder[] | null = null;

  /** Updates the stored orders from the current own orders. Does nothing if `own` is the same array as before. */
  update(nowMs: number, own: readonly OwnOrder[]): void {
    if (own === this.#noted) return;
    this.#noted = own;
    const next = new Map<string, Remembered>();
    for (const order of own) {
      const known = this.#orders.get(order.intentId) ?? firstSeen(order, nowMs);
      const earlierMicros = known.order.remainingMicros;
      const change = earlierMicros === order.remainingMicros ? null : { earlierMicros, changedMs: nowMs };
      next.set(order.intentId, { ...known, ...change, order, goneMs: null });
    }
    for (const [intentId, known] of this.#orders)
      if (!next.has(intentId)) next.set(intentId, known.goneMs === null ? { ...known, goneMs: nowMs } : known);
    this.#orders = next;
  }

  /** Returns a poll's book minus the own orders that it may contain. Drops orders that ended before the poll. */
  removeOwn(book: Book, at: SeenAt): Book {
    const removal = { bid: new Map<Micros, Micros>(), ask: new Map<Micros, Micros>() };
    for (const [intentId, known] of this.#orders) {
      if (known.goneMs !== null && known.goneMs < at.sentMs) {
        this.#orders.delete(intentId);
      } else if (known.submittedMs < at.seenMs) {
        const { side, priceMicros, remainingMicros } = known.order;
        const amount = known.changedMs >= at.sentMs ? maxMicros(known.earlierMicros, remainingMicros) : remainingMicros;
        removal[side].set(priceMicros, add(removal[side].get(priceMicros) ?? ZERO, amount));
      }
    }
    if (removal.bid.size === 0 && removal.ask.size === 0) return book;
    return { bids: removeAmounts(book.bids, removal.bid), asks: removeAmounts(book.asks, removal.ask) };
  }

  /** After our clock was set back, drops ended orders, and assumes that every new book contains the open orders. */
  clockSetBack(): void {
    for (const [intentId, { order, goneMs }] of this.#orders) {
      if (goneMs !== null) this.#orders.delete(intentId);
      else this.#orders.set(intentId, firstSeen(order, Number.NEGATIVE_INFINITY));
    }
  }
}

const firstSeen = (order: OwnOrder, nowMs: number): Remembered => ({
  order,
  earlierMicros: order.remainingMicros,
  changedMs: Number.NEGATIVE_INFINITY,
  // A submit time in the future was stored before our clock was set back, perhaps by an earlier process.
  submittedMs: order.submittedMs > nowMs ? Number.NEGATIVE_INFINITY : order.submittedMs,
  goneMs: null,
});

/** Returns the levels minus the amounts in `removal`, by price. Empty levels are dropped. */
function removeAmounts(levels: readonly BookLevel[], removal: ReadonlyMap<Micros, Micros>): BookLevel[] {
  const result: BookLevel[] = [];
  for (const level of levels) {
    const amount = removal.get(level.priceMicros);
    if (amount === undefined) result.push(level);
    else if (amount < level.amountMicros)
      result.push({ priceMicros: level.priceMicros, amountMicros: sub(level.amountMicros, amount) });
  }
  return result;
}

/** Returns the shares ahead of an own order after a book showed `level` shares of others at the order's price. */
export const aheadAfterBook = (ahead: Micros | null, level: Micros): Micros =>
  ahead === null ? level : minMicros(ahead, level);

/** Returns the shares ahead of an own order after a newer trade of `traded` shares at the order's price. */
export const aheadAfterTrade = (ahead: Micros, traded: Micros): Micros => (traded >= ahead ? ZERO : sub(ahead, traded));

type QueuePlace = { readonly ahead: Micros | null; readonly remaining: Micros };

/**
 * Estimates the shares ahead of each own resting order, pessimistically ("risk-averse" in hftbacktest's queue models).
 * In the first book with the order, all others' shares at its price count as ahead. A trade at the order's price
 * reduces the shares ahead. If a level shrinks without a trade, shares behind the order count as canceled first.
 */
export class QueuePlaces {
  #places = new Map<string, QueuePlace>();

  findAhead(order: OwnOrder): Micros | null {
    return this.#places.get(order.intentId)?.ahead ?? null;
  }

  onBook(others: Book, at: SeenAt, own: readonly OwnOrder[]): void {
    const next = new Map<string, QueuePlace>();
    for (const order of own) {
      const known = this.#places.get(order.intentId) ?? { ahead: null, remaining: order.remainingMicros };
      const showsIt = order.acceptedMs !== null && order.acceptedMs <= at.sentMs;
      const ahead = showsIt
        ? aheadAfterBook(known.ahead, amountAt(others, order.side, order.priceMicros))
        : known.ahead;
      // An order that was just partly filled is first in the queue.
      const filled = order.remainingMicros < known.remaining;
      next.set(order.intentId, { ahead: filled ? ZERO : ahead, remaining: order.remainingMicros });
    }
    this.#places = next;
  }

  onTrade(trade: TapeTrade, own: readonly OwnOrder[]): void {
    for (const order of own) {
      const place = this.#places.get(order.intentId);
      if (place === undefined || place.ahead === null) continue;
      // `reach`: distance of the trade's price beyond the order's price. While a bid is open, no taker can buy at its
      // price or below, so the taker of a trade at that price or below was a seller.
      const sign = order.side === 'bid' ? 1 : -1;
      const reach = sign * (order.priceMicros - trade.priceMicros);
      if (reach < 0) continue;
      const ahead = reach > 0 ? ZERO : aheadAfterTrade(place.ahead, trade.amountMicros);
      this.#places.set(order.intentId, { ahead, remaining: place.remaining });
    }
  }
}

/** Markout horizons, ms. A markout uses the first book requested after the horizon, but before twice the horizon. */
const HORIZONS_MS = [5_000, 30_000, 300_000] as const;
/** Half-life of the statistics of own fills: one day of observation, s. */
const HALF_LIFE_S = 86_400;
const FADES_EVERY_S = 600;
/** Maximum time between two books that counts as observed time, s. A longer gap counts as this maximum. */
const MOST_BETWEEN_LOOKS_S = 60;
/** Minimum observed time, s, for an estimate of the fill rate. */
const LEAST_SEEN_S = 60;
/** Maximum number of own fills that wait for their markout. Further fills are counted without a markout. */
const MAX_WAITING = 200;

/** An own fill in YES terms: for a fill of a NO order, the side is reversed and the price is 1 - the NO price. */
export interface OwnFill {
  readonly side: BookSide;
  readonly priceMicros: Micros;
  readonly amountMicros: Micros;
  /** Time when the own fill became known, our clock, ms. */
  readonly nowMs: number;
}

interface WaitingMarkout {
  readonly side: BookSide;
  readonly price: number;
  readonly shares: number;
  readonly filledMs: number;
}

/** Exponentially decaying sums over own fills with a known markout. */
interface DecayingSums {
  shares: number;
  /** Sum of the fills' gains at the markout horizon, currency: shares times gain per share. */
  brought: number;
}

type Saved = { readonly fills: number; readonly seconds: number } & Readonly<Record<BookSide, readonly DecayingSums[]>>;

/** Measures the results of own fills in one market: fill rate and markouts. */
export class OwnFills {
  #fills = 0;
  #seconds = 0;
  /** Observed time since the sums of fills last decayed, s. */
  #unfadedS = 0;
  #sums: Readonly<Record<BookSide, DecayingSums[]>> = { bid: HORIZONS_MS.map(noSums), ask: HORIZONS_MS.map(noSums) };
  /** Own fills that wait for a markout, oldest first. */
  #waiting: WaitingMarkout[] = [];
  /** Per markout horizon: number of waiting fills whose markout at this horizon is already measured, oldest first. */
  #judged = HORIZONS_MS.map(() => 0);
  #lookedMs: number | null = null;
  #isChanged = false;
  #markouts: OwnFillsView['markouts'] | null = null;

  onFill({ side, priceMicros, amountMicros, nowMs }: OwnFill): void {
    this.onLateFill();
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push({ side, price: priceMicros / ONE, shares: amountMicros / ONE, filledMs: nowMs });
  }

  /** Counts an own fill that became known too late for a markout. */
  onLateFill(): void {
    this.#fills += 1;
    this.#isChanged = true;
  }

  /** Measures due markouts. `price` (null if unknown) is from the book that was requested at `lookedMs`, our clock. */
  look(price: number | null, lookedMs: number): void {
    const elapsedS = this.#lookedMs === null ? 0 : Math.max(0, lookedMs - this.#lookedMs) / 1000;
    this.#lookedMs = Math.max(lookedMs, this.#lookedMs ?? lookedMs);
    const seconds = Math.min(elapsedS, MOST_BETWEEN_LOOKS_S);
    this.#seconds += seconds;
    this.#unfadedS += seconds;
    if (this.#unfadedS >= FADES_EVERY_S) this.#fade();
    for (const [horizon, horizonMs] of HORIZONS_MS.entries()) {
      for (let at = this.#judged[horizon] ?? 0; at < this.#waiting.length; at++) {
        const fill = this.#waiting[at];
        if (fill === undefined || lookedMs < fill.filledMs + horizonMs) break;
        this.#judged[horizon] = at + 1;
        const sums = this.#sums[fill.side][horizon];
        if (price === null || sums === undefined || lookedMs > fill.filledMs + 2 * horizonMs) continue;
        sums.shares += fill.shares;
        sums.brought += fill.shares * (fill.side === 'bid' ? price - fill.price : fill.price - price);
        this.#isChanged = true;
        this.#markouts = null;
      }
    }
    const ended = this.#judged.at(-1) ?? 0;
    if (ended === 0) return;
    this.#waiting.splice(0, ended);
    this.#judged = this.#judged.map((judged) => judged - ended);
  }

  /** Drops the fills that wait for a markout, because their times are from before our clock was set back. */
  clockSetBack(): void {
    this.#waiting = [];
    this.#judged = HORIZONS_MS.map(() => 0);
    this.#lookedMs = null;
  }

  get view(): OwnFillsView {
    this.#markouts ??= Object.freeze({ bid: makeViews(this.#sums.bid), ask: makeViews(this.#sums.ask) });
    const fillsPerS = this.#seconds < LEAST_SEEN_S ? null : this.#fills / this.#seconds;
    return Object.freeze({ fillsPerS, markouts: this.#markouts });
  }

  /** Returns the statistics of own fills as JSON for `restore`; null if unchanged since the last call. */
  takeSaved(): string | null {
    if (!this.#isChanged) return null;
    this.#isChanged = false;
    return JSON.stringify({ fills: this.#fills, seconds: this.#seconds, ...this.#sums } satisfies Saved);
  }

  /** Restores saved statistics, without fills that awaited a markout. Call `restore` before the first fill and book. */
  restore(text: string): void {
    // Only `takeSaved` writes this text, so it is valid JSON.
    const { fills, seconds, bid, ask } = JSON.parse(text) as Saved;
    this.#fills = fills;
    this.#seconds = seconds;
    this.#sums = { bid: bid.map((sums) => ({ ...sums })), ask: ask.map((sums) => ({ ...sums })) };
    this.#markouts = null;
  }

  #fade(): void {
    const kept = 2 ** (-this.#unfadedS / HALF_LIFE_S);
    this.#unfadedS = 0;
    // Observed time changes the fill rate, so the new time must be saved too, except before the first fill.
    this.#isChanged = this.#fills > 0;
    this.#fills *= kept;
    this.#seconds *= kept;
    for (const sums of [...this.#sums.bid, ...this.#sums.ask]) {
      sums.shares *= kept;
      sums.brought *= kept;
    }
    this.#markouts = null;
  }
}

const noSums = (): DecayingSums => ({ shares: 0, brought: 0 });

const makeViews = (all: readonly DecayingSums[]): readonly MarkoutView[] =>
  Object.freeze(
    all.map(({ shares, brought }, index) =>
      Object.freeze({
        horizonS: (HORIZONS_MS[index] ?? 0) / 1000,
        meanPrice: shares > 0 ? brought / shares : null,
        shares,
      }),
    ),
  );
