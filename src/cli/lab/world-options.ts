/** Options of commands that play worlds: which ones, and under which conditions. */

import type { Command } from 'commander';
import { type Conditions, USUAL_CONDITIONS, type World } from '../../lab/arena/contract.js';
import { GIVES_UP_MS } from '../../lab/backtest/contract.js';
import { integerBetween, numberBetween } from '../arguments.js';

export const HIGHEST_SEED = 2 ** 31;
export const MOST_SEEDS = 1_000_000;
const MOST_MARKETS = 40;
const MOST_REQUESTS = 100_000;
const MOST_LAG_S = 3600;

export interface ConditionFlags {
  readonly markets?: number;
  readonly public?: number;
  readonly signed?: number;
  readonly delay?: number;
  readonly feedSd?: number;
  readonly feedLag?: number;
}

/** The venue of worlds in which the whole trader trades. */
export const withConditions = (command: Command): Command =>
  command
    .option('--markets <n>', 'of rationed: markets at once, 1 to 40 (default: 1)', integerBetween(1, MOST_MARKETS))
    .option(
      '--public <n>',
      'of rationed and crowd: public requests a minute (default: 120)',
      integerBetween(1, MOST_REQUESTS),
    )
    .option(
      '--signed <n>',
      'of rationed and crowd: signed requests a minute (default: 300)',
      integerBetween(1, MOST_REQUESTS),
    )
    .option(
      '--delay <ms>',
      'of rationed and crowd: how long each request takes, there and back (default: 150)',
      integerBetween(0, GIVES_UP_MS),
    )
    .option(
      '--feed-sd <log-odds>',
      'how far the feeds of strategies are off the truth, a standard deviation (default: 0.1)',
      numberBetween(0, 10),
    )
    .option('--feed-lag <s>', 'how late they are (default: 0)', integerBetween(0, MOST_LAG_S));

export async function findWorlds(names: readonly string[]): Promise<readonly World[]> {
  const { WORLDS, worldNamed } = await import('../../lab/arena/worlds.js');
  const others = names.filter((name) => name !== 'all').map(worldNamed);
  return names.includes('all') ? WORLDS : [...new Set(others)];
}

export async function readConditions(options: ConditionFlags, worlds: readonly World[]): Promise<Conditions> {
  const { requireTaken } = await import('../../lab/arena/worlds.js');
  const { markets, public: publicPerMinute, signed: signedPerMinute, delay: delayMs } = options;
  const { feedSd, feedLag: feedLagS } = options;
  const asked = listGiven({ markets, publicPerMinute, signedPerMinute, delayMs, feedSd, feedLagS });
  requireTaken(asked, worlds);
  return {
    markets: markets ?? USUAL_CONDITIONS.markets,
    publicPerMinute: publicPerMinute ?? USUAL_CONDITIONS.publicPerMinute,
    signedPerMinute: signedPerMinute ?? USUAL_CONDITIONS.signedPerMinute,
    delayMs: delayMs ?? USUAL_CONDITIONS.delayMs,
    feedSd: feedSd ?? USUAL_CONDITIONS.feedSd,
    feedLagS: feedLagS ?? USUAL_CONDITIONS.feedLagS,
  };
}

const listGiven = (asked: Readonly<Record<keyof Conditions, number | undefined>>): readonly (keyof Conditions)[] =>
  // The keys are those of its type.
  (Object.keys(asked) as (keyof Conditions)[]).filter((name) => asked[name] !== undefined);
