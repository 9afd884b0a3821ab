/** Recordings in our format: decoding ten million events, writing, importing. Each run is a process of its own. */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Bench, type BenchRow, sized } from './bench.js';
import type { Work } from './recording-work.js';
import { syntheticRecording, TEN_MILLION } from './synthetic-recording.js';

const KALSHI = resolve(import.meta.dirname, '../../../shared/data/kalshi-gold15m');
const TURNS = sized(3, 1);

function run(kind: string, argument: string): Work {
  const script = join(import.meta.dirname, 'recording-work.ts');
  const out = execFileSync(process.execPath, ['--import', import.meta.resolve('tsx'), script, kind, argument]);
  return JSON.parse(out.toString()) as Work;
}

/** The best of several turns: other load only makes a turn slower. */
function rows(name: string, unit: string, kind: string, argument: string): BenchRow[] {
  const turns = Array.from({ length: TURNS }, () => run(kind, argument));
  const rates = turns.map(({ rows: count, seconds }) => count / seconds).sort((a, b) => a - b);
  const perProcessor = turns.map(({ rows: count, processorSeconds }) => count / processorSeconds);
  const peakMb = Math.max(...turns.map((turn) => turn.peakMb));
  return [
    { name, figure: rates.at(-1) ?? 0, unit, spread: `best of ${TURNS}, worst ${Math.round(rates[0] ?? 0)}` },
    {
      name: `${name}: per second of processor time`,
      figure: Math.max(...perProcessor),
      unit,
      spread: `best of ${TURNS}, worst ${Math.round(Math.min(...perProcessor))}`,
    },
    { name: `${name}: peak memory`, figure: peakMb, unit: 'MB', spread: 'process with Node and DuckDB' },
  ];
}

export const bench: Bench = {
  title: 'recordings: decode, write, import',
  async run() {
    const folder = await syntheticRecording(TEN_MILLION);
    const found = [
      ...rows('recording: decode 10 M events from Parquet', 'rows/s', 'decode', folder),
      ...rows('recording: make up and write 1 M events', 'rows/s', 'write', ''),
    ];
    if (sized(false, true)) return found;
    if (!existsSync(KALSHI)) {
      console.error('recording: import of Kalshi skipped, there is no ../shared/data');
      return found;
    }
    return [...found, ...rows('recording: import 22 Kalshi markets', 'events/s', 'import', KALSHI)];
  },
};
