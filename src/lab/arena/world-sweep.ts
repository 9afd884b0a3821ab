/** Runs a sweep over the arena's worlds. A configuration is ranked by its result in its worst world. */

import { must, TwinbookError } from '../../shared/base/errors.js';
import { ONE } from '../../shared/base/micros.js';
import { VERSION } from '../../shell/config/shipped.js';
import { canonicalJson } from '../../shell/config/shown.js';
import { sum } from '../report/analysis/split.js';
import type { SweepCandidate, SweepPlan, SweepWatcher, TaskOutcome } from '../sweep/contract.js';
import { listTasks, type SweepFacts, type TaskWork } from '../sweep/facts.js';
import { hashValue, identityOf } from '../sweep/search.js';
import { openStore } from '../sweep/store.js';
import { makeSweep } from '../sweep/sweep.js';
import { compareEdges, estimateMean, runSimulations, type SeedRange } from './arena.js';
import { type Conditions, conditionsText, type SimulationResult, type World } from './contract.js';

interface WorldSweepPlan extends Pick<SweepPlan, 'config' | 'source' | 'search' | 'workers' | 'outDir' | 'resume'> {
  readonly worlds: readonly World[];
  readonly conditions: Conditions;
  readonly seeds: SeedRange;
  readonly fresh: SeedRange;
}

const UNCHANGED: SweepCandidate = { number: 0, values: [], hash: '' };

/** Throws `usage` unless the trader's file has exactly one strategy. The result lists failed configurations. */
export async function runWorldSweep(plan: WorldSweepPlan, watcher: SweepWatcher) {
  const { file, strategies } = plan.config;
  if (strategies.length !== 1) {
    const hint = 'Give a strategy file, or a trader’s file with one strategy.';
    throw new TwinbookError('usage', `${file} has ${strategies.length} strategies; worlds need exactly one`, hint);
  }
  requireApart(plan.seeds, plan.fresh);
  const store = openStore(plan.outDir);
  try {
    const usedBefore = store.seedsChosenOn(plan.fresh.first, getLastSeed(plan.fresh));
    const sweep = makeSweep(makeFacts(plan), watcher, store);
    const isChosen = await sweep.run(plan.resume, (work) => playSeeds(plan, watcher, plan.seeds, work));
    const chosen = sweep.result();
    const [best] = chosen.configurations;
    const hasBest = isChosen && best?.status === 'done';
    const fresh = hasBest ? await showFresh(plan, watcher, best, usedBefore) : null;
    const text = `${usedBefore} of the fresh seeds were used to choose a configuration in an earlier sweep of this folder. Take others with --fresh-first.`;
    const notes = usedBefore > 0 ? [{ level: 'caution', text } as const, ...chosen.notes] : chosen.notes;
    const result = { ...chosen, fresh, notes };
    if (isChosen) store.finish();
    return { result, isComplete: isChosen && !(hasBest && fresh === null) };
  } finally {
    store.close();
  }
}

/** Throws `usage` if a seed is in both ranges: the best configuration needs a test on seeds that did not choose it. */
export function requireApart(seeds: SeedRange, fresh: SeedRange): void {
  const [from, to] = [Math.max(seeds.first, fresh.first), Math.min(getLastSeed(seeds), getLastSeed(fresh))];
  if (from > to) return;
  const hint = `Choose other fresh seeds, such as --fresh-first ${getLastSeed(seeds) + 1}.`;
  const text = `seeds ${from} to ${to} would be used both to choose a configuration and to report its result: seeds ${seeds.first} to ${getLastSeed(seeds)} are for the choice, ${fresh.first} to ${getLastSeed(fresh)} for the report`;
  throw new TwinbookError('usage', text, hint);
}

const getLastSeed = ({ first, count }: SeedRange): number => first + count - 1;

function makeFacts({ config, search, worlds, conditions, seeds }: WorldSweepPlan): SweepFacts {
  const texts = worlds.map((world) => conditionsText(world.conditions, conditions)).filter((text) => text !== '');
  const latency = texts.length === 0 ? 'none' : [...new Set(texts)].join('; ');
  const fillModels = worlds.map(({ name }) => name);
  const assumptions = {
    version: VERSION,
    configHash: config.configHash,
    dataHash: hashValue({ names: canonicalJson(fillModels), seeds, latency }),
    seed: seeds.first,
    fillModels,
    embargoMs: 0,
    latency,
    folds: 1,
    data: worlds.map(({ name, summary }) => `${name}, seeds ${seeds.first} to ${getLastSeed(seeds)}: ${summary}`),
  };
  return {
    subject: 'worlds',
    title: config.strategies.map(({ name }) => name).join(', '),
    search,
    events: Array.from({ length: seeds.count }, (_, place) => {
      const seed = seeds.first + place;
      const conditionIds = worlds.map((_world, index) => `${seed}/${index}`);
      return { title: `seed ${seed}`, conditionIds, fromMs: seed, toMs: seed, played: 1, fold: 0 };
    }),
    data: { markets: [], empty: [] },
    assumptions,
    identity: identityOf(assumptions, search, latency, { subject: 'worlds', seeds: seeds.count }),
  };
}

function playSeeds(
  { source, config, search, conditions, workers }: WorldSweepPlan,
  { stopAsked }: SweepWatcher,
  seeds: SeedRange,
  { tasks, done }: Pick<TaskWork, 'tasks' | 'done'>,
): Promise<boolean> {
  const strategy = must(config.strategies[0], 'a strategy').name;
  const files = [{ source, configHash: config.configHash }];
  return runSimulations({ files, axes: search.axes, conditions }, workers, {
    stopAsked,
    tasks: tasks.map((task) => {
      const values = task.candidate === UNCHANGED ? null : task.candidate.values;
      return { task, world: task.fillModel, strategy, values, seeds };
    }),
    done: ({ task, world }, outcome) => done(task, outcome.kind === 'failed' ? outcome : judge(world, outcome.figures)),
  });
}

function judge(world: string, results: readonly SimulationResult[]): TaskOutcome {
  const failed = results.find(({ failure }) => failure !== null);
  if (failed !== undefined) return { kind: 'failed', error: `seed ${failed.seed} of ${world}: ${failed.failure}` };
  const eventResults = results.map(({ edge }) => Math.round(edge * ONE));
  const figures = {
    resultMicros: sum(eventResults),
    maxDrawdownMicros: Math.round(Math.max(...results.map(({ drawdown }) => drawdown)) * ONE),
    fills: sum(results.map(({ fills }) => fills)),
    alarms: sum(results.map(({ halts }) => halts)),
    traceHash: hashValue(results),
    eventResults,
  };
  return { kind: 'done', figures };
}

async function showFresh(plan: WorldSweepPlan, watcher: SweepWatcher, best: SweepCandidate, usedBefore: number) {
  const { fresh, worlds } = plan;
  const [from, to] = [fresh.first, getLastSeed(fresh)];
  watcher.say(`Configuration ${best.number} is the best; its test on the fresh seeds ${from} to ${to} begins.`);
  const hint = 'Run `twinbook strategies test STRATEGY` to find its errors.';
  const edges = new Map<string, readonly number[]>();
  const done: TaskWork['done'] = ({ candidate, fillModel }, outcome) => {
    if (outcome.kind === 'failed') throw new TwinbookError('strategy_invalid', outcome.error, hint);
    const inCurrency = outcome.figures.eventResults.map((micros) => micros / ONE);
    edges.set(`${candidate.number} ${fillModel}`, inCurrency);
  };
  const names = worlds.map(({ name }) => name);
  const tasks = listTasks([best, UNCHANGED], 1, names);
  if (!(await playSeeds(plan, watcher, fresh, { tasks, done }))) return null;
  const shown = names.map((world) => {
    const edgesOf = ({ number }: SweepCandidate) => must(edges.get(`${number} ${world}`), world);
    const [chosen, unchanged] = [edgesOf(best), edgesOf(UNCHANGED)];
    return {
      world,
      chosen: estimateMean(chosen),
      unchanged: estimateMean(unchanged),
      difference: compareEdges(chosen, unchanged).edge,
      belowZero: chosen.filter((edge) => edge < 0).length,
    };
  });
  return { firstSeed: fresh.first, seeds: fresh.count, usedBefore, number: best.number, worlds: shown };
}
