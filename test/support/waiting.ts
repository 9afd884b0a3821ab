/** Waiting for what happens by itself, in the system tier: it looks again and again, and not so often that looking is the work. */

import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;

/** Looks until it sees what it waits for, and returns it; the test's own time-out ends a wait in vain. */
export async function until<T>(look: () => T | Promise<T>, isSo: (seen: T) => boolean): Promise<T> {
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    await pause(LOOK_EVERY_MS);
  }
}

/** Looks until it is so. */
export const untilTrue = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  await until(isSo, Boolean);
};
