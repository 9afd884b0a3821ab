/** How much a count has risen lately. */

const WINDOW_MS = 600_000;

export class RecentCount {
  #total: number | null = null;
  #rises: { readonly atMs: number; readonly by: number }[] = [];

  /** @param total what is counted now; less than before is a count that began anew @param nowMs a clock that never steps */
  note(total: number, nowMs: number): void {
    const by = total - (this.#total ?? total);
    this.#total = total;
    if (by > 0) this.#rises.push({ atMs: nowMs, by });
  }

  /** Of the last ten minutes. */
  count(nowMs: number): number {
    this.#rises = this.#rises.filter(({ atMs }) => nowMs - atMs < WINDOW_MS);
    return this.#rises.reduce((sum, { by }) => sum + by, 0);
  }
}
