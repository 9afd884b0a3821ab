/** The longest pause between two times of a schedule. */

import { createTask } from 'node-cron';

/** Enough for nights and weekends of a schedule with hours of working days. */
const RUNS = 60;

/** Longest pause between the next times, ms; null without two. The expression was checked with the configuration. */
export function findLongestPauseMs(schedule: string): number | null {
  const task = createTask(schedule, () => undefined);
  const runsMs = task.getNextRuns(RUNS).map((run) => run.getTime());
  void task.destroy();
  const pausesMs = runsMs.slice(1).map((runMs, i) => runMs - (runsMs[i] ?? runMs));
  return pausesMs.length === 0 ? null : Math.max(...pausesMs);
}
