/** When something of ours was filled last in any outcome of an event: who traded with us may know of all of them. */

import type { StrategyEvent } from '../../src/trader/strategy/strategy.js';

export class LastFill {
  /** Our clock, ms; null before the first. */
  #atMs: number | null;

  /** @param saved what `save` gave in an earlier run; anything else begins without a fill */
  constructor(saved: unknown) {
    const isSaved = typeof saved === 'object' && saved !== null && 'filledMs' in saved;
    this.#atMs = isSaved && typeof saved.filledMs === 'number' ? saved.filledMs : null;
  }

  observe({ kind, nowMs }: StrategyEvent): void {
    if (kind === 'fill') this.#atMs = nowMs;
  }

  /** Whether that was less than this long ago. After a clock was set back it counts as none. */
  isWithin(ms: number, nowMs: number): boolean {
    return this.#atMs !== null && nowMs >= this.#atMs && nowMs - this.#atMs < ms;
  }

  save(): { readonly filledMs: number | null } {
    return { filledMs: this.#atMs };
  }
}
