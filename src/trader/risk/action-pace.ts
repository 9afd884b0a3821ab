/**
 * How many orders and cancels were begun lately. Cancels count and are never held back; what the sum holds back is the
 * next order: a strategy that places and pulls without end is stopped by its own traffic.
 *
 * Its memory is the ledger's newest rows, so a process that is started again within the minute counts on.
 */

/** What control 9 compares. */
export interface PaceFacts {
  /** Orders and cancels begun within the last second, and within the last minute. */
  readonly lastSecond: number;
  readonly lastMinute: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

export class ActionPace {
  /** Our clock, ms, of each action; what is further than a minute from the newest look is dropped. */
  #timesMs: number[];
  /** The newest answer: every order of a step is judged at the same moment. */
  #newest: { readonly nowMs: number; readonly facts: PaceFacts } | null = null;

  /** @param timesMs of actions that the ledger remembers; any order, any age */
  constructor(timesMs: readonly number[]) {
    this.#timesMs = [...timesMs];
  }

  note(nowMs: number): void {
    this.#timesMs.push(nowMs);
    this.#newest = null;
  }

  /** An action that our clock puts into the future (it was set back) counts as far away as it seems. */
  facts(nowMs: number): PaceFacts {
    if (this.#newest?.nowMs === nowMs) return this.#newest.facts;
    this.#timesMs = this.#timesMs.filter((timeMs) => Math.abs(nowMs - timeMs) < MINUTE_MS);
    const lastSecond = this.#timesMs.filter((timeMs) => Math.abs(nowMs - timeMs) < SECOND_MS).length;
    const facts = { lastSecond, lastMinute: this.#timesMs.length };
    this.#newest = { nowMs, facts };
    return facts;
  }

  /** The same for whoever only looks: nothing is dropped, so a look changes no later judgement. */
  peek(nowMs: number): PaceFacts {
    const within = (ms: number) => this.#timesMs.filter((timeMs) => Math.abs(nowMs - timeMs) < ms).length;
    return { lastSecond: within(SECOND_MS), lastMinute: within(MINUTE_MS) };
  }
}
