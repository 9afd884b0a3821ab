/** The arena's worlds. `challenge` reproduces the public orderbook prediction market challenge (2026) bit for bit. */

import { TwinbookError } from '../../shared/base/errors.js';
import { micros, ONE } from '../../shared/base/micros.js';
import { closest } from '../../shared/base/text.js';
import { type ConditionName, type Conditions, FEED_CONDITIONS, USUAL_CONDITIONS, type World } from './contract.js';
import { challengeScene, crowdScene, liarScene } from './scenes.js';
import { STEP_MS, STEPS } from './score.js';
import { playChallenge, playEvent } from './shown-maker.js';
import { runTrader, type TraderRun } from './trader-run.js';

const likeChallenge = (name: string, summary: string, change?: Parameters<typeof playChallenge>[3]): World => ({
  name,
  summary,
  conditions: FEED_CONDITIONS,
  simulate: (seed, entrant, conditions) => playChallenge(seed, entrant, conditions, change),
});

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
    'the public challenge of 2026: price jumps, an arbitrageur who acts first, uninformed takers, a static competitor',
  ),
  likeChallenge(
    'toxic',
    'the challenge with an arbitrageur who acts only in a fraction of the steps, from none to all of them',
    (config, draws) => ({ ...config, informedPart: draws.random() }),
  ),
  likeChallenge(
    'thin',
    'the challenge with a competitor on one side only: the other side of the book is empty',
    (config, draws) => ({ ...config, competitorSides: [draws.random() < 0.5 ? 'bid' : 'ask'] }),
  ),
  likeChallenge(
    'news',
    'the challenge with announcements: a price jump at every 250th step, in addition to the unannounced jumps',
    (config) => ({ ...config, newsEverySteps: 250, newsSigma: 0.5 }),
  ),
  {
    name: 'event',
    summary: 'two to ten exclusive outcomes whose probabilities sum to one, each with a market of the challenge',
    conditions: FEED_CONDITIONS,
    simulate: playEvent,
  },
  polled(
    'rationed',
    'the challenge traded by the whole trader through polls: with request limits, a delay and several markets at once',
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
    'four markets in which one manipulator makes all other quotes; the whole trader has a daily loss limit of 50',
    // The daily loss limit of 50 (in currency) bounds the trader's loss to the manipulator.
    { lastsMs: 600_000, scene: liarScene, maxLossDayMicros: micros(50 * ONE) },
  ),
];

export function worldNamed(name: string): World {
  const found = WORLDS.find((world) => world.name === name);
  if (found !== undefined) return found;
  const names = WORLDS.map((world) => world.name);
  const near = closest(name, names);
  const meant = near === null ? '' : `; did you mean '${near}'?`;
  throw new TwinbookError('usage', `no world '${name}'${meant}`, `Known worlds: ${names.join(', ')}.`);
}

/** Returns the default conditions with the given number of markets. Throws `usage` if all worlds ignore this number. */
export function withMarkets(markets: number, worlds: readonly World[]): Conditions {
  if (worlds.some(({ conditions }) => conditions.includes('markets'))) return { ...USUAL_CONDITIONS, markets };
  const names = worlds.map(({ name }) => name).join(', ');
  throw new TwinbookError('usage', `--markets has no effect in ${names}`, 'Omit --markets, or use --world rationed.');
}
