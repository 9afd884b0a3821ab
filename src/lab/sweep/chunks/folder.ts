/** A sweep as a folder for a job array: `plan.json`, and `results/chunk-N.json` per finished chunk. */

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { TwinbookError } from '../../../shared/base/errors.js';
import { makeFolder, SHARED_FOLDER } from '../../../shared/base/folder.js';
import { openSeal, seal } from '../../../shell/queue/seal.js';
import type { SweepWatcher } from '../contract.js';
import type { SweepFacts } from '../facts.js';
import { openStore } from '../store.js';
import { makeSweep } from '../sweep.js';
import {
  type Chunk,
  type ChunkOutcome,
  chunkId,
  keepOutcomes,
  outcomesText,
  readOutcomes,
  readSheet,
  type SweepSheet,
  sheetHash,
  tasksIn,
} from './chunk.js';

const PLAN = 'plan.json';
/** A folder has no secret: its seals are checksums that detect cut, changed or swapped files. */
const FOLDER = { name: 'folder', secret: '' };

export interface FolderPlan {
  readonly sheet: SweepSheet;
  readonly facts: SweepFacts;
  readonly chunks: readonly Chunk[];
  readonly outDir: string;
}

/** Throws TwinbookError `usage` when a plan exists, `file_unreadable` when it cannot be written. */
export function writePlan(dir: string, plan: FolderPlan): void {
  if (readText(join(dir, PLAN)) !== null)
    throw new TwinbookError('usage', `${dir} holds a plan already`, 'Give another folder with --dir, or delete it.');
  guardAccess(dir, () => makeFolder(join(dir, 'results'), SHARED_FOLDER));
  writeSynced(join(dir, PLAN), seal(FOLDER, 'plan', '', JSON.stringify(plan)));
}

/**
 * Throws TwinbookError `usage` for a folder without a plan, or with another version's, `file_unreadable` for a cut one.
 */
export function readPlan(dir: string): FolderPlan {
  const sealed = readText(join(dir, PLAN));
  if (sealed === null)
    throw new TwinbookError('usage', `${dir} holds no plan of a sweep`, 'Make one with `twinbook sweep plan --dir`.');
  const text = openSeal(FOLDER, 'plan', '', sealed);
  if (text === null) {
    const hint = 'Copy the folder anew, or plan the sweep once more into another one.';
    throw new TwinbookError('file_unreadable', `${join(dir, PLAN)} is cut or was changed`, hint);
  }
  // The seal proves that Twinbook wrote it, and `readSheet` that it was this version.
  const plan = JSON.parse(text) as FolderPlan;
  readSheet(JSON.stringify(plan.sheet), sheetHash(plan.sheet));
  return plan;
}

/** A chunk by its number, from 0. Throws TwinbookError `usage` for an unknown number. */
export function chunkAt({ chunks }: FolderPlan, index: number): Chunk {
  const chunk = chunks[index];
  if (chunk !== undefined) return chunk;
  const hint = `This plan has the chunks 0 to ${chunks.length - 1}.`;
  throw new TwinbookError('usage', `there is no chunk ${index}`, hint);
}

/** Null without a complete result of this chunk. */
export function readChunk(dir: string, plan: FolderPlan, index: number): ReturnType<typeof readOutcomes> {
  const text = openSeal(FOLDER, 'done', makeId(plan, index), readText(resultPath(dir, index)));
  return text === null ? null : readOutcomes(text, chunkAt(plan, index), plan.sheet);
}

/** Replaces an earlier result. */
export const writeChunk = (dir: string, plan: FolderPlan, index: number, outcomes: readonly ChunkOutcome[]): void =>
  writeSynced(resultPath(dir, index), seal(FOLDER, 'done', makeId(plan, index), outcomesText(outcomes)));

export const resultPath = (dir: string, index: number): string => join(dir, 'results', `chunk-${index}.json`);

const makeId = (plan: FolderPlan, index: number): string => chunkId(sheetHash(plan.sheet), chunkAt(plan, index));

/** First under a name of this process: two writers of the same file do not collide. */
function writeSynced(path: string, text: string): void {
  const beside = `${path}.${hostname()}-${process.pid}.part`;
  guardAccess(path, () => {
    writeFileSync(beside, text, { flush: true });
    renameSync(beside, path);
  });
}

const readText = (path: string): string | null =>
  guardAccess(path, () => (existsSync(path) ? readFileSync(path, 'utf8') : null));

function guardAccess<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause)) throw cause;
    const text = `cannot use ${path}: ${cause.message}`;
    throw new TwinbookError('file_unreadable', text, 'Look at the folder and the disk.', { cause });
  }
}

const QUIET: SweepWatcher = {
  now: () => 0,
  progress: () => undefined,
  say: () => undefined,
  stopAsked: new Promise(() => undefined),
};

/** May be called again with more results. Abandoned chunks are stored as failed unless a result exists. */
export async function collectChunks(dir: string, plan: FolderPlan, outDir: string, givenUp: ReadonlySet<number>) {
  for (const index of givenUp) chunkAt(plan, index);
  const store = openStore(outDir);
  try {
    const sweep = makeSweep(plan.facts, QUIET, store);
    const missing: number[] = [];
    let stored = 0;
    await sweep.run('either', async (work) => {
      for (const [index, chunk] of plan.chunks.entries()) {
        const outcome = { kind: 'failed', error: `given up: nothing came of its chunk ${index}` } as const;
        const failed = givenUp.has(index) ? tasksIn(chunk, plan.sheet).map((task) => ({ task, outcome })) : null;
        const found = readChunk(dir, plan, index)?.outcomes ?? failed;
        if (found === null) missing.push(index);
        else stored += keepOutcomes(found, work, resultPath(dir, index));
      }
      return missing.length === 0;
    });
    const result = sweep.result();
    if (result.counts.unfinished === 0) store.finish();
    return { result, stored, missing };
  } finally {
    store.close();
  }
}

/** In the syntax of array jobs: `3,17-19`. */
export function listOfChunks(indexes: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const index of indexes) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}
