/**
 * Puts each trade right before the level decrease that belongs to it.
 *
 * Venues send both, in either order and not at the same time: Kalshi mostly the delta first, in the same millisecond;
 * Polymarket the new level about 20 ms before the trade's print. Read in that order, the decrease would look like a
 * cancellation and the trade like a second one. So events wait a moment here, and a trade that finds its decrease among
 * them moves to it (and to its time, which is when the book changed).
 */

import type { ChunkWriter } from '../chunks.js';
import { EVENT } from '../contract.js';

export interface PairingRules {
  /** Longest delay of a trade's print after its decrease, ms of the venue's clock. */
  readonly tradeLagMs: number;
  /** Longest lead of a trade's print before its decrease, ms of the venue's clock. */
  readonly tradeLeadMs: number;
  /** Tolerance for equal sizes (a venue may round one of them), millionths. */
  readonly toleranceMicros: number;
}

/** Bounds memory when a feed's time stands still; the largest real burst is below 1,000 events. */
const MAX_WAITING = 20_000;
const FIRST_WAITING = 256;

interface Waiting {
  kind: number;
  venueMs: number;
  /** Never goes back between events. */
  orderMs: number;
  side: number;
  priceMicros: number;
  amountMicros: number;
  /** Of a level: part of its decrease without a trade yet. */
  unexplainedMicros: number;
  /** Of a level: trades placed before it. */
  trades: Waiting[] | null;
  /** Of a trade: placed before a level, no longer on its own. */
  moved: boolean;
}

export class TradePairing {
  readonly #writer: ChunkWriter;
  readonly #rules: PairingRules;
  /** Waiting events as a ring buffer; its size is a power of two. */
  #queue: Waiting[] = Array.from({ length: FIRST_WAITING }, newWaiting);
  #first = 0;
  #count = 0;
  #lone: Waiting[] = [];
  #orderMs = Number.NEGATIVE_INFINITY;
  /** Trades written without their own decrease: the recorded book did not have their level. */
  unpairedTrades = 0;

  constructor(writer: ChunkWriter, rules: PairingRules) {
    this.#writer = writer;
    this.#rules = rules;
  }

  /** A level's new total; `decreaseMicros` is its loss (0 or less: none). */
  level(venueMs: number, side: number, priceMicros: number, totalMicros: number, decreaseMicros: number): void {
    const event = this.#enqueue(EVENT.level, venueMs, side, priceMicros, totalMicros, Math.max(0, decreaseMicros));
    if (event.unexplainedMicros > 0) {
      const trade = this.#lone.find((lone) => this.#belong(lone, event) && this.#sameSize(lone, event));
      if (trade !== undefined) {
        this.#lone.splice(this.#lone.indexOf(trade), 1);
        attach(trade, event);
      }
    }
    this.#release();
  }

  /** A trade; `side` is the taker's action (`SIDE.bid`: bought), `priceMicros` in YES space. */
  trade(venueMs: number, side: number, priceMicros: number, amountMicros: number): void {
    const event = this.#enqueue(EVENT.trade, venueMs, side, priceMicros, amountMicros, 0);
    const decrease = this.#find(event, (candidate) => this.#sameSize(event, candidate));
    if (decrease === null) this.#lone.push(event);
    else attach(event, decrease);
    this.#release();
  }

  flush(): void {
    for (const trade of this.#lone) this.#settle(trade);
    this.#lone = [];
    while (this.#count > 0) this.#writeFirst();
  }

  #enqueue(kind: number, venueMs: number, side: number, price: number, amount: number, decrease: number): Waiting {
    this.#orderMs = Math.max(this.#orderMs, venueMs);
    const event = this.#place(kind === EVENT.trade);
    event.kind = kind;
    event.venueMs = venueMs;
    event.orderMs = this.#orderMs;
    event.side = side;
    event.priceMicros = price;
    event.amountMicros = amount;
    event.unexplainedMicros = decrease;
    event.trades = null;
    event.moved = false;
    return event;
  }

  /**
   * Appends an entry to the queue. Entries are reused, because there are millions of levels; a trade may still be
   * referenced by the lone ones.
   */
  #place(isTrade: boolean): Waiting {
    if (this.#count === this.#queue.length) this.#grow();
    const at = (this.#first + this.#count) & (this.#queue.length - 1);
    this.#count++;
    const before = this.#queue[at];
    if (before !== undefined && before.kind === EVENT.level && !isTrade) return before;
    const fresh = newWaiting();
    this.#queue[at] = fresh;
    return fresh;
  }

  #grow(): void {
    const { length } = this.#queue;
    this.#queue = Array.from({ length: 2 * length }, (_, at) => (at < length ? this.#at(at) : null) ?? newWaiting());
    this.#first = 0;
  }

  #at(place: number): Waiting | undefined {
    return this.#queue[(this.#first + place) & (this.#queue.length - 1)];
  }

  /** A lone trade has waited for an exact match long enough: it takes the largest decrease of its level and moment. */
  #settle(trade: Waiting): void {
    let largest = this.#find(trade, () => true);
    for (let place = this.#count - 1; place >= 0 && largest !== null; place--) {
      const other = this.#at(place);
      if (other === undefined || !this.#belong(trade, other)) continue;
      if (other.unexplainedMicros > largest.unexplainedMicros) largest = other;
    }
    if (largest === null) this.unpairedTrades++;
    else attach(trade, largest);
  }

  /** The latest waiting decrease of the trade's level and moment that fits. */
  #find(trade: Waiting, fits: (level: Waiting) => boolean): Waiting | null {
    for (let place = this.#count - 1; place >= 0; place--) {
      const event = this.#at(place);
      if (event !== undefined && this.#belong(trade, event) && fits(event)) return event;
    }
    return null;
  }

  #belong(trade: Waiting, level: Waiting): boolean {
    if (level.kind !== EVENT.level || level.unexplainedMicros <= 0) return false;
    if (level.priceMicros !== trade.priceMicros || level.side === trade.side) return false;
    const lagMs = trade.venueMs - level.venueMs;
    return lagMs <= this.#rules.tradeLagMs && lagMs >= -this.#rules.tradeLeadMs;
  }

  #sameSize(trade: Waiting, level: Waiting): boolean {
    return Math.abs(level.unexplainedMicros - trade.amountMicros) <= this.#rules.toleranceMicros;
  }

  #release(): void {
    const { tradeLagMs, tradeLeadMs } = this.#rules;
    while (this.#lone[0] !== undefined && this.#orderMs - this.#lone[0].orderMs > tradeLeadMs) {
      this.#settle(this.#lone[0]);
      this.#lone.shift();
    }
    // A decrease waits until no trade that is still looking can be its own.
    const holdMs = tradeLagMs + tradeLeadMs;
    while (this.#count > 0) {
      const first = this.#at(0);
      if (first !== undefined && this.#orderMs - first.orderMs <= holdMs && this.#count <= MAX_WAITING) break;
      this.#writeFirst();
    }
  }

  #writeFirst(): void {
    const event = this.#at(0);
    this.#first = (this.#first + 1) & (this.#queue.length - 1);
    this.#count--;
    if (event === undefined || event.moved) return;
    // Its own turn has come: it moves no more.
    event.moved = true;
    if (event.trades !== null) for (const trade of event.trades) this.#write(trade, event.orderMs);
    this.#write(event, event.orderMs);
  }

  #write(event: Waiting, timeMs: number): void {
    this.#writer.write(event.kind, timeMs, event.side, event.priceMicros, event.amountMicros);
  }
}

/**
 * Numbers beyond 32 bits from the start: otherwise V8 would change the fields' representation later and recompile their
 * readers.
 */
const newWaiting = (): Waiting => ({
  kind: 0,
  venueMs: Number.NaN,
  orderMs: Number.NaN,
  side: 0,
  priceMicros: 0,
  amountMicros: Number.NaN,
  unexplainedMicros: Number.NaN,
  trades: null,
  moved: false,
});

function attach(trade: Waiting, level: Waiting): void {
  trade.moved = true;
  level.unexplainedMicros = Math.max(0, level.unexplainedMicros - trade.amountMicros);
  if (level.trades === null) level.trades = [trade];
  else level.trades.push(trade);
}
