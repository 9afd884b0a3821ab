/** Jobs by the calendar: quote hours, reconciliation, ledger backups, the daily summary. */

import { type ScheduledTask, schedule } from 'node-cron';
import type { ScheduleConfig } from '../config/types.js';
import { nowMs } from '../runtime/clock.js';
import { QuoteHours, type ScheduledStrategy } from '../runtime/quote-hours.js';

/** Twice in each second that an expression can name: a look that comes late must not pass one over. */
const LOOK_MS = 500;

export interface JobHooks {
  reconcile(): void;
  backupLedger(): void;
  dailySummary(): void;
  /** Called once at the start and then at every change. */
  quoteHours(strategy: string, open: boolean): void;
}

/** The jobs, begun anew when a configuration with other hours is in force. */
export class Jobs {
  readonly #hooks: JobHooks;
  #stop: () => void = () => undefined;

  constructor(hooks: JobHooks) {
    this.#hooks = hooks;
  }

  start({ schedule: when, strategies }: { schedule: ScheduleConfig; strategies: readonly ScheduledStrategy[] }): void {
    this.stop();
    this.#stop = startJobs(when, strategies, this.#hooks);
  }

  stop(): void {
    this.#stop();
  }
}

/** Starts the jobs; the returned function stops them. Expressions were checked with the configuration. */
export function startJobs(
  config: ScheduleConfig,
  strategies: readonly ScheduledStrategy[],
  hooks: JobHooks,
): () => void {
  const tasks: ScheduledTask[] = [];
  const daily = (expression: string | null, job: () => void) => {
    if (expression !== null) tasks.push(schedule(expression, job));
  };
  daily(config.reconcile, () => hooks.reconcile());
  daily(config.ledgerBackup, () => hooks.backupLedger());
  daily(config.dailySummary, () => hooks.dailySummary());
  const stopLooking = watchQuoteHours(strategies, hooks);
  return () => {
    for (const task of tasks) void task.destroy();
    stopLooking();
  };
}

/**
 * Looks from an interval, which runs on when this machine's clock is set: a scheduler would wait for the time that it has
 * planned for, and quote outside of the hours until then.
 */
function watchQuoteHours(strategies: readonly ScheduledStrategy[], hooks: Pick<JobHooks, 'quoteHours'>): () => void {
  const hours = new QuoteHours(strategies);
  const look = () => {
    for (const { strategy, open } of hours.changes(nowMs())) hooks.quoteHours(strategy, open);
  };
  look();
  const timer = hours.nextLookMs === Number.POSITIVE_INFINITY ? null : setInterval(look, LOOK_MS);
  return () => {
    if (timer !== null) clearInterval(timer);
    hours.close();
  };
}
