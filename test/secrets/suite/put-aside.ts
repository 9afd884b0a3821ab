/**
 * Temporary files lie in the run's own folder, and what a test removes there is put aside in place of being removed. Tests
 * need not know of it. Loaded once in a process, whatever number of test files it runs.
 */

import { randomUUID } from 'node:crypto';
import fs, { lstatSync, renameSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join, resolve, sep } from 'node:path';
import { inject } from 'vitest';

const folder = inject('evidenceFolder');
const temporary = join(folder, 'tmp');
// Processes that tests start inherit both.
process.env['TMPDIR'] = temporary;
process.env['TWINBOOK_EVIDENCE'] = folder;

const remove = fs.rmSync;

/** True when the path is aside now. What is in use (a mount, another disk) is removed as ever, or refused as ever. */
function putAside(path: fs.PathLike, options: fs.RmOptions | undefined): boolean {
  const whole = resolve(String(path));
  const found = lstatSync(whole, { throwIfNoEntry: false });
  if (!whole.startsWith(temporary + sep) || found === undefined) return false;
  if (found.isDirectory() && options?.recursive !== true) return false;
  try {
    renameSync(whole, join(folder, 'removed', randomUUID()));
    return true;
  } catch {
    return false;
  }
}

fs.rmSync = (path, options) => {
  if (!putAside(path, options)) remove(path, options);
};
// Whoever imports `rmSync` by name gets this one too.
syncBuiltinESMExports();
