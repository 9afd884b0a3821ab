/** The worlds in which the whole trader trades, within a budget of requests and behind a delay. */

import { micros, ONE } from '../../../shared/base/micros.js';
import { type ConditionName, FEED_CONDITIONS } from '../conditions.js';
import type { World } from '../contract.js';
import { ChallengeScene } from './challenge-scene.js';
import { CrowdScene } from './crowd-scene.js';
import { LiarScene } from './liar-scene.js';
import { STEP_MS } from './stepped-scene.js';
import { runTrader } from './trader-run.js';

const VENUE_CONDITIONS: readonly ConditionName[] = ['publicPerMinute', 'signedPerMinute', 'delayMs'];
const STEPS = 2000;
/** As many as the crowd has slots. */
const CROWD_MARKETS = 4;
const LIAR_MARKETS = 4;
const LIAR_S = 600;
/** What one counterparty is to be unable to exceed. */
const LIAR_DAY_LIMIT = micros(50 * ONE);

export const rationed: World = {
  name: 'rationed',
  summary:
    'the challenge seen through polls by the whole trader: a budget of requests, a delay, several markets at once',
  conditions: ['markets', ...VENUE_CONDITIONS, ...FEED_CONDITIONS],
  simulate: (seed, entrant, conditions) => {
    const { markets } = conditions;
    return runTrader({
      seed,
      entrant,
      conditions,
      markets,
      lastsMs: STEPS * STEP_MS,
      scene: (core) => new ChallengeScene(core, { seed, markets, steps: STEPS }),
    });
  },
};

export const liar: World = {
  name: 'liar',
  summary: 'one dishonest quoter in four markets without another maker, and a day limit of 50 for the whole trader',
  conditions: [...VENUE_CONDITIONS, ...FEED_CONDITIONS],
  simulate: (seed, entrant, conditions) =>
    runTrader({
      seed,
      entrant,
      conditions,
      markets: LIAR_MARKETS,
      lastsMs: LIAR_S * 1000,
      maxLossDayMicros: LIAR_DAY_LIMIT,
      scene: (core) => new LiarScene(core, { seed, markets: LIAR_MARKETS }),
    }),
};

export const crowd: World = {
  name: 'crowd',
  summary: 'the simulated crowd of the paper exchange in four markets, traded by the whole trader through polls',
  conditions: [...VENUE_CONDITIONS, ...FEED_CONDITIONS],
  simulate: (seed, entrant, conditions) =>
    runTrader({
      seed,
      entrant,
      conditions,
      markets: CROWD_MARKETS,
      lastsMs: STEPS * STEP_MS,
      scene: (core) => new CrowdScene(core, seed),
    }),
};
