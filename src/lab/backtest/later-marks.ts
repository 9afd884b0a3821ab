/** Middles some time after a moment, taken as they become due; for fills, and for orders that stood crossed. */

import { MARKOUT_HORIZONS_MS } from '../session/contract.js';

/** Something whose later marks are wanted: one for each horizon, as they become known. */
interface Marked {
  readonly timeMs: number;
  readonly marksAfterMicros: (number | null)[];
}

/** In order of time, as it grows: so one place for each horizon is all that there is to remember. */
export class LaterMarks<T extends Marked> {
  readonly rows: T[] = [];
  /** By horizon: how many of `rows` have their mark. */
  readonly #marked = MARKOUT_HORIZONS_MS.map(() => 0);

  /** When the next mark is due, Unix ms; Infinity when none is. */
  get nextMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (let h = 0; h < MARKOUT_HORIZONS_MS.length; h++) {
      const row = this.rows[this.#marked[h] ?? 0];
      if (row !== undefined) nextMs = Math.min(nextMs, row.timeMs + (MARKOUT_HORIZONS_MS[h] ?? 0));
    }
    return nextMs;
  }

  /** Gives this mark to all that is due by then. */
  take(untilMs: number, mark: number | null): void {
    for (const [h, horizonMs] of MARKOUT_HORIZONS_MS.entries()) {
      let at = this.#marked[h] ?? 0;
      for (let row = this.rows[at]; row !== undefined && row.timeMs + horizonMs <= untilMs; row = this.rows[at]) {
        row.marksAfterMicros[h] = mark;
        at++;
      }
      this.#marked[h] = at;
    }
  }
}
