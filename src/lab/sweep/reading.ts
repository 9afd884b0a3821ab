/**
 * What a sweep must know of its recordings before it begins: their spans, how much is in them, and a fingerprint of it all. A
 * recording in our own format says so in its manifests, and nothing else of it is read; others are read once. What is played
 * and fits into the memory that a sweep may take is then kept for the workers to share.
 */

import { gapsIn, type RecordedMarket, type Recording } from '../../recording/contract.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { BYTES_PER_EVENT, type ReadEvents, type Room, type Slab, SlabWriter } from './columns.js';
import { hashValue } from './identity.js';

/** One market for a worker. Plain data, except for the shared bytes. */
export type SharedMarket = ReturnType<typeof sharedMarket>;

export interface PlannedMarket {
  readonly market: RecordedMarket;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly events: number;
  /** Lower-case hex SHA-256: of its events, or of the checksums of its files. */
  readonly hash: string;
}

export type PlannedData = Awaited<ReturnType<typeof planData>>;

/** Throws TwinbookError `recording_invalid` when nothing is left to play, and errors of the recordings. */
export async function planData(
  recordings: readonly Recording[],
  memoryBytes: number,
  progress: (done: number) => void,
) {
  const room = { leftBytes: memoryBytes };
  const markets: PlannedMarket[] = [];
  const empty: RecordedMarket[] = [];
  const read = new Map<string, SharedMarket>();
  for (const [index, recording] of recordings.entries()) {
    const { market } = recording;
    const { slabs, firstMs, lastMs, ...told } = toldBy(recording) ?? (await readOne(recording, room));
    if (slabs !== null) read.set(market.conditionId, sharedMarket(recording, slabs));
    if (firstMs === null || lastMs === null) empty.push(market);
    else markets.push({ ...told, market, firstMs, lastMs });
    progress(index + 1);
  }
  if (markets.length === 0) {
    const hint = 'Look at them with `twinbook data stats`.';
    throw new TwinbookError('recording_invalid', 'there is not one event in these recordings', hint);
  }
  const bytes = markets.reduce((sum, { events }) => sum + events * BYTES_PER_EVENT, 0);
  // Each worker then streams the files.
  const isStreamed = room.leftBytes < 0 || bytes > memoryBytes;
  return {
    markets,
    isStreamed,
    hash: dataHash(markets),
    empty,
    read: isStreamed ? new Map<string, SharedMarket>() : read,
  };
}

/**
 * Events of these recordings in memory shared by threads; null when they do not fit, as for a file that begins in
 * mid-book, whose snapshot is played too.
 */
export async function shareMarkets(
  recordings: readonly Recording[],
  { read }: Pick<PlannedData, 'read'>,
  memoryBytes: number,
  progress: (done: number) => void,
): Promise<readonly SharedMarket[] | null> {
  const room = { leftBytes: memoryBytes };
  for (const { slabs } of read.values()) for (const { bytes } of slabs) room.leftBytes -= bytes.byteLength;
  const shared: SharedMarket[] = [];
  for (const [index, recording] of recordings.entries()) {
    const known = read.get(recording.market.conditionId);
    const slabs = known === undefined ? (await readOne(recording, room)).slabs : known.slabs;
    if (slabs === null) return null;
    shared.push(known ?? sharedMarket(recording, slabs));
    progress(index + 1);
  }
  return shared;
}

/** Its gaps are known after it was read. */
const sharedMarket = (recording: Recording, slabs: readonly Slab[]) => ({
  market: recording.market,
  summary: recording.summary ?? null,
  slabs,
  gaps: gapsIn(recording),
});

/** A recording's own summary; null when it must be read. */
function toldBy({ fingerprint, summary }: Recording): ReadEvents | null {
  if (fingerprint === undefined || summary === undefined) return null;
  const { level, trade, clear, end } = summary.events;
  // A market without a recorded close is closed by its player.
  const events = level + trade + clear + Math.max(1, end);
  return { events, firstMs: summary.firstMs, lastMs: summary.lastMs, hash: fingerprint, slabs: null };
}

async function readOne(recording: Recording, room: Room): Promise<ReadEvents> {
  const writer = new SlabWriter(room);
  for await (const chunk of recording.chunks()) writer.write(chunk);
  return writer.end();
}

/** Of everything that a result depends on, without the paths of files. */
const dataHash = (markets: readonly PlannedMarket[]): string => hashValue(markets.map(identityOfMarket));

/** Lower-case hex SHA-256 of one market as played, wherever its files are. */
export const marketHash = (market: PlannedMarket): string => hashValue(identityOfMarket(market));

function identityOfMarket({ market, hash }: PlannedMarket) {
  const { source: _place, ...described } = market;
  return { described, hash };
}
