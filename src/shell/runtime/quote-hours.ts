/**
 * Times at which each strategy may quote, by its cron expression: the daemon asks with the real clock, a backtest with
 * a virtual one.
 */

import { createTask, type ScheduledTask } from 'node-cron';

const SECOND_MS = 1_000;

export interface ScheduledStrategy {
  readonly name: string;
  /** Cron expression of the seconds in which the strategy quotes; null for always. */
  readonly quoteHours: string | null;
}

export interface QuoteHoursChange {
  readonly strategy: string;
  readonly open: boolean;
}

interface Watched {
  readonly name: string;
  /** Never started: only asked whether it matches a second. Its own timer would wait for a clock that was set back. */
  readonly mask: ScheduledTask;
  open: boolean | null;
}

export class QuoteHours {
  readonly #watched: readonly Watched[];
  /** The whole second, ms, of the newest read: the schedule is constant within it. */
  #secondMs = Number.NEGATIVE_INFINITY;

  /** Expressions were checked with the configuration. */
  constructor(strategies: readonly ScheduledStrategy[]) {
    this.#watched = strategies.flatMap(({ name, quoteHours }) =>
      quoteHours === null ? [] : [{ name, mask: createTask(quoteHours, () => undefined), open: null }],
    );
  }

  /** When the schedule must be read again, by a monotonic clock; Infinity without one. */
  get nextLookMs(): number {
    return this.#watched.length === 0 ? Number.POSITIVE_INFINITY : this.#secondMs + SECOND_MS;
  }

  /** Changes since the last read, also after a clock set back. */
  changes(nowMs: number): readonly QuoteHoursChange[] {
    const secondMs = Math.floor(nowMs / SECOND_MS) * SECOND_MS;
    if (this.#watched.length === 0 || secondMs === this.#secondMs) return [];
    this.#secondMs = secondMs;
    const changes: QuoteHoursChange[] = [];
    for (const watched of this.#watched) {
      const open = watched.mask.match(new Date(nowMs));
      if (open !== watched.open) changes.push({ strategy: watched.name, open });
      watched.open = open;
    }
    return changes;
  }

  close(): void {
    for (const { mask } of this.#watched) void mask.destroy();
  }
}
