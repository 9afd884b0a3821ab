/** The hidden score: it diffuses and jumps, and its final sign is the outcome. */

import { normalCdf } from '../../../shared/base/normal.js';
import type { Configuration } from './configuration.js';
import { PythonRandom } from './python-random.js';

/** The truth of a market, known to informed participants. */
export interface Truth {
  /** Advances by one step. */
  step(): void;
  /** Probability that YES pays, in [0, 1]. */
  readonly probability: number;
  /** Whether YES pays, after all steps. */
  readonly isYes: boolean;
}

/** Neglected probability of further jumps: small enough for the tenth decimal of every published edge. */
const TAIL = 1e-13;

export class Score implements Truth {
  readonly #config: Configuration;
  readonly #random: PythonRandom;
  #score: number;
  #stepsLeft: number;

  constructor(config: Configuration, seed: number) {
    this.#config = config;
    this.#random = new PythonRandom(seed);
    this.#score = config.initialScore;
    this.#stepsLeft = config.steps;
  }

  get value(): number {
    return this.#score;
  }

  get isYes(): boolean {
    return this.#score > 0;
  }

  step(): void {
    const { diffusionSigma, jumpIntensity, jumpMean, jumpSigma } = this.#config;
    const random = this.#random;
    let move = random.gauss(0, diffusionSigma);
    for (let jumps = random.poisson(jumpIntensity); jumps > 0; jumps--) move += random.gauss(jumpMean, jumpSigma);
    this.#stepsLeft--;
    if (isNews(this.#stepsLeft, this.#config)) move += random.gauss(0, this.#config.newsSigma);
    this.#score += move;
  }

  /** Probability that it ends above 0, in [0, 1]. */
  get probability(): number {
    return probabilityAbove(this.#score, this.#stepsLeft, this.#config);
  }
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
