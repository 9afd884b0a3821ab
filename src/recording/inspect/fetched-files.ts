/** The files of a bucket that a query reads, in a folder of this machine with the names that tell market and day. */

import { linkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { makeFolder } from '../../shared/base/folder.js';
import type { HeldFile } from '../objects/cache.js';
import { holdFile, isHere, makeOwnFolder } from '../objects/view-files.js';
import type { Table } from '../store/layout.js';
import { findTouched, type ListedFile } from './touched-files.js';

export interface FetchedFiles {
  /** Null where nothing lies in a bucket. */
  readonly folder: string | null;
  /** Of one market each. */
  files(table: Table): readonly string[];
  /** Of packed days, with many markets in each. */
  packed(table: Table): readonly string[];
  release(): void;
}

export interface FetchRules {
  readonly maxBytes: number;
  readonly onFetch: (files: number, bytes: number) => void;
}

const AT_A_TIME = 8;
const NOTHING: FetchedFiles = { folder: null, files: () => [], packed: () => [], release: () => undefined };

/**
 * `listed` is what lies in buckets. Throws TwinbookError `usage` where more than `maxBytes` would have to be fetched, and what
 * a bucket or the cache throws; then nothing stays held.
 */
export async function fetchTouched(
  sql: string,
  listed: readonly ListedFile[],
  markets: Readonly<Record<string, string>>,
  { maxBytes, onFetch }: FetchRules,
): Promise<FetchedFiles> {
  const folder = listed[0] === undefined ? null : makeOwnFolder(listed[0].path);
  if (folder === null) return NOTHING;
  const touched = onceEach(await findTouched(sql, listed, markets));
  const missing = touched.filter(({ path, file }) => !isHere(path, file));
  const bytes = missing.reduce((sum, { file }) => sum + file.bytes, 0);
  if (bytes > maxBytes) {
    const hint =
      'Name markets, days or times that the query is of (where market = … and date >= …), or allow more with --max-bytes.';
    const found = `${missing.length} of ${onceEach(listed).length} files with ${bytes} bytes would have to be fetched`;
    throw new TwinbookError('usage', `the query is too large: ${found}, at most ${maxBytes} bytes may be`, hint);
  }
  if (missing.length > 0) onFetch(missing.length, bytes);
  return linkAll(folder, touched);
}

/** Each file once, whose rows of many markets are listed one by one. */
const onceEach = (files: readonly ListedFile[]): ListedFile[] => [
  ...new Map(files.map((file) => [file.path, file])).values(),
];

async function linkAll(folder: string, touched: readonly ListedFile[]): Promise<FetchedFiles> {
  const held: HeldFile[] = [];
  const linked: { readonly table: Table; readonly inner: string }[] = [];
  const release = (): void => {
    rmSync(folder, { recursive: true, force: true });
    for (const file of held) file.release();
  };
  const waiting = [...touched];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { path, inner, table, file } = next;
      const copy = await holdFile(path, file).catch((error: unknown) => {
        // The others need not go on.
        waiting.length = 0;
        throw error;
      });
      held.push(copy);
      makeFolder(join(folder, inner, '..'));
      linkSync(copy.path, join(folder, inner));
      linked.push({ table, inner });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_A_TIME }, work));
  const failed = ended.find((end) => end.status === 'rejected');
  if (failed !== undefined) {
    release();
    throw failed.reason;
  }
  // In the order of days and numbers, whichever came first.
  const list = (table: Table, isPacked: boolean): readonly string[] =>
    linked
      .filter((file) => file.table === table && file.inner.startsWith('date=') === isPacked)
      .map(({ inner }) => join(folder, inner))
      .sort();
  return { folder, files: (table) => list(table, false), packed: (table) => list(table, true), release };
}
