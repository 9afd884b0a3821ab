/** The table of an arena, with made-up results. */

import { expect, it } from 'vitest';
import { arenaTables } from '../../../src/cli/lab/arena.js';
import { type ArenaResult, judgeSimulations } from '../../../src/lab/arena/arena.js';
import { USUAL_CONDITIONS } from '../../../src/lab/arena/contract.js';
import { worldNamed } from '../../../src/lab/arena/worlds.js';
import { Random } from '../../../src/shared/base/random.js';

const COUNTS = { fills: 90, shares: 900, actions: 400 };
const SIMULATION = { ...COUNTS, reported: null, wealth: 1000, result: 7, drawdown: 9, outcome: null };

/** `failure`: of the first simulation of the first strategy. */
function madeUpArena(
  seeds: number,
  { strategies = ['near', 'far'], worlds = ['challenge', 'rationed'], failure = null as string | null } = {},
): ArenaResult {
  const firstSeed = 500;
  const random = Random.fromSeed(1, 'arena');
  const simulations = worlds.flatMap((world) =>
    strategies.flatMap((strategy, place) =>
      Array.from({ length: seeds }, (_, index) => {
        const [uninformedEdge, informedEdge] = [random.uniform() * 20 - place, -random.uniform() * 12];
        const edges = { edge: uninformedEdge + informedEdge, uninformedEdge, informedEdge };
        const isFirst = index === 0;
        return {
          ...SIMULATION,
          ...edges,
          world,
          strategy,
          seed: firstSeed + index,
          requests: world === 'rationed' ? 7000 + index : null,
          halts: world === 'rationed' && isFirst ? 1 : 0,
          failure: isFirst && place === 0 ? failure : null,
        };
      }),
    ),
  );
  return {
    version: '0.1.0',
    worlds: worlds.map(worldNamed),
    strategies: strategies.map((name) => ({
      name,
      file: `my files/${name}.yaml`,
      module: 'bands',
      params: { width: 3 },
      configHash: 'ab'.repeat(32),
    })),
    firstSeed,
    seeds,
    conditions: { ...USUAL_CONDITIONS, markets: 8 },
    ...judgeSimulations(simulations),
    simulations,
  };
}

it('shows requests and conditions only where there are some', () => {
  const text = arenaTables(madeUpArena(3));
  expect(text).toContain('rationed: 8 markets at once, 120 public and 300 signed requests a minute');
  expect(text).toMatch(/DRAWDOWN +REQUESTS/);
  expect(text).toContain('A risk limit halted far in 1 of 3 simulations of rationed.');
  expect(arenaTables(madeUpArena(3, { worlds: ['challenge'] }))).not.toContain('REQUESTS');
});

it('names the first failure and how often there was one', () =>
  expect(arenaTables(madeUpArena(3, { failure: 'quote() failed: no idea' }))).toContain(
    'near failed in 1 of 3 simulations of challenge; results before the failure are counted. First failure: seed 500: quote() failed: no idea',
  ));

it('never says NaN, and has no difference of one strategy', () => {
  for (const seeds of [1, 2, 20_000]) {
    const shown = arenaTables(madeUpArena(seeds, { strategies: ['near'] }));
    expect(shown).not.toMatch(/NaN|Infinity|undefined/);
    expect(shown).not.toContain('Differences');
  }
});
