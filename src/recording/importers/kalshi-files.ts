/** Which market each Kalshi file is of: files of one market are read as one recording, wherever they lie. */

import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { RecordingWarning } from '../contract.js';
import { gunzipTexts } from './lines.js';

const SUFFIX = '.ndjson.gz';
/** So many messages say what a file is of. */
const LOOKED_AT = 1000;
/** Half of them or more are in so many bytes of a file. */
const LOOK_BYTES = 8 * 1024;

/** The files of one market, in order of their time. */
export interface KalshiGroup {
  readonly ticker: string;
  readonly paths: readonly string[];
  /** A book of it has prices that are no whole cents. */
  readonly isFine: boolean;
  readonly warnings: readonly RecordingWarning[];
}

interface Look {
  readonly path: string;
  readonly ticker: string;
  readonly firstMs: number;
  readonly isFine: boolean;
}

export const isKalshiFile = (path: string): boolean => path.endsWith(SUFFIX);

/** The Kalshi files of a folder: of the whole set, of its `events` folder, or of one window's folder. */
export function kalshiFilesIn(folder: string): string[] {
  const events = join(folder, 'events');
  const root = isFolder(events) ? events : folder;
  const names = readdirSync(root).sort();
  const files = names.filter(isKalshiFile).map((name) => join(root, name));
  for (const path of names.map((name) => join(root, name)).filter(isFolder)) {
    files.push(
      ...readdirSync(path)
        .filter(isKalshiFile)
        .sort()
        .map((name) => join(path, name)),
    );
  }
  return files;
}

/** False for what is not there, and for a link that leads nowhere. */
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Throws TwinbookError `file_unreadable` for a file that cannot be opened. */
export async function kalshiGroups(files: readonly string[]): Promise<KalshiGroup[]> {
  const paths = [...new Map(files.map((file) => [resolve(file), file])).values()];
  const groups = new Map<string, Look[]>();
  for (const look of await lookAtAll(paths)) groups.set(look.ticker, [...(groups.get(look.ticker) ?? []), look]);
  return [...groups.values()].map(makeGroup);
}

/** In their order. Two at a time: one is read or unpacked beside while the lines of the other are looked at. */
async function lookAtAll(paths: readonly string[]): Promise<readonly Look[]> {
  const looks: Look[] = [];
  const waiting = [...paths.entries()];
  const look = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      looks[next[0]] = await lookAt(next[1]);
    }
  };
  await Promise.all([look(), look()]);
  return looks;
}

function makeGroup(looks: readonly Look[]): KalshiGroup {
  const sorted = [...looks].sort((a, b) => a.firstMs - b.firstMs || (basename(a.path) < basename(b.path) ? -1 : 1));
  const first = new Map<string, string>();
  const warnings: RecordingWarning[] = [];
  for (const { path } of sorted) {
    const known = first.get(basename(path));
    if (known === undefined) first.set(basename(path), path);
    else warnings.push({ path, message: `${path} is left out: ${known} is of the same market and has the same name` });
  }
  const isFine = looks.some((look) => look.isFine);
  return { ticker: looks[0]?.ticker ?? '', paths: [...first.values()], isFine, warnings };
}

/** The set names a market's folder after it. Where the messages know nothing of such a market, they tell its name. */
async function lookAt(path: string): Promise<Look> {
  const folder = basename(dirname(resolve(path)));
  const counts = new Map<string, number>();
  let [seen, firstMs, isFine] = [0, Number.POSITIVE_INFINITY, false];
  for await (const lines of gunzipTexts(path, { cut: null, tooLong: 0 }, LOOK_BYTES)) {
    for (const line of lines) {
      const ticker = /"market_ticker":\s*"([^"\\]+)"/.exec(line)?.[1];
      if (ticker === undefined) continue;
      seen++;
      counts.set(ticker, (counts.get(ticker) ?? 0) + 1);
      // A snapshot shows the whole book; a single odd price elsewhere is a broken line.
      isFine ||= line.includes('orderbook_snapshot') && /"0\.\d\d[1-9]0*"/.test(line);
      if (firstMs === Number.POSITIVE_INFINITY) firstMs = Number(/"recv_ms":\s*(\d+)/.exec(line)?.[1] ?? Number.NaN);
    }
    if (seen >= LOOKED_AT) break;
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  const ticker = most === undefined || counts.has(folder) ? folder : most[0];
  return { path, ticker, isFine, firstMs: Number.isFinite(firstMs) ? firstMs : Number.MAX_SAFE_INTEGER };
}
