/** A world that moves in steps and shows each of them to the strategy itself. */

import type { Conditions, ShownStrategy, SimulationResult, World } from '../contract.js';

/** There are no requests in it, and no conditions but those of feeds. */
export interface StepWorld extends World {
  /** Without conditions feeds are as off as usual. */
  simulate(seed: number, judged: ShownStrategy, conditions?: Conditions): SimulationResult;
}
