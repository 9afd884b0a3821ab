/**
 * Checks that the ledger's path still names the open file. If another file replaces it (a backup, a synchronised
 * folder), the trader writes into a file that is never read again.
 */

import { statSync } from 'node:fs';
import { makePrivate, makePrivateFile } from '../../shared/base/private.js';
import { LedgerBroken } from './database.js';

/** Where a ledger lies that is open for writing. */
export interface LedgerFile {
  /** Throws LedgerBroken when a file of the ledger is gone or another one. */
  check(): void;
}

const SIDE_FILES = ['-wal', '-shm', '.backup'] as const;

/** Opens or creates the ledger at `path` with private permissions. Throws LedgerBroken, and whatever `open` throws. */
export function openLedgerFile<T extends { close(): void }>(path: string, open: () => T): readonly [T, LedgerFile] {
  try {
    // SQLite gives its side files the mode of the main file.
    makePrivateFile(path);
    for (const ending of ['', ...SIDE_FILES]) makePrivate(`${path}${ending}`);
  } catch (cause) {
    throw new LedgerBroken(`the ledger ${path} cannot be opened: ${String(cause)}`, { cause });
  }
  const file = makePlace([path]);
  const opened = open();
  try {
    file.check();
    // Commits are in the log too, which exists from the first write on.
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
