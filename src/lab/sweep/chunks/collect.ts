/** Stores what has come of a plan's chunks, and says which are missing. */

import { TwinbookError } from '../../../shared/base/errors.js';
import type { SweepResult } from '../contract.js';
import { makeHeader } from '../facts.js';
import { foldCount } from '../folds.js';
import { Outcomes } from '../results/outcomes.js';
import { computeResult } from '../results/result.js';
import { openStore, type SweepStore } from '../results/store.js';
import { tasksIn } from './chunk.js';
import { chunkAt, type FolderPlan, readChunk, resultPath, timesBegun } from './folder.js';
import { keepOutcomes } from './keeping.js';
import type { ChunkOutcome } from './outcomes-file.js';

export interface Collected {
  readonly result: SweepResult;
  /** Backtests that were stored now. */
  readonly stored: number;
  readonly missing: readonly MissingChunk[];
}

export interface MissingChunk {
  readonly index: number;
  /** How often it was begun. */
  readonly begun: number;
  /** Of a file that is there and not whole; empty otherwise. */
  readonly why: string;
}

/**
 * Again and again the same, with what has come since.
 *
 * @param givenUp chunks that are stored as failed while nothing has come of them
 */
export function collectChunks(dir: string, plan: FolderPlan, outDir: string, givenUp: ReadonlySet<number>): Collected {
  for (const index of givenUp) chunkAt(plan, index);
  const store = openStore(outDir);
  try {
    return collectInto(store, dir, plan, givenUp);
  } finally {
    store.close();
  }
}

function collectInto(store: SweepStore, dir: string, plan: FolderPlan, givenUp: ReadonlySet<number>): Collected {
  const { facts } = plan;
  const outcomes = new Outcomes(foldCount(facts.events), facts.fillModels, (...place) => store.eventResults(...place));
  for (const { task, outcome } of store.begin(makeHeader(facts, 'either'))) outcomes.set(task, outcome);
  const missing: MissingChunk[] = [];
  let stored = 0;
  const keeping = {
    known: (task: ChunkOutcome['task']) => outcomes.get(task),
    done: (task: ChunkOutcome['task'], outcome: ChunkOutcome['outcome']) => {
      store.write(task, outcome);
      outcomes.set({ ...task, number: task.candidate.number }, outcome);
    },
  };
  for (const index of plan.chunks.keys()) {
    const found = readOutcomes(dir, plan, index, givenUp);
    if (Array.isArray(found)) stored += keepOutcomes(found, keeping, resultPath(dir, index));
    else missing.push(found as MissingChunk);
  }
  const result = computeResult(facts, outcomes, store.tried);
  if (result.counts.unfinished === 0) store.finish(result);
  return { result, stored, missing };
}

function readOutcomes(
  dir: string,
  plan: FolderPlan,
  index: number,
  givenUp: ReadonlySet<number>,
): readonly ChunkOutcome[] | MissingChunk {
  const read = readChunk(dir, plan, index);
  if (read?.kind === 'whole') return read.outcomes;
  if (read?.kind === 'foreign') {
    const hint = 'Delete it and run the chunk again.';
    throw new TwinbookError('usage', `${resultPath(dir, index)} does not belong to this plan: ${read.why}`, hint);
  }
  const begun = timesBegun(dir, index);
  if (!givenUp.has(index)) return { index, begun, why: read?.why ?? '' };
  const error = `given up: its chunk ${index} was begun ${begun} times and nothing came of it`;
  return tasksIn(chunkAt(plan, index), plan.sheet.fillModels).map((task) => ({
    task,
    outcome: { kind: 'failed', error },
  }));
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
