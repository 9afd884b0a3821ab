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
import { dirname, join, resolve } from 'node:path';
import { TwinbookError } from '../shared/base/errors.js';
import type { Recording, RecordingWarning } from './contract.js';
import { openKalshi } from './importers/kalshi.js';
import { isKalshiFile, kalshiFilesIn, kalshiGroups } from './importers/kalshi-files.js';
import { isPolymarketFile, joinCaptures, openPolymarket } from './importers/polymarket.js';
import { isFileOfStore, isStore, marketFolders } from './store/folders.js';
import { isDayFolder } from './store/layout.js';

/** Told of something under the paths that cannot be opened; the others are. */
export type OnFailure = (error: TwinbookError) => void;

/**
 * Opens every recording under these paths: a folder in our own format (all of it, a market's folder, or some of its days),
 * a folder of the Kalshi set (the whole set, one window's folder, or `.ndjson.gz` files), the Polymarket folder or one
 * of its `.parquet` files. Sorted by opening time, then by ticker. Files and days of one market are one recording, under
 * how many paths they may be given; where two of them cannot be joined, the first is opened (of two Polymarket files that
 * overlap in time the earlier) and says so in its warnings.
 *
 * Throws TwinbookError `file_unreadable` for a path that is missing, `recording_invalid` for one that holds no recording.
 * With `onFailure`, what is damaged among others is told and left out; when nothing is left, its error is thrown.
 */
export async function openRecordings(paths: readonly string[], onFailure?: OnFailure): Promise<Recording[]> {
  const failures: TwinbookError[] = [];
  const opened: Recording[] = [];
  for (const open of await makeOpeners(paths)) {
    try {
      opened.push(...(await open()));
    } catch (error) {
      if (onFailure === undefined || !(error instanceof TwinbookError)) throw error;
      failures.push(error);
    }
  }
  if (opened.length === 0)
    throw (
      failures[0] ??
      unknownKind(
        paths.join(', '),
        'holds no event of any market (events lie in files called events-0001.parquet and so on)',
      )
    );
  for (const failure of failures) onFailure?.(failure);
  return onceEach(joinCaptures(opened)).sort((a, b) => {
    const byTime = a.market.openTimeMs - b.market.openTimeMs;
    return byTime !== 0 ? byTime : a.market.source.ticker < b.market.source.ticker ? -1 : 1;
  });
}

/** Opens one thing, which may hold several markets. */
type Opener = () => Promise<readonly Recording[]>;

/** In the order of the paths. */
async function makeOpeners(paths: readonly string[]): Promise<Opener[]> {
  const kalshi: string[] = [];
  const days: string[] = [];
  const others: Opener[] = [];
  for (const path of paths) {
    if (!statPath(path).isDirectory()) {
      if (isKalshiFile(path)) kalshi.push(path);
      else if (isFileOfStore(path))
        throw unknownKind(path, 'is one file of a recording: give the folder that it lies in');
      else if (isPolymarketFile(path)) others.push(() => openPolymarket(path));
      else throw unknownKind(path, 'is neither a .ndjson.gz nor a .parquet file');
    } else if (isDayFolder(resolve(path)) && marketFolders(path).length > 0) {
      days.push(path);
    } else if (isStore(path)) {
      others.push(...marketFolders(path).map((folder) => () => openStored(folder)));
    } else {
      const files = kalshiFilesIn(path);
      const parquet = readdirSync(path).filter(isPolymarketFile).sort();
      if (files.length === 0 && parquet.length === 0) throw unknownKind(path, 'holds no recording');
      kalshi.push(...files);
      others.push(...parquet.map((name) => () => openPolymarket(join(path, name))));
    }
  }
  const windows = (await kalshiGroups(kalshi)).map((group) => async () => [await openKalshi(group)]);
  return [...windows, ...daysByMarket(days), ...others];
}

/** Single days of a market that were given one by one. */
function daysByMarket(days: readonly string[]): Opener[] {
  const byMarket = new Map<string, Set<string>>();
  for (const day of days) {
    const folder = dirname(resolve(day));
    byMarket.set(folder, (byMarket.get(folder) ?? new Set()).add(resolve(day)));
  }
  return [...byMarket].map(
    ([folder, chosen]) =>
      () =>
        openStored(chosen.size === 1 ? [...chosen].join('') : folder, [...chosen].sort()),
  );
}

/** In our own format: what `twinbook record` and `twinbook data import` write. None where no event was recorded yet. */
async function openStored(folder: string, days?: readonly string[]): Promise<readonly Recording[]> {
  const { openMarket } = await import('./store/market-reader.js');
  const recording = await openMarket(folder, days);
  return recording === null ? [] : [recording];
}

function onceEach(opened: readonly Recording[]): Recording[] {
  const first = new Map<string, { recording: Recording; leftOut: RecordingWarning[] }>();
  for (const recording of opened) {
    const { conditionId, source } = recording.market;
    const known = first.get(conditionId);
    if (known === undefined) first.set(conditionId, { recording, leftOut: [] });
    else if (resolve(known.recording.market.source.path) !== resolve(source.path)) {
      const message = `${source.path} is left out: ${known.recording.market.source.path} is a recording of the same market`;
      known.leftOut.push({ path: source.path, message });
    }
  }
  return [...first.values()].map(({ recording, leftOut }) =>
    leftOut.length === 0 ? recording : withWarnings(recording, leftOut),
  );
}

function withWarnings(recording: Recording, more: readonly RecordingWarning[]): Recording {
  const { market, summary, raw } = recording;
  return {
    market,
    ...(summary === undefined ? {} : { summary }),
    ...(recording.fingerprint === undefined ? {} : { fingerprint: recording.fingerprint }),
    ...(recording.findFirstMs === undefined ? {} : { findFirstMs: recording.findFirstMs.bind(recording) }),
    ...(recording.polls === undefined ? {} : { polls: recording.polls.bind(recording) }),
    ...(recording.feedValues === undefined ? {} : { feedValues: recording.feedValues.bind(recording) }),
    get gaps() {
      return recording.gaps ?? [];
    },
    get warnings() {
      return [...recording.warnings, ...more];
    },
    chunks: () => recording.chunks(),
    ...(recording.chunksBeside === undefined ? {} : { chunksBeside: recording.chunksBeside.bind(recording) }),
    ...(raw === undefined ? {} : { raw: { ...raw, warnings: [...raw.warnings, ...more] } }),
  };
}

function statPath(path: string): Stats {
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
    'a recording is a folder with market=… or date=… in it, a Kalshi folder or .ndjson.gz file, or a Polymarket folder or .parquet file',
  );
