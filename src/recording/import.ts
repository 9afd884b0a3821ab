/**
 * Converts other venues' recordings into our format. A market appears in the target folder only when complete: a killed
 * import leaves no partial market.
 */

import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TwinbookError } from '../shared/base/errors.js';
import { makeFolder } from '../shared/base/folder.js';
import type { Recording, RecordingWarning } from './contract.js';
import { openRecordings } from './recording.js';
import { unreadableFolder } from './store/day-folder.js';
import { isAlive } from './store/folder-lock.js';
import { marketFolder } from './store/layout.js';
import { type TellProgress, writeMarket } from './write-market.js';

export type ImportKind = 'kalshi' | 'polymarket';

export interface ImportProgress {
  readonly ticker: string;
  /** Of all markets, counted from 0. */
  readonly market: number;
  readonly markets: number;
  /** Events of all markets so far. */
  readonly events: number;
  /** Finished fraction, 0 to 1, by recorded time. */
  readonly share: number;
}

export interface ImportedMarket {
  /** This, ticker and title are empty for a file that could not be opened. */
  readonly conditionId: string;
  readonly ticker: string;
  readonly title: string;
  /**
   * `present`: the folder has this market already, unchanged. `failed`: nothing of it was written. `not read`: files of
   * an unknown kind.
   */
  readonly status: 'imported' | 'present' | 'failed' | 'not read';
  readonly events: number;
  /** Reason of a failure; null otherwise. */
  readonly failure: string | null;
  readonly warnings: readonly RecordingWarning[];
}

export interface ImportOptions {
  /** Existing markets are written again. */
  readonly replace?: boolean;
  /** Ids and tickers of the venue, or prefixes; all markets if none are given. */
  readonly markets?: readonly string[];
  readonly progress?: (progress: ImportProgress) => void;
}

/** Prefix of the names of folders with incomplete data; the writing process's id follows. */
const WORKSHOP = '.importing-';

/**
 * Imports every recording of this kind under the paths. A market that cannot be read is reported and the others go on.
 * Throws TwinbookError as `openRecordings` does, `recording_invalid` when a path holds recordings of another kind,
 * `file_unreadable` when the folder cannot be written.
 */
export async function importRecordings(
  kind: ImportKind,
  paths: readonly string[],
  out: string,
  options: ImportOptions = {},
): Promise<readonly ImportedMarket[]> {
  const unreadable: ImportedMarket[] = [];
  let workshop: string | null = null;
  const recordings = await openRecordings(paths, {
    onFailure: ({ message, hint }) => unreadable.push(notOpened('failed', `${message}. ${hint}`)),
    onNotRead: (sentence) => unreadable.push(notOpened('not read', sentence)),
    markets: options.markets ?? [],
    scratch: () => workshop,
  });
  for (const { market } of recordings) {
    const { source } = market;
    if (source.kind === kind) continue;
    throw new TwinbookError(
      'recording_invalid',
      `${source.path} is a recording of ${source.kind}, not of ${kind}`,
      'Name its kind, or give recordings of that kind; `twinbook data import --help` lists them.',
    );
  }
  workshop = await newWorkshop(out);
  try {
    return [...(await importAll(recordings, { out, workshop, options })), ...unreadable];
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

/** Where markets go. */
interface Target {
  readonly out: string;
  /** Folder of incomplete data. */
  readonly workshop: string;
  readonly options: ImportOptions;
}

/** Markets in work at a time: while DuckDB reads one, this thread writes the other. */
const SIDE_BY_SIDE = 2;

/**
 * Yields them in the order of the recordings. When one cannot be written, those in work end, and its error is thrown.
 */
async function importAll(recordings: readonly Recording[], target: Target): Promise<readonly ImportedMarket[]> {
  const progress = new Progress(recordings, target.options.progress);
  const done: ImportedMarket[] = [];
  const turns = new Turns();
  const waiting = [...recordings.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, recording] = next;
      const tell: TellProgress = (events, share) => progress.tell(at, events, share);
      const market = await importMarket(recording, target, turns, tell);
      done[at] = market;
      tell(market.events, 1);
    }
  };
  const stop = (error: unknown): never => {
    waiting.length = 0;
    throw error;
  };
  const ended = await Promise.allSettled(Array.from({ length: SIDE_BY_SIDE }, () => work().catch(stop)));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  return done;
}

/** Markets move to their place one at a time, so that `progress` has one caller. */
class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(run: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(run);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}

/** Of all markets together, which are read in parallel. */
class Progress {
  readonly #recordings: readonly Recording[];
  readonly #tell: ImportOptions['progress'];
  readonly #events: number[];
  readonly #shares: number[];

  constructor(recordings: readonly Recording[], tell: ImportOptions['progress']) {
    this.#recordings = recordings;
    this.#tell = tell;
    this.#events = recordings.map(() => 0);
    this.#shares = recordings.map(() => 0);
  }

  tell(market: number, events: number, share: number): void {
    this.#events[market] = events;
    this.#shares[market] = share;
    const markets = this.#recordings.length;
    const ticker = this.#recordings[market]?.market.source.ticker ?? '';
    this.#tell?.({ ticker, market, markets, events: sum(this.#events), share: sum(this.#shares) / markets });
  }
}

const sum = (figures: readonly number[]): number => figures.reduce((total, figure) => total + figure, 0);

/** Files of an unknown market. */
const notOpened = (status: 'failed' | 'not read', failure: string): ImportedMarket => ({
  conditionId: '',
  ticker: '',
  title: '',
  status,
  events: 0,
  failure,
  warnings: [],
});

async function importMarket(
  recording: Recording,
  { out, workshop, options }: Target,
  turns: Turns,
  tell: TellProgress,
): Promise<ImportedMarket> {
  const { conditionId, title, source } = recording.market;
  const about = { conditionId, title, ticker: source.ticker };
  const target = marketFolder(out, conditionId);
  if (existsSync(target) && options.replace !== true) {
    return { ...about, status: 'present', events: 0, failure: null, warnings: [] };
  }
  const made = join(workshop, conditionId);
  const written = await writeMarket(recording, made, tell);
  if (written.failure !== null) {
    await rm(made, { recursive: true, force: true });
    return { ...about, status: 'failed', ...written };
  }
  return await turns.take(async () => {
    await putInPlace(marketFolder(made, conditionId), target, join(made, 'replaced'));
    await rm(made, { recursive: true, force: true });
    return { ...about, status: 'imported', ...written };
  });
}

/** A folder for this import only. Those left by killed imports are removed. */
async function newWorkshop(out: string): Promise<string> {
  try {
    makeFolder(out);
    for (const name of readdirSync(out)) {
      const pid = /^\.importing-(\d+)-/.exec(name)?.[1];
      if (pid !== undefined && !isAlive(Number(pid))) await rm(join(out, name), { recursive: true, force: true });
    }
    return await mkdtemp(join(out, `${WORKSHOP}${process.pid}-`));
  } catch (error) {
    throw unreadableFolder(out, error);
  }
}

async function putInPlace(made: string, target: string, aside: string): Promise<void> {
  if (existsSync(target)) await rename(target, aside);
  await rename(made, target);
}
