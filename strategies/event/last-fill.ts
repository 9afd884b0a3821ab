/** Time of the newest own fill in any outcome of an event: its taker may know something about all outcomes. */

import type { StrategyEvent } from '../../src/trader/strategy/strategy.js';

export class LastFill {
  /** Time of the newest own fill, our clock, ms; null before the first. */
  #atMs: number | null;

  /** @param saved result of `save` in an earlier run; anything else starts without a fill */
  constructor(saved: unknown) {
    const isSaved = typeof saved === 'object' && saved !== null && 'filledMs' in saved;
    this.#atMs = isSaved && typeof saved.filledMs === 'number' ? saved.filledMs : null;
  }

  observe({ kind, nowMs }: StrategyEvent): void {
    if (kind === 'fill') this.#atMs = nowMs;
  }

  /** True when the newest fill is younger than this; false after our clock was set back. */
  isWithin(ms: number, nowMs: number): boolean {
    return this.#atMs !== null && nowMs >= this.#atMs && nowMs - this.#atMs < ms;
  }

  save(): { readonly filledMs: number | null } {
    return { filledMs: this.#atMs };
  }
}
