/** The room that the runs of one ledger take on disk, and which of them go when it is used up. */

import { type Dirent, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The runs under `dir`, oldest first: their ids begin with the time of their start, but files may have been copied. */
export function runFolders(dir: string): readonly string[] {
  const runs = entriesOf(dir)
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(dir, entry.name))
    .flatMap((folder) => {
      const startedMs = field(folder, 'startedMs');
      return typeof startedMs === 'number' ? [{ folder, startedMs }] : [];
    });
  return runs.sort((a, b) => a.startedMs - b.startedMs).map(({ folder }) => folder);
}

/**
 * Removes the oldest runs of this ledger until the others and `ownBytes` fit into `maxBytes`; never `own`, and never a run
 * of another ledger, which another trader may be writing. Returns the folders that are gone.
 */
export function makeRoom(dir: string, own: string, ownBytes: number, maxBytes: number, ledgerPath: string): string[] {
  const others = runFolders(dir)
    .filter((folder) => folder !== own && field(folder, 'ledgerPath') === ledgerPath)
    .map((folder) => ({ folder, bytes: bytesOf(folder) }));
  let total = ownBytes + others.reduce((sum, { bytes }) => sum + bytes, 0);
  const gone: string[] = [];
  for (const { folder, bytes } of others) {
    if (total <= maxBytes) break;
    rmSync(folder, { recursive: true, force: true });
    gone.push(folder);
    total -= bytes;
  }
  return gone;
}

export const bytesOf = (folder: string): number =>
  entriesOf(folder).reduce((sum, entry) => sum + sizeOf(join(folder, entry.name)), 0);

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // there is none yet, or another process has just removed it
  }
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0; // packed and removed this moment
  }
}

/** One field of a run's description; undefined for a folder that is no run. */
function field(folder: string, name: string): unknown {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
    return typeof parsed === 'object' && parsed !== null
      ? new Map<string, unknown>(Object.entries(parsed)).get(name)
      : undefined;
  } catch {
    return undefined;
  }
}
