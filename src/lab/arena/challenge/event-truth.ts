/**
 * The winner of several exclusive outcomes. Each outcome has log-odds that move as a Brownian motion with jumps; its
 * probability is its softmax share. The winner's log-odds drift upwards by the variance of their moves, which makes the
 * softmax the true probability.
 */

import { PythonRandom } from './python-random.js';
import type { Truth } from './score.js';

/** Deviation of an outcome's log-odds per step: at 0.5 of two outcomes the probability moves as in the challenge. */
const DIFFUSION_SIGMA = 0.025;
/** Jumps of all log-odds per step, and their deviation. */
const JUMP_INTENSITY = 0.002;
const JUMP_SIGMA = 0.5;
const START_SIGMA = 0.75;

export class EventTruth {
  readonly #count: number;
  readonly #steps: number;
  /** Probabilities of all outcomes by step. */
  readonly #path: Float64Array;
  readonly #winner: number;

  constructor(seed: number, count: number, steps: number) {
    this.#count = count;
    this.#steps = steps;
    this.#path = new Float64Array(count * (steps + 1));
    const random = new PythonRandom(seed);
    const logOdds = Float64Array.from({ length: count }, () => random.gauss(0, START_SIGMA));
    this.#write(0, logOdds);
    this.#winner = this.#draw(random);
    for (let step = 1; step < steps; step++) {
      this.#move(logOdds, DIFFUSION_SIGMA, random);
      for (let jumps = random.poisson(JUMP_INTENSITY); jumps > 0; jumps--) this.#move(logOdds, JUMP_SIGMA, random);
      this.#write(step, logOdds);
    }
    // The last step reveals the winner.
    this.#path[count * steps + this.#winner] = 1;
  }

  /** Truth of one outcome's market; each has its own steps. */
  of(outcome: number): Truth {
    let step = 0;
    const probabilityAt = (at: number): number => this.#path[at * this.#count + outcome] ?? 0;
    return {
      step: () => {
        step = Math.min(this.#steps, step + 1);
      },
      get probability() {
        return probabilityAt(step);
      },
      isYes: outcome === this.#winner,
    };
  }

  #draw(random: PythonRandom): number {
    let left = random.random();
    for (let outcome = 0; outcome < this.#count - 1; outcome++) {
      left -= this.#path[outcome] ?? 0;
      if (left < 0) return outcome;
    }
    return this.#count - 1;
  }

  #move(logOdds: Float64Array, sigma: number, random: PythonRandom): void {
    for (let outcome = 0; outcome < this.#count; outcome++) {
      const drift = outcome === this.#winner ? sigma ** 2 : 0;
      logOdds[outcome] = (logOdds[outcome] ?? 0) + random.gauss(drift, sigma);
    }
  }

  #write(step: number, logOdds: Float64Array): void {
    const greatest = logOdds.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
    const sum = logOdds.reduce((total, value) => total + Math.exp(value - greatest), 0);
    logOdds.forEach((value, outcome) => {
      this.#path[step * this.#count + outcome] = Math.exp(value - greatest) / sum;
    });
  }
}
