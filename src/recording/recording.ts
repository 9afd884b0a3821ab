/**
 * Recorded markets: one normalised event stream for all of them (`contract.ts`), the readers that make it from what venues
 * send, our own format (`store/`), the import from the one into the other, and what measures and checks recordings
 * (`inspect/`). Everything a venue's feed does oddly (deltas, mirrored tokens, late prints, clocks that step
 * back, cut files) ends in this room; behind it there is one market in YES space whose time only goes forward.
 *
 * A reader never guesses: what cannot be read is skipped, counted and said in `warnings`; a recording of which nothing
 * can be read is an error. Nothing here knows the exchange, matching or fill models.
 */

import { readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { TwinbookError } from '../base/errors.js';
import type { Recording } from './contract.js';
import { isKalshiFile, kalshiWindows, openKalshi } from './kalshi.js';
import { isPolymarketFile, openPolymarket } from './polymarket.js';
import { isFileOfStore, isStore, marketFolders } from './store/folders.js';

/**
 * Opens every recording under these paths: a folder in our own format (all of it, a market's folder, or one of its days),
 * a folder of the Kalshi set (the whole set, one window's folder, or one `.ndjson.gz` file), the Polymarket folder or one
 * of its `.parquet` files. Sorted by opening time, then by ticker; a
 * market found twice is opened once. Throws TwinbookError `file_unreadable` for a path that is missing,
 * `recording_invalid` for one that holds no recording.
 */
export async function openRecordings(paths: readonly string[]): Promise<Recording[]> {
  const found = new Map<string, Recording>();
  for (const path of paths) {
    for (const recording of await openPath(path)) {
      const id = recording.market.conditionId;
      if (!found.has(id)) found.set(id, recording);
    }
  }
  return [...found.values()].sort((a, b) => {
    const byTime = a.market.openTimeMs - b.market.openTimeMs;
    return byTime !== 0 ? byTime : a.market.source.ticker < b.market.source.ticker ? -1 : 1;
  });
}

async function openPath(path: string): Promise<Recording[]> {
  if (!statOf(path).isDirectory()) {
    if (isKalshiFile(path)) return [await openKalshi([path])];
    if (isFileOfStore(path)) throw unknownKind(path, 'is one file of a recording: give the folder that it lies in');
    if (isPolymarketFile(path)) return openPolymarket(path);
    throw unknownKind(path, 'is neither a .ndjson.gz nor a .parquet file');
  }
  if (isStore(path)) return openStore(path);
  const recordings: Recording[] = [];
  for (const files of kalshiWindows(path)) recordings.push(await openKalshi(files));
  for (const name of readdirSync(path).filter(isPolymarketFile).sort()) {
    recordings.push(...(await openPolymarket(join(path, name))));
  }
  if (recordings.length === 0) throw unknownKind(path, 'holds no recording');
  return recordings;
}

/** In our own format: what `twinbook record` and `twinbook data import` write. */
async function openStore(path: string): Promise<Recording[]> {
  const { openMarket } = await import('./store/market-reader.js');
  const opened = await Promise.all(marketFolders(path).map(openMarket));
  const recordings = opened.filter((recording) => recording !== null);
  if (recordings.length === 0) throw unknownKind(path, 'holds no event of any market yet');
  return recordings;
}

function statOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    const hint = `check the path; it is looked up from ${process.cwd()}`;
    throw new TwinbookError('file_unreadable', `cannot read the recording ${path}: ${(error as Error).message}`, hint, {
      cause: error,
    });
  }
}

const unknownKind = (path: string, why: string): TwinbookError =>
  new TwinbookError(
    'recording_invalid',
    `${path} ${why}`,
    'a recording is a folder with market=… in it, a Kalshi folder or .ndjson.gz file, or a Polymarket folder or .parquet file',
  );
