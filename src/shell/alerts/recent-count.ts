/** Increase of a count within the last minutes. */

const WINDOW_MS = 600_000;

export class RecentCount {
  #total: number | null = null;
  #rises: { readonly atMs: number; readonly by: number }[] = [];

  /** @param total the present count; a smaller one is a restarted count @param nowMs a clock that never steps */
  note(total: number, nowMs: number): void {
    const by = total - (this.#total ?? total);
    this.#total = total;
    if (by > 0) this.#rises.push({ atMs: nowMs, by });
  }

  /** Count of the last ten minutes. */
  count(nowMs: number): number {
    this.#rises = this.#rises.filter(({ atMs }) => nowMs - atMs < WINDOW_MS);
    return this.#rises.reduce((sum, { by }) => sum + by, 0);
  }
}
