/** One configuration in one world, over all its seeds: what a sweep keeps of it. */

import { createHash } from 'node:crypto';
import { must, TwinbookError } from '../../../shared/base/errors.js';
import { ONE } from '../../../shared/base/micros.js';
import { canonicalJson } from '../../../shell/config/hash.js';
import type { Config } from '../../../shell/config/types.js';
import { configWith } from '../../sweep/candidates.js';
import type { Task, TaskFigures } from '../../sweep/contract.js';
import type { Conditions, SimulationResult } from '../contract.js';
import { makeEntrant } from '../entrants.js';
import { worldNamed } from '../worlds.js';
import { UNCHANGED, type WorldWorkerSetup } from './world-contract.js';

/** Throws `strategy_invalid` when the strategy fails in a simulation: what is left is no result of this configuration. */
export async function runWorldTask(
  { candidate, fillModel }: Task,
  config: Config,
  { axes, conditions, seeds }: Pick<WorldWorkerSetup, 'axes' | 'conditions' | 'seeds'>,
): Promise<TaskFigures> {
  const tried = candidate.number === UNCHANGED.number ? config : configWith(config, axes, candidate.values);
  const results: SimulationResult[] = [];
  for (let seed = seeds.first; seed < seeds.first + seeds.count; seed++)
    results.push(await simulateSeed(tried, fillModel, seed, conditions));
  return computeFigures(results);
}

async function simulateSeed(config: Config, world: string, seed: number, conditions: Conditions) {
  const entrant = makeEntrant(config, must(config.strategies[0], 'a strategy'));
  const result = await worldNamed(world).simulate(seed, entrant, conditions);
  if (result.failure !== null)
    throw new TwinbookError(
      'strategy_invalid',
      `seed ${seed} of ${world}: ${result.failure}`,
      '`twinbook strategies test STRATEGY` finds what a strategy does wrong.',
    );
  return result;
}

function computeFigures(results: readonly SimulationResult[]): TaskFigures {
  const eventResults = results.map(({ edge }) => Math.round(edge * ONE));
  return {
    resultMicros: eventResults.reduce((sum, edge) => sum + edge, 0),
    maxDrawdownMicros: Math.round(Math.max(...results.map(({ drawdown }) => drawdown)) * ONE),
    fills: results.reduce((sum, { fills }) => sum + fills, 0),
    // Nobody keeps count of what changed hands in a world; the edge is less fees already.
    turnoverMicros: 0,
    feesMicros: 0,
    twoSidedShare: null,
    requests: results.reduce((sum, { requests, actions }) => sum + (requests ?? actions), 0),
    alarms: results.reduce((sum, { halts }) => sum + halts, 0),
    played: results.length,
    traceHash: createHash('sha256').update(canonicalJson(results)).digest('hex'),
    crossing: null,
    eventResults,
    runs: [],
  };
}
