/**
 * The arena: strategies in worlds of which the truth is known, on common seeds. What counts is the edge of each fill against
 * the true probability, so that luck at settlement says nothing. Everything runs in process, on worker threads; the same
 * seeds give the same figures, whatever the number of threads.
 */

import { TwinbookError } from '../../shared/base/errors.js';
import type { ArenaResult, SimulationResult } from './contract.js';
import { runSimulations } from './pool.js';
import { differenceOf, standingOf } from './standings.js';
import type { ArenaSource, SimulationTask } from './thread-contract.js';

export interface ArenaPlan {
  readonly worlds: readonly string[];
  /** Names of the strategies, in the order of their configuration. */
  readonly strategies: readonly string[];
  /** Where the threads read them from. */
  readonly source: ArenaSource;
  readonly firstSeed: number;
  readonly seeds: number;
  readonly workers: number;
  /** Told after each simulation. */
  readonly progress: (done: number, all: number) => void;
}

/** Runs all simulations. Throws `usage` when two strategies have one name. */
export async function runArena(plan: ArenaPlan): Promise<ArenaResult> {
  const twice = plan.strategies.find((name, index) => plan.strategies.indexOf(name) !== index);
  if (twice !== undefined) throw new TwinbookError('usage', `two strategy files are named '${twice}'`, 'Rename one.');
  const tasks = tasksOf(plan);
  const results = await runSimulations(tasks, plan);
  const simulations = tasks.map(({ world, strategy }, index) => {
    const result = results[index];
    if (result === undefined) throw new RangeError(`simulation ${index} has no result`);
    return { world, strategy, ...result };
  });
  return { firstSeed: plan.firstSeed, seeds: plan.seeds, ...judge(plan, simulations), simulations };
}

function tasksOf({ worlds, strategies, firstSeed, seeds }: ArenaPlan): SimulationTask[] {
  const tasks: SimulationTask[] = [];
  for (const world of worlds)
    for (const strategy of strategies)
      for (let seed = firstSeed; seed < firstSeed + seeds; seed++) tasks.push({ world, strategy, seed });
  return tasks;
}

type Named = SimulationResult & Pick<SimulationTask, 'world' | 'strategy'>;

function judge({ worlds, strategies }: ArenaPlan, simulations: readonly Named[]) {
  const of = (world: string, strategy: string): readonly Named[] =>
    simulations.filter((result) => result.world === world && result.strategy === strategy);
  const standings = worlds.flatMap((world) =>
    strategies.map((strategy) => standingOf(world, strategy, of(world, strategy))),
  );
  const differences = worlds.flatMap((world) =>
    pairsOf(strategies).map(([one, other]) => differenceOf(world, [one, of(world, one)], [other, of(world, other)])),
  );
  return { standings, differences };
}

const pairsOf = (names: readonly string[]): (readonly [string, string])[] =>
  names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other] as const));
