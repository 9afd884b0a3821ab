/** Inference of belief-maker from a price, compared with the published rules of a score with diffusion and jumps. */

import { describe, expect, it } from 'vitest';
import { drawConfiguration, probabilityAbove } from '../../src/lab/arena/score.js';
import { logit, normalDensity } from '../../src/trader/strategy/strategy.js';
import { Belief } from '../../strategies/belief/belief.js';
import { DIFFUSIVE_PART, readScore } from '../../strategies/belief/score.js';
import { book } from '../trader/market/fixtures.js';
import { VIEW } from '../trader/strategy/fixtures.js';

/** Deviation of each step. */
const SMALL = 0.02;

/** A world in which jumps have the assumed share of the variance, with this number of jumps in this number of steps. */
function makeWorld(jumps: number, steps: number) {
  const jumpIntensity = jumps / steps;
  const jumpSigma = Math.sqrt((SMALL ** 2 * (1 / DIFFUSIVE_PART - 1)) / jumpIntensity);
  const config = { ...drawConfiguration(0), diffusionSigma: SMALL, jumpIntensity, jumpSigma, jumpMean: 0 };
  const priceAt = (score: number): number => probabilityAbove(score, steps, config);
  return { priceAt, jumpSigma, deviation: Math.sqrt((SMALL ** 2 / DIFFUSIVE_PART) * steps) };
}

describe('what a price says of its score', () => {
  it.each([
    [0.1, 50, -0.5],
    [0.1, 50, -1.2],
    [0.3, 150, 0.7],
    [2, 1000, -1.5],
    [2, 1000, 0.1],
    [6, 2000, -3],
    [15, 2000, -2],
  ])('with %d jumps to come in %d steps, at %d', (jumps, steps, score) => {
    const { priceAt, jumpSigma, deviation } = makeWorld(jumps, steps);
    const price = priceAt(score);
    const read = readScore(price, jumps);
    const near = 1e-4 * deviation;
    const slope = (logit(priceAt(score + near)) - logit(priceAt(score - near))) / 2e-4;
    let [after, weights] = [0, 0];
    for (let z = -8; z <= 8; z += 0.02) {
      after += normalDensity(z) * priceAt(score + jumpSigma * z);
      weights += normalDensity(z);
    }
    after /= weights;
    const gain = price < 0.5 ? after / price - 1 : (1 - after) / (1 - price) - 1;
    // This number of jumps is taken for small moves, which gives nearly the same result.
    const tolerance = jumps > 12 ? 0.05 : 1e-3;
    expect(Math.abs(read.slope / slope - 1)).toBeLessThan(tolerance);
    expect(Math.abs(read.hope / gain - 1)).toBeLessThan(tolerance);
  });

  it('answers however rare jumps are, and alike at both ends', () => {
    for (const price of [0.0001, 0.03, 0.5])
      for (const jumps of [1e-6, 1e-3, 0.5, 12, 12.1, 1e6]) {
        const [low, high] = [readScore(price, jumps), readScore(1 - price, jumps)];
        expect(low.slope).toBeGreaterThan(0);
        expect(price * (1 + low.hope)).toBeLessThanOrEqual(0.5 + 1e-6);
        expect(high.slope).toBeCloseTo(low.slope, 6);
        expect(high.hope / Math.max(1, low.hope)).toBeCloseTo(low.hope / Math.max(1, low.hope), 6);
      }
  });
});

it.each([100, 400])('believes that a low price may jump in the next second, %d s before the end', (leftS) => {
  const belief = new Belief(0.01, 10, 1);
  const others = book([], [[0.02, 100]]);
  const health = { ...VIEW.health, bookAgeMs: 0, tradesAgeMs: null };
  const looks = 60;
  for (let second = 1; second <= looks; second++) {
    const timeToResolutionMs = (leftS + looks - second) * 1000;
    const view = { ...VIEW, nowMs: second * 1000, health, book: others, others, orders: [], timeToResolutionMs };
    belief.look(view, 1, { feed: '', model_sd_log_odds: 0.1, max_gap_sds: 4 });
  }
  // If its whole value were the chance of one jump to 1, the jump would have this probability in each second.
  const every = belief.known.price().mean / leftS;
  const jumped = belief.ahead.sum() - belief.ahead.below(0.2);
  expect(jumped).toBeLessThan(1.2 * every);
  expect(jumped).toBeGreaterThan(0.3 * every);
});
