/**
 * A sweep as a folder, for the job array of a batch engine: `plan.json` says everything, `results/chunk-N.ndjson` holds what
 * came of a chunk, whole or not at all, and `begun/chunk-N` a line for each time that it was begun.
 */

import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { TwinbookError } from '../../../shared/base/errors.js';
import { makeFolder, SHARED_FOLDER } from '../../../shared/base/folder.js';
import { canonicalJson } from '../../../shell/config/hash.js';
import type { SweepFacts } from '../facts.js';
import { type Chunk, chunkId } from './chunk.js';
import { type ChunkOutcome, type OutcomesRead, outcomesText, readOutcomes } from './outcomes-file.js';
import { readSheet, type SweepSheet, sheetHash } from './sheet.js';

const PLAN = 'plan.json';

/** Plain data. */
export interface FolderPlan {
  readonly sheet: SweepSheet;
  readonly facts: SweepFacts;
  /** Each holds configurations with consecutive numbers. */
  readonly chunks: readonly { readonly fold: number; readonly first: number; readonly last: number }[];
  /** Where results are kept unless told. */
  readonly outDir: string;
}

/** Throws TwinbookError `usage` where there is a plan already, `file_unreadable` where it cannot be written. */
export function writePlan(dir: string, plan: FolderPlan): void {
  const checksum = computeChecksum(plan);
  guardAccess(dir, 'write', () => {
    for (const folder of ['results', 'begun']) makeFolder(join(dir, folder), SHARED_FOLDER);
    if (readText(join(dir, PLAN)) !== null) {
      throw new TwinbookError('usage', `${dir} holds a plan already`, 'Give another folder with --dir, or delete it.');
    }
    writeSynced(join(dir, PLAN), `${JSON.stringify({ format: 1, checksum, plan })}\n`);
  });
}

const written = z.object({
  format: z.literal(1),
  checksum: z.string(),
  plan: z.looseObject({ sheet: z.looseObject({}) }),
});

/** Throws TwinbookError `usage` for a folder without a plan, or with that of another version, `file_unreadable` for a cut one. */
export function readPlan(dir: string): FolderPlan {
  const text = guardAccess(dir, 'read', () => readText(join(dir, PLAN)));
  if (text === null) {
    throw new TwinbookError('usage', `${dir} holds no plan of a sweep`, 'Make one with `twinbook sweep plan --dir`.');
  }
  const read = written.safeParse(parseJson(text));
  if (!read.success || computeChecksum(read.data.plan) !== read.data.checksum) {
    const hint = 'Copy the folder anew, or plan the sweep once more into another one.';
    throw new TwinbookError('file_unreadable', `${join(dir, PLAN)} is cut or was changed`, hint);
  }
  // Its checksum says that a program of ours wrote it, and the sheet's own reader that it was this version.
  const plan = read.data.plan as unknown as FolderPlan;
  readSheet(JSON.stringify(plan.sheet), sheetHash(plan.sheet));
  return plan;
}

/** A chunk by its number, from 0. Throws TwinbookError `usage` for a number that there is not. */
export function chunkAt({ chunks, facts }: FolderPlan, index: number): Chunk {
  const part = chunks[index];
  if (part === undefined) {
    throw new TwinbookError(
      'usage',
      `there is no chunk ${index}`,
      `This plan has the chunks 0 to ${chunks.length - 1}.`,
    );
  }
  return { fold: part.fold, candidates: facts.search.candidates.slice(part.first - 1, part.last) };
}

/** Null: there is nothing yet. */
export function readChunk(dir: string, plan: FolderPlan, index: number): OutcomesRead | null {
  const chunk = chunkAt(plan, index);
  const text = guardAccess(dir, 'read', () => readText(resultPath(dir, index)));
  return text === null ? null : readOutcomes(text, makeChunkId(plan, chunk), chunk, plan.sheet);
}

/** In place of what was there. */
export function writeChunk(dir: string, plan: FolderPlan, index: number, outcomes: readonly ChunkOutcome[]): void {
  const text = outcomesText(makeChunkId(plan, chunkAt(plan, index)), outcomes);
  guardAccess(dir, 'write', () => writeSynced(resultPath(dir, index), text));
}

export const resultPath = (dir: string, index: number): string => join(dir, 'results', `chunk-${index}.ndjson`);

/** Notes that a chunk is begun, whatever comes of it. */
export function noteBegun(dir: string, index: number): void {
  guardAccess(dir, 'write', () => appendFileSync(begunPath(dir, index), `${hostname()} ${process.pid}\n`));
}

/** How often it was begun. */
export const timesBegun = (dir: string, index: number): number =>
  guardAccess(dir, 'read', () => (readText(begunPath(dir, index)) ?? '').split('\n').length - 1);

const begunPath = (dir: string, index: number): string => join(dir, 'begun', `chunk-${index}`);

const makeChunkId = ({ sheet }: FolderPlan, chunk: Chunk): string => chunkId(sheetHash(sheet), chunk);

const computeChecksum = (plan: unknown): string => createHash('sha256').update(canonicalJson(plan)).digest('hex');

/** Under a name of this process first: two that write the same file do not meet. */
function writeSynced(path: string, text: string): void {
  const beside = `${path}.${hostname()}-${process.pid}.part`;
  const file = openSync(beside, 'w');
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(beside, path);
}

/** Null for a file that is not there. */
function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function guardAccess<T>(dir: string, what: 'read' | 'write', act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (cause instanceof TwinbookError || !(cause instanceof Error) || !('code' in cause)) throw cause;
    const hint = 'Look at the folder and the disk.';
    throw new TwinbookError('file_unreadable', `cannot ${what} ${dir}: ${cause.message}`, hint, { cause });
  }
}
