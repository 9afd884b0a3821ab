/**
 * Imports into a bucket: each market is made in a folder of this machine, sent, and removed here. It may be stopped or killed
 * anywhere and be run again: the same lines make the same files, and what the bucket has is not sent a second time.
 */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { makeFolder } from '../../shared/base/folder.js';
import { type ImportedMarket, type ImportKind, type ImportOptions, importRecordings } from '../import.js';
import { isAlive } from '../store/folder-lock.js';
import { marketFolder } from '../store/layout.js';
import { cacheFolder } from './cache.js';
import type { Patience } from './client.js';
import type { Environment } from './place.js';
import { Uploader, type UploadReport } from './upload.js';

/**
 * A market of which the bucket had all files is `present`. One of which it has other files stops the import, and stays there as it
 * was; what was sent before stays too. Throws TwinbookError as `importRecordings` and `Uploader.upload` do.
 */
export async function importToBucket(
  kind: ImportKind,
  paths: readonly string[],
  url: string,
  env: Environment,
  options: Pick<ImportOptions, 'progress' | 'workers'>,
  patience?: Patience,
): Promise<readonly ImportedMarket[]> {
  const folder = makeWorkshop(env);
  try {
    const uploader = new Uploader(folder, url, env, patience);
    const send = async (market: ImportedMarket): Promise<ImportedMarket> => {
      try {
        return concluded(market, await uploader.upload());
      } finally {
        rmSync(marketFolder(folder, market.conditionId), { recursive: true, force: true });
      }
    };
    return await importRecordings(kind, paths, folder, { ...options, placed: send });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const concluded = (market: ImportedMarket, { written }: UploadReport): ImportedMarket =>
  written > 0 ? market : { ...market, status: 'present', events: 0 };

const NAME = /^(\d+)-/;

/** A folder of this import alone, beside the cache. Those of processes that died are removed. */
function makeWorkshop(env: Environment): string {
  const root = join(cacheFolder(env), '..', 'imports');
  try {
    makeFolder(root);
    for (const name of readdirSync(root)) {
      const pid = NAME.exec(name)?.[1];
      if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(root, name), { recursive: true, force: true });
    }
    return mkdtempSync(join(root, `${process.pid}-`));
  } catch (cause) {
    const message = `cannot make a folder for the import in ${root}: ${(cause as Error).message}`;
    throw new TwinbookError('file_unreadable', message, 'Name another folder with TWINBOOK_CACHE_DIR.', { cause });
  }
}
