/** Statistics of simulations: of one strategy, and of two on the same seeds. */

import { computeMoments } from '../../shared/statistics/moments.js';
import type { NamedSimulation, SimulationResult } from './contract.js';

/** A mean over simulations; the standard error is null below two. */
export interface Mean {
  readonly mean: number;
  readonly standardError: number | null;
}

export function estimateMean(values: readonly number[]): Mean {
  const { mean, standardDeviation } = computeMoments(values);
  const standardError = standardDeviation === null ? null : standardDeviation / Math.sqrt(values.length);
  return { mean: mean ?? 0, standardError };
}

export type Standing = Readonly<ReturnType<typeof computeStanding>>;

/** Statistics of all simulations of one strategy in one world; at least one simulation. */
export function computeStanding(world: string, strategy: string, results: readonly SimulationResult[]) {
  const mean = (figure: (result: SimulationResult) => number): Mean => estimateMean(results.map(figure));
  const failures = results.flatMap(({ seed, failure }) => (failure === null ? [] : [`seed ${seed}: ${failure}`]));
  return {
    world,
    strategy,
    simulations: results.length,
    edge: mean(({ edge }) => edge),
    uninformedEdge: mean(({ uninformedEdge }) => uninformedEdge),
    informedEdge: mean(({ informedEdge }) => informedEdge),
    belowZero: results.filter(({ edge }) => edge < 0).length,
    fills: mean(({ fills }) => fills),
    shares: mean(({ shares }) => shares),
    actions: mean(({ actions }) => actions),
    /** Null in a world without requests. */
    requests: results.some(({ requests }) => requests === null) ? null : mean(({ requests }) => requests ?? 0),
    /** Simulations halted by a risk limit. */
    halted: results.filter(({ halts }) => halts > 0).length,
    result: mean(({ result }) => result),
    drawdown: mean(({ drawdown }) => drawdown),
    /** Simulations that ended early, and the first reason. */
    failed: failures.length,
    firstFailure: failures[0] ?? null,
  };
}

export type EdgeDifference = Readonly<ReturnType<typeof computeDifference>>;

/** Paired difference of two strategies by seed: common effects do not enter the error. */
export function computeDifference(
  world: string,
  [strategy, results]: readonly [string, readonly SimulationResult[]],
  [against, others]: readonly [string, readonly SimulationResult[]],
) {
  const bySeed = new Map(others.map(({ seed, edge }) => [seed, edge]));
  const differences = results.map(({ seed, edge }) => edge - (bySeed.get(seed) ?? Number.NaN));
  return {
    world,
    strategy,
    against,
    edge: estimateMean(differences),
    better: differences.filter((difference) => difference > 0).length,
    simulations: differences.length,
  };
}

/** Each strategy in each world, and each pair on the same seeds. */
export function judgeSimulations(
  worlds: readonly string[],
  strategies: readonly string[],
  simulations: readonly NamedSimulation[],
) {
  const of = (world: string, strategy: string): readonly NamedSimulation[] =>
    simulations.filter((result) => result.world === world && result.strategy === strategy);
  const pairs = strategies.flatMap((one, index) => strategies.slice(index + 1).map((other) => [one, other] as const));
  return {
    standings: worlds.flatMap((world) => strategies.map((name) => computeStanding(world, name, of(world, name)))),
    differences: worlds.flatMap((world) =>
      pairs.map(([one, other]) => computeDifference(world, [one, of(world, one)], [other, of(world, other)])),
    ),
  };
}
