/** Random draws of a simulation before its first step. */

import type { LadderSide } from './ladder-book.js';
import { PythonRandom } from './python-random.js';

export type Configuration = Readonly<ReturnType<typeof drawConfiguration>>;

/** Configuration of a seed, a whole number, 0 or more. Draws are in the published order. */
export function drawConfiguration(seed: number) {
  const random = new PythonRandom(seed);
  const bothSides: readonly LadderSide[] = ['bid', 'ask'];
  return {
    steps: 2000,
    /** Start of the hidden score, whose final sign decides the outcome. */
    initialScore: random.uniform(-0.75, 0.75),
    /** Deviation of the score's diffusion per step. */
    diffusionSigma: 0.02,
    /** Jumps a step. */
    jumpIntensity: random.uniform(0.0008, 0.003),
    jumpSigma: random.uniform(0.2, 0.6),
    jumpMean: random.uniform(-0.04, 0.04),
    /** Uninformed orders a step. */
    retailRate: random.uniform(0.154, 0.352),
    /** Currency per uninformed order, and the deviation of its logarithm. */
    retailMeanNotional: random.uniform(2.64, 6.336),
    retailSigma: 1.2,
    /** Currency per order of the competitor, and its distance from the first fair ticks. */
    competitorNotional: random.uniform(24, 72),
    competitorSpread: random.randint(1, 4),
    /** Sides that the competitor quotes. */
    competitorSides: bothSides,
    /** Probability that the arbitrageur acts in a step. */
    informedPart: 1,
    /** Steps between announcements, each a normal jump of the score; 0 for none. */
    newsEverySteps: 0,
    newsSigma: 0,
  };
}
