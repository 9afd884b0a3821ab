/**
 * The arena: strategies in worlds of which the truth is known, on common seeds. What counts is the edge of each fill against
 * the true probability, so that luck at settlement says nothing. Everything runs in process, on worker threads; the same
 * seeds give the same figures, whatever the number of threads.
 */

import { resolve } from 'node:path';
import { AssertionFailed, must, TwinbookError } from '../../shared/base/errors.js';
import { VERSION } from '../../shell/config/shipped.js';
import type { ConfigSource } from '../sweep/contract.js';
import type { Conditions } from './conditions.js';
import type { NamedSimulation, World } from './contract.js';
import { loadEntrants, runSimulations, type SimulationTask } from './simulations.js';
import { judgeSimulations } from './standings.js';

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

export type ArenaResult = Awaited<ReturnType<typeof runArena>>;

/** Runs all simulations. Throws `usage` when two strategies share a name; a failing thread ends the arena. */
export async function runArena({ worlds, firstSeed, seeds, conditions, workers, progress, ...plan }: ArenaPlan) {
  const { env, cwd } = plan;
  const files = [];
  const strategies = [];
  for (const file of plan.files) {
    const source = { file: resolve(cwd, file), env, cwd, feeds: 'any' } as const;
    files.push({ source, configHash: null });
    for (const { name, params, moduleName: module, config } of await loadEntrants(source))
      strategies.push({ name, file, module, params, configHash: config.configHash });
  }
  const names = strategies.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new TwinbookError('usage', `two strategy files are named '${twice}'`, 'Rename one.');
  const range = Array.from({ length: seeds }, (_, place) => ({ first: firstSeed + place, count: 1 }));
  const tasks = worlds.flatMap(({ name: world }) =>
    names.flatMap((strategy) => range.map((one) => ({ world, strategy, values: null, seeds: one }))),
  );
  const results = new Map<SimulationTask, NamedSimulation>();
  await runSimulations({ files, axes: [], conditions }, workers, {
    tasks,
    done: (task, outcome) => {
      const { world, strategy, seeds: own } = task;
      if (outcome.kind === 'failed')
        throw new AssertionFailed(`${strategy} in ${world}, seed ${own.first}: ${outcome.error}`);
      results.set(task, { world, strategy, ...must(outcome.figures[0], 'a simulation') });
      progress(results.size, tasks.length);
    },
    stopAsked: new Promise<void>(() => undefined),
  });
  const simulations = tasks.map((task) => must(results.get(task), 'a simulation'));
  return {
    version: VERSION,
    worlds: worlds.map(({ name, summary, conditions: taken }) => ({ name, summary, conditions: taken })),
    strategies,
    firstSeed,
    seeds,
    conditions,
    ...judgeSimulations(simulations),
    /** All simulations: by world, then strategy, then seed. */
    simulations,
  };
}
