/**
 * Counts the orders and cancels of the last second and minute. Cancels count but are never blocked; the next order is
 * blocked instead.
 *
 * The counter starts from the newest ledger rows, so a restart does not reset it.
 */

/** Counts that risk control 9 compares with its limits. */
export interface PaceFacts {
  /** Orders and cancels of the last second and of the last minute. */
  readonly lastSecond: number;
  readonly lastMinute: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

export class ActionPace {
  /** Our clock, ms, of each action; older ones are dropped after a minute. */
  #timesMs: number[];
  /** Cache: all orders of a step are judged at the same time. */
  #newest: { readonly nowMs: number; readonly facts: PaceFacts } | null = null;

  /** @param timesMs actions from the ledger; any order, any age */
  constructor(timesMs: readonly number[]) {
    this.#timesMs = [...timesMs];
  }

  note(nowMs: number): void {
    this.#timesMs.push(nowMs);
    this.#newest = null;
  }

  /** Counts at `nowMs`. An action in the future (after our clock was set back) counts by its distance. */
  facts(nowMs: number): PaceFacts {
    if (this.#newest?.nowMs === nowMs) return this.#newest.facts;
    this.#timesMs = this.#timesMs.filter((timeMs) => Math.abs(nowMs - timeMs) < MINUTE_MS);
    const lastSecond = this.#timesMs.filter((timeMs) => Math.abs(nowMs - timeMs) < SECOND_MS).length;
    const facts = { lastSecond, lastMinute: this.#timesMs.length };
    this.#newest = { nowMs, facts };
    return facts;
  }

  /** Counts at `nowMs` for display. Unlike `facts`, it drops nothing. */
  peek(nowMs: number): PaceFacts {
    const within = (ms: number) => this.#timesMs.filter((timeMs) => Math.abs(nowMs - timeMs) < ms).length;
    return { lastSecond: within(SECOND_MS), lastMinute: within(MINUTE_MS) };
  }
}
