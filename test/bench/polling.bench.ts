/**
 * What stale quotes lose with the trader's own plan of polls and its own estimators, on virtual time: as a part of what going
 * round with as many looks loses, and of what the same plan loses that knows every true volatility. Each figure is the mean
 * over seeds of the ratio on that seed's world.
 */

import { micros, ONE } from '../../src/shared/base/micros.js';
import { staleIndex } from '../../src/trader/scheduler/stale-index.js';
import { type Bench, type BenchRow, rate, sized } from './bench.js';
import { goRound, type Watched, watch } from './polling/watch.js';
import { makeWorld, WORLDS, type WorldKind } from './polling/world.js';

const SEEDS = sized(20, 1);
const MANY = 500;

interface Played {
  readonly plan: Watched;
  readonly round: Watched;
  readonly oracle: Watched;
  readonly afterFills: Watched;
}

function play(kind: WorldKind, seed: number): Played {
  const world = makeWorld(kind, seed);
  const plan = watch(world);
  return {
    plan,
    round: goRound(world, plan.looks),
    oracle: watch(world, { knowsTruth: true }),
    afterFills: watch(world, { looksAfterFills: true }),
  };
}

function measure(name: string, kind: WorldKind): readonly BenchRow[] {
  const played = Array.from({ length: SEEDS }, (_, i) => play(kind, i + 1));
  const longestS = Math.max(...played.map(({ plan }) => plan.longestGapS));
  return [
    ratio(`polling ${name} of round-robin`, played, ({ plan, round }) => plan.loss / round.loss),
    ratio(`polling ${name} of oracle`, played, ({ plan, oracle }) => plan.loss / oracle.loss),
    ratio(
      `polling ${name} of round-robin, looks after fills`,
      played,
      ({ afterFills, round }) => afterFills.loss / round.loss,
    ),
    { name: `polling ${name} longest gap`, figure: longestS, unit: 's', spread: `${SEEDS} seeds` },
  ];
}

function ratio(name: string, played: readonly Played[], of: (one: Played) => number): BenchRow {
  const figures = played.map(of);
  const mean = figures.reduce((a, b) => a + b, 0) / figures.length;
  const variance = figures.reduce((sum, each) => sum + (each - mean) ** 2, 0) / Math.max(1, figures.length - 1);
  return {
    name,
    figure: mean,
    unit: 'of its loss',
    spread: `±${Math.sqrt(variance / figures.length).toFixed(2)} (SE)`,
  };
}

/** What one decision costs among so many markets: every index, as the plan asks for it. */
function decide(): BenchRow {
  const motion = { seenMs: 0, usualDistance: 0.01, jumpsPerS: 1 / 3600, takersPerS: 1 / 60 } as const;
  const markets = makeWorld({ ...WORLDS.B, markets: MANY }, 1).map(({ shares, distance, prices, sigmas }) => {
    const price = prices[0] ?? 0.5;
    const order = (side: 'bid' | 'ask', away: number) => ({
      side,
      priceMicros: micros(Math.round((price + away) * ONE)),
      remainingMicros: micros(Math.round(shares * ONE)),
    });
    const quotes = [order('bid', -distance), order('ask', distance)];
    return { ...motion, price, sigmaPerSqrtS: (sigmas[0] ?? 0) * price * (1 - price), quotes };
  });
  const decisions = sized(2000, 20);
  return rate(`polling decisions among ${MANY} markets`, 'decisions/s', 5, () => {
    // Processor time: on a busy machine the clock says little of the code.
    const before = process.cpuUsage();
    let best = 0;
    for (let i = 0; i < decisions; i++)
      for (const market of markets) best = Math.max(best, staleIndex(market, 60_000 + i));
    return best > 0 ? (1e6 * decisions) / process.cpuUsage(before).user : 0;
  });
}

async function run(): Promise<readonly BenchRow[]> {
  const rows = Object.entries(WORLDS).flatMap(([name, kind]) => measure(name, kind));
  return [...rows, decide()];
}

export const bench: Bench = { title: 'polling: what stale quotes lose', run };
