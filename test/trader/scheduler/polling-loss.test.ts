/** What the plan of polls leaves to takers where every price is known: figures over more seeds are `npm run bench -- polling`. */

import { describe, expect, it } from 'vitest';
import { goRound, watch } from '../../bench/polling/watch.js';
import { makeWorld, WORLDS, type WorldKind } from '../../bench/polling/world.js';

const SEEDS = [1, 2, 3, 4];

const mean = (figures: readonly number[]): number => figures.reduce((a, b) => a + b, 0) / figures.length;

/** The mean over seeds of what is lost as a part of what going round with as many looks loses, and the longest gap. */
function lossOf(kind: WorldKind, looksAfterFills = false) {
  const played = SEEDS.map((seed) => {
    const world = makeWorld(kind, seed);
    const plan = watch(world, { looksAfterFills });
    return { plan, round: goRound(world, plan.looks) };
  });
  return {
    ofRound: mean(played.map(({ plan, round }) => plan.loss / round.loss)),
    longestGapS: Math.max(...played.map(({ plan }) => plan.longestGapS)),
  };
}

describe('stale quotes lose', () => {
  it.each(['A', 'B', 'D 150'] as const)(
    'far less than by going round, with a look after every fill: world %s',
    (name) => {
      const { ofRound, longestGapS } = lossOf(WORLDS[name], true);
      expect(ofRound).toBeLessThan(0.7);
      // Ten rounds of all looks.
      expect(longestGapS).toBeLessThan(10 + (10 * WORLDS[name].markets * 60) / 70);
    },
  );

  it('more where no look follows a fill', () => {
    expect(lossOf(WORLDS.B, true).ofRound).toBeLessThan(0.7 * lossOf(WORLDS.B).ofRound);
  });
});
