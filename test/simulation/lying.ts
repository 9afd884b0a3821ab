/**
 * A dishonest exchange: it reports fills that were never signed, at worse prices, with larger amounts, with any fee.
 * They must be booked as reported, with an alert, and from then on only reducing orders may be sent, even after a
 * restart, until a user acknowledges it. It ends a story, because ledger and exchange can no longer agree.
 */

import { check } from './check.js';
import type { World } from './world.js';

/** Part of all seeds. */
export const LYING_PART = 1 / 4;
/** Part of all fills. */
const LIES = 0.5;
const LONGEST_WAIT_MS = 180_000;
const LOOK_MS = 1_000;
const HELD_MS = 20_000;
const reason = 'the simulation';

export function sufferLies(world: World): void {
  const { trades } = world.exchange;
  trades.lie = LIES;
  const endMs = world.timeline.nowMs + LONGEST_WAIT_MS;
  while (!world.invariants.wasLiedTo && goesOn(world) && world.timeline.nowMs < endMs) world.pass(LOOK_MS);
  if (!world.invariants.wasLiedTo) return;
  world.tally.add('lies booked');
  held(world, 'after a lie');
  world.kill(LOOK_MS);
  held(world, 'after a lie and a restart');
  trades.lie = 0;
  world.command({ kind: 'resume', reason });
  world.pass(HELD_MS);
}

const goesOn = ({ invariants }: World): boolean => invariants.violations.length === 0;

function held(world: World, when: string): void {
  world.pass(HELD_MS);
  check(world, when, ({ process, say }) => {
    const { mode, reduceOnly } = process.trader.snapshot(world.ourMs);
    // Even stricter if the false fill exceeds a loss limit.
    if (mode !== 'reducing' && mode !== 'starting' && mode !== 'halted') say(`the mode is ${mode}`);
    if (reduceOnly === null) say('nothing keeps it from earning more of them');
  });
}
