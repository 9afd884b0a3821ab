/** Jobs by the calendar: quote hours, reconciliation, ledger backups, the daily summary. */

import { createTask, type ScheduledTask, schedule } from 'node-cron';
import type { ScheduleConfig } from '../config/types.js';

export interface JobHooks {
  reconcile(): void;
  backupLedger(): void;
  dailySummary(): void;
  /** Called once at the start and then at every change. */
  quoteHours(strategy: string, open: boolean): void;
}

export interface QuoteHours {
  readonly name: string;
  /** Cron expression whose seconds are those in which the strategy quotes. */
  readonly quoteHours: string | null;
}

/** Starts the jobs; the returned function stops them. Expressions were checked with the configuration. */
export function startJobs(config: ScheduleConfig, strategies: readonly QuoteHours[], hooks: JobHooks): () => void {
  const tasks: ScheduledTask[] = [];
  const daily = (expression: string | null, job: () => void) => {
    if (expression !== null) tasks.push(schedule(expression, job));
  };
  daily(config.reconcile, () => hooks.reconcile());
  daily(config.ledgerBackup, () => hooks.backupLedger());
  daily(config.dailySummary, () => hooks.dailySummary());
  const hours = strategies.flatMap(({ name, quoteHours }) => (quoteHours === null ? [] : [watch(name, quoteHours)]));
  const look = () => {
    for (const watched of hours) {
      const open = watched.mask.match(new Date());
      if (open !== watched.open) hooks.quoteHours(watched.name, open);
      watched.open = open;
    }
  };
  look();
  if (hours.length > 0) tasks.push(schedule('* * * * * *', look));
  return () => {
    for (const task of tasks) void task.destroy();
    for (const { mask } of hours) void mask.destroy();
  };
}

interface Watched {
  readonly name: string;
  /** Never started: only asked whether it names a second. */
  readonly mask: ScheduledTask;
  open: boolean | null;
}

const watch = (name: string, expression: string): Watched => ({
  name,
  mask: createTask(expression, () => undefined),
  open: null,
});
