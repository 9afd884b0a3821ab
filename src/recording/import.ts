/** Imports venues' recordings into Twinbook's format. A market appears in the target folder once it is complete. */

import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TwinbookError } from '../shared/base/errors.js';
import { makeFolder } from '../shared/base/files.js';
import { isGone } from '../shared/base/processes.js';
import {
  EVENT,
  type EventChunk,
  gapsIn,
  invalidRecording,
  type RecordedMarket,
  type Recording,
  type RecordingWarning,
} from './contract.js';
import { openRecordings } from './recording.js';
import { unreadableFolder } from './store/day-folder.js';
import { marketFolder } from './store/layout.js';
import type { MarketSink } from './store/segment.js';
import { openRecordingStore } from './store/store.js';

export interface ImportProgress {
  readonly ticker: string;
  /** Index of the market that is being imported, from 0. */
  readonly market: number;
  readonly markets: number;
  readonly events: number;
  /** Finished fraction of the import, 0 to 1; every market counts equally. */
  readonly share: number;
}

interface ImportedMarket {
  /** Condition id of the market; empty, like ticker and title, for a file that could not be opened. */
  readonly conditionId: string;
  readonly ticker: string;
  readonly title: string;
  /** `present`: already in the target. `failed`: nothing was written. `not read`: files are of an unknown kind. */
  readonly status: 'imported' | 'present' | 'failed' | 'not read';
  readonly events: number;
  readonly failure: string | null;
  readonly warnings: readonly RecordingWarning[];
}

interface ImportOptions {
  readonly replace?: boolean;
  /** Markets to import: the venue's ids or tickers, or prefixes of them. Without a list, all markets are imported. */
  readonly markets?: readonly string[];
  readonly progress?: (progress: ImportProgress) => void;
}

/** Imports recordings of `kind`. Throws `openRecordings`' errors, and `recording_invalid` for files of other kinds. */
export async function importRecordings(
  kind: 'kalshi' | 'polymarket',
  paths: readonly string[],
  out: string,
  options: ImportOptions = {},
): Promise<readonly ImportedMarket[]> {
  const unreadable: ImportedMarket[] = [];
  let workshop: string | null = null;
  const recordings = await openRecordings(paths, {
    onFailure: ({ message, hint }) =>
      unreadable.push({ ...NOT_OPENED, status: 'failed', failure: `${message}. ${hint}` }),
    onNotRead: (failure) => unreadable.push({ ...NOT_OPENED, status: 'not read', failure }),
    markets: options.markets ?? [],
    scratch: () => workshop,
  });
  for (const { market } of recordings) {
    const { source } = market;
    if (source.kind === kind) continue;
    const hint = 'Give the kind of these files, or other files; `twinbook data import --help` lists the kinds.';
    throw invalidRecording(`${source.path} is a recording of ${source.kind}, not of ${kind}`, hint);
  }
  workshop = await newWorkshop(out);
  const done: ImportedMarket[] = [];
  let finished = 0;
  try {
    for (const [at, recording] of recordings.entries()) {
      const { ticker } = recording.market.source;
      const tell: TellProgress = (events, share) => {
        const progress = { ticker, market: at, markets: recordings.length, events: finished + events };
        options.progress?.({ ...progress, share: (at + share) / recordings.length });
      };
      const market = await importMarket(recording, { out, workshop, isReplaced: options.replace === true }, tell);
      finished += market.events;
      done.push(market);
      tell(0, 1);
    }
    return [...done, ...unreadable];
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

/** Callback. `events`: imported events of a market. `share`: finished fraction of its recorded time, 0 to 1. */
type TellProgress = (events: number, share: number) => void;

const NOT_OPENED = { conditionId: '', ticker: '', title: '', events: 0, warnings: [] };

async function importMarket(
  recording: Recording,
  { out, workshop, isReplaced }: Readonly<Record<'out' | 'workshop', string>> & { readonly isReplaced: boolean },
  tell: TellProgress,
): Promise<ImportedMarket> {
  const { conditionId, title, source } = recording.market;
  const about = { conditionId, title, ticker: source.ticker };
  const target = marketFolder(out, conditionId);
  if (existsSync(target) && !isReplaced) return { ...about, status: 'present', events: 0, failure: null, warnings: [] };
  const made = join(workshop, conditionId);
  const written = await writeMarket(recording, made, tell);
  if (written.failure !== null) {
    // Deletes the incomplete market, because the next markets need its disk space.
    await rm(made, { recursive: true, force: true });
    return { ...about, status: 'failed', ...written };
  }
  if (existsSync(target)) await rename(target, join(made, 'replaced'));
  await rename(marketFolder(made, conditionId), target);
  await rm(made, { recursive: true, force: true });
  return { ...about, status: 'imported', ...written };
}

/** Creates a temporary folder for this import. Temporary folders of killed imports are removed. */
async function newWorkshop(out: string): Promise<string> {
  try {
    makeFolder(out);
    for (const name of readdirSync(out)) {
      const pid = /^\.importing-(\d+)-/.exec(name)?.[1];
      if (pid !== undefined && isGone({ pid: Number(pid), born: null }))
        await rm(join(out, name), { recursive: true, force: true });
    }
    return await mkdtemp(join(out, `.importing-${process.pid}-`));
  } catch (error) {
    throw unreadableFolder(out, error);
  }
}

/** Maximum number of events that are kept in memory between two writes. */
const FLUSH_EVENTS = 50_000;

/** Writes the readable part of a market. Returns a `failure` for an invalid recording. Throws `file_unreadable`. */
async function writeMarket(recording: Recording, folder: string, tell: TellProgress) {
  const { market } = recording;
  const store = await openRecordingStore(folder, { origin: market.source.kind });
  let events = 0;
  try {
    const sink = store.market(market);
    const gaps = { given: 0 };
    for await (const chunk of recording.chunks()) {
      give(sink, chunk, recording, gaps);
      events += chunk.length;
      if (Math.floor(events / FLUSH_EVENTS) > Math.floor((events - chunk.length) / FLUSH_EVENTS)) await store.flush();
      tell(events, computeShare(market, chunk));
    }
    const notes = recording.warnings.map(({ message }) => message);
    sink.describe(market, notes);
  } catch (error) {
    if (error instanceof TwinbookError && error.code === 'recording_invalid')
      return { events: 0, failure: `${error.message}. ${error.hint}`, warnings: recording.warnings };
    throw error;
  } finally {
    await store.close();
  }
  return { events, failure: null, warnings: recording.warnings };
}

/** Writes a chunk's events without receive times. A gap is written before the `clear` or `end` event that ends it. */
function give(sink: MarketSink, chunk: EventChunk, recording: Recording, gaps: { given: number }): void {
  const { length, timeMs, kind, side, priceMicros, amountMicros } = chunk;
  for (let at = 0; at < length; at++) {
    // The casts are safe, because the columns have at least `length` entries.
    const stamp = { timeMs: timeMs[at] as number, seenMs: null };
    const price = priceMicros[at] as number;
    const amount = amountMicros[at] as number;
    const what = kind[at];
    if (what === EVENT.level) sink.level(stamp, side[at] as number, price, amount);
    else if (what === EVENT.trade) sink.trade(stamp, side[at] as number, price, amount);
    else {
      const gap = gapsIn(recording)[gaps.given];
      if (gap?.toMs === stamp.timeMs) {
        gaps.given++;
        sink.gap({ timeMs: gap.fromMs, seenMs: null }, gap.reason);
      }
      if (what === EVENT.clear) sink.clear(stamp);
      else sink.end(stamp);
    }
  }
}

function computeShare({ openTimeMs, closeTimeMs }: RecordedMarket, chunk: EventChunk): number {
  const span = closeTimeMs - openTimeMs;
  const at = (chunk.timeMs[chunk.length - 1] ?? openTimeMs) - openTimeMs;
  return span > 0 ? Math.min(1, Math.max(0, at / span)) : 1;
}
