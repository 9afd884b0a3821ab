import { workerData } from 'node:worker_threads';
import { must } from '../../shared/base/errors.js';
import { sameConfig, serveTasks } from '../backtest/threads/pool.js';
import { configWith } from '../sweep/search.js';
import { listEntrants, type SimulationSetup, type SimulationTask } from './arena.js';
import type { SimulationResult } from './contract.js';
import { worldNamed } from './worlds.js';

// `arena.ts` starts this program with a `SimulationSetup`.
const { files, axes, conditions } = workerData as SimulationSetup;
const entrants = (await Promise.all(files.map(sameConfig))).flatMap(listEntrants);
serveTasks(simulateSeeds);

async function simulateSeeds({ world, strategy, values, seeds }: SimulationTask): Promise<SimulationResult[]> {
  const own = entrants.find(({ name }) => name === strategy);
  const { config } = must(own, strategy);
  const entrant = must(values === null ? own : listEntrants(configWith(config, axes, values))[0], strategy);
  const results: SimulationResult[] = [];
  for (let seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
    const result = await worldNamed(world).simulate(seed, entrant, conditions);
    results.push(result);
    if (result.failure !== null) break;
  }
  return results;
}
