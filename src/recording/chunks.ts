/** Turns a venue's events into chunks: the book while it is read, trades before level decreases, and columns. */

import { EVENT, type EventChunk, SIDE } from './contract.js';

export interface PairingRules {
  /** Longest delay of a trade's print after its decrease, ms of the venue's clock. */
  readonly tradeLagMs: number;
  /** Longest lead of a trade's print before its decrease, ms of the venue's clock. */
  readonly tradeLeadMs: number;
  /** Tolerance for equal sizes (a venue may round one of them), millionths. */
  readonly toleranceMicros: number;
}

/** Bounds memory when the time of a feed does not advance; the largest real burst is below 1,000 events. */
const MAX_WAITING = 20_000;
/** Written events at the beginning of the queue that are removed together. */
const MOST_WRITTEN = 4_096;

interface Waiting {
  readonly kind: number;
  readonly venueMs: number;
  /** Never goes back between events. */
  readonly orderMs: number;
  readonly side: number;
  readonly priceMicros: number;
  readonly amountMicros: number;
  /** For a level: part of its decrease without a trade yet. */
  unexplainedMicros: number;
  /** For a level: trades placed before the level; null without trades. */
  trades: Waiting[] | null;
  /** For a trade: placed before a level, no longer on its own. */
  moved: boolean;
}

/**
 * Puts each trade right before the level decrease that belongs to it. Venues send both in either order, some ms apart.
 * So events wait here, and a trade that finds its decrease moves to it and to its time.
 */
export class TradePairing {
  readonly #writer: ChunkWriter;
  readonly #rules: PairingRules;
  /** Waiting events, from `#first` on. */
  readonly #queue: Waiting[] = [];
  #first = 0;
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
    const trade = this.#lone.find((lone) => this.#belong(lone, event) && this.#sameSize(lone, event));
    if (trade !== undefined) {
      this.#lone.splice(this.#lone.indexOf(trade), 1);
      attach(trade, event);
    }
    this.#release();
  }

  /** A trade; `side` is the taker's action (`SIDE.bid`: bought), `priceMicros` in YES space. */
  trade(venueMs: number, side: number, priceMicros: number, amountMicros: number): void {
    const event = this.#enqueue(EVENT.trade, venueMs, side, priceMicros, amountMicros, 0);
    const decrease = this.#queue.findLast(
      (level, at) => at >= this.#first && this.#belong(event, level) && this.#sameSize(event, level),
    );
    if (decrease === undefined) this.#lone.push(event);
    else attach(event, decrease);
    this.#release();
  }

  flush(): void {
    for (const trade of this.#lone) this.#settle(trade);
    this.#lone = [];
    while (this.#first < this.#queue.length) this.#writeFirst();
  }

  #enqueue(kind: number, venueMs: number, side: number, priceMicros: number, amountMicros: number, decrease: number) {
    this.#orderMs = Math.max(this.#orderMs, venueMs);
    const event: Waiting = {
      kind,
      venueMs,
      orderMs: this.#orderMs,
      side,
      priceMicros,
      amountMicros,
      unexplainedMicros: decrease,
      trades: null,
      moved: false,
    };
    this.#queue.push(event);
    return event;
  }

  /** A lone trade has waited for an exact match long enough: it takes the largest decrease of its level and moment. */
  #settle(trade: Waiting): void {
    let largest: Waiting | null = null;
    for (let at = this.#queue.length - 1; at >= this.#first; at--) {
      const other = this.#queue[at];
      if (other === undefined || !this.#belong(trade, other)) continue;
      if (largest === null || other.unexplainedMicros > largest.unexplainedMicros) largest = other;
    }
    if (largest === null) this.unpairedTrades++;
    else attach(trade, largest);
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
    for (let first = this.#queue[this.#first]; first !== undefined; first = this.#queue[this.#first]) {
      if (this.#orderMs - first.orderMs <= holdMs && this.#queue.length - this.#first <= MAX_WAITING) break;
      this.#writeFirst();
    }
  }

  #writeFirst(): void {
    const event = this.#queue[this.#first++];
    if (this.#first >= MOST_WRITTEN) {
      this.#queue.splice(0, this.#first);
      this.#first = 0;
    }
    if (event === undefined || event.moved) return;
    // The event's own turn has come, so the event moves no more.
    event.moved = true;
    for (const trade of event.trades ?? []) this.#write(trade, event.orderMs);
    this.#write(event, event.orderMs);
  }

  #write(event: Waiting, timeMs: number): void {
    this.#writer.write(event.kind, timeMs, event.side, event.priceMicros, event.amountMicros);
  }
}

function attach(trade: Waiting, level: Waiting): void {
  trade.moved = true;
  level.unexplainedMicros = Math.max(0, level.unexplainedMicros - trade.amountMicros);
  if (level.trades === null) level.trades = [trade];
  else level.trades.push(trade);
}

/** The recorded book while it is read: the amount at each price, to convert changes into totals and back. */
export class Levels {
  readonly #stepMicros: number;
  readonly #amounts: readonly [Float64Array, Float64Array];

  /** @param stepMicros every price is a multiple of it */
  constructor(stepMicros: number) {
    this.#stepMicros = stepMicros;
    const slots = 1_000_000 / stepMicros + 1;
    this.#amounts = [new Float64Array(slots), new Float64Array(slots)];
  }

  /** The level's total in millionths of a share; 0 without one. */
  get(side: number, priceMicros: number): number {
    return this.#side(side)[priceMicros / this.#stepMicros] ?? 0;
  }

  set(side: number, priceMicros: number, amountMicros: number): void {
    this.#side(side)[priceMicros / this.#stepMicros] = amountMicros;
  }

  clear(): void {
    for (const amounts of this.#amounts) amounts.fill(0);
  }

  /** Non-empty prices of a side, lowest first. */
  prices(side: number): number[] {
    const prices: number[] = [];
    const amounts = this.#side(side);
    for (let slot = 0; slot < amounts.length; slot++)
      if ((amounts[slot] ?? 0) > 0) prices.push(slot * this.#stepMicros);
    return prices;
  }

  /** Non-empty prices better than this price: bids above it, or asks below it. */
  betterThan(side: number, priceMicros: number): number[] {
    const found: number[] = [];
    const amounts = this.#side(side);
    const slot = Math.round(priceMicros / this.#stepMicros);
    const [from, to] = side === SIDE.bid ? [slot + 1, amounts.length] : [0, slot];
    for (let at = from; at < to; at++) if ((amounts[at] ?? 0) > 0) found.push(at * this.#stepMicros);
    return found;
  }

  #side(side: number): Float64Array {
    return side === SIDE.bid ? this.#amounts[0] : this.#amounts[1];
  }
}

/** Whether the price is strictly between 0 and 1, on this tick. */
export function isPrice(priceMicros: number, tickMicros: number): boolean {
  return priceMicros > 0 && priceMicros < 1_000_000 && priceMicros % tickMicros === 0;
}

/** Number of events in a chunk, 22 bytes per event, about 90 KiB; large enough for a low cost per chunk. */
const CHUNK_EVENTS = 4096;

/** Takes events one by one and returns full chunks; an earlier time is raised to that of the event before. */
export class ChunkWriter {
  #open = newColumns();
  #length = 0;
  lastTimeMs = Number.NEGATIVE_INFINITY;
  #full: EventChunk[] = [];

  write(kind: number, timeMs: number, side: number, priceMicros: number, amountMicros: number): void {
    if (timeMs > this.lastTimeMs) this.lastTimeMs = timeMs;
    const at = this.#length;
    this.#open.kind[at] = kind;
    this.#open.timeMs[at] = this.lastTimeMs;
    this.#open.side[at] = side;
    this.#open.priceMicros[at] = priceMicros;
    this.#open.amountMicros[at] = amountMicros;
    this.#length = at + 1;
    if (this.#length === CHUNK_EVENTS) this.#close();
  }

  /** Chunks filled since the last call. */
  take(): EventChunk[] {
    const full = this.#full;
    this.#full = [];
    return full;
  }

  /** Writes the closing `end` at this time and returns the rest. */
  end(timeMs: number): EventChunk[] {
    this.write(EVENT.end, timeMs, 0, 0, 0);
    if (this.#length > 0) this.#close();
    return this.take();
  }

  #close(): void {
    this.#full.push({ ...this.#open, length: this.#length });
    this.#open = newColumns();
    this.#length = 0;
  }
}

const newColumns = () => ({
  timeMs: new Float64Array(CHUNK_EVENTS),
  kind: new Uint8Array(CHUNK_EVENTS),
  side: new Uint8Array(CHUNK_EVENTS),
  priceMicros: new Int32Array(CHUNK_EVENTS),
  amountMicros: new Float64Array(CHUNK_EVENTS),
});
