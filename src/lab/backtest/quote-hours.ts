/** Quote hours on the virtual clock, by the same cron expressions and in the same time zone as the daemon's. */

import { createTask, type ScheduledTask } from 'node-cron';
import type { OperatorCommand } from '../../shared/protocol/seam.js';
import type { TraderSettings } from '../../trader/engine/settings.js';

const SECOND_MS = 1_000;

interface Watched {
  readonly name: string;
  /** Never started: only asked whether it names a second. */
  readonly mask: ScheduledTask;
  open: boolean | null;
}

export class QuoteHours {
  readonly #watched: readonly Watched[];
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(strategies: TraderSettings['strategies']) {
    this.#watched = strategies.flatMap(({ name, quoteHours }) =>
      quoteHours === null ? [] : [{ name, mask: createTask(quoteHours, () => undefined), open: null }],
    );
  }

  /** When the schedule wants to be looked at again; Infinity without one. */
  get nextLookMs(): number {
    return this.#watched.length === 0 ? Number.POSITIVE_INFINITY : this.#lookedMs + SECOND_MS;
  }

  /** What the schedule says since the last look; a look a second is enough. */
  changes(nowMs: number): readonly OperatorCommand[] {
    if (this.#watched.length === 0 || nowMs - this.#lookedMs < SECOND_MS) return [];
    this.#lookedMs = nowMs;
    const commands: OperatorCommand[] = [];
    for (const watched of this.#watched) {
      const open = watched.mask.match(new Date(nowMs));
      if (open !== watched.open) commands.push({ kind: 'quote-hours', strategy: watched.name, open });
      watched.open = open;
    }
    return commands;
  }

  close(): void {
    for (const { mask } of this.#watched) void mask.destroy();
  }
}
