/** A part of a recorded market: from one moment, with the book as it stood then, to another, where it ends. */

import { ChunkWriter } from '../../recording/chunks.js';
import { EVENT, type EventChunk } from '../../recording/contract.js';
import type { ChunkStream, EventSource } from '../backtest/contract.js';
import { formatQuantity } from '../report/figures.js';
import { FIRST_LOOK_MS } from './contract.js';

/** How long a market stays open beyond the part, ms: whoever stops at its end still finds his orders. */
const ROOM_MS = 60_000;

/** By the recording's clock, Unix ms. What was recorded outside of it is read, but not played. */
export function clipSource(source: EventSource, fromMs: number, untilMs: number): EventSource {
  const gaps = (source.summary?.gaps ?? []).filter((gap) => gap.fromMs < untilMs && (gap.toMs ?? untilMs) > fromMs);
  // Within a gap what was known of the book does not hold any more.
  const isBookKnown = !gaps.some((gap) => gap.fromMs <= fromMs);
  const told =
    gaps.length === 0
      ? []
      : [`the recording of "${source.market.title}" has ${formatQuantity(gaps.length, 'gap')} in this span`];
  return {
    market: { ...source.market, openTimeMs: Math.max(source.market.openTimeMs, fromMs) },
    firstMs: null,
    // Its figures are of the whole recording.
    summary: null,
    get warnings() {
      return [...source.warnings, ...told];
    },
    open: () => new ClippedStream(source.open(), { fromMs, untilMs, isBookKnown }),
  };
}

type Levels = Map<number, number>;

interface Part {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Whether what was recorded before the part says what the book is at its beginning. */
  readonly isBookKnown: boolean;
}

class ClippedStream implements ChunkStream {
  readonly #stream: ChunkStream;
  readonly #part: Part;
  readonly #writer = new ChunkWriter();
  /** The book before the part begins; null once it has begun. */
  #before: readonly [bids: Levels, asks: Levels] | null = [new Map(), new Map()];
  #ready: EventChunk[] = [];
  #isOver = false;
  /** The moment of the first book, where that was seen soon after the beginning: see `FIRST_LOOK_MS`. */
  #firstMs: number | null = null;

  constructor(stream: ChunkStream, part: Part) {
    this.#stream = stream;
    this.#part = part;
  }

  async next(): Promise<EventChunk | null> {
    while (this.#ready.length === 0 && !this.#isOver) {
      const chunk = await this.#stream.next();
      if (chunk === null) this.#end();
      else for (let i = 0; i < chunk.length && !this.#isOver; i++) this.#take(chunk, i);
      this.#ready.push(...this.#writer.take());
    }
    return this.#ready.shift() ?? null;
  }

  close(): void {
    this.#stream.close();
  }

  #take({ timeMs, kind, side, priceMicros, amountMicros }: EventChunk, i: number): void {
    const [at = 0, what = 0, where = 0] = [timeMs[i], kind[i], side[i]];
    const [price = 0, amount = 0] = [priceMicros[i], amountMicros[i]];
    if (this.#before !== null && at >= this.#part.fromMs) this.#begin(this.#before, at);
    if (at > this.#part.untilMs || what === EVENT.end) return this.#end();
    const playedMs = at === this.#firstMs ? this.#part.fromMs : at;
    if (this.#before === null) return this.#writer.write(what, playedMs, where, price, amount);
    if (what === EVENT.clear) for (const levels of this.#before) levels.clear();
    if (what !== EVENT.level) return;
    const levels = this.#before[where === 0 ? 0 : 1];
    if (amount === 0) levels.delete(price);
    else levels.set(price, amount);
  }

  #begin(book: readonly [bids: Levels, asks: Levels], atMs: number): void {
    this.#before = null;
    if (!this.#part.isBookKnown) for (const levels of book) levels.clear();
    const isNew = book.every((levels) => levels.size === 0);
    if (isNew && atMs - this.#part.fromMs <= FIRST_LOOK_MS) this.#firstMs = atMs;
    for (const [side, levels] of book.entries()) {
      for (const [price, amount] of levels) this.#writer.write(EVENT.level, this.#part.fromMs, side, price, amount);
    }
  }

  /** A recording that ended before the part begins has nothing in it. */
  #end(): void {
    this.#isOver = true;
    if (this.#before !== null) return;
    this.#ready.push(...this.#writer.end(this.#part.untilMs + ROOM_MS));
  }
}
