/** Markets with known prices at every second, to measure the loss between polls. */

import { Random } from '../../../src/shared/base/random.js';
import { computeLogOdds } from '../../../src/trader/market/estimators.js';
import { sigmoid } from '../../../src/trader/strategy/maths/log-odds.js';

export const SECONDS = 5400;
export const TICK = 0.01;
/** Rate of takers who would hit a wrong quote, equal everywhere: a common factor keeps the order of polls. */
export const TAKERS_PER_S = 1 / 20;
export const JUMP_RATE = 1 / 7200;
const JUMP_SD = 0.25;
const STORM_S = 600;
const STORM_FACTOR = 5;

/** The true state of one market. */
export interface TrueMarket {
  readonly id: string;
  /** Shares that rest on each side. */
  readonly shares: number;
  /** Distance of our quotes from the fair value, price. */
  readonly distance: number;
  /** True price at each second, and the volatility of its log-odds. */
  readonly prices: Float64Array;
  readonly sigmas: Float64Array;
  /** Seconds with a taker who would hit a wrong quote, ascending. */
  readonly takersS: readonly number[];
}

export interface WorldKind {
  readonly markets: number;
  /** `random`: 1, 2, 3 or 5 ticks; `by sigma`: as far as the price moves in half a minute. */
  readonly distances: 'random' | 'by sigma';
  readonly sigma: { readonly median: number; readonly logSd: number };
  /** Half of the markets have one or two spans of ten minutes with five times the volatility. */
  readonly storms: boolean;
}

export function makeWorld(kind: WorldKind, seed: number): readonly TrueMarket[] {
  return Array.from({ length: kind.markets }, (_, i) => makeMarket(kind, Random.fromSeed(seed, `market ${i}`), i));
}

function makeMarket(kind: WorldKind, random: Random, i: number): TrueMarket {
  const sigma = kind.sigma.median * Math.exp(kind.sigma.logSd * random.normal());
  const shares = 50 * Math.exp(random.normal());
  const start = 0.15 + 0.7 * random.uniform();
  const ticks =
    kind.distances === 'random'
      ? ([1, 2, 3, 5][random.below(4)] ?? 1)
      : Math.max(1, Math.ceil((sigma * start * (1 - start) * Math.sqrt(30)) / TICK));
  const sigmas = new Float64Array(SECONDS + 1).fill(sigma);
  if (kind.storms && i % 2 === 0) {
    for (let storms = 1 + random.below(2); storms > 0; storms--) {
      const fromS = random.below(SECONDS - STORM_S);
      sigmas.fill(STORM_FACTOR * sigma, fromS, fromS + STORM_S);
    }
  }
  const prices = new Float64Array(SECONDS + 1);
  for (let second = 0, x = computeLogOdds(start); second <= SECONDS; second++) {
    prices[second] = sigmoid(x);
    x += (sigmas[second] ?? sigma) * random.normal();
    if (random.chance(JUMP_RATE)) x += JUMP_SD * random.normal();
  }
  return { id: `m${i}`, shares, distance: ticks * TICK, prices, sigmas, takersS: arrivals(random) };
}

function arrivals(random: Random): readonly number[] {
  const times: number[] = [];
  for (let at = random.exponential(1 / TAKERS_PER_S); at < SECONDS; at += random.exponential(1 / TAKERS_PER_S))
    times.push(at);
  return times;
}

const usual = { median: 0.0015, logSd: 1 } as const;
export const WORLDS = {
  A: { markets: 60, distances: 'random', sigma: usual, storms: false },
  B: { markets: 60, distances: 'by sigma', sigma: usual, storms: false },
  C: { markets: 60, distances: 'by sigma', sigma: { median: 0.0008, logSd: 0.5 }, storms: true },
  'D 8': { markets: 8, distances: 'by sigma', sigma: usual, storms: false },
  'D 150': { markets: 150, distances: 'by sigma', sigma: usual, storms: false },
} as const satisfies Record<string, WorldKind>;
