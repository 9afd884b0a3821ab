/** A world that moves in steps and shows each of them to the strategy itself. */

import type { ShownStrategy, SimulationResult, World } from '../contract.js';

/** There are no requests in it and no conditions. */
export interface StepWorld extends World {
  simulate(seed: number, judged: ShownStrategy): SimulationResult;
}
