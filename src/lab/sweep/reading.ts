/**
 * Reads every recording once: what is in it, when, and its fingerprint. As long as all of them fit into the memory that a
 * sweep may take, their events are kept for the workers to share.
 */

import { createHash } from 'node:crypto';
import type { RecordedGap, RecordedMarket, Recording, RecordingSummary } from '../../recording/contract.js';
import { gapsIn } from '../../recording/gaps.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { canonicalJson } from '../../shell/config/hash.js';
import { type ReadEvents, Room, type Slab, SlabWriter } from './columns.js';

/** One market as a worker is handed it. Plain data, but for the shared bytes. */
export interface SharedMarket {
  readonly market: RecordedMarket;
  readonly summary: RecordingSummary | null;
  readonly slabs: readonly Slab[];
  readonly gaps: readonly RecordedGap[];
}

export interface ReadMarket extends ReadEvents {
  readonly market: RecordedMarket;
  readonly firstMs: number;
  readonly lastMs: number;
}

export interface ReadData {
  readonly markets: readonly ReadMarket[];
  /** Null when they did not fit: then each worker streams the files. */
  readonly shared: readonly SharedMarket[] | null;
  /** Lower-case hex SHA-256 over all that is played. */
  readonly hash: string;
  /** Recordings without a single event. */
  readonly empty: readonly RecordedMarket[];
}

/** Throws TwinbookError `recording_invalid` when nothing is left to play, and whatever the recordings throw. */
export async function readAll(
  recordings: readonly Recording[],
  memoryBytes: number,
  progress: (done: number) => void,
): Promise<ReadData> {
  const room = new Room(memoryBytes);
  const markets: ReadMarket[] = [];
  const shared: SharedMarket[] = [];
  const empty: RecordedMarket[] = [];
  for (const [index, recording] of recordings.entries()) {
    const { firstMs, lastMs, ...read } = await readOne(recording, room);
    const { market, summary = null } = recording;
    if (firstMs === null || lastMs === null) empty.push(market);
    else {
      markets.push({ ...read, market, firstMs, lastMs });
      shared.push({ market, summary, slabs: read.slabs ?? [], gaps: gapsIn(recording) });
    }
    progress(index + 1);
  }
  if (markets.length === 0) {
    const hint = 'Look at them with `twinbook data stats`.';
    throw new TwinbookError('recording_invalid', 'there is not one event in these recordings', hint);
  }
  return { markets, shared: room.isFull ? null : shared, hash: dataHash(markets), empty };
}

async function readOne(recording: Recording, room: Room): Promise<ReadEvents> {
  const writer = new SlabWriter(room);
  for await (const chunk of recording.chunks()) writer.write(chunk);
  return writer.end();
}

/** Of everything that a result depends on; not of where the files lie. */
function dataHash(markets: readonly ReadMarket[]): string {
  const parts = markets.map(({ market, hash }) => {
    const { source: _place, ...described } = market;
    return { described, hash };
  });
  return createHash('sha256').update(canonicalJson(parts)).digest('hex');
}
