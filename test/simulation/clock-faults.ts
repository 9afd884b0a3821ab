/** Faults of the clock of the trader's machine alone, in hours: set back, set ahead, or ahead for a moment. */

import type { Random } from '../../src/shared/base/random.js';
import type { Faults } from './faults.js';
import type { World } from './world.js';

const HOUR_MS = 3_600_000;
/** An empty battery, a resumed virtual machine, a wrong time zone. */
const LONGEST_LEAP_MS = 12 * HOUR_MS;
/** Ahead by up to this time, for this long. */
const LONGEST_GLITCH_MS = 26 * HOUR_MS;
const LONGEST_WRONG_MS = 20_000;

type Clocked = Pick<World, 'timeline' | 'tally' | 'stepClock'>;

export class ClockFaults {
  readonly #world: Clocked;
  readonly #random: Random;

  constructor(world: Clocked, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  /** Lets these milliseconds pass under these faults. */
  look({ clockLeaps, clockGlitches }: Faults, passedMs: number): void {
    if (this.#random.chance((clockLeaps * passedMs) / HOUR_MS)) this.#leap();
    if (this.#random.chance((clockGlitches * passedMs) / HOUR_MS)) this.#glitch();
  }

  #leap(): void {
    const byMs = 1 + this.#random.below(LONGEST_LEAP_MS);
    const back = this.#random.chance(1 / 2);
    this.#world.tally.add(back ? 'fault: clock set back by hours' : 'fault: clock set ahead by hours');
    this.#world.stepClock(back ? -byMs : byMs);
  }

  #glitch(): void {
    const byMs = 1 + this.#random.below(LONGEST_GLITCH_MS);
    this.#world.tally.add('fault: clock ahead for seconds');
    this.#world.stepClock(byMs);
    this.#world.timeline.after(1 + this.#random.below(LONGEST_WRONG_MS), () => this.#world.stepClock(-byMs));
  }
}
