/**
 * One measurement in its own process, which isolates its speed and peak memory: `work.js KIND [PATH…]`. Prints one
 * line of JSON. KIND: of a backtest `columns`, `parquet`, `bare-columns` or `bare-parquet`; else `decode`, `write` or
 * `import`.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { playFromMemory, streamRecording } from '../../src/lab/backtest/replay-driver.js';
import { runBacktest } from '../../src/lab/backtest/run.js';
import { EVENT, type EventChunk, type Recording, SIDE } from '../../src/recording/contract.js';
import { importRecordings } from '../../src/recording/import.js';
import { openRecordings } from '../../src/recording/recording.js';
import { boundHeapGrowth } from '../../src/shared/base/processes.js';
import { plan } from '../lab/backtest/plans.js';
import { collected } from '../support/collected.js';
import { EVENTS, syntheticRecording } from './synthetic-recording.js';

interface Done {
  readonly events: number;
  /** Recorded seconds with an open market, and requests; 0 without a backtest. */
  readonly playedS: number;
  readonly requests: number;
}

export interface Work extends Done {
  readonly seconds: number;
  /** Processor time of all threads, which other processes hardly affect. */
  readonly processorSeconds: number;
  /** Peak of the whole process, MiB, including the columns of `columns`. */
  readonly peakMb: number;
}

const TICKS = 1_000;

/** The minimum work on the events: keeps every level's amount. */
async function bare(chunks: Iterable<EventChunk> | AsyncIterable<EventChunk>): Promise<number> {
  const totals = [new Float64Array(TICKS + 1), new Float64Array(TICKS + 1)] as const;
  let events = 0;
  for await (const { length, kind, side, priceMicros, amountMicros } of chunks) {
    for (let at = 0; at < length; at++) {
      if (kind[at] !== EVENT.level) continue;
      (side[at] === SIDE.bid ? totals[0] : totals[1])[(priceMicros[at] ?? 0) / 1_000] = amountMicros[at] ?? 0;
    }
    events += length;
  }
  return events;
}

/** Reads what is not measured, and returns the measured work. */
async function prepare(kind: string, paths: readonly string[]): Promise<() => Promise<Done | number>> {
  if (kind === 'write') return write;
  if (kind === 'import') return () => importKalshi(paths);
  const recordings = await openRecordings(paths);
  if (kind === 'decode') return () => sum(recordings, async (recording) => count(recording.chunks()));
  const held = new Map<Recording, EventChunk[]>();
  if (kind.endsWith('columns')) for (const each of recordings) held.set(each, await collected(each.chunks()));
  if (kind.startsWith('bare')) return () => sum(recordings, (each) => bare(held.get(each) ?? each.chunks()));
  const sources = recordings.map((recording) => {
    const chunks = held.get(recording);
    return chunks === undefined ? streamRecording(recording) : playFromMemory(recording.market, chunks);
  });
  return async () => {
    const { session, events } = await runBacktest(plan(sources, { latency: 'constant:150' }));
    const { account, requests } = session;
    const playedS = (account.timeMs.length * account.stepMs) / 1000;
    return { events, playedS, requests: (requests?.public.count ?? 0) + (requests?.signed.count ?? 0) };
  };
}

async function sum<T>(items: readonly T[], of: (item: T) => Promise<number>): Promise<number> {
  let total = 0;
  for (const item of items) total += await of(item);
  return total;
}

async function count(chunks: AsyncIterable<EventChunk>): Promise<number> {
  let events = 0;
  for await (const { length } of chunks) events += length;
  return events;
}

/** Writes a new recording, a tenth of the large one. */
async function write(): Promise<number> {
  rmSync(await syntheticRecording(EVENTS / 10, process.pid), { recursive: true });
  return EVENTS / 10;
}

async function importKalshi(sets: readonly string[]): Promise<number> {
  const out = mkdtempSync(join(tmpdir(), 'twinbook-import-'));
  const markets = await importRecordings('kalshi', sets, out).finally(() => rmSync(out, { recursive: true }));
  return markets.reduce((total, { events }) => total + events, 0);
}

/** MiB, of this process alone: the system's own maximum starts with that of the parent. */
function readPeakMb(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const kb = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
  return (kb === undefined ? process.resourceUsage().maxRSS : Number(kb)) / 1024;
}

// The command does the same.
boundHeapGrowth();
const [kind = '', ...paths] = process.argv.slice(2);
const run = await prepare(kind, paths);
const startedMs = performance.now();
const before = process.cpuUsage();
const found = await run();
const seconds = (performance.now() - startedMs) / 1000;
const { user, system } = process.cpuUsage(before);
const done = typeof found === 'number' ? { events: found, playedS: 0, requests: 0 } : found;
const work: Work = { ...done, seconds, processorSeconds: (user + system) / 1e6, peakMb: readPeakMb() };
process.stdout.write(JSON.stringify(work));
