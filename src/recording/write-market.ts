/** Writes one recorded market into a folder of our format, event by event. */

import { TwinbookError } from '../shared/base/errors.js';
import { EVENT, type EventChunk, type Recording, type RecordingWarning } from './contract.js';
import { gapsIn } from './gaps.js';
import type { MarketSink } from './store/contract.js';
import { openRecordingStore } from './store/store.js';

/** Parts of a recording that are used. */
export type Readable = Pick<Recording, 'market' | 'summary' | 'gaps' | 'warnings' | 'chunks'>;

export interface WrittenMarket {
  readonly events: number;
  /** Why nothing can be read; null otherwise. */
  readonly failure: string | null;
  /** All warnings, including those known before it was read. */
  readonly warnings: readonly RecordingWarning[];
}

/** Called with a market's events so far, and its finished fraction, 0 to 1, by recorded time. */
export type TellProgress = (events: number, share: number) => void;

/**
 * The folder is created; for an unreadable market it has a part. Throws TwinbookError `file_unreadable` when it cannot
 * be written.
 */
export async function writeMarket(recording: Readable, folder: string, tell: TellProgress): Promise<WrittenMarket> {
  const { source } = recording.market;
  const store = await openRecordingStore(folder, { origin: source.kind, crashSafe: false });
  let events = 0;
  try {
    const sink = store.market(recording.market);
    const gaps = new GapGiver(sink, recording);
    for await (const chunk of recording.chunks()) {
      give(sink, chunk, gaps);
      events += chunk.length;
      await store.flush();
      tell(events, computeShare(recording, chunk));
    }
    const notes = recording.warnings.map(({ message }) => message);
    sink.describe(recording.market, notes);
  } catch (error) {
    if (error instanceof TwinbookError && error.code === 'recording_invalid') {
      return { events: 0, failure: `${error.message}. ${error.hint}`, warnings: recording.warnings };
    }
    throw error;
  } finally {
    await store.close();
  }
  return { events, failure: null, warnings: recording.warnings };
}

/** Events of a chunk with unknown receive times. */
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

/** Inserts the gaps of a recording between its events. */
class GapGiver {
  readonly #sink: MarketSink;
  readonly #recording: Readable;
  #given = 0;

  constructor(sink: MarketSink, recording: Readable) {
    this.#sink = sink;
    this.#recording = recording;
  }

  /** The gap that ends with a `clear` or `end` of this time, Unix ms, if any. */
  before(timeMs: number): void {
    const gap = gapsIn(this.#recording)[this.#given];
    if (gap?.toMs !== timeMs) return;
    this.#given++;
    this.#sink.gap({ timeMs: gap.fromMs, seenMs: null }, gap.reason);
  }
}

function computeShare({ market }: Readable, chunk: EventChunk): number {
  const span = market.closeTimeMs - market.openTimeMs;
  const at = (chunk.timeMs[chunk.length - 1] ?? market.openTimeMs) - market.openTimeMs;
  return span > 0 ? Math.min(1, Math.max(0, at / span)) : 1;
}
