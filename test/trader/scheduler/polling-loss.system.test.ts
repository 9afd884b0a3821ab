/** The poll plan leaves little to takers if every price is known. */

import { describe, expect, it } from 'vitest';
import { goRound, type WatchOptions, watch } from '../../bench/polling/watch.js';
import { makeWorld, WORLDS } from '../../bench/polling/world.js';

type Name = keyof typeof WORLDS;

const SEEDS = [1, 2, 3, 4];

const mean = (figures: readonly number[]): number => figures.reduce((a, b) => a + b, 0) / figures.length;

interface Lost {
  /** The mean over seeds, as a part of the loss of round-robin polling with the same number of polls. */
  readonly ofRound: number;
  readonly longestGapS: number;
}

function measure(name: Name, options: WatchOptions): Lost {
  const played = SEEDS.map((seed) => {
    const world = makeWorld(WORLDS[name], seed);
    const plan = watch(world, options);
    return { plan, round: goRound(world, plan.looks) };
  });
  return {
    ofRound: mean(played.map(({ plan, round }) => plan.loss / round.loss)),
    longestGapS: Math.max(...played.map(({ plan }) => plan.longestGapS)),
  };
}

const measured = new Map<string, Lost>();

/** Equal settings are measured once. */
function lossOf(name: Name, options: WatchOptions = { looksAfterFills: true }): Lost {
  const key = JSON.stringify([name, options]);
  const lost = measured.get(key) ?? measure(name, options);
  measured.set(key, lost);
  return lost;
}

/** Ten rounds of all polls. */
const longestOf = (name: Name): number => 10 + (10 * WORLDS[name].markets * 60) / 70;

describe('stale quotes lose', () => {
  it.each(['A', 'B', 'D 150'] as const)('far less than by going round, looking after every fill: world %s', (name) => {
    const { ofRound, longestGapS } = lossOf(name);
    expect(ofRound).toBeLessThan(0.7);
    expect(longestGapS).toBeLessThan(longestOf(name));
  });

  it('more where no look follows a fill', () =>
    expect(lossOf('B').ofRound).toBeLessThan(0.7 * lossOf('B', {}).ofRound));

  it.each([
    ['not half as much where the venue tells what has moved', 0.5, {}],
    ['no more where what it tells has come to be believed and is a lie from then on', 1.1, { marksLieFromS: 1800 }],
  ])('%s', (_, most, lies) => {
    const { ofRound, longestGapS } = lossOf('B', { looksAfterFills: true, marksEveryS: 5, ...lies });
    expect(ofRound).toBeLessThan(most * lossOf('B').ofRound);
    expect(longestGapS).toBeLessThan(longestOf('B'));
  });
});
