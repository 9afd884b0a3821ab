/**
 * Whether what has the ledger's name is still the file that is open. Whoever puts another in its place (a backup, a
 * synchronised folder) leaves the trader writing into a file that nobody will ever read again.
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

/**
 * Opens the ledger at `path`, which is made when there is none, and taken from everybody else. Throws LedgerBroken, and
 * what `open` throws.
 */
export function openLedgerFile<T extends { close(): void }>(path: string, open: () => T): readonly [T, LedgerFile] {
  try {
    // SQLite gives its side files the mode of the file itself.
    makePrivateFile(path);
    for (const ending of ['', ...SIDE_FILES]) makePrivate(`${path}${ending}`);
  } catch (cause) {
    throw new LedgerBroken(`the ledger ${path} cannot be opened: ${String(cause)}`, { cause });
  }
  const file = makePlace([path]);
  const opened = open();
  try {
    file.check();
    // What is committed lies in the log too, which is there from the first write on.
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
