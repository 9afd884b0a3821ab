/** What a simulation of the challenge draws from its seed before it begins. */

import type { LadderSide } from './ladder-book.js';
import { PythonRandom } from './python-random.js';

export interface Configuration {
  readonly steps: number;
  /** Of the hidden score whose sign decides the outcome. */
  readonly initialScore: number;
  /** Deviation of the score's diffusion in a step. */
  readonly diffusionSigma: number;
  /** Jumps a step. */
  readonly jumpIntensity: number;
  readonly jumpSigma: number;
  readonly jumpMean: number;
  /** Uninformed orders a step. */
  readonly retailRate: number;
  /** Currency an uninformed order, and the deviation of its logarithm. */
  readonly retailMeanNotional: number;
  readonly retailSigma: number;
  /** Currency an order of the competitor, and his distance from the first fair ticks. */
  readonly competitorNotional: number;
  readonly competitorSpread: number;
  /** Sides on which the competitor quotes at all. */
  readonly competitorSides: readonly LadderSide[];
  /** Probability that the arbitrageur comes in a step. */
  readonly informedPart: number;
  /** Steps between two announcements, each a normal jump of the score; 0 for none. */
  readonly newsEverySteps: number;
  readonly newsSigma: number;
}

/** The configuration of this seed; a whole number, 0 or more. */
export function drawConfiguration(seed: number): Configuration {
  const random = new PythonRandom(seed);
  const initialScore = random.uniform(-0.75, 0.75);
  const jumpIntensity = random.uniform(0.0008, 0.003);
  const jumpSigma = random.uniform(0.2, 0.6);
  const jumpMean = random.uniform(-0.04, 0.04);
  const retailRate = random.uniform(0.154, 0.352);
  const retailMeanNotional = random.uniform(2.64, 6.336);
  const competitorNotional = random.uniform(24, 72);
  const competitorSpread = random.randint(1, 4);
  return {
    steps: 2000,
    initialScore,
    diffusionSigma: 0.02,
    jumpIntensity,
    jumpSigma,
    jumpMean,
    retailRate,
    retailMeanNotional,
    retailSigma: 1.2,
    competitorNotional,
    competitorSpread,
    competitorSides: ['bid', 'ask'],
    informedPart: 1,
    newsEverySteps: 0,
    newsSigma: 0,
  };
}
