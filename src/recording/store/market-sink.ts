/** Writes the events of one market: checks and numbers them, and inserts snapshots of the book. */

import { stepOfPrecision } from '../../shared/base/micros.js';
import { isPrice } from '../chunks.js';
import type { RecordedMarket, RecordedPoll } from '../contract.js';
import { formatDate } from './layout.js';
import { type FeedRow, type MarketSink, type OwnRow, ROW, type Segment, type Stamp } from './segment.js';

/** Position in a market's recording: number and time of the last row. */
export interface Continuation {
  readonly lastSeq: number;
  readonly lastMs: number;
  readonly ended: boolean;
}

type SegmentOf = (date: string) => Segment;

const NOT_RECORDING = 'nothing was recorded';

type SinkSide = Map<number, number>;

export class RecordingSink implements MarketSink {
  /** Numbers of rejected events, and of events with a raised time, that are not yet in a manifest. */
  refused = 0;
  steppedBack = 0;
  changed = true;
  readonly notes: string[] = [];
  market: RecordedMarket;
  #tickMicros: number;
  readonly #openSegment: SegmentOf;
  readonly #snapshotEveryMs: number;
  #seq: number;
  #lastMs: number;
  #ended: boolean;
  #inGap = false;
  /** True before the first event after an earlier writer's rows; a gap is written before that event. */
  #isResuming: boolean;
  #snapshotMs = Number.NEGATIVE_INFINITY;
  /** True if `#book` is complete, which is the case from the first `clear` event on. */
  #bookKnown = false;
  readonly #book: readonly [bids: SinkSide, asks: SinkSide] = [new Map(), new Map()];
  #segment: Segment | null = null;
  #segmentDay = 0;

  constructor(market: RecordedMarket, before: Continuation | null, snapshotEveryMs: number, openSegment: SegmentOf) {
    this.market = market;
    this.#tickMicros = stepOfPrecision(market.tickPrecision);
    this.#openSegment = openSegment;
    this.#snapshotEveryMs = snapshotEveryMs;
    this.#seq = before?.lastSeq ?? 0;
    this.#lastMs = before?.lastMs ?? Number.NEGATIVE_INFINITY;
    this.#ended = before?.ended ?? false;
    this.#isResuming = before !== null && !before.ended;
  }

  /** UTC day of the last event; null before the first event. */
  get date(): string | null {
    return Number.isFinite(this.#lastMs) ? formatDate(this.#lastMs) : null;
  }

  describe(market: RecordedMarket, notes: readonly string[] = []): void {
    this.notes.push(...notes.filter((note) => !this.notes.includes(note)));
    // A known outcome is kept if a later description does not have it.
    this.market = { ...market, outcome: market.outcome ?? this.market.outcome };
    this.#tickMicros = stepOfPrecision(market.tickPrecision);
    this.changed = true;
  }

  level(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean {
    if (!this.#accepts(at, priceMicros, amountMicros)) return false;
    this.#event(at, ROW.level, side, priceMicros, amountMicros);
    const levels = side === 0 ? this.#book[0] : this.#book[1];
    if (amountMicros === 0) levels.delete(priceMicros);
    else levels.set(priceMicros, amountMicros);
    return true;
  }

  trade(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean {
    if (!this.#accepts(at, priceMicros, amountMicros, 1)) return false;
    this.#event(at, ROW.trade, side, priceMicros, amountMicros);
    return true;
  }

  clear(at: Stamp): void {
    if (this.#isOver(at)) return;
    for (const levels of this.#book) levels.clear();
    // If the book is empty, no snapshot is needed before this event.
    this.#bookKnown = false;
    this.#event(at, ROW.clear, 0, 0, 0);
    this.#bookKnown = true;
  }

  gap(at: Stamp, reason: string): void {
    if (this.#inGap || this.#isResuming || this.#isOver(at)) return;
    // There can be no gap before the first event of a market.
    if (this.#seq === 0) return;
    this.#gap(this.#clampTime(at), at.seenMs, reason);
  }

  end(at: Stamp): void {
    if (this.#isOver(at)) return;
    this.#event(at, ROW.end, 0, 0, 0);
    this.#ended = true;
  }

  poll(poll: RecordedPoll): void {
    this.#openSegment(formatDate(poll.sentMs)).poll(poll);
  }

  own(row: OwnRow): void {
    this.#openSegment(formatDate(row.seen_ms)).own(row);
  }

  feedValue(row: FeedRow): void {
    this.#openSegment(formatDate(row.seenMs)).feedValue(row);
  }

  #accepts(at: Stamp, priceMicros: number, amountMicros: number, leastMicros = 0): boolean {
    if (this.#isOver(at)) return false;
    if (isPrice(priceMicros, this.#tickMicros) && Number.isSafeInteger(amountMicros) && amountMicros >= leastMicros)
      return true;
    this.refused++;
    return false;
  }

  #isOver(at: Stamp): boolean {
    if (!this.#ended && Number.isSafeInteger(at.timeMs)) return false;
    this.refused++;
    return true;
  }

  #clampTime(at: Stamp): number {
    if (at.timeMs >= this.#lastMs) return at.timeMs;
    this.steppedBack++;
    return this.#lastMs;
  }

  #event(at: Stamp, kind: number, side: number, priceMicros: number, amountMicros: number): void {
    const timeMs = this.#clampTime(at);
    if (this.#isResuming) {
      this.#isResuming = false;
      this.#gap(this.#lastMs, at.seenMs, NOT_RECORDING);
    }
    const segment = this.#segmentAt(timeMs);
    const isNew = !segment.hasEvents && this.#seq > 0;
    if (kind === ROW.clear) {
      this.#snapshotMs = timeMs;
    } else if (this.#bookKnown && (isNew || timeMs >= this.#snapshotMs + this.#snapshotEveryMs)) {
      this.#writeSnapshot(timeMs, at.seenMs);
      this.#snapshotMs = timeMs;
    }
    this.#row(timeMs, at.seenMs, kind, side, priceMicros, amountMicros, null);
    this.#inGap = false;
  }

  #gap(timeMs: number, seenMs: number | null, reason: string): void {
    this.#row(timeMs, seenMs, ROW.gap, 0, 0, 0, reason);
    this.#inGap = true;
  }

  #writeSnapshot(timeMs: number, seenMs: number | null): void {
    this.#row(timeMs, seenMs, ROW.snapshot, 0, 0, 0, null);
    for (const [side, levels] of this.#book.entries()) {
      for (const [price, amount] of levels) this.#row(timeMs, seenMs, ROW.snapshot_level, side, price, amount, null);
    }
  }

  #row(
    timeMs: number,
    seenMs: number | null,
    kind: number,
    side: number,
    priceMicros: number,
    amountMicros: number,
    reason: string | null,
  ): void {
    const segment = this.#segmentAt(timeMs);
    segment.event(++this.#seq, timeMs, seenMs, kind, side, priceMicros, amountMicros, reason);
    this.#lastMs = timeMs;
  }

  #segmentAt(timeMs: number): Segment {
    // Days are compared as numbers: formatting a date for each row would take longer than all other work.
    const day = Math.floor(timeMs / DAY_MS);
    if (this.#segment === null || this.#segmentDay !== day || this.#segment.closing) {
      this.#segment = this.#openSegment(formatDate(timeMs));
      this.#segmentDay = day;
    }
    return this.#segment;
  }
}

const DAY_MS = 86_400_000;
