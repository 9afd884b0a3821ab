/** Worlds with the whole trader: its opponents, its score, and its budget. */

import { describe, expect, it } from 'vitest';
import { ASK, BID } from '../../../src/exchange/core/contract.js';
import { type Conditions, USUAL_CONDITIONS } from '../../../src/lab/arena/contract.js';
import { challengeScene, crowdScene } from '../../../src/lab/arena/scenes.js';
import { START_MS, STEP_MS } from '../../../src/lab/arena/score.js';
import { type MakerSight, simulate } from '../../../src/lab/arena/simulation.js';
import { LEAD_MS, moneyFor, runTrader } from '../../../src/lab/arena/trader-run.js';
import { micros, ONE } from '../../../src/shared/base/micros.js';
import type { Config } from '../../../src/shell/config/config.js';
import { defineStrategy } from '../../../src/trader/strategy/contract.js';
import bands from '../../../strategies/bands.js';
import { newCore } from '../../exchange/crowd/world.js';
import { times } from '../../support/effort.js';
import { everyBand } from './entrants.js';

const STEPS = times(160, 240);

async function rationed(changes: Partial<Conditions> = {}, seed = 5, one = everyBand()) {
  const conditions = { ...USUAL_CONDITIONS, ...changes };
  const { markets } = conditions;
  return runTrader({ seed, entrant: await one, conditions, markets, lastsMs: STEPS * STEP_MS, scene: challengeScene });
}

/** By the number of markets; each is played once for all tests. */
const runs = new Map<number, ReturnType<typeof rationed>>();
const runIn = (markets: number) => {
  const run = runs.get(markets) ?? rationed({ markets });
  runs.set(markets, run);
  return run;
};

describe('the challenge on the exchange', () => {
  it.each([0, 3, 10_000])('shows the best prices of the published simulator, step by step (seed %i)', (seed) => {
    const published: (number | null)[][] = [];
    const look = ({ competitorBid, competitorAsk }: MakerSight) => {
      published.push([competitorBid, competitorAsk]);
      return [];
    };
    simulate(seed, { act: look });
    const core = newCore();
    const scene = challengeScene(core, seed, 1);
    const [market] = scene.open(START_MS);
    const tick = (price: number | null) => (price === null ? null : price / 10_000);
    const seen = published.map((_, step) => {
      if (step > 0) scene.tick(START_MS + LEAD_MS + step * STEP_MS);
      const { bestBid, bestAsk } = core.catalog.market(market?.index ?? 0);
      return [tick(bestBid), tick(bestAsk)];
    });
    expect(seen).toEqual(published);
    expect(new Set(seen.map(([bid]) => bid)).size).toBeGreaterThan(3);
  });

  it('has markets of other seeds beside the first, which stays the same', () => {
    const pathOf = (markets: number) => {
      const core = newCore();
      const scene = challengeScene(core, 4, markets);
      const opened = scene.open(START_MS);
      scene.tick(START_MS + LEAD_MS + 100 * STEP_MS);
      return opened.map(({ index, probability }) => {
        const { bestBid, bestAsk } = core.catalog.market(index);
        return [bestBid, bestAsk, probability];
      });
    };
    const [alone] = pathOf(1);
    const together = pathOf(8);
    expect(together[0]).toEqual(alone);
    expect(new Set(together.map(([, , probability]) => probability)).size).toBe(8);
  });
});

describe('a trader in the rationed challenge', () => {
  it('never sends more than the budget allows, and less of it makes it look less often', async () => {
    const [usual, scarce] = [await runIn(1), await rationed({ publicPerMinute: 20, signedPerMinute: 40 })];
    const minutes = (LEAD_MS + STEPS * STEP_MS) / 60_000 + 3;
    for (const { failure } of [usual, scarce]) expect(failure).toBeNull();
    expect(scarce.requests).toBeLessThan((20 + 40) * minutes);
    expect(usual.requests ?? 0).toBeGreaterThan(2 * (scarce.requests ?? 0));
    expect(usual.fills).toBeGreaterThan(0);
  });

  it('earns something else behind a delay and in more markets', async () => {
    const [first, late, many] = await Promise.all([runIn(1), rationed({ delayMs: 3000 }), runIn(2)]);
    expect(late.edge).not.toBe(first?.edge);
    // A capital of 1,000 for each market.
    expect((many?.wealth ?? 0) - (many?.result ?? 0)).toBeCloseTo(2000, 6);
    expect(many?.edge).not.toBe(first?.edge);
  });

  it('is judged by the truth, not by what the settlement happens to pay', async () => {
    const { edge, uninformedEdge, informedEdge, fills, shares, drawdown } = await runIn(2);
    expect(edge).toBeCloseTo(uninformedEdge + informedEdge, 9);
    expect(informedEdge).toBeLessThanOrEqual(0);
    expect(shares).toBeGreaterThan(0);
    expect(fills).toBeGreaterThan(0);
    expect(drawdown).toBeGreaterThan(0);
  });

  it('in a trader’s file keeps the capital and the limits of that file', async () => {
    const alone = await everyBand();
    const config: Config = { ...alone.config, file: '/elsewhere/trader.yaml', capitalMicros: micros(70 * ONE) };
    const { wealth, result } = await rationed({}, 5, Promise.resolve({ ...alone, config }));
    expect(wealth - result).toBeCloseTo(70, 6);
  });

  it('of a strategy file alone is stopped by no limit in currency before its money is gone', async () => {
    const { config } = await everyBand();
    const { capitalMicros, risk, ownRisk } = moneyFor({ config, risk: config.risk }, 3);
    expect(capitalMicros).toBe(3000 * ONE);
    for (const limits of [risk, ownRisk]) {
      expect([limits.maxOrderNotionalMicros, limits.maxPositionSharesMicros]).toEqual([1000 * ONE, 3000 * ONE]);
      for (const most of [limits.maxEventLossMicros, limits.maxTotalCostMicros, limits.maxLossDayMicros])
        expect(most).toBe(capitalMicros);
    }
    // Stricter limits of its own file stay in force.
    const tight = { config, risk: { ...config.risk, maxEventLossMicros: micros(7 * ONE) } };
    expect(moneyFor(tight, 3)).toEqual({ capitalMicros, risk, ownRisk: { ...risk, maxEventLossMicros: 7 * ONE } });
  });

  it.each([
    ['made', 'create() failed: Error: no idea'],
    ['asked', 'quote() failed: Error: no idea'],
    ['told of a fill', 'observe() failed: Error: no idea'],
  ])('whose strategy throws when it is %s has failed, with what it said', async (when, said) => {
    const fail = (at: string) => {
      if (at === when) throw new Error('no idea');
    };
    const module = defineStrategy({
      name: 'broken',
      summary: 'Throws.',
      params: bands.params,
      create: (params, market) => {
        fail('made');
        const quoter = bands.create(params, market);
        return {
          quote: (view) => {
            fail('asked');
            return quoter.quote(view);
          },
          observe: ({ kind }) => {
            if (kind === 'fill') fail('told of a fill');
          },
        };
      },
    });
    expect((await rationed({}, 5, Promise.resolve({ ...(await everyBand()), module }))).failure).toContain(said);
  });
});

describe('the crowd of the paper exchange', () => {
  const simulateCrowd = async (seed: number) => {
    const world = { conditions: USUAL_CONDITIONS, markets: 4, scene: crowdScene };
    return runTrader({ seed, entrant: await everyBand(), lastsMs: times(80, STEPS) * STEP_MS, ...world });
  };

  it('trades in four markets with hidden prices, others for another seed', async () => {
    const [first, other] = [await simulateCrowd(1), await simulateCrowd(2)];
    expect(other.edge).not.toBe(first.edge);
    expect(first).toMatchObject({ failure: null, outcome: null });
    expect(first.fills).toBeGreaterThan(0);
    expect(first.uninformedEdge).toBeGreaterThan(first.informedEdge);
    expect(first.wealth - first.result).toBeCloseTo(4000, 6);
  });

  it('tells who of it knows the truth only while he acts', () => {
    const core = newCore();
    const scene = crowdScene(core, 1);
    const markets = scene.open(START_MS);
    scene.tick(START_MS + 120_000);
    expect(scene.isInformed).toBe(false);
    expect(markets).toHaveLength(4);
    for (const { index, probability } of markets) {
      expect(probability > 0 && probability < 1).toBe(true);
      const market = core.catalog.market(index);
      for (const side of [BID, ASK] as const)
        expect(market.readLevels(side, 5, new Int32Array(5), new Float64Array(5))).toBeGreaterThan(0);
    }
  });
});
