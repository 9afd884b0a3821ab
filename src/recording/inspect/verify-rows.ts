/** Reads every row of the event files, snapshots included, and compares them. */

import type { DuckDBDataChunk } from '@duckdb/node-api';
import { fileError, streamChunks, typedColumn, withConnection } from '../store/duckdb.js';
import { isPriced, ROW } from '../store/event-columns.js';
import type { EventsFile } from '../store/manifest.js';
import { rowSelect } from '../store/tables.js';
import { BookMeter } from './book-meter.js';

export class RowCheck {
  readonly #tickMicros: number;
  readonly #book: BookMeter;
  /** Null while the book is unknown: before the first clear or snapshot. */
  #known = false;
  #nextSeq: number | null = null;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** Correct and wrong levels of the present snapshot; null outside one. */
  #snapshot: { right: number; wrong: number } | null = null;
  #faults = new Map<string, number>();

  constructor(tickMicros: number) {
    this.#tickMicros = tickMicros;
    this.#book = new BookMeter(tickMicros);
  }

  /** `source`: rows of a file, as a table of SQL. Returns problems as sentences. */
  async file(source: string, about: EventsFile): Promise<string[]> {
    this.#faults = new Map();
    if (this.#nextSeq !== null && this.#nextSeq !== about.first_seq) {
      this.#fault(`rows ${this.#nextSeq} to ${about.first_seq - 1}, which belong before this file, are missing`);
      this.#known = false;
      this.#book.apply(ROW.clear, 0, 0, 0);
    }
    this.#nextSeq = about.first_seq;
    const firstSeq = this.#nextSeq;
    try {
      await withConnection(async (connection) => {
        for await (const rows of streamChunks(connection, rowSelect(source), 'it cannot be read')) this.#chunk(rows);
      });
    } catch (error) {
      this.#fault(fileError('recording_invalid', 'it cannot be read', error).message);
    }
    this.#endSnapshot();
    const read = this.#nextSeq - firstSeq;
    if (read !== about.rows) this.#fault(`it has ${read} rows, its manifest says ${about.rows}`);
    return [...this.#faults].map(([message, count]) => (count === 1 ? message : `${message} (${count} times)`));
  }

  #chunk(rows: DuckDBDataChunk): void {
    const seq = typedColumn(rows, 0, Float64Array);
    const timeMs = typedColumn(rows, 1, Float64Array);
    const kind = typedColumn(rows, 2, Uint8Array);
    const side = typedColumn(rows, 3, Uint8Array);
    const price = typedColumn(rows, 4, Int32Array);
    const amount = typedColumn(rows, 5, Float64Array);
    const { rowCount } = rows;
    for (let at = 0; at < rowCount; at++) {
      // Columns are as long as their chunk.
      this.#order(seq[at] as number, timeMs[at] as number);
      this.#row(kind[at] as number, side[at] as number, price[at] as number, amount[at] as number);
    }
  }

  #order(seq: number, timeMs: number): void {
    if (seq !== this.#nextSeq) this.#fault('a row number is not the one that follows');
    this.#nextSeq = (this.#nextSeq ?? 0) + 1;
    if (timeMs < this.#lastMs) this.#fault('time runs backwards');
    this.#lastMs = Math.max(this.#lastMs, timeMs);
  }

  #row(kind: number, side: number, price: number, amount: number): void {
    if (kind !== ROW.snapshot_level) this.#endSnapshot();
    if (kind === UNKNOWN) this.#fault('a row is of a kind that is not known');
    if (isPriced(kind) && !this.#isSound(side, price, amount)) {
      this.#fault('a row has a price off the tick, an amount below zero or no side');
      return;
    }
    if (kind === ROW.snapshot) this.#snapshot = { right: 0, wrong: 0 };
    else if (kind === ROW.snapshot_level) this.#snapshotLevel(side, price, amount);
    else if (kind === ROW.clear) this.#known = true;
    if (kind === ROW.clear || kind === ROW.level) this.#book.apply(kind, side, price, amount);
  }

  #isSound(side: number, price: number, amount: number): boolean {
    return side <= 1 && price > 0 && price < 1_000_000 && price % this.#tickMicros === 0 && amount >= 0;
  }

  #snapshotLevel(side: number, price: number, amount: number): void {
    if (!this.#known) this.#book.apply(ROW.level, side, price, amount);
    if (this.#snapshot === null) return;
    if (this.#book.amountAt(side, price) === amount) this.#snapshot.right++;
    else this.#snapshot.wrong++;
  }

  /** A snapshot must equal the sum of the changes before it. */
  #endSnapshot(): void {
    const { right, wrong } = this.#snapshot ?? { right: this.#book.levelCount, wrong: 0 };
    if (wrong > 0 || right !== this.#book.levelCount) {
      this.#fault('a snapshot is not the book that the changes before it make');
    }
    if (this.#snapshot !== null) this.#known = true;
    this.#snapshot = null;
  }

  #fault(message: string): void {
    this.#faults.set(message, (this.#faults.get(message) ?? 0) + 1);
  }
}

/** Of a kind without a number in the query. */
const UNKNOWN = 255;
