/** Quote hours and jobs under a clock that changes while the trader runs, and over a pause of the loop. */

import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startJobs } from '../../../src/shell/daemon/daemon.js';

/** At this hour of a day, by the clock of this machine. */
const at = (hour: number): Date => new Date(2026, 10, 20, hour, 30);
const NO_JOBS = { reconcile: null, ledgerBackup: null, dailySummary: null };

let told: [string, boolean][] = [];
let ran: unknown[] = [];
let stop: () => void;

const hooks = {
  reconcile: () => ran.push('reconcile'),
  backupLedger: () => ran.push('backup'),
  dailySummary: () => ran.push('summary'),
  late: (job: string, lateMs: number) => ran.push([job, lateMs]),
  quoteHours: (strategy: string, open: boolean) => told.push([strategy, open]),
};

beforeEach(() => {
  vi.useFakeTimers({ now: at(12) });
  [told, ran] = [[], []];
  const strategies = [
    { name: 'days', quoteHours: '* * 8-17 * * *' },
    { name: 'nights', quoteHours: '* * 20-23 * * *' },
    { name: 'always', quoteHours: null },
  ];
  stop = startJobs({ schedule: NO_JOBS, strategies }, hooks);
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

/** Sets the clock to this time and lets two seconds pass. Returns the messages. */
function set(time: Date): [string, boolean][] {
  told = [];
  vi.setSystemTime(time);
  vi.advanceTimersByTime(2_000);
  return told;
}

describe('quote hours', () => {
  it('are told at the start, and then only what changes', () => {
    expect(told).toEqual([
      ['days', true],
      ['nights', false],
    ]);
    expect(set(at(13))).toEqual([]);
  });

  it('are looked at within seconds of a clock that was set, whether ahead, back, or back by days', () => {
    expect(set(at(21))).toEqual([
      ['days', false],
      ['nights', true],
    ]);
    expect(set(at(12))).toEqual([
      ['days', true],
      ['nights', false],
    ]);
    expect(set(at(5))).toEqual([['days', false]]);
    const before = at(21);
    before.setDate(before.getDate() - 9);
    expect(set(before)).toEqual([['nights', true]]);
  });

  it('end while time passes', () => {
    vi.advanceTimersByTime(6 * 3_600_000);
    expect(told.slice(2)).toEqual([['days', false]]);
  });

  it('are told to nobody once the jobs have stopped', () => {
    stop();
    expect(set(at(5))).toEqual([]);
  });
});

it('a scheduled job whose time passed while the event loop was blocked runs once, and is reported as late', () => {
  const schedule = { reconcile: '0 * * * * *', ledgerBackup: '0 */5 * * * *', dailySummary: null };
  onTestFinished(startJobs({ schedule, strategies: [] }, hooks));
  vi.setSystemTime(new Date(2026, 10, 20, 12, 35, 3));
  vi.advanceTimersByTime(1_000);
  expect(ran).toEqual([['reconcile', 3_500], 'reconcile', ['ledger_backup', 3_500], 'backup']);
  vi.advanceTimersByTime(56_000);
  expect(ran.slice(4)).toEqual(['reconcile']);
});
