/** Runs sweeps: backtests every configuration on every fold of events under every fill model, and ranks the results. */

import type { SweepPlan, SweepProgress, SweepWatcher, Task } from './contract.js';
import { listNotes } from './describe.js';
import {
  eventsIn,
  listTasks,
  NOTHING_PLAYED,
  planSweep,
  type SweepEngine,
  type SweepFacts,
  type TaskWork,
} from './facts.js';
import { countConfigurations, judge, Outcomes, type SweepResult, walkForward } from './result.js';
import { openStore, type Resume, type SweepStore } from './store.js';
import { onThreads } from './threads/threads.js';

/** Runs a sweep over recordings. Throws a TwinbookError if the sweep cannot start, but not if a configuration fails. */
export async function runSweep(plan: SweepPlan, watcher: SweepWatcher, engine: SweepEngine = onThreads) {
  // The sweep's database is opened first, so that an unwritable folder is found before hours of reading.
  const store = openStore(plan.outDir);
  try {
    const planned = await planSweep(plan, (done, all) => {
      watcher.progress({ phase: 'reading', done, all, ...NOTHING_PLAYED });
    });
    const sweep = makeSweep(planned.facts, watcher, store);
    const isComplete = await sweep.run(plan.resume, (work) => engine({ ...planned, ...work, watcher }));
    const result = sweep.result();
    if (isComplete) store.finish();
    return { result, isComplete };
  } finally {
    store.close();
  }
}

export function makeSweep(facts: SweepFacts, watcher: SweepWatcher, store: SweepStore) {
  const { events, search } = facts;
  const { fillModels, folds } = facts.assumptions;
  const outcomes = new Outcomes(folds, fillModels, (...place) => store.eventResults(...place));
  const played = Array.from({ length: folds }, (_, fold) =>
    eventsIn(events, fold).reduce((sum, event) => sum + event.played, 0),
  );
  const playedBy = (tasks: readonly Task[]) => tasks.reduce((sum, { fold }) => sum + (played[fold] ?? 0), 0);
  const run = async (resume: Resume, play: (work: TaskWork) => Promise<boolean>): Promise<boolean> => {
    const stored = store.begin(facts, resume);
    for (const { task, outcome } of stored) outcomes.set(task, outcome);
    if (stored.length > 0) watcher.say(`${stored.length} backtests of this sweep are done already.`);
    const all = listTasks(search.candidates, folds, fillModels);
    const tasks = all.filter((task) => outcomes.get(task) === undefined);
    const pace = makePace(watcher.now, all.length, playedBy(tasks));
    const done: TaskWork['done'] = (task, outcome) => {
      outcomes.set({ ...task, number: task.candidate.number }, outcome);
      store.write(task, outcome);
      watcher.progress(pace(playedBy([task]), outcomes.count, outcomes.failed));
    };
    return play({ tasks, known: (task) => outcomes.get(task), done });
  };
  return { run, result: () => computeResult(facts, outcomes, store.tried) };
}

/** Returns a function that returns the progress after each backtest. `allEvents`: number of events in all backtests that still have to run. */
function makePace(now: () => number, all: number, allEvents: number) {
  const startMs = now();
  let events = 0;
  return (played: number, done: number, failed: number): SweepProgress => {
    events += played;
    const ms = now() - startMs;
    const perMs = events > 0 && ms > 0 ? events / ms : null;
    const eventsPerS = perMs === null ? null : perMs * 1000;
    const leftMs = perMs === null ? null : (allEvents - events) / perMs;
    return { phase: 'running', done, failed, all, events, eventsPerS, leftMs };
  };
}

export function computeResult(facts: Omit<SweepFacts, 'identity'>, outcomes: Outcomes, tried: number): SweepResult {
  const { subject, title, assumptions, events } = facts;
  const { kind, axes, leftOut, candidates } = facts.search;
  const { models, configurations, trials } = judge(candidates, assumptions.fillModels, outcomes, tried);
  const counts = countConfigurations(configurations, tried, events.length);
  const done = configurations.filter(({ status }) => status === 'done');
  const inOrder = done.toSorted((a, b) => a.number - b.number);
  return {
    format: 1,
    subject,
    title,
    assumptions,
    search: { kind, axes, leftOut },
    counts,
    events,
    models,
    configurations,
    walkForward: counts.unfinished > 0 ? null : walkForward(inOrder, events, assumptions, outcomes, trials),
    fresh: null,
    notes: listNotes(facts, counts, done[0] ?? null),
  };
}
