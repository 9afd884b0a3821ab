/** Decoded events in memory shared by threads: one slab holds a run of events as columns. 22 bytes per event. */

import { createHash } from 'node:crypto';
import type { EventChunk } from '../../recording/contract.js';

/** Large enough for low overhead, small enough that the last one wastes little. */
export const SLAB_EVENTS = 65_536;
export const BYTES_PER_EVENT = 22;

/** `length` events: times and amounts, then prices, then kinds and sides. */
export interface Slab {
  readonly length: number;
  readonly bytes: SharedArrayBuffer;
}

/** A slab as columns for a backtest; nothing is copied. */
export function viewColumns({ length, bytes }: Slab): EventChunk {
  return {
    length,
    timeMs: new Float64Array(bytes, 0, length),
    amountMicros: new Float64Array(bytes, 8 * length, length),
    priceMicros: new Int32Array(bytes, 16 * length, length),
    kind: new Uint8Array(bytes, 20 * length, length),
    side: new Uint8Array(bytes, 21 * length, length),
  };
}

export type ReadEvents = ReturnType<SlabWriter['end']>;

/** Bytes of decoded data that may still be kept, over all recordings. Once exceeded, nothing more is kept. */
export interface Room {
  leftBytes: number;
}

/** Collects one recording's chunks into slabs while there is room. */
export class SlabWriter {
  readonly #hash = createHash('sha256');
  readonly #room: Room;
  #slabs: Slab[] | null = [];
  #open = viewColumns(newSlab(SLAB_EVENTS));
  #at = 0;
  #events = 0;
  #firstMs: number | null = null;
  #lastMs: number | null = null;

  constructor(room: Room) {
    this.#room = room;
  }

  write(chunk: EventChunk): void {
    if (chunk.length === 0) return;
    this.#firstMs ??= chunk.timeMs[0] ?? null;
    this.#lastMs = chunk.timeMs[chunk.length - 1] ?? null;
    for (let from = 0; from < chunk.length; ) {
      const count = Math.min(chunk.length - from, SLAB_EVENTS - this.#at);
      copy(this.#open, this.#at, chunk, from, from + count);
      from += count;
      this.#at += count;
      if (this.#at === SLAB_EVENTS) this.#close();
    }
  }

  end() {
    if (this.#at > 0) this.#close();
    const [events, firstMs, lastMs] = [this.#events, this.#firstMs, this.#lastMs];
    return {
      events,
      firstMs,
      lastMs,
      /** Lower-case hex SHA-256 over all events, independent of their chunks. */
      hash: this.#hash.digest('hex'),
      slabs: this.#room.leftBytes < 0 ? null : this.#slabs,
    };
  }

  #close(): void {
    const length = this.#at;
    this.#at = 0;
    this.#events += length;
    const slab = newSlab(length);
    const columns = viewColumns(slab);
    copy(columns, 0, this.#open, 0, length);
    this.#hash.update(new Uint8Array(slab.bytes));
    this.#room.leftBytes -= slab.bytes.byteLength;
    if (this.#room.leftBytes < 0) this.#slabs = null;
    this.#slabs?.push(slab);
  }
}

const newSlab = (length: number): Slab => ({ length, bytes: new SharedArrayBuffer(length * BYTES_PER_EVENT) });

function copy(to: EventChunk, at: number, from: EventChunk, start: number, end: number): void {
  to.timeMs.set(from.timeMs.subarray(start, end), at);
  to.amountMicros.set(from.amountMicros.subarray(start, end), at);
  to.priceMicros.set(from.priceMicros.subarray(start, end), at);
  to.kind.set(from.kind.subarray(start, end), at);
  to.side.set(from.side.subarray(start, end), at);
}
