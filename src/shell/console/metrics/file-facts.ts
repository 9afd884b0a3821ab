/** Facts about files for a scrape: sizes, the newest backup, free disk space. */

import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Unknown ones are null; `backupMs`: Unix ms. */
export function readFileFacts(ledgerPath: string) {
  const statFile = (path: string) => statSync(path, { throwIfNoEntry: false }) ?? null;
  return {
    ledgerBytes: statFile(ledgerPath)?.size ?? null,
    walBytes: statFile(`${ledgerPath}-wal`)?.size ?? null,
    backupMs: statFile(`${ledgerPath}.backup`)?.mtimeMs ?? null,
    diskFreeBytes: freeBytes(dirname(ledgerPath)),
  };
}

export type FileFacts = ReturnType<typeof readFileFacts>;

function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null; // The folder does not exist yet.
  }
}
