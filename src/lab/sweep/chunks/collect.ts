/** Stores the results of a plan's chunks and lists the missing chunks. */

import type { SweepResult, Task, TaskOutcome } from '../contract.js';
import { makeHeader } from '../facts.js';
import { foldCount } from '../folds.js';
import { Outcomes } from '../results/outcomes.js';
import { computeResult } from '../results/result.js';
import { openStore } from '../results/store.js';
import { tasksIn } from './chunk.js';
import { chunkAt, type FolderPlan, readChunk, resultPath } from './folder.js';
import { keepOutcomes } from './outcomes.js';

export interface Collected {
  readonly result: SweepResult;
  /** Backtests that this call stored. */
  readonly stored: number;
  /** Chunks without a whole result. */
  readonly missing: readonly number[];
}

/** May be called again with more results. Chunks that are given up are stored as failed unless there is a result. */
export function collectChunks(dir: string, plan: FolderPlan, outDir: string, givenUp: ReadonlySet<number>): Collected {
  for (const index of givenUp) chunkAt(plan, index);
  const { facts, sheet } = plan;
  const store = openStore(outDir);
  try {
    const outcomes = new Outcomes(foldCount(facts.events), facts.fillModels, (...at) => store.eventResults(...at));
    for (const { task, outcome } of store.begin(makeHeader(facts, 'either'))) outcomes.set(task, outcome);
    const missing: number[] = [];
    let stored = 0;
    const known = (task: Task) => outcomes.get(task);
    const done = (task: Task, outcome: TaskOutcome) => {
      store.write(task, outcome);
      outcomes.set({ ...task, number: task.candidate.number }, outcome);
    };
    for (const [index, chunk] of plan.chunks.entries()) {
      const outcome = { kind: 'failed', error: `given up: nothing came of its chunk ${index}` } as const;
      const failed = givenUp.has(index) ? tasksIn(chunk, sheet).map((task) => ({ task, outcome })) : null;
      const found = readChunk(dir, plan, index)?.outcomes ?? failed;
      if (found === null) missing.push(index);
      else stored += keepOutcomes(found, { known, done }, resultPath(dir, index));
    }
    const result = computeResult(facts, outcomes, store.tried);
    if (result.counts.unfinished === 0) store.finish(result);
    return { result, stored, missing };
  } finally {
    store.close();
  }
}

/** As array jobs are submitted: `3,17-19`. */
export function listOfChunks(indexes: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const index of indexes) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}
