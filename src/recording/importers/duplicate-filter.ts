/** Knows the latest lines of a Kalshi recording by the numbers of their messages, so that what stands in it twice is taken once. */

/** Numbers remembered for each subscription, at most; a power of two. Duplicates come close together. */
const REMEMBERED = 8_192;
/** Each subscription begins with so many; a power of two. */
const FIRST_REMEMBERED = 64;
/** Bytes of lines that are remembered: more than so many lines of all subscriptions take. */
const REMEMBERED_BYTES = 4 * 1024 * 1024;

/** The latest lines of one subscription: each stands at the place that its number gives. */
interface Told {
  numbers: Float64Array;
  /** Where the line begins, counted in bytes of all pieces. */
  from: Float64Array;
  /** Bytes of the line. */
  length: Int32Array;
  count: number;
  readonly first: number;
  /** More than one number was seen. */
  isNumbered: boolean;
}

interface Piece {
  readonly bytes: Uint8Array;
  /** Of its first byte, counted in bytes of all pieces. */
  readonly fromAt: number;
}

export class DuplicateFilter {
  readonly #told = new Map<number, Told>();
  /** The latest, newest last; not copied, for a copy of each line would cost more than all else that is done with it. */
  #pieces: Piece[] = [];
  #piece: Piece = { bytes: new Uint8Array(0), fromAt: 0 };
  #heldBytes = 0;

  /** The lines that `knows` is asked of from now on lie in these bytes, which nobody changes any more. */
  begin(bytes: Uint8Array): void {
    this.#piece = { bytes, fromAt: this.#piece.fromAt + this.#piece.bytes.length };
    this.#pieces.push(this.#piece);
    this.#heldBytes += bytes.length;
    while (this.#pieces.length > 1 && this.#heldBytes > REMEMBERED_BYTES) {
      this.#heldBytes -= this.#pieces.shift()?.bytes.length ?? 0;
    }
  }

  /**
   * Whether this very line, given by its place in the piece, was there before; notes it if not. Two changes may be alike, so
   * only where messages are numbered (not all by the same number) is the second one a repetition.
   */
  knows(from: number, end: number, sid: number | null, seq: number | null): boolean {
    if (sid === null || seq === null) return false;
    const told = this.#of(sid, seq);
    const at = seq & (told.numbers.length - 1);
    if (told.numbers[at] === seq) {
      if (told.isNumbered && this.#isSame(told.from[at] ?? 0, told.length[at] ?? 0, from, end)) return true;
    } else if (told.count++ > 0 && told.count > told.numbers.length && told.numbers.length < REMEMBERED) {
      growTold(told);
    }
    if (seq !== told.first) told.isNumbered = true;
    note(told, seq, this.#piece.fromAt + from, end - from);
    return false;
  }

  #isSame(beforeFrom: number, length: number, from: number, end: number): boolean {
    if (length !== end - from) return false;
    const piece = this.#pieces.findLast(({ fromAt }) => fromAt <= beforeFrom);
    if (piece === undefined) return false;
    const at = beforeFrom - piece.fromAt;
    return Buffer.compare(piece.bytes.subarray(at, at + length), this.#piece.bytes.subarray(from, end)) === 0;
  }

  #of(sid: number, seq: number): Told {
    const known = this.#told.get(sid);
    if (known !== undefined) return known;
    const fresh: Told = { ...newPlaces(FIRST_REMEMBERED), count: 0, first: seq, isNumbered: false };
    this.#told.set(sid, fresh);
    return fresh;
  }
}

const newPlaces = (count: number) => ({
  numbers: new Float64Array(count).fill(Number.NaN),
  from: new Float64Array(count),
  length: new Int32Array(count),
});

function note(told: Pick<Told, 'numbers' | 'from' | 'length'>, seq: number, from: number, length: number): void {
  const at = seq & (told.numbers.length - 1);
  told.numbers[at] = seq;
  told.from[at] = from;
  told.length[at] = length;
}

function growTold(told: Told): void {
  const wider = newPlaces(told.numbers.length * 2);
  for (let at = 0; at < told.numbers.length; at++) {
    const seq = told.numbers[at] ?? Number.NaN;
    if (!Number.isNaN(seq)) note(wider, seq, told.from[at] ?? 0, told.length[at] ?? 0);
  }
  Object.assign(told, wider);
}
