/** Jobs by the calendar: quote hours, reconciliation, ledger backups, the daily summary. */

import type { ScheduleConfig } from '../config/types.js';
import { nowMs } from '../runtime/clock.js';
import { JobTimes } from '../runtime/job-times.js';
import { QuoteHours, type ScheduledStrategy } from '../runtime/quote-hours.js';

/** Two looks in each second that an expression can name. */
const LOOK_MS = 500;
/** A job that begins later than this after its time is reported as late, ms. */
const LATE_MS = 2_000;

export interface JobHooks {
  reconcile(): void;
  backupLedger(): void;
  dailySummary(): void;
  /** Called once at the start and then at every change. */
  quoteHours(strategy: string, open: boolean): void;
  /** Called before a job that begins late, with its name in the configuration. */
  late(job: string, lateMs: number): void;
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

/**
 * Starts the jobs; the returned function stops them. Expressions were checked with the configuration.
 *
 * Looks come from an interval, which runs on when this machine's clock is set. A job whose time passed while the loop
 * stood still runs once, at the next look.
 */
export function startJobs(
  config: ScheduleConfig,
  strategies: readonly ScheduledStrategy[],
  hooks: JobHooks,
): () => void {
  const jobs = [
    { name: 'reconcile', expression: config.reconcile, run: () => hooks.reconcile() },
    { name: 'ledger_backup', expression: config.ledgerBackup, run: () => hooks.backupLedger() },
    { name: 'daily_summary', expression: config.dailySummary, run: () => hooks.dailySummary() },
  ].flatMap(({ name, expression, run }) =>
    expression === null ? [] : [{ name, times: new JobTimes(expression, nowMs()), run }],
  );
  const hours = new QuoteHours(strategies);
  const look = () => {
    for (const { strategy, open } of hours.changes(nowMs())) hooks.quoteHours(strategy, open);
    for (const { name, times, run } of jobs) {
      const lateMs = times.findPassed(nowMs());
      if (lateMs === null) continue;
      if (lateMs > LATE_MS) hooks.late(name, lateMs);
      run();
    }
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  return () => {
    clearInterval(timer);
    hours.close();
  };
}
