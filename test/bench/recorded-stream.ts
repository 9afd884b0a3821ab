/** Recorded events for benchmarks, in memory: a book of 1 cent that wanders, and the real markets beside it. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RecordedColumns } from '../../src/exchange/core/matching/recorded-feed.js';
import { EVENT, SIDE } from '../../src/recording/contract.js';
import { openRecordings } from '../../src/recording/recording.js';
import { Random } from '../../src/shared/base/random.js';

export const TICKS = 100;
const TICK = 10_000;
const SHARE = 1_000_000;
/** Events a second of a busy market. */
const STEP_MS = 10;
const DEPTH = 12;

/**
 * Two sides of up to 12 levels around a middle that wanders between 0.35 and 0.65; about one event in 27 is a trade, and the
 * decrease that belongs to it follows. Nothing of it can be guessed from the event before.
 */
export function wanderingMarket(seed: number, length: number, startMs: number): RecordedColumns {
  const random = Random.fromSeed(seed, 'recorded stream');
  const columns = emptyColumns(length);
  const totals = [new Float64Array(TICKS), new Float64Array(TICKS)] as const;
  let middle = TICKS / 2;
  for (let at = 0; at < length; at++) {
    if (random.chance(0.002)) middle = Math.min(65, Math.max(35, middle + (random.chance(0.5) ? 1 : -1)));
    const side = random.below(2) === 0 ? SIDE.bid : SIDE.ask;
    const away = 1 + random.below(DEPTH);
    const tick = side === SIDE.bid ? middle - away : middle + away;
    const total = totals[side][tick] ?? 0;
    const isTrade = total > 0 && away < 3 && at + 1 < length && random.chance(0.25);
    const next = isTrade ? total * 0.75 : random.chance(0.1) ? 0 : (1 + random.below(500)) * SHARE;
    columns.timeMs[at] = startMs + at * STEP_MS;
    columns.priceMicros[at] = tick * TICK;
    if (isTrade) {
      columns.kind[at] = EVENT.trade;
      columns.side[at] = side === SIDE.bid ? SIDE.ask : SIDE.bid;
      columns.amountMicros[at] = total - next;
      at += 1;
      columns.timeMs[at] = startMs + at * STEP_MS;
      columns.priceMicros[at] = tick * TICK;
    }
    columns.kind[at] = EVENT.level;
    columns.side[at] = side;
    columns.amountMicros[at] = next;
    totals[side][tick] = next;
  }
  return columns;
}

const REAL = resolve(import.meta.dirname, '../../../shared/data/kalshi-gold15m');

/** All windows of the real recordings, one after another in one piece, without their ends; null where they are missing. */
export async function realMarkets(): Promise<RecordedColumns | null> {
  if (!existsSync(join(REAL, 'events'))) return null;
  const chunks: RecordedColumns[] = [];
  for (const recording of await openRecordings([REAL])) {
    for await (const chunk of recording.chunks()) chunks.push(withoutEnd(chunk));
  }
  const columns = emptyColumns(chunks.reduce((sum, { length }) => sum + length, 0));
  let from = 0;
  for (const chunk of chunks) {
    for (const name of ['timeMs', 'kind', 'side', 'priceMicros', 'amountMicros'] as const)
      columns[name].set(chunk[name].subarray(0, chunk.length), from);
    from += chunk.length;
  }
  return columns;
}

const withoutEnd = (chunk: RecordedColumns): RecordedColumns =>
  chunk.kind[chunk.length - 1] === EVENT.end ? { ...chunk, length: chunk.length - 1 } : chunk;

const emptyColumns = (length: number): RecordedColumns => ({
  length,
  timeMs: new Float64Array(length),
  kind: new Uint8Array(length),
  side: new Uint8Array(length),
  priceMicros: new Int32Array(length),
  amountMicros: new Float64Array(length),
});
