/** Small recorded markets for tests: written by hand, or a seeded market that a maker could trade. */

import type { EventSource } from '../../../src/lab/backtest/contract.js';
import { playFromMemory } from '../../../src/lab/backtest/replay-driver.js';
import { EVENT, type EventChunk, type RecordedMarket, SIDE } from '../../../src/recording/contract.js';
import type { MarketSink } from '../../../src/recording/store/segment.js';
import { Random } from '../../../src/shared/base/random.js';

/** 2026-03-02 12:00 UTC. */
export const FIRST_MS = Date.UTC(2026, 2, 2, 12);
const MINUTE_MS = 60_000;

export type Row = readonly [timeMs: number, kind: number, side: number, price: number, shares: number];

export const BID = SIDE.bid;
export const ASK = SIDE.ask;

/** Times after `FIRST_MS`; prices and shares in whole units. */
const rowOf =
  (kind: number) =>
  (atMs: number, side: number, price: number, shares: number): Row => [FIRST_MS + atMs, kind, side, price, shares];

export const level = rowOf(EVENT.level);
/** `side` is the taker's. */
export const trade = rowOf(EVENT.trade);
export const end = (atMs: number): Row => [FIRST_MS + atMs, EVENT.end, 0, 0, 0];

export function chunk(rows: readonly Row[]): EventChunk {
  return {
    length: rows.length,
    timeMs: Float64Array.from(rows, ([timeMs]) => timeMs),
    kind: Uint8Array.from(rows, ([, kind]) => kind),
    side: Uint8Array.from(rows, ([, , side]) => side),
    priceMicros: Int32Array.from(rows, ([, , , price]) => Math.round(price * 1e6)),
    amountMicros: Float64Array.from(rows, ([, , , , shares]) => Math.round(shares * 1e6)),
  };
}

export const market = (changes: Partial<RecordedMarket> = {}): RecordedMarket => ({
  conditionId: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
  eventTitle: 'An event',
  title: 'Will it?',
  category: 'crypto',
  rules: [],
  tickPrecision: 2,
  amountPrecision: 2,
  openTimeMs: FIRST_MS - MINUTE_MS,
  closeTimeMs: FIRST_MS + 10 * MINUTE_MS,
  outcome: true,
  source: { kind: 'twinbook', path: 'test', ticker: 'TEST' },
  ...changes,
});

/** In chunks of this number of events. */
export function source(rows: readonly Row[], changes: Partial<RecordedMarket> = {}, chunkEvents = 1000): EventSource {
  const chunks: EventChunk[] = [];
  for (let from = 0; from < rows.length; from += chunkEvents) chunks.push(chunk(rows.slice(from, from + chunkEvents)));
  return playFromMemory(market(changes), chunks);
}

/** Writes the rows, each this much later, as `twinbook record` does. */
export function writeRows(sink: MarketSink, rows: readonly Row[], laterMs = 0): void {
  for (const [timeMs, kind, side, price, shares] of rows) {
    const at = { timeMs: timeMs + laterMs, seenMs: null };
    const [priceMicros, amountMicros] = [Math.round(price * 1e6), Math.round(shares * 1e6)];
    if (kind === EVENT.level) sink.level(at, side, priceMicros, amountMicros);
    else if (kind === EVENT.trade) sink.trade(at, side, priceMicros, amountMicros);
    else if (kind === EVENT.end) sink.end(at);
  }
}

/**
 * A market of `minutes` minutes with a moving middle; takers arrive on both sides and take two cents deep at most.
 * Every trade precedes its decrease, as recordings promise.
 */
export function wanderingRows(seed: number, minutes: number, eventsPerSecond = 8): Row[] {
  const random = Random.fromSeed(seed, 'wandering');
  const book: [Map<number, number>, Map<number, number>] = [new Map(), new Map()];
  const rows: Row[] = [];
  let middle = 50;
  const set = (atMs: number, side: 0 | 1, cents: number, shares: number) => {
    if ((book[side].get(cents) ?? 0) === shares) return;
    book[side].set(cents, shares);
    rows.push(level(atMs, side, cents / 100, shares));
  };
  const stepMs = Math.round(1000 / eventsPerSecond);
  for (let atMs = 0; atMs < minutes * MINUTE_MS; atMs += stepMs) {
    if (random.chance(0.02)) middle = Math.min(80, Math.max(20, middle + (random.chance(0.5) ? 1 : -1)));
    for (const side of [BID, ASK] as const) {
      const best = side === BID ? middle - 1 : middle + 1;
      for (const cents of book[side].keys()) if (side === BID ? cents > best : cents < best) set(atMs, side, cents, 0);
      set(atMs, side, best + (side === BID ? -1 : 1) * random.below(5), 20 + random.below(200));
    }
    if (random.chance(0.08)) take(atMs, random.chance(0.5) ? BID : ASK);
  }
  /** Takes up to four levels, each as a trade and its decrease. */
  function take(atMs: number, taker: 0 | 1): void {
    const eaten = taker === BID ? ASK : BID;
    let left = 20 + random.below(400);
    for (let depth = 1; depth <= 4 && left > 0; depth++) {
      const cents = eaten === BID ? middle - depth : middle + depth;
      const there = book[eaten].get(cents) ?? 0;
      const shares = Math.min(there, left);
      if (shares <= 0) continue;
      left -= shares;
      rows.push(trade(atMs, taker, cents / 100, shares));
      set(atMs, eaten, cents, there - shares);
    }
  }
  rows.push(end(minutes * MINUTE_MS));
  return rows;
}
