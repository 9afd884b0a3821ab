/** Worlds of the whole trader, with a request budget and a delay. */

import { micros, ONE } from '../../../shared/base/micros.js';
import { type ConditionName, type Conditions, FEED_CONDITIONS } from '../conditions.js';
import type { World } from '../contract.js';
import { ChallengeScene } from './challenge-scene.js';
import { CrowdScene } from './crowd-scene.js';
import { LiarScene } from './liar-scene.js';
import { STEP_MS } from './stepped-scene.js';
import { runTrader, type TraderRun } from './trader-run.js';

const STEPS = 2000;
/** The crowd's number of slots. */
const CROWD_MARKETS = 4;
const LIAR_MARKETS = 4;
const LIAR_S = 600;
/** Bound of the loss that one counterparty can cause. */
const LIAR_DAY_LIMIT = micros(50 * ONE);

type PolledSetting = Pick<TraderRun, 'markets' | 'lastsMs' | 'scene' | 'maxLossDayMicros'>;

const makeWorld = (
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

export const rationed = makeWorld(
  'rationed',
  'the challenge seen through polls by the whole trader: a budget of requests, a delay, several markets at once',
  ['markets'],
  (seed, { markets }) => ({
    markets,
    lastsMs: STEPS * STEP_MS,
    scene: (core) => new ChallengeScene(core, { seed, markets, steps: STEPS }),
  }),
);

export const liar = makeWorld(
  'liar',
  'one dishonest quoter in four markets without another maker, and a day limit of 50 for the whole trader',
  [],
  (seed) => ({
    markets: LIAR_MARKETS,
    lastsMs: LIAR_S * 1000,
    maxLossDayMicros: LIAR_DAY_LIMIT,
    scene: (core) => new LiarScene(core, { seed, markets: LIAR_MARKETS }),
  }),
);

export const crowd = makeWorld(
  'crowd',
  'the simulated crowd of the paper exchange in four markets, traded by the whole trader through polls',
  [],
  (seed) => ({
    markets: CROWD_MARKETS,
    lastsMs: STEPS * STEP_MS,
    scene: (core) => new CrowdScene(core, seed),
  }),
);
