/** Exclusive outcomes: forecasts match frequencies, and each outcome has its own market. */

import { describe, expect, it } from 'vitest';
import { drawEvent, playEvent } from '../../../src/lab/arena/shown-maker.js';
import logOddsMaker from '../../../strategies/log-odds-maker.js';
import { paramsFor } from '../../trader/strategy/fixtures.js';

const STEPS = 2000;

describe('the truth of an event', () => {
  it('sums to one in every step, moves, and ends at what comes true', () => {
    const truths = drawEvent(7, 5, STEPS);
    const before = truths.map(({ probability }) => probability);
    for (let step = 0; step < STEPS; step++) {
      expect(truths.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 12);
      for (const truth of truths) truth.step();
    }
    expect(truths.map(({ probability }) => probability)).toEqual(truths.map(({ isYes }) => (isYes ? 1 : 0)));
    expect(truths.filter(({ isYes }) => isYes)).toHaveLength(1);
    expect(before).not.toContain(0);
  });

  it('is true: what it says half way comes true as often as it says', () => {
    const simulations = 600;
    // Forecast and outcome by tenths of the probability.
    const bins = Array.from({ length: 10 }, () => ({ said: 0, came: 0, count: 0 }));
    for (let seed = 0; seed < simulations; seed++) {
      for (const truth of drawEvent(seed, 3, 400)) {
        for (let step = 0; step < 200; step++) truth.step();
        const bin = bins[Math.min(9, Math.floor(truth.probability * 10))];
        if (bin === undefined) continue;
        bin.said += truth.probability;
        bin.came += truth.isYes ? 1 : 0;
        bin.count++;
      }
    }
    for (const { said, came, count } of bins) {
      if (count < 30) continue;
      const p = said / count;
      expect(Math.abs(came / count - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / count));
    }
  });
});

const judged = { name: 'maker', module: logOddsMaker, params: paramsFor(logOddsMaker) };

it('the world of events has a market of 1,000 for each of two to ten outcomes', () => {
  const results = [0, 1, 2].map((seed) => playEvent(seed, judged));
  for (const { wealth, result, failure, outcome } of results) {
    expect([2, 3, 4, 5, 6, 7, 8, 9, 10]).toContain(Math.round((wealth - result) / 1000));
    expect({ failure, outcome }).toEqual({ failure: null, outcome: null });
  }
  expect(new Set(results.map(({ wealth, result }) => Math.round(wealth - result))).size).toBeGreaterThan(1);
});
