/**
 * The worlds, each one row. `challenge` is the world of the public orderbook prediction market challenge (2026), bit for bit:
 * one binary market of 2,000 steps, a hidden score that diffuses and jumps, a static competitor, an arbitrageur who takes every
 * order on the wrong side of the true probability before uninformed takers come. Its published rules and golden values are in
 * the tests. `toxic`, `thin` and `news` change one thing of it each, so that a strategy loses there what it gained by fitting
 * the challenge. In `rationed`, `crowd` and `liar` the whole trader trades, within a budget of requests and behind a delay.
 */

import { closest } from '../../shared/base/closest.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { micros, ONE } from '../../shared/base/micros.js';
import { type Configuration, drawConfiguration } from './challenge/configuration.js';
import { playEvent } from './challenge/event.js';
import { PythonRandom } from './challenge/python-random.js';
import { ShownMaker } from './challenge/shown-maker.js';
import { simulate } from './challenge/simulation.js';
import { type ConditionName, type Conditions, FEED_CONDITIONS, optionOf, USUAL_CONDITIONS } from './conditions.js';
import type { ShownStrategy, SimulationResult, World } from './contract.js';
import { ChallengeScene } from './polled/challenge-scene.js';
import { CrowdScene } from './polled/crowd-scene.js';
import { LiarScene } from './polled/liar-scene.js';
import { STEP_MS } from './polled/stepped-scene.js';
import { runTrader, type TraderRun } from './polled/trader-run.js';

type Change = (config: Configuration, draws: PythonRandom) => Configuration;

/** The challenge of this seed, with a change. */
export function playChallenge(
  seed: number,
  judged: ShownStrategy,
  conditions = USUAL_CONDITIONS,
  change: Change = (config) => config,
): SimulationResult {
  const maker = new ShownMaker(judged, seed, conditions);
  // Separate from the published draws: the seed's market stays the same until the change.
  const config = change(drawConfiguration(seed), new PythonRandom(seed + 2 ** 33));
  const result = simulate(seed, maker, config);
  return { ...result, failure: result.failure ?? maker.failure };
}

const likeChallenge = (name: string, summary: string, change?: Change): World => ({
  name,
  summary,
  conditions: FEED_CONDITIONS,
  simulate: (seed, entrant, conditions) => playChallenge(seed, entrant, conditions, change),
});

type PolledSetting = Pick<TraderRun, 'markets' | 'lastsMs' | 'scene' | 'maxLossDayMicros'>;

const polled = (
  name: string,
  summary: string,
  own: readonly ConditionName[],
  makeSetting: (seed: number, conditions: Conditions) => PolledSetting,
): World => ({
  name,
  summary,
  conditions: [...own, 'publicPerMinute', 'signedPerMinute', 'delayMs', ...FEED_CONDITIONS],
  simulate: (seed, entrant, conditions) => runTrader({ seed, entrant, conditions, ...makeSetting(seed, conditions) }),
});

const STEPS = 2000;
/** The crowd has as many slots. */
const MARKETS = 4;
const LIAR_S = 600;
/** One counterparty must not be able to take more, in currency. */
const LIAR_DAY_LIMIT = micros(50 * ONE);

export const WORLDS: readonly World[] = [
  likeChallenge(
    'challenge',
    'the public challenge of 2026: jumps, an arbitrageur who comes first, uninformed takers, a static competitor',
  ),
  likeChallenge(
    'toxic',
    'the challenge with an arbitrageur who comes in a part of the steps only, from none to all of them',
    (config, draws) => ({ ...config, informedPart: draws.random() }),
  ),
  likeChallenge(
    'thin',
    'the challenge with a competitor on one side only: the other side of the book is empty',
    (config, draws) => ({ ...config, competitorSides: [draws.random() < 0.5 ? 'bid' : 'ask'] }),
  ),
  likeChallenge(
    'news',
    'the challenge with announcements: a jump at every 250th step, beside unannounced ones',
    (config) => ({ ...config, newsEverySteps: 250, newsSigma: 0.5 }),
  ),
  {
    name: 'event',
    summary: 'two to ten exclusive outcomes whose probabilities sum to one, a market of the challenge for each',
    conditions: FEED_CONDITIONS,
    simulate: playEvent,
  },
  polled(
    'rationed',
    'the challenge seen through polls by the whole trader: a budget of requests, a delay, several markets at once',
    ['markets'],
    (seed, { markets }) => ({
      markets,
      lastsMs: STEPS * STEP_MS,
      scene: (core) => new ChallengeScene(core, { seed, markets, steps: STEPS }),
    }),
  ),
  polled(
    'crowd',
    'the simulated crowd of the paper exchange in four markets, traded by the whole trader through polls',
    [],
    (seed) => ({ markets: MARKETS, lastsMs: STEPS * STEP_MS, scene: (core) => new CrowdScene(core, seed) }),
  ),
  polled(
    'liar',
    'one dishonest quoter in four markets without another maker, and a day limit of 50 for the whole trader',
    [],
    (seed) => ({
      markets: MARKETS,
      lastsMs: LIAR_S * 1000,
      maxLossDayMicros: LIAR_DAY_LIMIT,
      scene: (core) => new LiarScene(core, { seed, markets: MARKETS }),
    }),
  ),
];

/** The world of this name; throws `usage` with the known names. */
export function worldNamed(name: string): World {
  const names = WORLDS.map((world) => world.name);
  const found = WORLDS.find((world) => world.name === name);
  if (found !== undefined) return found;
  const near = closest(name, names);
  const meant = near === null ? '' : `; did you mean '${near}'?`;
  throw new TwinbookError('usage', `no world '${name}'${meant}`, `Known are ${names.join(', ')}.`);
}

/** Throws `usage` for a condition that none of these worlds uses. */
export function requireTaken(asked: readonly ConditionName[], worlds: readonly World[]): void {
  for (const condition of asked) {
    if (worlds.some(({ conditions }) => conditions.includes(condition))) continue;
    const having = WORLDS.filter(({ conditions }) => conditions.includes(condition)).map(({ name }) => name);
    const names = worlds.map(({ name }) => name).join(', ');
    throw new TwinbookError(
      'usage',
      `${optionOf(condition)} changes nothing in ${names}`,
      `Leave it out, or ask for ${having.map((name) => `--world ${name}`).join(' or ')}.`,
    );
  }
}
