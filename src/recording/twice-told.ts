/** Knows the latest lines of a Kalshi recording by the numbers of their messages, so that what stands in it twice is taken once. */

/** Of each subscription; repetitions stand close together. */
const REMEMBERED = 10_000;

export class TwiceTold {
  /** By subscription, the line of each number. */
  readonly #lines = new Map<number, Map<number, string>>();

  /**
   * Whether this very line was there before; notes it if not. Two changes may be alike, so only where messages are numbered
   * (not all by the same number) is the second one a repetition.
   */
  knows(line: string, sid: number | null, seq: number | null): boolean {
    if (sid === null || seq === null) return false;
    const lines = this.#lines.get(sid) ?? new Map<number, string>();
    this.#lines.set(sid, lines);
    if (lines.get(seq) === line && lines.size > 1) return true;
    lines.set(seq, line);
    if (lines.size > REMEMBERED) {
      // The first that was noted.
      const [oldest] = lines.keys();
      if (oldest !== undefined) lines.delete(oldest);
    }
    return false;
  }
}
