/** One market as a run sees it, while it goes on: its events in order, to be played by several backtests at once. */

import { EVENT, type EventChunk, type RecordedGap, type RecordedMarket } from '../../recording/contract.js';
import type { MarketSink, Stamp } from '../../recording/store/contract.js';
import { stepOfPrecision } from '../../shared/base/micros.js';
import type { ChunkStream, EventSource } from '../backtest/contract.js';

/** How far the run has been read, by the exchange's clock. */
export interface ReadSoFar {
  /** Nothing that is still to be read happened before it, Unix ms; Infinity once all was read. */
  readonly watermarkMs: number;
  /** Reads on until that is beyond this moment. */
  readUntil(timeMs: number): Promise<void>;
}

/** At most so many events at once. */
const CHUNK_EVENTS = 4096;

export class SeenMarket implements MarketSink {
  market: RecordedMarket;
  refused = 0;
  steppedBack = 0;
  readonly #reading: ReadSoFar;
  readonly #timeMs: number[] = [];
  readonly #kind: number[] = [];
  readonly #side: number[] = [];
  readonly #priceMicros: number[] = [];
  readonly #amountMicros: number[] = [];
  readonly #gaps: RecordedGap[] = [];
  #isOver = false;

  constructor(market: RecordedMarket, reading: ReadSoFar) {
    this.market = market;
    this.#reading = reading;
  }

  /** The exchange's clock, Unix ms; null before the first event. */
  get firstMs(): number | null {
    return this.#timeMs[0] ?? null;
  }

  describe(market: RecordedMarket): void {
    this.market = market;
  }

  level(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean {
    return this.#isEvent(priceMicros, amountMicros) && this.#write(EVENT.level, at, side, priceMicros, amountMicros);
  }

  trade(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean {
    const isTrade = this.#isEvent(priceMicros, amountMicros) && amountMicros > 0;
    return isTrade && this.#write(EVENT.trade, at, side, priceMicros, amountMicros);
  }

  clear(at: Stamp): void {
    this.#write(EVENT.clear, at, 0, 0, 0);
  }

  gap({ timeMs }: Stamp, reason: string): void {
    if (this.#isOver || this.#openGap !== null) return;
    this.#gaps.push({ fromMs: Math.max(timeMs, this.#timeMs.at(-1) ?? timeMs), toMs: null, reason });
  }

  end(at: Stamp): void {
    this.#isOver = this.#write(EVENT.end, at, 0, 0, 0) || this.#isOver;
  }

  poll(): void {
    // Round trips are counted where the requests are.
  }

  own(): void {
    // What is ours is read off the journal itself.
  }

  feedValue(): void {
    // As what is ours.
  }

  /** As a backtest plays it: each stream begins with the first event, and gives what there is as it comes. */
  get source(): EventSource {
    const seen = this;
    return {
      get market() {
        return seen.market;
      },
      firstMs: this.firstMs,
      summary: null,
      gaps: this.#gaps,
      warnings: [],
      open: () => new SeenStream(seen, this.#reading),
    };
  }

  /** Events from this one on, before or at this moment; null where there is none. */
  slice(from: number, untilMs: number): EventChunk | null {
    let to = from;
    const most = Math.min(this.#timeMs.length, from + CHUNK_EVENTS);
    while (to < most && (this.#timeMs[to] ?? 0) <= untilMs) to++;
    if (to === from) return null;
    return {
      length: to - from,
      timeMs: Float64Array.from(this.#timeMs.slice(from, to)),
      kind: Uint8Array.from(this.#kind.slice(from, to)),
      side: Uint8Array.from(this.#side.slice(from, to)),
      priceMicros: Int32Array.from(this.#priceMicros.slice(from, to)),
      amountMicros: Float64Array.from(this.#amountMicros.slice(from, to)),
    };
  }

  get #openGap(): RecordedGap | null {
    const last = this.#gaps.at(-1);
    return last?.toMs === null ? last : null;
  }

  #isEvent(priceMicros: number, amountMicros: number): boolean {
    const tick = stepOfPrecision(this.market.tickPrecision);
    const isPrice = priceMicros > 0 && priceMicros < 1_000_000 && priceMicros % tick === 0;
    if (isPrice && Number.isSafeInteger(amountMicros) && amountMicros >= 0) return true;
    this.refused++;
    return false;
  }

  /** What is told late happens when it is told: the backtests may have gone on. */
  #write(kind: number, { timeMs }: Stamp, side: number, priceMicros: number, amountMicros: number): boolean {
    if (this.#isOver) return false;
    const played = Math.max(timeMs, this.#timeMs.at(-1) ?? timeMs, this.#reading.watermarkMs);
    if (timeMs < played) this.steppedBack++;
    this.#timeMs.push(played);
    this.#kind.push(kind);
    this.#side.push(side);
    this.#priceMicros.push(priceMicros);
    this.#amountMicros.push(amountMicros);
    const gap = this.#openGap;
    if (gap !== null) this.#gaps[this.#gaps.length - 1] = { ...gap, toMs: played };
    return true;
  }
}

class SeenStream implements ChunkStream {
  readonly #market: SeenMarket;
  readonly #reading: ReadSoFar;
  #at = 0;
  #givenUntilMs = Number.NEGATIVE_INFINITY;

  constructor(market: SeenMarket, reading: ReadSoFar) {
    this.#market = market;
    this.#reading = reading;
  }

  get readUntilMs(): number {
    return this.#givenUntilMs;
  }

  /** Waits where the run has not been read any further than was given. Never null: a market ends with its event. */
  async next(): Promise<EventChunk | null> {
    if (this.#reading.watermarkMs <= this.#givenUntilMs) await this.#reading.readUntil(this.#givenUntilMs);
    const untilMs = this.#reading.watermarkMs;
    const chunk = this.#market.slice(this.#at, untilMs);
    this.#at += chunk?.length ?? 0;
    const isAll = chunk === null || chunk.length < CHUNK_EVENTS;
    this.#givenUntilMs = isAll ? untilMs : (chunk.timeMs[chunk.length - 1] ?? untilMs);
    return chunk ?? NOTHING;
  }

  close(): void {
    // The log is everybody's.
  }
}

const NOTHING: EventChunk = {
  length: 0,
  timeMs: new Float64Array(),
  kind: new Uint8Array(),
  side: new Uint8Array(),
  priceMicros: new Int32Array(),
  amountMicros: new Float64Array(),
};
