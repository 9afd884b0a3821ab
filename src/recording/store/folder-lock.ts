/** One writer per folder of recordings. */

import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { isGone } from '../../shared/base/process-mark.js';

const LOCK = '.writer';

/** Folders written by this process: its own pid in a lock file may be from an earlier boot of the machine. */
const held = new Set<string>();

/** Takes the folder and returns its release. Throws TwinbookError `file_unreadable` with the process that has it. */
export function lockFolder(folder: string): () => void {
  const real = realpathSync(folder);
  const path = join(real, LOCK);
  const holder = findWriter(real);
  if (holder !== null) throw makeTakenError(folder, holder);
  // Left by a dead process.
  rmSync(path, { force: true });
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw makeTakenError(folder, findWriter(real) ?? 0);
  }
  held.add(real);
  return () => {
    held.delete(real);
    rmSync(path, { force: true });
  };
}

export function findWriter(folder: string): number | null {
  const real = realpathSync(folder);
  if (held.has(real)) return process.pid;
  let pid: number;
  try {
    pid = Number(readFileSync(join(real, LOCK), 'utf8'));
  } catch {
    return null; // Never written, or just released.
  }
  return pid > 0 && pid !== process.pid && !isGone({ pid, born: null }) ? pid : null;
}

const makeTakenError = (folder: string, pid: number): TwinbookError =>
  new TwinbookError(
    'file_unreadable',
    `another process (${pid}) writes recordings to ${folder}`,
    'stop it first, or give another folder',
  );
