/** Knows the latest lines of a Kalshi recording by the numbers of their messages, so that what stands in it twice is taken once. */

/** Lines remembered for each subscription, at most twice as many; duplicates come close together. */
const REMEMBERED = 5_000;

/** The lines of one subscription by their numbers: when the newer ones are full they become the older ones. */
interface Told {
  newer: Map<number, string>;
  older: ReadonlyMap<number, string>;
}

export class DuplicateFilter {
  readonly #told = new Map<number, Told>();

  /**
   * Whether this very line was there before; notes it if not. A line is given as any text that stands for its bytes. Two changes may be alike, so only where messages are numbered
   * (not all by the same number) is the second one a repetition.
   */
  knows(line: string, sid: number | null, seq: number | null): boolean {
    if (sid === null || seq === null) return false;
    const told = this.#of(sid);
    const known = told.newer.get(seq) ?? told.older.get(seq);
    if (known === line && told.newer.size + told.older.size > 1) return true;
    // Not one by one: a map is slow to find its first entry once many before it are gone.
    if (told.newer.size >= REMEMBERED) {
      told.older = told.newer;
      told.newer = new Map();
    }
    told.newer.set(seq, line);
    return false;
  }

  #of(sid: number): Told {
    const known = this.#told.get(sid);
    if (known !== undefined) return known;
    const fresh: Told = { newer: new Map(), older: new Map() };
    this.#told.set(sid, fresh);
    return fresh;
  }
}
