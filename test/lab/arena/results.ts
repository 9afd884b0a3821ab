/** Made-up results of an arena, for tests of tables and pages. */

import type { ArenaResult } from '../../../src/lab/arena/arena.js';
import { USUAL_CONDITIONS } from '../../../src/lab/arena/conditions.js';
import { judgeSimulations } from '../../../src/lab/arena/standings.js';
import { worldNamed } from '../../../src/lab/arena/worlds.js';
import { Random } from '../../../src/shared/base/random.js';

export interface MadeUpArena {
  readonly seeds: number;
  readonly strategies?: readonly string[];
  readonly worlds?: readonly string[];
  /** Failure of the first simulation of the first strategy. */
  readonly failure?: string | null;
}

export function madeUpArena({ seeds, failure = null, ...given }: MadeUpArena): ArenaResult {
  const { strategies = ['near', 'far'], worlds = ['challenge', 'rationed'] } = given;
  const firstSeed = 500;
  const random = Random.fromSeed(1, 'arena');
  const simulations = worlds.flatMap((world) =>
    strategies.flatMap((strategy, place) =>
      Array.from({ length: seeds }, (_, index) => {
        const [uninformedEdge, informedEdge] = [random.uniform() * 20 - place, -random.uniform() * 12];
        return {
          world,
          strategy,
          seed: firstSeed + index,
          edge: uninformedEdge + informedEdge,
          uninformedEdge,
          informedEdge,
          fills: random.below(200),
          shares: random.below(3000),
          actions: random.below(900),
          requests: world === 'rationed' ? 7000 + random.below(100) : null,
          reported: null,
          halts: world === 'rationed' && index === 0 ? 1 : 0,
          wealth: 1000,
          result: random.uniform() * 40 - 20,
          drawdown: random.uniform() * 30,
          outcome: null,
          failure: index === 0 && place === 0 ? failure : null,
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
