/** What happens to the clock of the trader's machine alone, in hours: it is set back or ahead, or ahead for a moment. */

import type { Timeline } from '../../src/lab/backtest/timeline.js';
import type { Random } from '../../src/shared/base/random.js';
import type { Faults, Tally } from './faults.js';

const HOUR_MS = 3_600_000;
/** A battery that is empty, a virtual machine that wakes, a time zone taken for a time. */
const LONGEST_LEAP_MS = 12 * HOUR_MS;
/** Ahead by up to so much, and for so long. */
const LONGEST_GLITCH_MS = 26 * HOUR_MS;
const LONGEST_WRONG_MS = 20_000;

export interface Clocked {
  readonly timeline: Timeline;
  readonly tally: Tally;
  stepClock(byMs: number): void;
}

export class ClockFaults {
  readonly #world: Clocked;
  readonly #random: Random;

  constructor(world: Clocked, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  /** Lets pass so many milliseconds under these faults. */
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
