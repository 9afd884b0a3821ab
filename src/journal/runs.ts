/** Finds runs in their folder. */

import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_FILE } from './journal.js';

/** The runs under `dir`, oldest first: their ids begin with the time of their start, but files may have been copied. */
export function runFolders(dir: string): readonly string[] {
  const runs = entriesOf(dir)
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(dir, entry.name))
    .flatMap((folder) => {
      const startedMs = runField(folder, 'startedMs');
      return typeof startedMs === 'number' ? [{ folder, startedMs }] : [];
    });
  return runs.sort((a, b) => a.startedMs - b.startedMs).map(({ folder }) => folder);
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

/** What lies in a folder; nothing where there is none yet, or another process has just removed it. */
export function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
