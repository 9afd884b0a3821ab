/**
 * The latest text of a stream of lines, in memory that is used over and over: hundreds of megabytes come through it, and
 * new memory for them would be collected as garbage again and again. Lines lie in one piece; what is unpacked is put
 * where it stays.
 */

/** What is put into the ring at a time, at most. */
export const ROOM_BYTES = 1024 * 1024;

/** A longer line is no message of any venue; it is dropped and counted instead of filling the memory. */
const MAX_LINE_BYTES = 4 * ROOM_BYTES;

/** An unfinished line and what comes next have room, and more lines than are remembered of any stream (`duplicate-filter.ts`). */
const RING_BYTES = 6 * ROOM_BYTES;

const NEWLINE = 0x0a;

/** Memory of rings that ended: three streams are read at a time, hardly ever more. */
const spare: Buffer[] = [];
const MOST_SPARE = 3;

export class TextRing {
  readonly bytes = spare.pop() ?? Buffer.allocUnsafeSlow(RING_BYTES);
  /** Where the unfinished line begins, and where the text ends. */
  #lineAt = 0;
  #endAt = 0;
  /** Bytes of the ring times the laps made. */
  #lapped = 0;

  /** Where the next text goes; there is room for `ROOM_BYTES`. */
  makeRoom(): number {
    if (this.bytes.length - this.#endAt < ROOM_BYTES) {
      this.bytes.copyWithin(0, this.#lineAt, this.#endAt);
      this.#endAt -= this.#lineAt;
      this.#lineAt = 0;
      this.#lapped += this.bytes.length;
    }
    return this.#endAt;
  }

  /** Text that stands where `makeRoom` said. Gives the whole lines with it, the unfinished one before it too; null where there are none. */
  take(length: number): Lines | null {
    this.#endAt += length;
    const from = this.#lineAt;
    const end = this.bytes.lastIndexOf(NEWLINE, this.#endAt - 1) + 1;
    if (end <= from) return null;
    this.#lineAt = end;
    return { bytes: this.bytes, from, end };
  }

  /** Whether the unfinished line is too long to be one; then it is dropped. */
  dropLong(): boolean {
    if (this.#endAt - this.#lineAt <= MAX_LINE_BYTES) return false;
    this.#lineAt = this.#endAt;
    return true;
  }

  /** The unfinished line, which nothing follows; null where there is none. */
  finish(): Lines | null {
    const [from, end] = [this.#lineAt, this.#endAt];
    this.#lineAt = end;
    return end > from ? { bytes: this.bytes, from, end } : null;
  }

  /** Of a byte of the text that was taken last: its place, counted over all laps. */
  place(at: number): number {
    return this.#lapped + at;
  }

  /** Where the byte of that place stands, if the text from there on was not written over; else -1. */
  find(place: number): number {
    return place >= this.#lapped + this.#endAt - this.bytes.length ? place % this.bytes.length : -1;
  }

  /** Its memory goes to the next ring. */
  end(): void {
    if (spare.length < MOST_SPARE) spare.push(this.bytes);
  }
}

/** Whole lines: each ends with a newline, but for the last one of a file that does not. They stay until the next are asked for. */
export interface Lines {
  readonly bytes: Buffer;
  readonly from: number;
  readonly end: number;
}
