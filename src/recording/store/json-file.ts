/** Small JSON files that are there whole or not at all. */

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { TwinbookError } from '../../shared/base/errors.js';
import { syncFolder } from '../../shared/base/folder.js';

/** Null when there is no such file. Throws TwinbookError `recording_invalid` for another content. */
export function readJson<T>(path: string, schema: z.ZodType<T>, what: string): T | null {
  return existsSync(path) ? readJsonText(() => readFileSync(path, 'utf8'), schema, what, path) : null;
}

/** Throws TwinbookError `recording_invalid` when the text cannot be read or is not what it should be. */
export function readJsonText<T>(readText: () => string, schema: z.ZodType<T>, what: string, name: string): T {
  let problem: string;
  let cause: unknown;
  try {
    const read = schema.safeParse(JSON.parse(readText()));
    if (read.success) return read.data;
    problem = z.prettifyError(read.error).replaceAll('\n', ' ');
    cause = read.error;
  } catch (error) {
    problem = (error as Error).message;
    cause = error;
  }
  const hint =
    'it was changed or damaged, or a newer version of Twinbook wrote it; `twinbook data verify` checks all files';
  throw new TwinbookError('recording_invalid', `${name} is not ${what}: ${problem}`, hint, { cause });
}

/**
 * Written to another name, synced, renamed: a crash leaves the old file or the new one. With `isSynced` false only one of the
 * process does, and whoever writes syncs the folder himself. Throws what the system says.
 */
export function writeJson(path: string, value: unknown, isSynced = true): void {
  const temporary = `${path}.tmp`;
  try {
    const file = openSync(temporary, 'w');
    try {
      writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
      if (isSynced) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (isSynced) syncFolder(dirname(path));
}
