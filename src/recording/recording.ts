/**
 * Opens recorded markets. `importers/` reads venues' files, and `store/` reads Twinbook's format. Both return markets
 * in YES space with times that never decrease. Both skip, count and report unreadable data.
 */

import { readdirSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { TwinbookError, unreadable } from '../shared/base/errors.js';
import { invalidRecording, type Recording, type RecordingWarning } from './contract.js';
import { openKalshi } from './importers/kalshi.js';
import { kalshiGroups } from './importers/kalshi-message.js';
import { joinCaptures, lookAtPolymarket, openPolymarket } from './importers/polymarket.js';
import { dayFolders, isDayFolder, isStore, marketFolders, parseName } from './store/layout.js';
import { openMarket } from './store/market-reader.js';

interface OpenOptions {
  /** Callback for the error of a recording that cannot be opened. If absent, the first error is thrown. */
  readonly onFailure?: (error: TwinbookError) => void;
  readonly onNotRead?: (sentence: string) => void;
  /** Wanted markets: ids, tickers or prefixes; default: all. Recordings in Twinbook's format are not filtered. */
  readonly markets?: readonly string[];
  /** Returns a folder for temporary files, which the caller removes. Without a folder, files are read more often. */
  readonly scratch?: () => string | null;
}

/**
 * Opens all recordings under the given paths: folders in Twinbook's format, message files of Kalshi or Polymarket, or
 * folders of such files. The recordings are sorted by opening time, then by ticker. All files and days of a market are
 * one recording. If two recordings of a market cannot be joined, only the first is opened, with a warning.
 *
 * Throws TwinbookError `file_unreadable` for a missing path, `recording_invalid` for a path without a recording. With
 * `onFailure`, damaged recordings are reported and left out. Throws the first error if no recording is left.
 */
export async function openRecordings(paths: readonly string[], options: OpenOptions = {}): Promise<Recording[]> {
  const failures: TwinbookError[] = [];
  const opened: Recording[] = [];
  for (const open of await makeOpeners(paths, options)) {
    try {
      opened.push(...(await open()));
    } catch (error) {
      if (options.onFailure === undefined || !(error instanceof TwinbookError)) throw error;
      failures.push(error);
    }
  }
  if (opened.length === 0) throw failures[0] ?? nothingOpened(paths, options);
  for (const failure of failures) options.onFailure?.(failure);
  return onceEach(joinCaptures(opened)).sort((a, b) => {
    const byTime = a.market.openTimeMs - b.market.openTimeMs;
    return byTime !== 0 ? byTime : a.market.source.ticker < b.market.source.ticker ? -1 : 1;
  });
}

const nothingOpened = (paths: readonly string[], { markets = [] }: OpenOptions): TwinbookError =>
  unknownKind(
    paths.join(', '),
    markets.length > 0
      ? `has no market ${markets.join(', ')}`
      : 'contains no events of markets (events are in files named events-0001.parquet and so on)',
  );

type Opener = () => Promise<readonly Recording[]>;

const MESSAGES = /\.(ndjson|jsonl|json|parquet)$/;
const PACKED = /\.(gz|zst)$/;

/** Names of files that describe a data set, and contain no recorded data. */
const ABOUT = /^(\..*|MARKETS\.csv|metadata|README.*|LICEN[CS]E.*|.*\.(md|txt))$/i;

/** Returns true if a file may have messages, according to its name. Compressed Parquet files are not supported. */
const isMessageFile = (name: string): boolean =>
  name.endsWith('.parquet') || (MESSAGES.test(name.replace(PACKED, '')) && !/\.parquet\.(gz|zst)$/.test(name));

/** Finds the files of a folder and its subfolders. If a subfolder `events` exists, only `events` is searched. */
function findFiles(folder: string) {
  const events = join(folder, 'events');
  const entries = listFiles(isFolder(events) ? events : folder);
  const files = [...entries, ...entries.filter(isFolder).flatMap(listFiles)].filter((path) => !isFolder(path));
  return { paths: files.filter((path) => isMessageFile(basename(path))), notRead: describeOthers(files, folder) };
}

const listFiles = (folder: string) =>
  readdirSync(folder)
    .filter((name) => !ABOUT.test(name))
    .sort()
    .map((name) => join(folder, name));

/** Returns true if the path is a folder; false for a missing path or a broken link. */
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function describeOthers(files: readonly string[], folder: string): string[] {
  const counts = new Map<string, number>();
  for (const name of files.map((file) => basename(file)).filter((file) => !isMessageFile(file))) {
    const ending = /\.[a-z0-9]+(\.(gz|zst|bz2|xz|zip))?$/i.exec(name)?.[0] ?? '';
    counts.set(ending, (counts.get(ending) ?? 0) + 1);
  }
  return [...counts].map(([ending, count]) => {
    if (ending === '') return `${folder}: files without an ending: ${count}`;
    return `${folder}: ${count === 1 ? '1 file that ends' : `${count} files that end`} in ${ending}`;
  });
}

async function makeOpeners(paths: readonly string[], options: OpenOptions): Promise<Opener[]> {
  const files: string[] = [];
  const stored = new Map<string, Set<string>>();
  for (const path of paths) {
    if (!statPath(path).isDirectory()) {
      if (isFileOfStore(path)) throw unknownKind(path, 'is one file of a recording: give the folder that contains it');
      if (!isMessageFile(path)) throw unknownKind(path, `is not read: its name must end in ${ENDINGS}`);
      files.push(path);
    } else if (isStore(path)) {
      for (const day of marketFolders(path).flatMap(dayFolders)) {
        const folder = dirname(resolve(day));
        stored.set(folder, (stored.get(folder) ?? new Set()).add(resolve(day)));
      }
    } else {
      const found = findFiles(path);
      if (found.paths.length === 0) throw unknownKind(path, ['has no recording', ...found.notRead].join('; '));
      for (const sentence of found.notRead) options.onNotRead?.(sentence);
      files.push(...found.paths);
    }
  }
  const ours = [...stored].map(([folder, days]) => async () => {
    // A recording without an event yet is left out.
    const recording = await openMarket(folder, [...days].sort());
    return recording === null ? [] : [recording];
  });
  return [...(await fileOpeners(files, options)), ...ours];
}

function isFileOfStore(path: string): boolean {
  const [name, folder] = [basename(path), dirname(resolve(path))];
  return parseName(name) !== null && isDayFolder(folder);
}

const ENDINGS = '.ndjson, .jsonl, .json (each plain, .gz or .zst) or .parquet';

/** Returns functions that open venues' files. Kalshi's reader also gets, and reports, files of unknown kind. */
async function fileOpeners(files: readonly string[], { markets = [], onNotRead, scratch = () => null }: OpenOptions) {
  const kalshi: string[] = [];
  const polymarket: Opener[] = [];
  const reading = { markets, hours: new Set<number>(), scratch };
  for (const path of files) {
    const file = await lookAtPolymarket(path);
    if (file === null) kalshi.push(path);
    else if (file.isEmpty) onNotRead?.(`${path}: the file is empty`);
    else polymarket.push(() => openPolymarket(path, reading));
  }
  const { groups, others, strangers } = await kalshiGroups(kalshi);
  for (const path of strangers) onNotRead?.(`${path}: the file contains no message`);
  polymarket.push(...others.map((path) => () => openPolymarket(path, reading)));
  const isWanted = (ticker: string) => markets.length === 0 || markets.some((name) => ticker.startsWith(name));
  const wanted = groups.filter(({ ticker }) => isWanted(ticker));
  return [...wanted.map((group) => async () => [await openKalshi(group)]), ...polymarket];
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

const withWarnings = (recording: Recording, more: readonly RecordingWarning[]): Recording =>
  Object.create(recording, { warnings: { get: () => [...recording.warnings, ...more], enumerable: true } });

function statPath(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    throw unreadable(`cannot read the recording ${path}`, error, `check the path; it is relative to ${process.cwd()}`);
  }
}

const unknownKind = (path: string, why: string): TwinbookError =>
  invalidRecording(
    `${path} ${why}`,
    `a recording is a folder with market=… or date=… in it, or a file or folder of Kalshi or Polymarket (${ENDINGS})`,
  );
