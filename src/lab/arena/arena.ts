/**
 * The arena: strategies in worlds of which the truth is known, on common seeds. What counts is the edge of each fill against
 * the true probability, so that luck at settlement says nothing. Everything runs in process, on worker threads; the same
 * seeds give the same figures, whatever the number of threads.
 */

import { resolve } from 'node:path';
import { AssertionFailed, must, TwinbookError } from '../../shared/base/errors.js';
import { VERSION } from '../../shell/config/shipped.js';
import type { StrategyConfig } from '../../shell/config/types.js';
import type { ConfigSource } from '../sweep/contract.js';
import type { Conditions } from './conditions.js';
import type { NamedSimulation, World } from './contract.js';
import { loadEntrants } from './entrants.js';
import { runSimulations, type SimulationPlan, type SimulationTask } from './simulations.js';
import { type EdgeDifference, judgeSimulations, type Standing } from './standings.js';

/** A strategy in the arena, as named in its results. */
export interface Entered {
  readonly name: string;
  /** Path as given: a strategy file, or a trader's file with several. */
  readonly file: string;
  readonly module: string;
  readonly params: StrategyConfig['params'];
  readonly configHash: string;
}

export interface ArenaResult {
  readonly version: string;
  readonly worlds: readonly Pick<World, 'name' | 'summary' | 'conditions'>[];
  readonly strategies: readonly Entered[];
  readonly firstSeed: number;
  readonly seeds: number;
  readonly conditions: Conditions;
  readonly standings: readonly Standing[];
  readonly differences: readonly EdgeDifference[];
  /** All simulations: by world, then strategy, then seed. */
  readonly simulations: readonly NamedSimulation[];
}

interface ArenaPlan {
  readonly worlds: readonly World[];
  /** Strategy files and traders' files, as given. */
  readonly files: readonly string[];
  readonly env: ConfigSource['env'];
  readonly cwd: string;
  readonly firstSeed: number;
  readonly seeds: number;
  readonly conditions: Conditions;
  readonly workers: number;
  /** Called after each simulation. */
  readonly progress: (done: number, all: number) => void;
}

/** Runs all simulations. Throws `usage` when two strategies share a name; a failing thread ends the arena. */
export async function runArena(plan: ArenaPlan): Promise<ArenaResult> {
  const { files, strategies } = await enterAll(plan);
  const { worlds, firstSeed, seeds, conditions, workers } = plan;
  const tasks = listTasks(plan, strategies);
  const simulations: NamedSimulation[] = [];
  let count = 0;
  await runSimulations({
    files,
    axes: [],
    conditions,
    workers,
    tasks,
    done: ({ index, world, strategy, seeds: { first } }, outcome) => {
      if (outcome.kind === 'failed')
        throw new AssertionFailed(`${strategy} in ${world}, seed ${first}: ${outcome.error}`);
      simulations[index] = { world, strategy, ...must(outcome.figures[0], 'a simulation') };
      plan.progress(++count, tasks.length);
    },
    stopAsked: new Promise<void>(() => undefined),
  });
  return {
    version: VERSION,
    worlds: worlds.map(({ name, summary, conditions: taken }) => ({ name, summary, conditions: taken })),
    strategies,
    firstSeed,
    seeds,
    conditions,
    ...judgeSimulations(
      worlds.map(({ name }) => name),
      strategies.map(({ name }) => name),
      simulations,
    ),
    simulations,
  };
}

async function enterAll({ files, env, cwd }: ArenaPlan) {
  const read: SimulationPlan<SimulationTask>['files'][number][] = [];
  const strategies: Entered[] = [];
  for (const file of files) {
    const source = { file: resolve(cwd, file), env, cwd, feeds: 'any' } as const;
    const entrants = await loadEntrants(source);
    const { configHash } = must(entrants[0], file).config;
    read.push({ source, configHash: null });
    for (const { name, params, moduleName } of entrants)
      strategies.push({ name, file, module: moduleName, params, configHash });
  }
  const names = strategies.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new TwinbookError('usage', `two strategy files are named '${twice}'`, 'Rename one.');
  return { files: read, strategies };
}

/** By world, then strategy, then seed. */
const listTasks = ({ worlds, firstSeed, seeds }: ArenaPlan, strategies: readonly Entered[]) =>
  worlds
    .flatMap(({ name: world }) =>
      strategies.flatMap(({ name: strategy }) =>
        Array.from({ length: seeds }, (_, place) => ({
          world,
          strategy,
          values: null,
          seeds: { first: firstSeed + place, count: 1 },
        })),
      ),
    )
    .map((task, index) => ({ ...task, index }));
