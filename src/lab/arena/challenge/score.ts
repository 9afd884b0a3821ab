/** Random draws of a simulation: its configuration, and the hidden score, whose final sign is the outcome. */

import { normalCdf } from '../../../shared/base/random.js';
import type { LadderSide } from './ladder-book.js';
import { PythonRandom } from './python-random.js';

/** Exchange clock, Unix ms; 2027-01-15, 8:00 UTC. */
export const START_MS = 1_800_000_000_000;
export const STEP_MS = 1000;
export const STEPS = 2000;

/** Seed of one of several markets: no other simulation uses those of the later ones. */
export const seedOfMarket = (seed: number, place: number): number => seed + place * 2 ** 34;

export type Configuration = Readonly<ReturnType<typeof drawConfiguration>>;

/** Configuration of a seed, a whole number, 0 or more. Draws are in the published order. */
export function drawConfiguration(seed: number) {
  const random = new PythonRandom(seed);
  const bothSides: readonly LadderSide[] = ['bid', 'ask'];
  return {
    steps: STEPS,
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

/** The truth of a market, known to informed participants. */
export interface Truth {
  step(): void;
  /** Probability that YES pays, in [0, 1]. */
  readonly probability: number;
  /** Whether YES pays, after all steps. */
  readonly isYes: boolean;
}

/** Neglected probability of further jumps: small enough for the tenth decimal of every published edge. */
const TAIL = 1e-13;

export function startScore(config: Configuration, seed: number): Truth & { readonly value: number } {
  const random = new PythonRandom(seed);
  let score = config.initialScore;
  let stepsLeft = config.steps;
  return {
    get value() {
      return score;
    },
    get isYes() {
      return score > 0;
    },
    get probability() {
      return probabilityAbove(score, stepsLeft, config);
    },
    step() {
      const { diffusionSigma, jumpIntensity, jumpMean, jumpSigma, newsSigma } = config;
      let move = random.gauss(0, diffusionSigma);
      for (let jumps = random.poisson(jumpIntensity); jumps > 0; jumps--) move += random.gauss(jumpMean, jumpSigma);
      stepsLeft--;
      if (isNews(stepsLeft, config)) move += random.gauss(0, newsSigma);
      score += move;
    },
  };
}

/** Announcements come at fixed steps before the end, never at the end. */
const isNews = (stepsLeft: number, { newsEverySteps }: Configuration): boolean =>
  newsEverySteps > 0 && stepsLeft > 0 && stepsLeft % newsEverySteps === 0;

/** Number of announcements still to come. */
const newsLeft = (steps: number, { newsEverySteps }: Configuration): number =>
  newsEverySteps > 0 && steps > 0 ? Math.floor((steps - 1) / newsEverySteps) : 0;

/** Sum over the Poisson number of jumps to come: the probability that the score is above 0 after this many steps. */
export function probabilityAbove(score: number, steps: number, config: Configuration): number {
  if (steps === 0) return score > 0 ? 1 : 0;
  const { diffusionSigma, jumpIntensity, jumpMean, jumpSigma } = config;
  const expected = jumpIntensity * steps;
  const variance = steps * diffusionSigma ** 2 + newsLeft(steps, config) * config.newsSigma ** 2;
  let weight = Math.exp(-expected);
  let weights = 0;
  let sum = 0;
  for (let jumps = 0; ; jumps++) {
    const deviation = Math.sqrt(variance + jumps * jumpSigma ** 2);
    sum += weight * normalCdf((score + jumps * jumpMean) / deviation);
    weights += weight;
    if (1 - weights < TAIL) return sum / weights;
    weight *= expected / (jumps + 1);
  }
}
