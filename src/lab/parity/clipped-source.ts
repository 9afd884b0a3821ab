/** A part of a recorded market: from one moment, with the book as it stood then, to another, where it ends. */

import { ChunkWriter } from '../../recording/chunks.js';
import { EVENT, type EventChunk } from '../../recording/contract.js';
import type { ChunkStream, EventSource } from '../backtest/contract.js';
import { formatQuantity } from '../report/figures.js';
import { FIRST_LOOK_MS } from './memory-store.js';

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
    open: () => {
      const stream = source.open();
      const chunks = clipChunks(stream, { fromMs, untilMs, isBookKnown });
      return { next: async () => (await chunks.next()).value ?? null, close: () => stream.close() };
    },
  };
}

interface Part {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Whether what was recorded before the part says what the book is at its beginning. */
  readonly isBookKnown: boolean;
}

/** A recording that ended before the part begins has nothing in it. */
async function* clipChunks(stream: ChunkStream, part: Part): AsyncGenerator<EventChunk, void> {
  const { fromMs, untilMs } = part;
  const writer = new ChunkWriter();
  const book: Book = [new Map(), new Map()];
  let hasBegun = false;
  let isOver = false;
  /** The moment of the first book, where that was seen soon after the beginning: see `FIRST_LOOK_MS`. */
  let firstMs: number | null = null;
  for (let chunk = await stream.next(); chunk !== null; chunk = await stream.next()) {
    for (let i = 0; i < chunk.length; i++) {
      const [at = 0, kind = 0, side = 0] = [chunk.timeMs[i], chunk.kind[i], chunk.side[i]];
      const [price = 0, amount = 0] = [chunk.priceMicros[i], chunk.amountMicros[i]];
      if (!hasBegun && at >= fromMs) {
        hasBegun = true;
        firstMs = writeOpeningBook(book, at, part, writer);
      }
      isOver = at > untilMs || kind === EVENT.end;
      if (isOver) break;
      if (hasBegun) writer.write(kind, at === firstMs ? fromMs : at, side, price, amount);
      else if (kind === EVENT.clear) for (const levels of book) levels.clear();
      else if (kind === EVENT.level) setLevel(book[side === 0 ? 0 : 1], price, amount);
    }
    yield* writer.take();
    if (isOver) break;
  }
  if (hasBegun) yield* writer.end(untilMs + ROOM_MS);
}

type Book = readonly [bids: Map<number, number>, asks: Map<number, number>];

function setLevel(levels: Map<number, number>, price: number, amount: number): void {
  if (amount === 0) levels.delete(price);
  else levels.set(price, amount);
}

/** Returns the moment of the first book if it is moved to the beginning of the part, else null. */
function writeOpeningBook(book: Book, atMs: number, { fromMs, isBookKnown }: Part, writer: ChunkWriter): number | null {
  const isNew = !isBookKnown || book.every((levels) => levels.size === 0);
  if (isNew) return atMs - fromMs <= FIRST_LOOK_MS ? atMs : null;
  for (const [side, levels] of book.entries())
    for (const [price, amount] of levels) writer.write(EVENT.level, fromMs, side, price, amount);
  return null;
}
