/**
 * The worlds, each one row. `challenge` is the public orderbook prediction market challenge (2026), bit for bit: its
 * published rules and golden values are in the tests. `toxic`, `thin` and `news` change one thing of it each, so that a
 * strategy loses there what it gained by fitting the challenge.
 */

import { TwinbookError } from '../../shared/base/errors.js';
import { micros, ONE } from '../../shared/base/micros.js';
import { closest } from '../../shared/base/text.js';
import { playEvent } from './challenge/event.js';
import { PythonRandom } from './challenge/python-random.js';
import { type Configuration, drawConfiguration, STEP_MS, STEPS } from './challenge/score.js';
import { ShownMaker } from './challenge/shown-maker.js';
import { simulate } from './challenge/simulation.js';
import { CONDITIONS, type ConditionName, FEED_CONDITIONS, USUAL_CONDITIONS } from './conditions.js';
import type { ShownStrategy, SimulationResult, World } from './contract.js';
import { challengeScene } from './polled/challenge-scene.js';
import { crowdScene } from './polled/crowd-scene.js';
import { liarScene } from './polled/liar-scene.js';
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
  return simulate(seed, maker, config);
}

const likeChallenge = (name: string, summary: string, change?: Change): World => ({
  name,
  summary,
  conditions: FEED_CONDITIONS,
  simulate: (seed, entrant, conditions) => playChallenge(seed, entrant, conditions, change),
});

/** The crowd has as many slots. */
const MARKETS = 4;

const polled = (
  name: string,
  summary: string,
  setting: Pick<TraderRun, 'lastsMs' | 'scene' | 'maxLossDayMicros'>,
  own: readonly ConditionName[] = [],
): World => ({
  name,
  summary,
  conditions: [...own, 'publicPerMinute', 'signedPerMinute', 'delayMs', ...FEED_CONDITIONS],
  simulate: (seed, entrant, conditions) => {
    const markets = own.includes('markets') ? conditions.markets : MARKETS;
    return runTrader({ seed, entrant, conditions, markets, ...setting });
  },
});

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
    { lastsMs: STEPS * STEP_MS, scene: challengeScene },
    ['markets'],
  ),
  polled(
    'crowd',
    'the simulated crowd of the paper exchange in four markets, traded by the whole trader through polls',
    { lastsMs: STEPS * STEP_MS, scene: crowdScene },
  ),
  polled(
    'liar',
    'one dishonest quoter in four markets without another maker, and a day limit of 50 for the whole trader',
    // One counterparty must not be able to take more, in currency.
    { lastsMs: 600_000, scene: liarScene, maxLossDayMicros: micros(50 * ONE) },
  ),
];

/** The world of this name; throws `usage` with the known names. */
export function worldNamed(name: string): World {
  const found = WORLDS.find((world) => world.name === name);
  if (found !== undefined) return found;
  const names = WORLDS.map((world) => world.name);
  const near = closest(name, names);
  const meant = near === null ? '' : `; did you mean '${near}'?`;
  throw new TwinbookError('usage', `no world '${name}'${meant}`, `Known are ${names.join(', ')}.`);
}

/** Throws `usage` for a condition that none of these worlds uses. */
export function requireTaken(asked: readonly ConditionName[], worlds: readonly World[]): void {
  const isTaken = (condition: ConditionName) => worlds.some(({ conditions }) => conditions.includes(condition));
  const unused = asked.find((condition) => !isTaken(condition));
  if (unused === undefined) return;
  const having = WORLDS.filter(({ conditions }) => conditions.includes(unused)).map(({ name }) => `--world ${name}`);
  const names = worlds.map(({ name }) => name).join(', ');
  const option = CONDITIONS[unused].option.split(' ')[0];
  const hint = `Leave it out, or ask for ${having.join(' or ')}.`;
  throw new TwinbookError('usage', `${option} changes nothing in ${names}`, hint);
}
