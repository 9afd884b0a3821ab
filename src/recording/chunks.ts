/** Collects events into columns of a fixed size. */

import { EVENT, type EventChunk } from './contract.js';

/** Events in a chunk: 22 bytes each, about 90 KiB; large enough for a low cost per chunk. */
const CHUNK_EVENTS = 4096;

/**
 * Takes events one by one and returns full chunks; an event's time is raised to the previous one's if it is earlier.
 */
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
