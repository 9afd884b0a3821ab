/** Rows of `events` in memory as growing columns: an import's segment before it becomes Parquet. */

import { EVENT } from '../contract.js';

/** Kinds of rows as bytes: those of the stream, and those only in files. */
export const ROW = { ...EVENT, snapshot: 4, snapshot_level: 5, gap: 6 } as const;

export const isPriced = (kind: number): boolean =>
  kind === ROW.level || kind === ROW.trade || kind === ROW.snapshot_level;

/** As many as most imported markets have, at 22 bytes: an outgrown array is garbage. */
const FIRST_CAPACITY = 65_536;

export class EventColumns {
  /** Rows are numbered consecutively from here. */
  readonly firstSeq: number;
  length = 0;
  timeMs: Float64Array = new Float64Array(FIRST_CAPACITY);
  /** NaN: unknown; null while none is known, as in imports. */
  seenMs: Float64Array | null = null;
  kind: Uint8Array = new Uint8Array(FIRST_CAPACITY);
  side: Uint8Array = new Uint8Array(FIRST_CAPACITY);
  /** Of a gap: index of its reason in `reasons`, from 1. */
  priceMicros: Int32Array = new Int32Array(FIRST_CAPACITY);
  amountMicros: Float64Array = new Float64Array(FIRST_CAPACITY);
  readonly reasons: string[] = [];

  constructor(firstSeq: number) {
    this.firstSeq = firstSeq;
  }

  push(timeMs: number, seenMs: number | null, kind: number, side: number, price: number, amount: number): void {
    if (this.length === this.timeMs.length) this.#grow();
    const at = this.length++;
    this.timeMs[at] = timeMs;
    if (seenMs !== null) this.#seen(at, seenMs);
    this.kind[at] = kind;
    this.side[at] = side;
    this.priceMicros[at] = price;
    this.amountMicros[at] = amount;
  }

  #seen(at: number, seenMs: number): void {
    this.seenMs ??= new Float64Array(this.timeMs.length).fill(Number.NaN);
    this.seenMs[at] = seenMs;
  }

  /** Price value of a gap with this reason. */
  reason(text: string): number {
    const known = this.reasons.indexOf(text);
    return known >= 0 ? known + 1 : this.reasons.push(text);
  }

  #grow(): void {
    const capacity = this.timeMs.length * 2;
    this.timeMs = larger(this.timeMs, new Float64Array(capacity));
    if (this.seenMs !== null) this.seenMs = larger(this.seenMs, new Float64Array(capacity).fill(Number.NaN));
    this.kind = larger(this.kind, new Uint8Array(capacity));
    this.side = larger(this.side, new Uint8Array(capacity));
    this.priceMicros = larger(this.priceMicros, new Int32Array(capacity));
    this.amountMicros = larger(this.amountMicros, new Float64Array(capacity));
  }
}

function larger<Column extends Float64Array | Uint8Array | Int32Array>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
