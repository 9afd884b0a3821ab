/** Plants one bug and searches it with the simulation, in its own process with a time limit. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { bundle } from '../bundle.js';
import { type Bug, patched } from './bug.js';
import type { Hunt } from './hunt.js';

export const MOST_SEEDS = 200;
/** All seeds of a bug that is not found; an endless loop also counts as not found. */
const LONGEST_MS = 1_800_000;

const ENDLESS: Hunt = { seed: null, violation: null, threw: 0, firstThrown: null };

const run = promisify(execFile);

/** Seeds of one run, both ends included. */
export interface Seeds {
  readonly first: number;
  readonly last: number;
}

/** The result of one bug. Throws if the run itself failed. @param bug null for the unchanged product */
export async function trial(bug: Bug | null, { first, last }: Seeds): Promise<Hunt> {
  const { program, remove } = await bundle('planted/hunt.ts', (file, source) =>
    bug === null ? source : patched(bug, file, source),
  );
  try {
    const { stdout } = await run(process.execPath, [program, String(first), String(last)], { timeout: LONGEST_MS });
    // The program's only line, written by `hunt`.
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Hunt;
  } catch (error) {
    if (error instanceof Error && 'killed' in error && error.killed === true) return ENDLESS;
    throw error;
  } finally {
    remove();
  }
}
