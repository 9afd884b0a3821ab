/** The room that the runs of one ledger take on disk, and which of them go when it is used up. */

import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf, runField, runFolders } from '../journal/runs.js';

/**
 * Removes the oldest runs of this ledger until the others and `ownBytes` fit into `maxBytes`; never `own`, and never a run
 * of another ledger, which another trader may be writing. Returns the folders that are gone.
 */
export function makeRoom(dir: string, own: string, ownBytes: number, maxBytes: number, ledgerPath: string): string[] {
  const others = runFolders(dir)
    .filter((folder) => folder !== own && runField(folder, 'ledgerPath') === ledgerPath)
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

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0; // packed and removed this moment
  }
}
