/** The files of a bucket that a query reads, in a folder of this machine with the names that tell market and day. */

import { linkSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { makeFolder } from '../../shared/base/folder.js';
import type { HeldFile } from '../objects/cache.js';
import { holdFile, isHere, makeOwnFolder } from '../objects/view-files.js';
import { conditionIdIn, parseDay } from '../store/day-folder.js';
import { dayFolder, MANIFEST, type Table } from '../store/layout.js';
import { readManifest } from '../store/manifest.js';
import { findTouched, type ListedFile, listFiles } from './touched-files.js';

export interface FetchedFiles {
  /** Null where nothing lies in a bucket. */
  readonly folder: string | null;
  files(table: Table): readonly string[];
  release(): void;
}

export interface FetchRules {
  readonly maxBytes: number;
  readonly onFetch: (files: number, bytes: number) => void;
}

const AT_A_TIME = 8;
const NOTHING: FetchedFiles = { folder: null, files: () => [], release: () => undefined };

/**
 * `days` are day folders of views. Throws TwinbookError `usage` where more than `maxBytes` would have to be fetched, and what
 * a bucket or the cache throws; then nothing stays held.
 */
export async function fetchTouched(
  sql: string,
  days: readonly string[],
  markets: Readonly<Record<string, string>>,
  { maxBytes, onFetch }: FetchRules,
): Promise<FetchedFiles> {
  const folder = days[0] === undefined ? null : makeOwnFolder(days[0]);
  if (folder === null) return NOTHING;
  const listed = days.flatMap((day) => {
    const manifest = readManifest(join(day, MANIFEST));
    return manifest === null ? [] : listFiles(day, manifest);
  });
  const touched = await findTouched(sql, listed, markets);
  const missing = touched.filter(({ path, file }) => !isHere(path, file));
  const bytes = missing.reduce((sum, { file }) => sum + file.bytes, 0);
  if (bytes > maxBytes) {
    const hint =
      'Name markets, days or times that the query is of (where market = … and date >= …), or allow more with --max-bytes.';
    const found = `${missing.length} of ${listed.length} files with ${bytes} bytes would have to be fetched`;
    throw new TwinbookError('usage', `the query is too large: ${found}, at most ${maxBytes} bytes may be`, hint);
  }
  if (missing.length > 0) onFetch(missing.length, bytes);
  return linkAll(folder, touched);
}

async function linkAll(folder: string, touched: readonly ListedFile[]): Promise<FetchedFiles> {
  const held: HeldFile[] = [];
  const byTable = new Map<Table, string[]>();
  const release = (): void => {
    rmSync(folder, { recursive: true, force: true });
    for (const file of held) file.release();
  };
  const waiting = [...touched];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { path, day, file } = next;
      const copy = await holdFile(path, file).catch((error: unknown) => {
        // The others need not go on.
        waiting.length = 0;
        throw error;
      });
      held.push(copy);
      const named = join(dayFolder(folder, conditionIdIn(day), parseDay(day)), basename(path));
      makeFolder(join(named, '..'));
      linkSync(copy.path, named);
      byTable.set(file.table, [...(byTable.get(file.table) ?? []), named]);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_A_TIME }, work));
  const failed = ended.find((end) => end.status === 'rejected');
  if (failed !== undefined) {
    release();
    throw failed.reason;
  }
  // In the order of days and numbers, whichever came first.
  return { folder, files: (table) => (byTable.get(table) ?? []).sort(), release };
}
