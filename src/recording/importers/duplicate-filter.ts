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

export class DuplicateFilter {
  readonly #told = new Map<number, Told>();
  /**
   * The latest bytes, each at its count modulo the length. They are copied: pieces that were kept for them would outlive two
   * collections of new objects each, and all of them would be looked through for it.
   */
  readonly #latest = Buffer.allocUnsafeSlow(REMEMBERED_BYTES);
  #piece: Uint8Array = new Uint8Array(0);
  /** Of the piece's first byte, and of the one after its last, counted in bytes of all pieces. */
  #fromAt = 0;
  #endAt = 0;

  /** The lines that `knows` is asked of from now on lie in these bytes, which nobody changes before the next ones. */
  begin(bytes: Uint8Array): void {
    this.#piece = bytes;
    this.#fromAt = this.#endAt;
    this.#endAt += bytes.length;
    const skipped = Math.max(0, bytes.length - REMEMBERED_BYTES);
    const at = (this.#fromAt + skipped) % REMEMBERED_BYTES;
    const cut = skipped + REMEMBERED_BYTES - at;
    this.#latest.set(bytes.subarray(skipped, cut), at);
    if (cut < bytes.length) this.#latest.set(bytes.subarray(cut), 0);
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
    note(told, seq, this.#fromAt + from, end - from);
    return false;
  }

  #isSame(beforeFrom: number, length: number, from: number, end: number): boolean {
    if (length !== end - from || beforeFrom < this.#endAt - REMEMBERED_BYTES) return false;
    const at = beforeFrom % REMEMBERED_BYTES;
    const cut = Math.min(end, from + REMEMBERED_BYTES - at);
    const [before, latest, piece] = [at + cut - from, this.#latest, this.#piece];
    if (latest.compare(piece, from, cut, at, before) !== 0) return false;
    return cut === end || latest.compare(piece, cut, end, 0, end - cut) === 0;
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
