/** Waits for real events, in the system tier: polls often enough, but without using much processor time. */

import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;

/** Polls until the condition holds, and returns the value; the test's own time-out is the limit. */
export async function until<T>(look: () => T | Promise<T>, isSo: (seen: T) => boolean): Promise<T> {
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    await pause(LOOK_EVERY_MS);
  }
}

/** Polls until the condition holds. */
export const untilTrue = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  await until(isSo, Boolean);
};
