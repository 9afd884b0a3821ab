/** Tests of belief-maker in the whole challenge, which take seconds. */

import { expect, test } from 'vitest';
import { drawConfiguration } from '../../src/lab/arena/score.js';
import { playChallenge, ShownMaker } from '../../src/lab/arena/shown-maker.js';
import { simulate } from '../../src/lab/arena/simulation.js';
import type { MarketView, StrategyEvent } from '../../src/trader/strategy/strategy.js';
import beliefMaker from '../../strategies/belief-maker.js';
import { paramsFor } from '../trader/strategy/fixtures.js';

test('a restart between any two looks changes nothing of what it does', () => {
  const restarting = { ...beliefMaker, create: (...args: Parameters<typeof beliefMaker.create>) => restarted(...args) };
  const params = paramsFor(beliefMaker);
  for (const seed of [3, 11]) {
    const [whole, cut] = [beliefMaker, restarting].map((module) =>
      simulate(seed, new ShownMaker({ name: 'belief', module, params }), { ...drawConfiguration(seed), steps: 500 }),
    );
    expect(cut).toEqual(whole);
    expect(whole?.fills).toBeGreaterThan(10);
  }
});

test('earns in the challenge where log-odds-maker loses', () => {
  const entrant = { name: 'belief', module: beliefMaker, params: paramsFor(beliefMaker) };
  const edges = [0, 3, 11].map((seed) => playChallenge(seed, entrant));
  for (const { edge, failure } of edges) {
    expect(failure).toBeNull();
    expect(edge).toBeGreaterThan(0);
  }
});

/** A quoter restored from its saved state before each call. */
function restarted(...[params, facts, saved]: Parameters<typeof beliefMaker.create>) {
  let quoter = beliefMaker.create(params, facts, saved);
  const restart = () => {
    quoter = beliefMaker.create(params, facts, JSON.parse(JSON.stringify(quoter.save?.())));
    return quoter;
  };
  return {
    quote: (view: MarketView) => restart().quote(view),
    observe: (event: StrategyEvent) => restart().observe?.(event),
  };
}
