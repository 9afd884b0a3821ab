/** What a scrape says of files: sizes, the newest backup, room on the disk. */

import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { FileFacts } from './collect.js';

export function readFileFacts(ledgerPath: string): FileFacts {
  const found = (path: string) => statSync(path, { throwIfNoEntry: false }) ?? null;
  return {
    ledgerBytes: found(ledgerPath)?.size ?? null,
    walBytes: found(`${ledgerPath}-wal`)?.size ?? null,
    backupMs: found(`${ledgerPath}.backup`)?.mtimeMs ?? null,
    diskFreeBytes: freeBytes(dirname(ledgerPath)),
  };
}

function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null; // the folder is not there yet
  }
}
