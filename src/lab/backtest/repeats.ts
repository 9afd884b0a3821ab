/** Several runs of one backtest that differ in what nobody can know beforehand: when polls fall, and how long a call takes. */

import { Random } from '../../shared/base/random.js';
import type { LatencyModel } from './contract.js';
import { type LatencyChoice, modelOfChoice } from './latency-choice.js';

export const MAX_REPEATS = 1_000;
/** A repeat's round trips lie within this factor of those that were asked for, either way. */
const SCALE_RANGE = 1.25;
/** What a call takes beyond the least, in the mean, as a part of the round trip. */
const JITTER_SHARE = 0.1;

/** What one run of several draws from its seed. */
export interface Draws {
  readonly seed: number;
  readonly latency: LatencyModel;
  /** How long after a market was listed, or a pause ended, the trader beats first, ms; absent: at once. */
  readonly phaseMs?: () => number;
}

/** Of `count` runs the one at `index`. A single run draws nothing anew: it is what it always was. */
export function makeDraws(
  choice: LatencyChoice,
  { seed, index, count }: { readonly seed: number; readonly index: number; readonly count: number },
  pollMs: number,
): Draws {
  if (count === 1) return { seed, latency: modelOfChoice(choice, seed) };
  const random = Random.fromSeed(seed, `repeat ${index}`);
  const own = random.below(2 ** 32);
  const scale = Math.exp((2 * random.uniform() - 1) * Math.log(SCALE_RANGE));
  const phases = Random.fromSeed(own, 'phases');
  return {
    seed: own,
    latency: modelOfChoice(choice, own, { scale, jitterShare: choice.spec.kind === 'constant' ? JITTER_SHARE : 0 }),
    phaseMs: () => phases.below(Math.max(1, pollMs)),
  };
}
