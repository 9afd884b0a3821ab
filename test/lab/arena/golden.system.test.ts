/** The same seed gives the same figures in every world on every machine; these are pinned. */

import { describe, expect, it } from 'vitest';
import { USUAL_CONDITIONS } from '../../../src/lab/arena/contract.js';
import { challengeScene, crowdScene } from '../../../src/lab/arena/scenes.js';
import { runTrader, type TraderRun } from '../../../src/lab/arena/trader-run.js';
import { worldNamed } from '../../../src/lab/arena/worlds.js';
import { micros, ONE } from '../../../src/shared/base/micros.js';
import { defineStrategy, NO_QUOTES } from '../../../src/trader/strategy/contract.js';
import { everyBand } from './entrants.js';

const short = ({ edge, informedEdge, fills, actions, requests, result }: Awaited<ReturnType<typeof runTrader>>) =>
  [edge, informedEdge, fills, actions, requests, result].map((value) => value && Number(value.toFixed(6)));

const level = (price: number) => [{ priceMicros: micros(price * ONE), amountMicros: micros(10 * ONE) }];

const FIXED = defineStrategy({
  name: 'fixed',
  summary: 'Always the same two prices.',
  params: {},
  create: () => ({
    quote: () => ({ ...NO_QUOTES('fixed'), fairMicros: micros(ONE / 2), bids: level(0.4), asks: level(0.6) }),
  }),
});

describe('bands with seed 17', () => {
  it.each([
    ['challenge', [-53.808655, -54.182974, 98, 853, null, -118.5172]],
    ['toxic', [-53.144727, -53.519046, 96, 835, null, -104.7172]],
    ['news', [-25.862126, -26.447075, 64, 510, null, -203.6625]],
    ['event', [12.850216, -113.895036, 1240, 2607, null, -2059.5769]],
  ])('in %s', async (name, golden) => {
    expect(short(await worldNamed(name).simulate(17, await everyBand(), USUAL_CONDITIONS))).toEqual(golden);
  });

  it('in thin quotes nothing, where a maker of fixed prices is filled', async () => {
    const thin = worldNamed('thin');
    const silent = await thin.simulate(17, await everyBand(), USUAL_CONDITIONS);
    expect(silent).toMatchObject({ edge: 0, fills: 0, actions: 0 });
    const fixed = await thin.simulate(17, { ...(await everyBand()), module: FIXED, params: {} }, USUAL_CONDITIONS);
    expect(short(fixed)).toEqual([-522.456387, -812.426965, 847, 734, null, -569.784]);
  });

  const LASTS_MS = 300_000;
  it.each<[string, number, TraderRun['scene'], unknown]>([
    ['rationed', 1, challengeScene, [-4.603386, -4.963121, 14, 102, 1411, -43.3]],
    ['rationed', 8, challengeScene, [-12.105253, -21.951216, 167, 306, 2082, -178.9759]],
    ['crowd', 4, crowdScene, [16.283657, -1.393351, 267, 345, 2060, -16.92]],
  ])('in the first five minutes of %s with %i markets', async (_, markets, scene, golden) => {
    const conditions = { ...USUAL_CONDITIONS, markets };
    const run = { seed: 17, entrant: await everyBand(), conditions, markets, lastsMs: LASTS_MS, scene };
    expect(short(await runTrader(run))).toEqual(golden);
  });
});
