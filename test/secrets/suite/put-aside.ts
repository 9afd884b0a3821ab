/**
 * Temporary files are in the run's own folder, and files that a test removes there are moved aside instead,
 * transparently for the tests. Loaded once per process, for any number of test files.
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

/** True if the path was moved aside. A path in use (a mount, another disk) is removed or rejected as usual. */
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
// Code that imports `rmSync` by name gets this one too.
syncBuiltinESMExports();
