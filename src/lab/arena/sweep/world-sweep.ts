/**
 * A sweep over worlds: every configuration plays the same seeds of the same worlds and is ranked by the worst of its
 * worlds. The best is then shown on fresh seeds beside the unchanged file, for the ranking itself says how lucky it was on
 * the seeds that it was made on. Trials are counted and ratios deflated as over recordings.
 */

import { createHash } from 'node:crypto';
import { must, TwinbookError } from '../../../shared/base/errors.js';
import { ONE } from '../../../shared/base/micros.js';
import { canonicalJson } from '../../../shell/config/hash.js';
import { VERSION } from '../../../shell/config/version.js';
import type { FreshResult, SweepResult, SweepWatcher, SweptEvent, Task, TaskOutcome } from '../../sweep/contract.js';
import { type SweepIdentity, searchText } from '../../sweep/identity.js';
import { judge } from '../../sweep/judge.js';
import { listNotes } from '../../sweep/notes.js';
import { Pace } from '../../sweep/pace.js';
import { Outcomes } from '../../sweep/results/outcomes.js';
import { openStore, type SweepStore } from '../../sweep/results/store.js';
import type { SweepOutcome } from '../../sweep/sweep.js';
import { runTasks } from '../../sweep/threads/pool.js';
import { conditionsText } from '../describe.js';
import { estimateMean } from '../standings.js';
import { type SeedRange, UNCHANGED, type WorldSweepPlan, type WorldWorkerSetup } from './world-contract.js';

/** Throws TwinbookError for whatever keeps it from beginning; a configuration that fails is part of the result. */
export async function runWorldSweep(plan: WorldSweepPlan, watcher: SweepWatcher): Promise<SweepOutcome> {
  requireOneStrategy(plan);
  requireApart(plan.seeds, plan.fresh);
  const store = openStore(plan.outDir);
  try {
    const sweep = new WorldSweep(plan, watcher, store);
    const isComplete = await sweep.choose();
    const fresh = isComplete ? await sweep.showFresh() : null;
    const result = sweep.result(fresh);
    if (isComplete) store.finish(result);
    return { result, isComplete: isComplete && !(fresh === null && sweep.hasBest) };
  } finally {
    store.close();
  }
}

/** Throws `usage` for a trader's file with several strategies, or none. */
function requireOneStrategy({ config: { file, strategies } }: WorldSweepPlan): void {
  if (strategies.length === 1) return;
  const hint = 'Give a strategy file, or a trader’s file with a single one.';
  throw new TwinbookError('usage', `${file} has ${strategies.length} strategies; worlds judge one by itself`, hint);
}

/** Throws `usage` when a seed is in both: what was chosen on it cannot be shown by it. */
export function requireApart(seeds: SeedRange, fresh: SeedRange): void {
  const [from, to] = [Math.max(seeds.first, fresh.first), Math.min(getLastSeed(seeds), getLastSeed(fresh))];
  if (from > to) return;
  throw new TwinbookError(
    'usage',
    `seeds ${from} to ${to} would be chosen on and reported: seeds ${seeds.first} to ${getLastSeed(seeds)} are chosen on, ${fresh.first} to ${getLastSeed(fresh)} are fresh`,
    `Begin the fresh ones elsewhere, such as --fresh-first ${getLastSeed(seeds) + 1}.`,
  );
}

export const getLastSeed = ({ first, count }: SeedRange): number => first + count - 1;

class WorldSweep {
  readonly #plan: WorldSweepPlan;
  readonly #watcher: SweepWatcher;
  readonly #store: SweepStore;
  readonly #worlds: readonly string[];
  readonly #events: readonly SweptEvent[];
  readonly #outcomes: Outcomes;
  #usedBefore = 0;

  constructor(plan: WorldSweepPlan, watcher: SweepWatcher, store: SweepStore) {
    this.#plan = plan;
    this.#watcher = watcher;
    this.#store = store;
    this.#worlds = plan.worlds.map(({ name }) => name);
    this.#events = seedEvents(plan.seeds, plan.worlds.length);
    this.#outcomes = new Outcomes(1, this.#worlds, (...place) => store.eventResults(...place));
  }

  /** Runs every configuration on the seeds of the choice. False when it was stopped. */
  async choose(): Promise<boolean> {
    const { search, resume, fresh } = this.#plan;
    this.#usedBefore = this.#store.seedsChosenOn(fresh.first, getLastSeed(fresh));
    const stored = this.#store.begin({
      identity: this.#identity(),
      title: this.#title,
      candidates: search.candidates,
      parameters: search.axes.map(({ name }) => name),
      events: this.#events,
      resume,
    });
    for (const { task, outcome } of stored) this.#outcomes.set(task, outcome);
    if (stored.length > 0) this.#watcher.say(`${stored.length} tasks of this sweep are done already.`);
    const all = search.candidates.flatMap((candidate) => this.#listTasks(candidate));
    const tasks = all.filter((task) => !this.#outcomes.has(task));
    const seeds = this.#events.length;
    const pace = new Pace(this.#watcher.now, all.length, tasks.length * seeds);
    return this.#run(tasks, this.#plan.seeds, (task, outcome) => {
      this.#outcomes.set({ ...task, number: task.candidate.number }, outcome);
      this.#store.write(task, outcome);
      pace.addPlayed(seeds);
      this.#watcher.progress(pace.progress(this.#outcomes.count, this.#outcomes.failed));
    });
  }

  /** Whether any configuration is done. */
  get hasBest(): boolean {
    return this.#judged.configurations[0]?.status === 'done';
  }

  /** The best and the unchanged one on the fresh seeds; null when nothing is done, or when it was stopped. */
  async showFresh(): Promise<FreshResult | null> {
    const best = this.#judged.configurations[0];
    if (best === undefined || best.status !== 'done') return null;
    const { fresh } = this.#plan;
    const outcomes = new Outcomes(1, this.#worlds);
    this.#watcher.say(
      `Configuration ${best.number} is the best; now on the fresh seeds ${fresh.first} to ${getLastSeed(fresh)}.`,
    );
    const isComplete = await this.#run(
      [best, UNCHANGED].flatMap((one) => this.#listTasks(one)),
      fresh,
      (task, outcome) => {
        if (outcome.kind === 'failed')
          throw new TwinbookError(
            'strategy_invalid',
            outcome.error,
            '`twinbook strategies test STRATEGY` finds what a strategy does wrong.',
          );
        outcomes.set({ ...task, number: task.candidate.number }, outcome);
      },
    );
    if (!isComplete) return null;
    const worlds = this.#worlds.map((world, place) => {
      const edges = (number: number) => [...outcomes.eventResults(number, place)].map((micros) => micros / ONE);
      const [chosen, unchanged] = [edges(best.number), edges(UNCHANGED.number)];
      return {
        world,
        chosen: estimateMean(chosen),
        unchanged: estimateMean(unchanged),
        difference: estimateMean(chosen.map((edge, index) => edge - must(unchanged[index], 'the same seed'))),
        belowZero: chosen.filter((edge) => edge < 0).length,
      };
    });
    return { firstSeed: fresh.first, seeds: fresh.count, usedBefore: this.#usedBefore, number: best.number, worlds };
  }

  #listTasks(candidate: Task['candidate']): readonly Task[] {
    return this.#worlds.map((fillModel) => ({ candidate, fold: 0, fillModel }));
  }

  #run(tasks: readonly Task[], seeds: SeedRange, onDone: (task: Task, outcome: TaskOutcome) => void): Promise<boolean> {
    const { source, config, search, conditions, workers } = this.#plan;
    const setup: WorldWorkerSetup = { source, configHash: config.configHash, axes: search.axes, conditions, seeds };
    return runTasks({
      tasks,
      workers,
      program: { name: './world-worker', from: import.meta.url },
      setup,
      readsFiles: false,
      stopAsked: this.#watcher.stopAsked,
      done: onDone,
    });
  }

  get #judged() {
    return judge(this.#plan.search.candidates, this.#events, this.#worlds, this.#outcomes, this.#store.tried);
  }

  get #title(): string {
    return this.#plan.config.strategies.map(({ name }) => name).join(', ');
  }

  result(fresh: FreshResult | null): SweepResult {
    const { search } = this.#plan;
    const { models, configurations } = this.#judged;
    const done = configurations.filter(({ status }) => status === 'done');
    const failed = configurations.filter(({ status }) => status === 'failed').length;
    const counts = {
      configurations: configurations.length,
      done: done.length,
      failed,
      unfinished: configurations.length - done.length - failed,
      tried: this.#store.tried,
      flipping: done.filter(({ signFlips }) => signFlips).length,
      events: this.#events.length,
    };
    const data = { markets: [], isStreamed: false, empty: [] };
    const best = done[0] ?? null;
    const notes = listNotes({ subject: 'worlds', data, counts, best, search, folds: 1 });
    const used = this.#usedBefore;
    const text = `${used} of the fresh seeds were chosen on by an earlier sweep in this folder: they are not fresh. Take others (--fresh-first).`;
    return {
      format: 1,
      subject: 'worlds',
      title: this.#title,
      assumptions: this.#assumptions(),
      search: { kind: search.kind, axes: search.axes, leftOut: search.leftOut },
      counts,
      events: this.#events,
      models,
      configurations,
      // Seeds have no time: what walking forward shows of events, fresh seeds show here.
      walkForward: null,
      fresh,
      notes: used > 0 ? [{ level: 'caution', text }, ...notes] : notes,
    };
  }

  #assumptions(): SweepResult['assumptions'] {
    const { config, seeds, worlds } = this.#plan;
    const { data_hash: dataHash, latency } = this.#identity();
    return {
      version: VERSION,
      configHash: config.configHash,
      dataHash,
      seed: seeds.first,
      repeat: 1,
      fillModels: this.#worlds,
      embargoMs: 0,
      latency,
      folds: 1,
      data: worlds.map(({ name, summary }) => `${name}, seeds ${seeds.first} to ${getLastSeed(seeds)}: ${summary}`),
    };
  }

  #identity(): SweepIdentity {
    const { config, search, worlds, conditions, seeds } = this.#plan;
    const texts = [...new Set(worlds.map((world) => conditionsText(world, conditions)))].filter((text) => text !== '');
    const latency = texts.length === 0 ? 'none' : texts.join('; ');
    const names = canonicalJson(this.#worlds);
    return {
      version: VERSION,
      config_hash: config.configHash,
      data_hash: createHash('sha256').update(canonicalJson({ names, seeds, latency })).digest('hex'),
      search: searchText(search.kind, search.axes, search.candidates.length),
      fill_models: names,
      latency,
      seed: seeds.first,
      folds: 1,
      embargo_ms: 0,
      assumptions: canonicalJson({ subject: 'worlds', seeds: seeds.count }),
    };
  }
}

/** Each seed as an event of its own: nothing that happens in one is known in another. */
const seedEvents = ({ first, count }: SeedRange, worlds: number): readonly SweptEvent[] =>
  Array.from({ length: count }, (_, place) => ({
    title: `seed ${first + place}`,
    conditionIds: Array.from({ length: worlds }, (__, world) => `${first + place}/${world}`),
    fromMs: first + place,
    toMs: first + place,
    played: 1,
    fold: 0,
  }));
