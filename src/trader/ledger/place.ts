/**
 * Checks that the ledger's path still names the open file. After a replacement (a restored backup, a synchronised
 * folder) the trader would write to a file that no program reads.
 */

import { statSync } from 'node:fs';
import { makePrivate, makePrivateFile } from '../../shared/base/private.js';
import { LedgerBroken } from './database.js';

/** The file of a ledger that is open for writing. */
export interface LedgerFile {
  /** Throws LedgerBroken when a file of the ledger was removed or replaced. */
  check(): void;
}

const SIDE_FILES = ['-wal', '-shm', '.backup'] as const;

/** Opens or creates the ledger at `path` with private permissions. Throws LedgerBroken, and the errors of `open`. */
export function openLedgerFile<T extends { close(): void }>(path: string, open: () => T): readonly [T, LedgerFile] {
  try {
    // SQLite creates its side files with the mode of the main file.
    makePrivateFile(path);
    for (const ending of ['', ...SIDE_FILES]) makePrivate(`${path}${ending}`);
  } catch (cause) {
    throw new LedgerBroken(`the ledger ${path} cannot be opened: ${String(cause)}`, { cause });
  }
  const file = makePlace([path]);
  const opened = open();
  try {
    file.check();
    // The write-ahead log, which exists after the first write, holds commits too.
    return [opened, makePlace([path, `${path}-wal`])];
  } catch (error) {
    opened.close();
    throw error;
  }
}

function makePlace(paths: readonly string[]): LedgerFile {
  const files = paths.map((path) => ({ path, identity: readIdentity(path) }));
  const check = () => {
    for (const { path, identity } of files) {
      const found = readIdentity(path);
      if (found === identity) continue;
      throw new LedgerBroken(`the ledger ${path} ${found === null ? 'is gone' : 'was replaced by another file'}`);
    }
  };
  return { check };
}

function readIdentity(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}
