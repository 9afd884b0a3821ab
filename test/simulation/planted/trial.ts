/** Plants one bug and searches it with the simulation, in its own process with a time limit. */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Bug } from './bug.js';
import { bundle } from './bundle.js';
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
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-planted-'));
  try {
    symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'));
    const program = join(folder, 'hunt.mjs');
    await bundle(bug, program);
    const { stdout } = await run(process.execPath, [program, String(first), String(last)], { timeout: LONGEST_MS });
    // The program's only line, written by `hunt`.
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Hunt;
  } catch (error) {
    if (error instanceof Error && 'killed' in error && error.killed === true) return ENDLESS;
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
