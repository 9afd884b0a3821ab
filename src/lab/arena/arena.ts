/**
 * The arena: strategies in worlds of which the truth is known, on common seeds. What counts is the edge of each fill against
 * the true probability, so that luck at settlement says nothing. Everything runs in process, on worker threads; the same
 * seeds give the same figures, whatever the number of threads.
 */

import { TwinbookError } from '../../shared/base/errors.js';
import { VERSION } from '../../shell/config/version.js';
import type { ArenaResult, Conditions, Entered, NamedSimulation, World } from './contract.js';
import { runSimulations } from './pool.js';
import { computeDifference, computeStanding } from './standings.js';
import type { ArenaSource, SimulationTask } from './thread-contract.js';

export interface ArenaPlan {
  readonly worlds: readonly World[];
  /** In the order of their files. */
  readonly strategies: readonly Entered[];
  /** Where the threads read them from. */
  readonly source: ArenaSource;
  readonly firstSeed: number;
  readonly seeds: number;
  readonly conditions: Conditions;
  readonly workers: number;
  /** Told after each simulation. */
  readonly progress: (done: number, all: number) => void;
}

/** Runs all simulations. Throws `usage` when two strategies have one name. */
export async function runArena(plan: ArenaPlan): Promise<ArenaResult> {
  const names = plan.strategies.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new TwinbookError('usage', `two strategy files are named '${twice}'`, 'Rename one.');
  const tasks = listTasks(plan);
  const results = await runSimulations(tasks, plan);
  const simulations = tasks.map(({ world, strategy }, index) => {
    const result = results[index];
    if (result === undefined) throw new RangeError(`simulation ${index} has no result`);
    return { world, strategy, ...result };
  });
  const { firstSeed, seeds, conditions, strategies } = plan;
  const worlds = plan.worlds.map(({ name, summary, conditions: taken }) => ({ name, summary, conditions: taken }));
  const judged = judge(plan, simulations);
  return { version: VERSION, worlds, strategies, firstSeed, seeds, conditions, ...judged, simulations };
}

function listTasks({ worlds, strategies, firstSeed, seeds }: ArenaPlan): SimulationTask[] {
  const tasks: SimulationTask[] = [];
  for (const { name: world } of worlds)
    for (const { name: strategy } of strategies)
      for (let seed = firstSeed; seed < firstSeed + seeds; seed++) tasks.push({ world, strategy, seed });
  return tasks;
}

function judge({ worlds, strategies }: ArenaPlan, simulations: readonly NamedSimulation[]) {
  const of = (world: string, strategy: string): readonly NamedSimulation[] =>
    simulations.filter((result) => result.world === world && result.strategy === strategy);
  const names = strategies.map(({ name }) => name);
  const standings = worlds.flatMap(({ name: world }) =>
    names.map((strategy) => computeStanding(world, strategy, of(world, strategy))),
  );
  const differences = worlds.flatMap(({ name: world }) =>
    listPairs(names).map(([one, other]) => computeDifference(world, [one, of(world, one)], [other, of(world, other)])),
  );
  return { standings, differences };
}

const listPairs = (names: readonly string[]): (readonly [string, string])[] =>
  names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other] as const));
