/** Finds runs in their folder. */

import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { RUN_FILE } from './contract.js';

/** The runs under `dir`, oldest first: their ids begin with the time of their start, but files may have been copied. */
export function runFolders(dir: string): readonly string[] {
  const runs = listEntries(dir)
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(dir, entry.name))
    .flatMap((folder) => {
      const startedMs = runField(folder, 'startedMs');
      return typeof startedMs === 'number' ? [{ folder, startedMs }] : [];
    });
  return runs.sort((a, b) => a.startedMs - b.startedMs).map(({ folder }) => folder);
}

/** A mistyped name is answered with the newest runs. */
const MAX_NAMED = 10;

/**
 * The folder of the named run: `last`, a prefix of an id in `dir`, or a path. Throws TwinbookError `usage` for none or
 * several, with the existing ones.
 */
export function findRun(name: string, dir: string, cwd: string): string {
  const path = resolve(cwd, name);
  if (existsSync(join(path, RUN_FILE))) return path;
  const runs = runFolders(dir);
  const newest = runs.at(-1);
  if (name === 'last' && newest !== undefined) return newest;
  const meant = runs.filter((folder) => basename(folder).startsWith(name));
  const exact = meant.find((folder) => basename(folder) === name);
  const [only, another] = exact === undefined ? meant : [exact];
  if (only !== undefined && another === undefined) return only;
  const what = only === undefined ? `there is no run '${name}'` : `more than one run begins with '${name}'`;
  throw new TwinbookError('usage', `${what} in ${dir}`, describeRuns(only === undefined ? runs : meant));
}

function describeRuns(runs: readonly string[]): string {
  if (runs.length === 0)
    return 'There are no runs: `twinbook start` keeps one with every start, unless journal.enabled is false.';
  const lines = runs
    .slice(-MAX_NAMED)
    .reverse()
    .map((folder) => `${basename(folder)}, started ${formatStart(folder)}`);
  const more = runs.length - lines.length;
  return `There ${runs.length === 1 ? 'is' : 'are'}: ${lines.join('; ')}${more > 0 ? `; and ${more} older` : ''}.`;
}

function formatStart(folder: string): string {
  const startedMs = runField(folder, 'startedMs');
  return typeof startedMs === 'number' ? new Date(startedMs).toISOString() : 'at an unknown time';
}

/** One field of a run's description; undefined for a folder that is no run. */
export function runField(folder: string, name: string): unknown {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(folder, RUN_FILE), 'utf8'));
    return typeof parsed === 'object' && parsed !== null
      ? new Map<string, unknown>(Object.entries(parsed)).get(name)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Entries of a folder; empty for a missing or just removed one. */
export function listEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
