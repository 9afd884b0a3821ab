/** Paths of recordings as commands are given them: folders, files, and places on object storage. */

import { localPaths, resolvePath } from '../../recording/objects/local-paths.js';
import { isObjectUrl, showPlace } from '../../recording/objects/place.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { CliIo } from '../output/io.js';

/** For each path one of this machine. Throws TwinbookError as opening a bucket does. */
export async function resolveData(paths: readonly string[], io: CliIo): Promise<string[]> {
  const local = await localPaths(
    paths.map((path) => resolvePath(io.cwd, path)),
    io.env,
  );
  if (paths.some(isObjectUrl)) {
    const { listTraffic } = await import('../../recording/objects/view-files.js');
    for (const { withoutManifest, place } of listTraffic(local)) {
      const [first] = withoutManifest;
      if (first === undefined) continue;
      const days = withoutManifest.length === 1 ? '1 day has' : `${withoutManifest.length} days have`;
      io.err(`note  ${showPlace(place)}: ${days} no manifest and count for nothing: ${first}\n`);
    }
  }
  return [...local];
}

/** Throws TwinbookError `usage` for a place on object storage. */
export function requireFolders(paths: readonly string[], what: string): void {
  const place = paths.find(isObjectUrl);
  if (place === undefined) return;
  const hint = 'Use a folder of this machine, and `twinbook data upload` for what lies there.';
  throw new TwinbookError('usage', `${what} works on the disk, got ${place.replace(/\?.*$/s, '')}`, hint);
}

/** A line for each bucket that these folders are views of: what was asked of it, and what was here. */
export async function describeTraffic(paths: readonly string[]): Promise<string> {
  const { listTraffic } = await import('../../recording/objects/view-files.js');
  const lines = listTraffic(paths).map(
    ({ place, objects, bytes, lists, reads, retries, bytesRead, filesFetched, filesFromCache, bytesFromCache }) =>
      `${showPlace(place)}: ${objects} objects, ${formatBytes(bytes)}; read ${formatBytes(bytesRead)} in ${lists + reads} requests ` +
      `(${retries} repeated), of it ${filesFetched} files of data; ${filesFromCache} files, ${formatBytes(bytesFromCache)}, were here\n`,
  );
  return lines.join('');
}

/** In powers of ten, as storage is sold. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [unit, size] =
    bytes < 1e6 ? ['kB', 1e3] : bytes < 1e9 ? ['MB', 1e6] : bytes < 1e12 ? ['GB', 1e9] : ['TB', 1e12];
  return `${(bytes / Number(size)).toFixed(1)} ${unit}`;
}
