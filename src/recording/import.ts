/**
 * Turns recordings of other venues into our format, event by event as their readers give them. A market appears in the
 * target folder when all of it is there: an import that was killed leaves nothing that looks whole.
 */

import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TwinbookError } from '../shared/base/errors.js';
import { makeFolder } from '../shared/base/folder.js';
import { EVENT, type EventChunk, type Recording, type RecordingWarning } from './contract.js';
import { gapsIn } from './gaps.js';
import { openRecordings } from './recording.js';
import type { MarketSink } from './store/contract.js';
import { unreadableFolder } from './store/day-folder.js';
import { isAlive } from './store/folder-lock.js';
import { packedDays } from './store/folders.js';
import { marketFolder } from './store/layout.js';
import { openRecordingStore } from './store/store.js';
import { findMarkets } from './store/stored-markets.js';

export type ImportKind = 'kalshi' | 'polymarket';

export interface ImportProgress {
  readonly ticker: string;
  /** Of all markets, counted from 0. */
  readonly market: number;
  readonly markets: number;
  /** Events of all markets so far. */
  readonly events: number;
  /** How much of all is done, 0 to 1, as far as recorded time tells. */
  readonly share: number;
}

export interface ImportedMarket {
  /** This, ticker and title are empty for a file that could not even be opened. */
  readonly conditionId: string;
  readonly ticker: string;
  readonly title: string;
  /** `present`: the folder has this market already, and it was left as it is. `failed`: nothing of it was written. */
  readonly status: 'imported' | 'present' | 'failed';
  readonly events: number;
  /** Why it failed; null otherwise. */
  readonly failure: string | null;
  readonly warnings: readonly RecordingWarning[];
}

export interface ImportOptions {
  /** Markets that the folder has already are written anew. */
  readonly replace?: boolean;
  /** A thread beside this one reads the files, where their kind has one. */
  readonly beside?: boolean;
  readonly progress?: (progress: ImportProgress) => void;
  /** Told of each market that is in its place, which may go on from there; the next one waits. Gives what is reported of it. */
  readonly placed?: (market: ImportedMarket) => Promise<ImportedMarket>;
}

/** Begins the names of the folders that hold what is not whole yet; the process that writes there follows. */
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
  const recordings = await openRecordings(paths, ({ message }) => unreadable.push(notOpened(message)));
  for (const { market } of recordings) {
    const { source } = market;
    if (source.kind === kind) continue;
    throw new TwinbookError(
      'recording_invalid',
      `${source.path} is a recording of ${source.kind}, not of ${kind}`,
      'Name its kind, or give recordings of that kind; `twinbook data import --help` lists them.',
    );
  }
  const workshop = await newWorkshop(out);
  const packed = await listPacked(out);
  const done: ImportedMarket[] = [];
  let events = 0;
  try {
    for (const [at, recording] of recordings.entries()) {
      const { ticker } = recording.market.source;
      const tellProgress = (written: number, share: number): void =>
        options.progress?.({
          ticker,
          market: at,
          markets: recordings.length,
          events: events + written,
          share: (at + share) / recordings.length,
        });
      const imported = await importMarket(recording, kind, out, workshop, packed, options, tellProgress);
      const isPlaced = imported.status === 'imported' && options.placed !== undefined;
      done.push(isPlaced ? ((await options.placed?.(imported)) ?? imported) : imported);
      events += imported.events;
      tellProgress(0, 1);
    }
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
  return [...done, ...unreadable];
}

/** Markets of packed days of the folder. */
async function listPacked(out: string): Promise<ReadonlySet<string>> {
  if (packedDays(out).length === 0) return new Set();
  const { packed } = await findMarkets(out);
  return new Set(packed.flatMap(({ markets }) => [...markets.keys()]));
}

/** A file whose market nobody knows. */
const notOpened = (failure: string): ImportedMarket => ({
  conditionId: '',
  ticker: '',
  title: '',
  status: 'failed',
  events: 0,
  failure,
  warnings: [],
});

async function importMarket(
  recording: Recording,
  kind: ImportKind,
  out: string,
  workshop: string,
  packed: ReadonlySet<string>,
  { replace = false, beside = false }: ImportOptions,
  tellProgress: (events: number, share: number) => void,
): Promise<ImportedMarket> {
  const { conditionId, title, source } = recording.market;
  const about = { conditionId, title, ticker: source.ticker };
  const target = marketFolder(out, conditionId);
  if ((existsSync(target) || packed.has(conditionId)) && !replace) {
    return { ...about, status: 'present', events: 0, failure: null, warnings: [] };
  }
  // The folder is emptied between markets: what failed is not whole.
  await rm(workshop, { recursive: true, force: true });
  const store = await openRecordingStore(workshop, { origin: kind, crashSafe: false });
  let events = 0;
  try {
    const sink = store.market(recording.market);
    const gaps = new GapGiver(sink, recording);
    for await (const chunk of (beside ? recording.chunksBeside?.() : undefined) ?? recording.chunks()) {
      give(sink, chunk, gaps);
      events += chunk.length;
      await store.flush();
      tellProgress(events, computeShare(recording, chunk));
    }
    const notes = recording.warnings.map(({ message }) => message);
    sink.describe(recording.market, notes);
  } catch (error) {
    if (error instanceof TwinbookError && error.code === 'recording_invalid') {
      return { ...about, status: 'failed', events: 0, failure: error.message, warnings: recording.warnings };
    }
    throw error;
  } finally {
    await store.close();
  }
  await putInPlace(marketFolder(workshop, conditionId), target, join(workshop, 'replaced'));
  return { ...about, status: 'imported', events, failure: null, warnings: recording.warnings };
}

/** A folder of this import alone. Those that imports left behind which were killed are removed. */
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

/** The events of a chunk, with nothing known of when they were seen. */
function give(sink: MarketSink, chunk: EventChunk, gaps: GapGiver): void {
  const { length, timeMs, kind, side, priceMicros, amountMicros } = chunk;
  for (let at = 0; at < length; at++) {
    // Columns are as long as their chunk.
    const stamp = { timeMs: timeMs[at] as number, seenMs: null };
    const price = priceMicros[at] as number;
    const amount = amountMicros[at] as number;
    const what = kind[at];
    if (what === EVENT.clear || what === EVENT.end) gaps.before(stamp.timeMs);
    if (what === EVENT.level) sink.level(stamp, side[at] as number, price, amount);
    else if (what === EVENT.trade) sink.trade(stamp, side[at] as number, price, amount);
    else if (what === EVENT.clear) sink.clear(stamp);
    else sink.end(stamp);
  }
}

/** Puts the gaps of a recording between its events. */
class GapGiver {
  readonly #sink: MarketSink;
  readonly #recording: Recording;
  #given = 0;

  constructor(sink: MarketSink, recording: Recording) {
    this.#sink = sink;
    this.#recording = recording;
  }

  /** The gap that ends with a `clear` or `end` of this time, Unix ms, if one does. */
  before(timeMs: number): void {
    const gap = gapsIn(this.#recording)[this.#given];
    if (gap?.toMs !== timeMs) return;
    this.#given++;
    this.#sink.gap({ timeMs: gap.fromMs, seenMs: null }, gap.reason);
  }
}

function computeShare({ market }: Recording, chunk: EventChunk): number {
  const span = market.closeTimeMs - market.openTimeMs;
  const at = (chunk.timeMs[chunk.length - 1] ?? market.openTimeMs) - market.openTimeMs;
  return span > 0 ? Math.min(1, Math.max(0, at / span)) : 1;
}

async function putInPlace(made: string, target: string, aside: string): Promise<void> {
  if (existsSync(target)) await rename(target, aside);
  await rename(made, target);
}
