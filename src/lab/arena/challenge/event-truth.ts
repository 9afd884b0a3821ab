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

/** Truths of the outcomes' markets; each has its own steps, and the last one reveals the winner. */
export function drawEvent(seed: number, count: number, steps: number): readonly Truth[] {
  const random = new PythonRandom(seed);
  const logOdds = Array.from({ length: count }, () => random.gauss(0, START_SIGMA));
  const path = [softmax(logOdds)];
  const winner = drawOutcome(path[0] ?? [], random);
  const move = (sigma: number): void => {
    for (let outcome = 0; outcome < count; outcome++)
      logOdds[outcome] = (logOdds[outcome] ?? 0) + random.gauss(outcome === winner ? sigma ** 2 : 0, sigma);
  };
  for (let step = 1; step < steps; step++) {
    move(DIFFUSION_SIGMA);
    for (let jumps = random.poisson(JUMP_INTENSITY); jumps > 0; jumps--) move(JUMP_SIGMA);
    path.push(softmax(logOdds));
  }
  path.push(logOdds.map((_, outcome) => Number(outcome === winner)));
  return logOdds.map((_, outcome) => {
    let step = 0;
    return {
      step: () => {
        step = Math.min(steps, step + 1);
      },
      get probability() {
        return path[step]?.[outcome] ?? 0;
      },
      isYes: outcome === winner,
    };
  });
}

function drawOutcome(probabilities: readonly number[], random: PythonRandom): number {
  let left = random.random();
  const drawn = probabilities.findIndex((probability) => {
    left -= probability;
    return left < 0;
  });
  return drawn < 0 ? probabilities.length - 1 : drawn;
}

function softmax(logOdds: readonly number[]): readonly number[] {
  const greatest = Math.max(...logOdds);
  const sum = logOdds.reduce((total, value) => total + Math.exp(value - greatest), 0);
  return logOdds.map((value) => Math.exp(value - greatest) / sum);
}
