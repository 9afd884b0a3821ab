/** The clock of the trader's machine is set back: requests that wait for the budget must not wait longer. */

import type { World } from './world.js';

/** Part of all seeds. */
export const CLOCK_BACK_PART = 0.25;
const MINUTE_MS = 60_000;
const BACK_MS = 60 * MINUTE_MS;
/** With fewer requests a minute than this, none waits. */
const FEWEST_WAITING = 10;

/** In calm, so that the minutes before and after are equal. Only reads count: prices decide how many orders change. */
export function sufferClockBack(world: World): void {
  const perMinute = () => {
    const before = world.reads;
    world.pass(MINUTE_MS);
    return world.reads - before;
  };
  // The first minute may contain the burst after a resume.
  const usual = Math.min(perMinute(), perMinute());
  if (usual < FEWEST_WAITING || world.process === null) return;
  world.tally.add('fault: clock set back while requests wait');
  world.stepClock(-BACK_MS);
  const after = [perMinute(), perMinute()];
  // Together, because a busy minute leaves the next one less.
  const sum = after.reduce((total, requests) => total + requests, 0);
  if (world.invariants.violations.length > 0 || sum > usual) return;
  world.invariants.say(`reads a minute after the clock was set back: ${after.join(', ')}; before: ${usual}`);
}
