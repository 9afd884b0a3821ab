/**
 * Counts the orders and cancels of the last minute. Cancels count but are never held back; the next order is. A
 * strategy that places and cancels without end is stopped by its own traffic.
 *
 * The newest ledger rows are its memory, so it survives a restart.
 */

/** What control 9 compares. */
export interface PaceFacts {
  /** Orders and cancels of the last second and of the last minute. */
  readonly lastSecond: number;
  readonly lastMinute: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

export class ActionPace {
  /** Our clock, ms, of each action; dropped when more than a minute from the newest read. */
  #timesMs: number[];
  /** Cached: all orders of a step are judged at the same time. */
  #newest: { readonly nowMs: number; readonly facts: PaceFacts } | null = null;

  /** @param timesMs actions from the ledger; any order, any age */
  constructor(timesMs: readonly number[]) {
    this.#timesMs = [...timesMs];
  }

  note(nowMs: number): void {
    this.#timesMs.push(nowMs);
    this.#newest = null;
  }

  /** An action in the future (the clock was set back) counts by its distance. */
  facts(nowMs: number): PaceFacts {
    if (this.#newest?.nowMs === nowMs) return this.#newest.facts;
    this.#timesMs = this.#timesMs.filter((timeMs) => Math.abs(nowMs - timeMs) < MINUTE_MS);
    const lastSecond = this.#timesMs.filter((timeMs) => Math.abs(nowMs - timeMs) < SECOND_MS).length;
    const facts = { lastSecond, lastMinute: this.#timesMs.length };
    this.#newest = { nowMs, facts };
    return facts;
  }

  /** The same for display: drops nothing, so it changes no later judgement. */
  peek(nowMs: number): PaceFacts {
    const within = (ms: number) => this.#timesMs.filter((timeMs) => Math.abs(nowMs - timeMs) < ms).length;
    return { lastSecond: within(SECOND_MS), lastMinute: within(MINUTE_MS) };
  }
}
