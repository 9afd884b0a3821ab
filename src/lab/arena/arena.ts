/** Compares strategies on the same seeds of simulated markets with known true probabilities. */

import { resolve } from 'node:path';
import { AssertionFailed, must, TwinbookError } from '../../shared/base/errors.js';
import { computeMean, computeMoments, sortValues } from '../../shared/statistics/moments.js';
import type { Config } from '../../shell/config/config.js';
import { loadConfig } from '../../shell/config/load.js';
import { VERSION } from '../../shell/config/shipped.js';
import { type Batch, type ConfigOfThreads, TaskPool } from '../backtest/threads/pool.js';
import { groupBy } from '../report/analysis/split.js';
import type { Axis, ConfigSource, SweepCandidate } from '../sweep/contract.js';
import type { FreshMean } from '../sweep/result.js';
import type { Conditions, Entrant, SimulationResult, World } from './contract.js';

export function estimateMean(values: readonly number[]): FreshMean {
  const { mean, standardDeviation } = computeMoments(values);
  const standardError = standardDeviation === null ? null : standardDeviation / Math.sqrt(values.length);
  return { mean: mean ?? 0, standardError };
}

export function computeStanding(results: readonly NamedSimulation[]) {
  const { world, strategy } = must(results[0], 'a simulation');
  const mean = (figure: (result: SimulationResult) => number): FreshMean => estimateMean(results.map(figure));
  const edges = results.map(({ edge }) => edge);
  const failures = results.flatMap(({ seed, failure }) => (failure === null ? [] : [`seed ${seed}: ${failure}`]));
  return {
    world,
    strategy,
    simulations: results.length,
    edge: estimateMean(edges),
    /** Sample standard deviation of the edges; null for a single simulation. */
    edgeSd: computeMoments(edges).standardDeviation,
    /** Mean of the lowest 5 % of the edges; the number of edges is rounded up. */
    edgeWorst: computeMean(sortValues(edges).subarray(0, Math.ceil(edges.length / 20))) ?? 0,
    uninformedEdge: mean(({ uninformedEdge }) => uninformedEdge),
    informedEdge: mean(({ informedEdge }) => informedEdge),
    belowZero: results.filter(({ edge }) => edge < 0).length,
    fills: mean(({ fills }) => fills),
    shares: mean(({ shares }) => shares),
    actions: mean(({ actions }) => actions),
    /** Mean number of requests; null in a world without requests. */
    requests: results.some(({ requests }) => requests === null) ? null : mean(({ requests }) => requests ?? 0),
    halted: results.filter(({ halts }) => halts > 0).length,
    result: mean(({ result }) => result),
    drawdown: mean(({ drawdown }) => drawdown),
    failed: failures.length,
    firstFailure: failures[0] ?? null,
  };
}

export function computeDifference(results: readonly NamedSimulation[], others: readonly NamedSimulation[]) {
  const { world, strategy } = must(results[0], 'a simulation');
  const { strategy: against } = must(others[0], 'a simulation');
  const [edges, otherEdges] = [results, others].map((all) => all.map(({ edge }) => edge));
  return { world, strategy, against, ...compareEdges(edges ?? [], otherEdges ?? []) };
}

/** Compares two strategies' edges seed by seed, because differences between seeds would enlarge the standard error. */
export function compareEdges(edges: readonly number[], others: readonly number[]) {
  const differences = edges.map((edge, place) => edge - must(others[place], 'a simulation with the same seed'));
  return {
    edge: estimateMean(differences),
    better: differences.filter((difference) => difference > 0).length,
    worse: differences.filter((difference) => difference < 0).length,
    simulations: differences.length,
  };
}

/** Scores each strategy in each world, and compares each pair of strategies; sorted by world and strategy. */
export function judgeSimulations(simulations: readonly NamedSimulation[]) {
  const all = [...groupBy(simulations, ({ world, strategy }) => `${world} ${strategy}`).values()];
  const pairs = all.flatMap((one, place) => all.slice(place + 1).map((other) => [one, other] as const));
  return {
    standings: all.map(computeStanding),
    differences: pairs
      .filter(([one, other]) => one[0]?.world === other[0]?.world)
      .map(([one, other]) => computeDifference(one, other)),
  };
}

export const listEntrants = (config: Config) => config.strategies.map((strategy) => ({ ...strategy, config }));

/** Loads the strategies of a file. Throws `config_invalid` for a file with errors or without a strategy. */
export async function loadEntrants(source: ConfigSource): Promise<readonly Entrant[]> {
  const config = await loadConfig(source.file, { ...source, strategyFileToo: true, feeds: 'any' });
  if (config.strategies.length === 0)
    throw new TwinbookError('config_invalid', `${source.file} lists no strategy`, 'List strategy files in that file.');
  return listEntrants(config);
}

export type SeedRange = Readonly<{ first: number; count: number }>;

/** Task that simulates one strategy in one world on a range of seeds. A task ends at its first failed simulation. */
export interface SimulationTask {
  readonly world: string;
  readonly strategy: string;
  /** Parameter values of a sweep; null for the parameters of the strategy file. */
  readonly values: SweepCandidate['values'] | null;
  readonly seeds: SeedRange;
}

export interface SimulationSetup {
  readonly files: readonly ConfigOfThreads[];
  readonly axes: readonly Axis[];
  readonly conditions: Conditions;
}

export async function runSimulations<T extends SimulationTask>(
  setup: SimulationSetup,
  workers: number,
  batch: Batch<T, readonly SimulationResult[]>,
): Promise<boolean> {
  const program = { name: './worker', from: import.meta.url };
  const pool = new TaskPool<T, readonly SimulationResult[]>({ workers, program, setup, readsFiles: false });
  return pool.run(batch).finally(() => pool.close());
}

interface ArenaPlan extends Pick<ConfigSource, 'env' | 'cwd'> {
  readonly worlds: readonly World[];
  readonly paths: readonly string[];
  readonly firstSeed: number;
  readonly seeds: number;
  readonly conditions: Conditions;
  readonly workers: number;
  readonly progress: (done: number, all: number) => void;
}

export type ArenaResult = Awaited<ReturnType<typeof runArena>>;

/** Runs all simulations; throws if a thread fails. Throws `usage` if two strategies have the same name. */
export async function runArena(plan: ArenaPlan) {
  const { worlds, paths, env, cwd, firstSeed, seeds, conditions, workers, progress } = plan;
  const files = [];
  const strategies = [];
  for (const file of paths) {
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
    /** All simulations, sorted by world, then strategy, then seed. */
    simulations,
  };
}

type NamedSimulation = SimulationResult & Readonly<{ world: string; strategy: string }>;
