/** Checks a world at one moment, unless an earlier check failed. */

import type { World } from './world.js';

interface Checked {
  readonly process: NonNullable<World['process']>;
  readonly say: (violation: string) => void;
}

export function check(world: World, when: string, work: (checked: Checked) => void): void {
  const { process, invariants } = world;
  if (invariants.violations.length > 0) return;
  const say = (violation: string) => invariants.say(`${when}: ${violation}`);
  if (process === null) say('no process runs');
  else work({ process, say });
}
