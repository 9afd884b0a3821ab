/** Small JSON files, written completely or not at all. */

import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { TwinbookError } from '../../shared/base/errors.js';
import { syncFolder } from '../../shared/base/folder.js';

/** Null without such a file. Throws TwinbookError `recording_invalid` for other content. */
export function readJson<T>(path: string, schema: z.ZodType<T>, what: string): T | null {
  if (!existsSync(path)) return null;
  let problem: string;
  let cause: unknown;
  try {
    const read = schema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    if (read.success) return read.data;
    problem = z.prettifyError(read.error).replaceAll('\n', ' ');
    cause = read.error;
  } catch (error) {
    problem = (error as Error).message;
    cause = error;
  }
  const hint =
    'it was changed or damaged, or a newer version of Twinbook wrote it; `twinbook data verify` checks all files';
  throw new TwinbookError('recording_invalid', `${path} is not ${what}: ${problem}`, hint, { cause });
}

/**
 * Written under another name, synced, renamed: a crash leaves the old file or the new one. With `isSynced` false only a
 * crash of the process is covered, and the caller syncs the folder. Throws the system's error.
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

export async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

/** Differs after a file was written again; empty for a missing one. */
export function fileState(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.ino}`;
}
