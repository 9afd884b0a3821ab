/** Which backtests of a sweep are run a second time: always the same ones, whoever asks. */

import { createHash } from 'node:crypto';
import type { Task } from '../contract.js';

/**
 * About this part of the tasks, and at least one of them: those whose hash is the lowest.
 *
 * @param sheet the hash of the sweep's sheet
 * @param fraction above 0, up to 1
 */
export function chooseAudited(tasks: readonly Task[], sheet: string, fraction: number): Task[] {
  const drawn = tasks.map((task) => ({ task, at: place(task, sheet) }));
  const chosen = drawn.filter(({ at }) => at < fraction);
  if (chosen.length > 0) return chosen.map(({ task }) => task);
  const [lowest] = drawn.sort((a, b) => a.at - b.at);
  return lowest === undefined ? [] : [lowest.task];
}

const BYTES = 6;

/** Between 0 and 1, the same for the same task of the same sheet. */
function place({ candidate, fold, fillModel }: Task, sheet: string): number {
  const text = `${sheet} ${candidate.number} ${fold} ${fillModel}`;
  return createHash('sha256').update(text).digest().readUIntBE(0, BYTES) / 256 ** BYTES;
}
