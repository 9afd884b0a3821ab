/** Scheduled jobs: quote hours, reconciliation, ledger backups, the daily summary. */

import { messageOf } from '../../shared/base/errors.js';
import { makeBackup } from '../backup/backups.js';
import type { LedgerConfig, ScheduleConfig } from '../config/config.js';
import { nowMs } from '../runtime/clock.js';
import { JobTimes, QuoteHours, type ScheduledStrategy } from '../runtime/job-times.js';
import type { Log } from './log.js';
import type { Screen } from './status-text.js';

/** Two checks in each second of an expression. */
const LOOK_MS = 500;
/** A job that begins later than this is reported as late, ms. */
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

/**
 * The jobs of a configuration, whose expressions were checked with it.
 *
 * Checks run on an interval, which continues when this machine's clock is set. A job missed while the loop did not run
 * is done once, at the next check.
 */
export class Jobs {
  readonly #hooks: JobHooks;
  #stop: () => void = () => undefined;

  constructor(hooks: JobHooks) {
    this.#hooks = hooks;
  }

  /** Replaces the jobs by those of this configuration. */
  start({ schedule, strategies }: { schedule: ScheduleConfig; strategies: readonly ScheduledStrategy[] }): void {
    this.stop();
    const hooks = this.#hooks;
    const jobs = [
      { name: 'reconcile', expression: schedule.reconcile, run: () => hooks.reconcile() },
      { name: 'ledger_backup', expression: schedule.ledgerBackup, run: () => hooks.backupLedger() },
      { name: 'daily_summary', expression: schedule.dailySummary, run: () => hooks.dailySummary() },
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
    this.#stop = () => {
      clearInterval(timer);
      hours.close();
    };
  }

  stop(): void {
    this.#stop();
  }
}

/** Why it failed; null on success. Never throws: a trader without a new backup trades on. */
export async function backUpLedger(ledger: LedgerConfig, log: Log, screen: Screen): Promise<string | null> {
  try {
    log.logger.info(await makeBackup(ledger, nowMs()), 'ledger backed up');
    return null;
  } catch (error) {
    const why = messageOf(error);
    log.logger.error({ err: error }, 'the ledger could not be backed up');
    screen.say(`the ledger could not be backed up: ${why}`);
    return why;
  }
}
