/** One measurement in its own process, which isolates its peak memory: `recording-work.ts write|decode|import`. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importRecordings } from '../../src/recording/import.js';
import { openRecordings } from '../../src/recording/recording.js';
import { readPeakMb } from './peak-memory.js';
import { syntheticRecording, TEN_MILLION } from './synthetic-recording.js';

export interface Work {
  readonly rows: number;
  readonly seconds: number;
  /** Processor time of all threads, which other processes hardly affect. */
  readonly processorSeconds: number;
  readonly peakMb: number;
}

const KINDS: Readonly<Record<string, (argument: string) => Promise<number>>> = { write, decode, import: importKalshi };

/** Writes a new recording, a tenth of the large one. */
async function write(): Promise<number> {
  const settings = { ...TEN_MILLION, events: TEN_MILLION.events / 10, seed: process.pid };
  rmSync(await syntheticRecording(settings), { recursive: true });
  return settings.events;
}

async function decode(folder: string): Promise<number> {
  let rows = 0;
  for (const recording of await openRecordings([folder])) {
    for await (const chunk of recording.chunks()) rows += chunk.length;
  }
  return rows;
}

async function importKalshi(set: string): Promise<number> {
  const out = mkdtempSync(join(tmpdir(), 'twinbook-import-'));
  try {
    const markets = await importRecordings('kalshi', [set], out);
    return markets.reduce((sum, { events }) => sum + events, 0);
  } finally {
    if (existsSync(out)) rmSync(out, { recursive: true });
  }
}

const [kind = '', argument = ''] = process.argv.slice(2);
const started = performance.now();
const before = process.cpuUsage();
const rows = (await KINDS[kind]?.(argument)) ?? 0;
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(before);
const work: Work = { rows, seconds, processorSeconds: (user + system) / 1e6, peakMb: readPeakMb() };
process.stdout.write(JSON.stringify(work));
