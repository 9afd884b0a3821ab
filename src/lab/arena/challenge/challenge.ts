/**
 * The world of the public orderbook prediction market challenge (2026), bit for bit: one binary market of 2,000 steps, a
 * hidden score that diffuses and jumps, a static competitor, an arbitrageur who takes every order on the wrong side of the
 * true probability before uninformed takers come. Its published rules and golden values are in the tests. The other worlds
 * here change one thing of it each, so that what a strategy gains by fitting the challenge is lost in them.
 */

import { FEED_CONDITIONS, USUAL_CONDITIONS } from '../conditions.js';
import type { ShownStrategy, SimulationResult, World } from '../contract.js';
import { type Configuration, drawConfiguration } from './configuration.js';
import { PythonRandom } from './python-random.js';
import { ShownMaker } from './shown-maker.js';
import { simulate } from './simulation.js';

type Change = (config: Configuration, draws: PythonRandom) => Configuration;

const makeWorld = (name: string, summary: string, change: Change) =>
  ({
    name,
    summary,
    conditions: FEED_CONDITIONS,
    simulate: (seed: number, judged: ShownStrategy, conditions = USUAL_CONDITIONS): SimulationResult => {
      const maker = new ShownMaker(judged, seed, conditions);
      // Separate from the published draws: the seed's market stays the same until the change.
      const config = change(drawConfiguration(seed), new PythonRandom(seed + 2 ** 33));
      const result = simulate(seed, maker, config);
      return { ...result, failure: result.failure ?? maker.failure };
    },
  }) satisfies World;

export const challenge = makeWorld(
  'challenge',
  'the public challenge of 2026: jumps, an arbitrageur who comes first, uninformed takers, a static competitor',
  (config) => config,
);

export const toxic = makeWorld(
  'toxic',
  'the challenge with an arbitrageur who comes in a part of the steps only, from none to all of them',
  (config, draws) => ({ ...config, informedPart: draws.random() }),
);

export const thin = makeWorld(
  'thin',
  'the challenge with a competitor on one side only: the other side of the book is empty',
  (config, draws) => ({ ...config, competitorSides: [draws.random() < 0.5 ? 'bid' : 'ask'] }),
);

export const news = makeWorld(
  'news',
  'the challenge with announcements: a jump at every 250th step, beside those that nobody announces',
  (config) => ({ ...config, newsEverySteps: 250, newsSigma: 0.5 }),
);
