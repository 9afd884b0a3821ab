import { ChunkWriter, isPrice } from '../../recording/chunks.js';
import { EVENT, type EventChunk, type RecordedGap, type RecordedMarket } from '../../recording/contract.js';
import type { MarketSink, Stamp } from '../../recording/store/segment.js';
import type { RecordingStore } from '../../recording/store/store.js';
import { stepOfPrecision } from '../../shared/base/micros.js';
import type { EventSource } from '../backtest/contract.js';
import { playFromMemory } from '../backtest/replay-driver.js';

/** A first book within this time after a run's start, ms, is moved to the start: backtests may read a book earlier. */
export const FIRST_LOOK_MS = 10_000;

export class MemoryStore implements Pick<RecordingStore, 'market'> {
  readonly #sinks = new Map<string, MemorySink>();

  market(market: RecordedMarket): MarketSink {
    const known = this.#sinks.get(market.conditionId);
    if (known !== undefined) return known;
    const sink = new MemorySink(market);
    this.#sinks.set(market.conditionId, sink);
    return sink;
  }

  sources(fromMs: number, toMs: number): EventSource[] {
    return [...this.#sinks.values()].flatMap((sink) => sink.source(fromMs, toMs) ?? []);
  }
}

class MemorySink implements MarketSink {
  market: RecordedMarket;
  refused = 0;
  // Polls are not stored, because backtests do not play them. Orders and feed values are read from the journal.
  readonly poll = () => undefined;
  readonly own = this.poll;
  readonly feedValue = this.poll;
  readonly #writer = new ChunkWriter();
  readonly #events = { level: 0, trade: 0, clear: 0, end: 0 };
  readonly #gaps: RecordedGap[] = [];
  #openGap: Omit<RecordedGap, 'toMs'> | null = null;
  #firstMs: number | null = null;
  #chunks: EventChunk[] | null = null;

  constructor(market: RecordedMarket) {
    this.market = market;
  }

  describe(market: RecordedMarket): void {
    this.market = market;
  }

  level(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean {
    return this.#isEvent(priceMicros, amountMicros) && this.#write('level', at, side, priceMicros, amountMicros);
  }

  trade(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean {
    if (!this.#isEvent(priceMicros, amountMicros) || amountMicros === 0) return false;
    return this.#write('trade', at, side, priceMicros, amountMicros);
  }

  clear(at: Stamp): void {
    this.#write('clear', at, 0, 0, 0);
  }

  gap({ timeMs }: Stamp, reason: string): void {
    if (this.#firstMs === null || this.#chunks !== null) return;
    this.#openGap ??= { fromMs: Math.max(timeMs, this.#writer.lastTimeMs), reason };
  }

  end({ timeMs }: Stamp): void {
    if (this.#chunks !== null) return;
    this.#chunks = this.#writer.end(timeMs);
    this.#events.end++;
    if (this.#openGap !== null) this.#gaps.push({ ...this.#openGap, toMs: null });
  }

  /** Ends the recording at `toMs`. Returns its events; null without events. An early first book moves to `fromMs`. */
  source(fromMs: number, toMs: number): EventSource | null {
    this.end({ timeMs: toMs, seenMs: null });
    const seenMs = this.#firstMs;
    if (seenMs === null) return null;
    const firstMs = seenMs > fromMs && seenMs - fromMs <= FIRST_LOOK_MS ? fromMs : seenMs;
    const chunks = this.#chunks ?? [];
    const times = chunks[0]?.timeMs ?? new Float64Array();
    for (let i = 0; times[i] === seenMs; i++) times[i] = firstMs;
    const { lastTimeMs: lastMs } = this.#writer;
    const openTimeMs = Math.max(this.market.openTimeMs, firstMs);
    const summary = { firstMs, lastMs, events: this.#events, gaps: this.#gaps, refused: this.refused, bytes: 0 };
    return playFromMemory({ ...this.market, openTimeMs }, chunks, summary);
  }

  #isEvent(priceMicros: number, amountMicros: number): boolean {
    const isWhole = Number.isSafeInteger(amountMicros) && amountMicros >= 0;
    if (isWhole && isPrice(priceMicros, stepOfPrecision(this.market.tickPrecision))) return true;
    this.refused++;
    return false;
  }

  #write(kind: 'level' | 'trade' | 'clear', at: Stamp, side: number, priceMicros: number, amountMicros: number) {
    if (this.#chunks !== null) {
      this.refused++;
      return false;
    }
    this.#writer.write(EVENT[kind], at.timeMs, side, priceMicros, amountMicros);
    this.#events[kind]++;
    this.#firstMs ??= at.timeMs;
    if (this.#openGap !== null) this.#gaps.push({ ...this.#openGap, toMs: this.#writer.lastTimeMs });
    this.#openGap = null;
    return true;
  }
}
