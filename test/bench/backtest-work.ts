/**
 * One backtest in its own process, which isolates its speed and peak memory: `backtest-work.js
 * columns|parquet|bare-columns|bare-parquet PATH…`. Prints one line of JSON.
 */

import type { BacktestPlan, EventSource } from '../../src/lab/backtest/contract.js';
import { playFromMemory, streamRecording } from '../../src/lab/backtest/replay-driver.js';
import { runBacktest } from '../../src/lab/backtest/run.js';
import { EVENT, type EventChunk, type Recording, SIDE } from '../../src/recording/contract.js';
import { openRecordings } from '../../src/recording/recording.js';
import { boundHeapGrowth } from '../../src/shared/base/processes.js';
import { plan } from '../lab/backtest/plans.js';
import { readPeakMb } from './peak-memory.js';

export interface BacktestWork {
  readonly events: number;
  readonly seconds: number;
  /** Processor time of all threads, which other processes hardly affect. */
  readonly processorSeconds: number;
  /** Peak of the whole process, including the columns of `columns`. */
  readonly peakMb: number;
  /** Recorded seconds with an open market; 0 for a bare loop. */
  readonly playedS: number;
  readonly requests: number;
  readonly fills: number;
}

const TICKS = 1_000;

async function columnsOf(recording: Recording): Promise<EventChunk[]> {
  const chunks: EventChunk[] = [];
  for await (const chunk of recording.chunks()) chunks.push(chunk);
  return chunks;
}

/** The minimum work on the events: keeps every level's amount. */
async function bare(chunks: Iterable<EventChunk> | AsyncIterable<EventChunk>): Promise<number> {
  const totals = [new Float64Array(TICKS + 1), new Float64Array(TICKS + 1)] as const;
  let events = 0;
  for await (const { length, kind, side, priceMicros, amountMicros } of chunks) {
    for (let at = 0; at < length; at++) {
      if (kind[at] !== EVENT.level) continue;
      const book = side[at] === SIDE.bid ? totals[0] : totals[1];
      book[(priceMicros[at] ?? 0) / 1_000] = amountMicros[at] ?? 0;
    }
    events += length;
  }
  return events;
}

async function backtested(sources: readonly EventSource[]) {
  const whole: BacktestPlan = plan(sources, { latency: 'constant:150' });
  const { session, events } = await runBacktest(whole);
  const { markets, requests } = session;
  return {
    events,
    playedS: (session.account.timeMs.length * session.account.stepMs) / 1000,
    requests: (requests?.public.count ?? 0) + (requests?.signed.count ?? 0),
    fills: markets.reduce((sum, { fills }) => sum + fills.length, 0),
  };
}

const NOTHING_PLAYED = { playedS: 0, requests: 0, fills: 0 };

async function work(kind: string, recordings: readonly Recording[]): Promise<BacktestWork> {
  const held = kind.endsWith('columns') ? await Promise.all(recordings.map(columnsOf)) : [];
  const started = performance.now();
  const before = process.cpuUsage();
  let done = { events: 0, ...NOTHING_PLAYED };
  if (kind.startsWith('bare')) {
    for (const [index, recording] of recordings.entries()) {
      done = { ...done, events: done.events + (await bare(held[index] ?? recording.chunks())) };
    }
  } else {
    done = await backtested(
      recordings.map((recording, index) => {
        const chunks = held[index];
        return chunks === undefined ? streamRecording(recording) : playFromMemory(recording.market, chunks);
      }),
    );
  }
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { ...done, seconds, processorSeconds: (user + system) / 1e6, peakMb: readPeakMb() };
}

// The command does the same.
boundHeapGrowth();
const [kind = '', ...paths] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await work(kind, await openRecordings(paths))));
