/** Converts a venue's events into chunks: puts each trade before the decrease of its price level. */

import { EVENT, type EventChunk, SIDE } from './contract.js';

export interface PairingRules {
  /** Maximum time by which the venue reports a trade after the decrease of its price level, venue clock, ms. */
  readonly tradeLagMs: number;
  /** Maximum time by which the venue reports a trade before the decrease of its price level, venue clock, ms. */
  readonly tradeLeadMs: number;
  /** Maximum difference at which a trade and a decrease count as equal, millionths (a venue may round one of them). */
  readonly toleranceMicros: number;
}

/** Maximum number of waiting events, in case a feed's times do not advance. Real bursts have below 1,000 events. */
const MAX_WAITING = 20_000;

/** Number of written events that the queue removes at a time; single removals double the time of an import. */
const MOST_WRITTEN = 4_096;

interface WaitingEvent {
  readonly kind: number;
  readonly venueMs: number;
  /** Time of the event, raised so that it never decreases from one event to the next, Unix ms. */
  readonly orderMs: number;
  readonly side: number;
  readonly priceMicros: number;
  readonly amountMicros: number;
  /** For a level event: part of the decrease that no trade explains yet, millionths. */
  unexplainedMicros: number;
  /** For a level event: trades that are written right before the event; null without trades. */
  trades: WaitingEvent[] | null;
  /** True if the event is written, or if it is a trade that will be written right before its level event. */
  moved: boolean;
}

/** Places each trade before the decrease of its level. Venues send both in any order, so events wait for a match. */
export class TradePairing {
  readonly #writer: ChunkWriter;
  readonly #rules: PairingRules;
  /** Queue of waiting events; entries before the index `#first` are already written. */
  readonly #queue: WaitingEvent[] = [];
  #first = 0;
  #lone: WaitingEvent[] = [];
  #orderMs = Number.NEGATIVE_INFINITY;
  /** Number of trades without a matching decrease, for example because the recorded book did not have the level. */
  unpairedTrades = 0;

  constructor(writer: ChunkWriter, rules: PairingRules) {
    this.#writer = writer;
    this.#rules = rules;
  }

  /** Queues a level event. `decreaseMicros`: decrease of the level's total; 0 or less if the total did not decrease. */
  level(venueMs: number, side: number, priceMicros: number, totalMicros: number, decreaseMicros: number): void {
    const event = this.#enqueue(EVENT.level, venueMs, side, priceMicros, totalMicros, Math.max(0, decreaseMicros));
    const trade = this.#lone.find((lone) => this.#belong(lone, event) && this.#sameSize(lone, event));
    if (trade !== undefined) {
      this.#lone.splice(this.#lone.indexOf(trade), 1);
      attach(trade, event);
    }
    this.#release();
  }

  /** Queues a trade. `side`: the taker's action (`SIDE.bid`: bought). `priceMicros`: price in YES space. */
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
    const event: WaitingEvent = {
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

  /** Matches a trade with the largest decrease at its price and time, because no decrease equals the trade's size. */
  #settle(trade: WaitingEvent): void {
    let largest: WaitingEvent | null = null;
    for (const level of this.#queue.slice(this.#first))
      if (this.#belong(trade, level) && level.unexplainedMicros >= (largest?.unexplainedMicros ?? 0)) largest = level;
    if (largest === null) this.unpairedTrades++;
    else attach(trade, largest);
  }

  #belong(trade: WaitingEvent, level: WaitingEvent): boolean {
    if (level.kind !== EVENT.level || level.unexplainedMicros <= 0) return false;
    if (level.priceMicros !== trade.priceMicros || level.side === trade.side) return false;
    const lagMs = trade.venueMs - level.venueMs;
    return lagMs <= this.#rules.tradeLagMs && lagMs >= -this.#rules.tradeLeadMs;
  }

  #sameSize(trade: WaitingEvent, level: WaitingEvent): boolean {
    return Math.abs(level.unexplainedMicros - trade.amountMicros) <= this.#rules.toleranceMicros;
  }

  #release(): void {
    const { tradeLagMs, tradeLeadMs } = this.#rules;
    while (this.#lone[0] !== undefined && this.#orderMs - this.#lone[0].orderMs > tradeLeadMs) {
      this.#settle(this.#lone[0]);
      this.#lone.shift();
    }
    // A decrease waits until no waiting or later trade can match it.
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
    // A trade that is written can no longer be moved before a level event.
    event.moved = true;
    for (const trade of event.trades ?? []) this.#write(trade, event.orderMs);
    this.#write(event, event.orderMs);
  }

  #write(event: WaitingEvent, timeMs: number): void {
    this.#writer.write(event.kind, timeMs, event.side, event.priceMicros, event.amountMicros);
  }
}

function attach(trade: WaitingEvent, level: WaitingEvent): void {
  trade.moved = true;
  level.unexplainedMicros = Math.max(0, level.unexplainedMicros - trade.amountMicros);
  level.trades ??= [];
  level.trades.push(trade);
}

/** Book with the total amount of each level; callers use it to convert changes into totals and totals into changes. */
export class Levels {
  readonly #stepMicros: number;
  readonly #amounts: readonly [Float64Array, Float64Array];

  /** @param stepMicros tick of the market, millionths; every price is a multiple of it */
  constructor(stepMicros: number) {
    this.#stepMicros = stepMicros;
    const slots = 1_000_000 / stepMicros + 1;
    this.#amounts = [new Float64Array(slots), new Float64Array(slots)];
  }

  /** Returns the level's total in millionths of a share; 0 for an empty level. */
  get(side: number, priceMicros: number): number {
    return this.#side(side)[priceMicros / this.#stepMicros] ?? 0;
  }

  set(side: number, priceMicros: number, amountMicros: number): void {
    this.#side(side)[priceMicros / this.#stepMicros] = amountMicros;
  }

  clear(): void {
    for (const amounts of this.#amounts) amounts.fill(0);
  }

  /** Returns the prices of a side's non-empty levels, lowest first, from tick `from` (included) to `to` (excluded). */
  prices(side: number, from = 0, to = Number.POSITIVE_INFINITY): number[] {
    const prices: number[] = [];
    const amounts = this.#side(side);
    for (let slot = from; slot < Math.min(to, amounts.length); slot++)
      if ((amounts[slot] ?? 0) > 0) prices.push(slot * this.#stepMicros);
    return prices;
  }

  /** Returns the prices of non-empty levels that are better than a price: bids above it, or asks below it. */
  betterThan(side: number, priceMicros: number): number[] {
    const slot = Math.round(priceMicros / this.#stepMicros);
    return side === SIDE.bid ? this.prices(side, slot + 1) : this.prices(side, 0, slot);
  }

  #side(side: number): Float64Array {
    return side === SIDE.bid ? this.#amounts[0] : this.#amounts[1];
  }
}

export const isPrice = (priceMicros: number, tickMicros: number): boolean =>
  priceMicros > 0 && priceMicros < 1_000_000 && priceMicros % tickMicros === 0;

/** Maximum number of events of a chunk: 90 KiB at 22 bytes per event. Larger chunks are hardly faster to read. */
const CHUNK_EVENTS = 4096;

/** Collects events into chunks. An event that is earlier than its predecessor gets the predecessor's time. */
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

  take(): EventChunk[] {
    const full = this.#full;
    this.#full = [];
    return full;
  }

  /** Adds an event for the end of the market, and returns the remaining chunks. */
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
