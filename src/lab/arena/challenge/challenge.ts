/**
 * The world of the public orderbook prediction market challenge (2026), bit for bit: one binary market of 2,000 steps, a
 * hidden score that diffuses and jumps, a static competitor, an arbitrageur who takes every order on the wrong side of the
 * true probability before uninformed takers come. Its published rules and golden values are in the tests.
 */

import type { World } from '../contract.js';
import { ShownMaker } from './shown-maker.js';
import { simulate } from './simulation.js';

export const challenge: World = {
  name: 'challenge',
  summary:
    'the public challenge of 2026: jumps, an arbitrageur who comes first, uninformed takers, a static competitor',
  simulate: (seed, entrant) => {
    const maker = new ShownMaker(entrant);
    const result = simulate(seed, maker);
    return { ...result, failure: result.failure ?? maker.failure };
  },
};
