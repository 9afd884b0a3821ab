/** What a simulation of the challenge draws from its seed before it begins. */

import type { LadderSide } from './ladder-book.js';
import { PythonRandom } from './python-random.js';

export type Configuration = Readonly<ReturnType<typeof drawConfiguration>>;

/** The configuration of this seed, a whole number, 0 or more. Its draws follow each other as published. */
export function drawConfiguration(seed: number) {
  const random = new PythonRandom(seed);
  const bothSides: readonly LadderSide[] = ['bid', 'ask'];
  return {
    steps: 2000,
    /** Of the hidden score whose sign decides the outcome. */
    initialScore: random.uniform(-0.75, 0.75),
    /** Deviation of the score's diffusion in a step. */
    diffusionSigma: 0.02,
    /** Jumps a step. */
    jumpIntensity: random.uniform(0.0008, 0.003),
    jumpSigma: random.uniform(0.2, 0.6),
    jumpMean: random.uniform(-0.04, 0.04),
    /** Uninformed orders a step. */
    retailRate: random.uniform(0.154, 0.352),
    /** Currency an uninformed order, and the deviation of its logarithm. */
    retailMeanNotional: random.uniform(2.64, 6.336),
    retailSigma: 1.2,
    /** Currency an order of the competitor, and his distance from the first fair ticks. */
    competitorNotional: random.uniform(24, 72),
    competitorSpread: random.randint(1, 4),
    /** Sides on which the competitor quotes at all. */
    competitorSides: bothSides,
    /** Probability that the arbitrageur comes in a step. */
    informedPart: 1,
    /** Steps between two announcements, each a normal jump of the score; 0 for none. */
    newsEverySteps: 0,
    newsSigma: 0,
  };
}
