/** Statistics of simulations: of one strategy, and of two on the same seeds. */

import { must } from '../../shared/base/errors.js';
import { computeMean, computeMoments, sortValues } from '../../shared/statistics/moments.js';
import type { FreshMean } from '../sweep/result.js';
import type { NamedSimulation, SimulationResult } from './contract.js';

export function estimateMean(values: readonly number[]): FreshMean {
  const { mean, standardDeviation } = computeMoments(values);
  const standardError = standardDeviation === null ? null : standardDeviation / Math.sqrt(values.length);
  return { mean: mean ?? 0, standardError };
}

export type Standing = Readonly<ReturnType<typeof computeStanding>>;

/** Statistics of all simulations of one strategy in one world; at least one simulation. */
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
    /** Sample standard deviation; null below two simulations. */
    edgeSd: computeMoments(edges).standardDeviation,
    /** Mean of the lowest 5 % of the edges; their number is rounded up. */
    edgeWorst: computeMean(sortValues(edges).subarray(0, Math.ceil(edges.length / 20))) ?? 0,
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

/** Difference of two strategies on the same seeds. */
export function computeDifference(results: readonly NamedSimulation[], others: readonly NamedSimulation[]) {
  const { world, strategy } = must(results[0], 'a simulation');
  const { strategy: against } = must(others[0], 'a simulation');
  const edgesOf = (all: readonly NamedSimulation[]) => all.map(({ edge }) => edge);
  return { world, strategy, against, ...compareEdges(edgesOf(results), edgesOf(others)) };
}

/** Paired differences: common effects do not enter the error. */
export function compareEdges(edges: readonly number[], others: readonly number[]) {
  const differences = edges.map((edge, place) => edge - must(others[place], 'the same seed'));
  return {
    edge: estimateMean(differences),
    better: differences.filter((difference) => difference > 0).length,
    worse: differences.filter((difference) => difference < 0).length,
    simulations: differences.length,
  };
}

/** Each strategy in each world, and each pair on the same seeds; simulations by world, then strategy, then seed. */
export function judgeSimulations(simulations: readonly NamedSimulation[]) {
  const nameOf = ({ world, strategy }: NamedSimulation) => `${world} ${strategy}`;
  const names = [...new Set(simulations.map(nameOf))];
  const all = names.map((name) => simulations.filter((one) => nameOf(one) === name));
  return {
    standings: all.map(computeStanding),
    differences: all.flatMap((one, place) =>
      all
        .slice(place + 1)
        .filter((other) => other[0]?.world === one[0]?.world)
        .map((other) => computeDifference(one, other)),
    ),
  };
}
