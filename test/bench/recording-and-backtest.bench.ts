/**
 * Recordings in our format: decoding, writing and importing them; and backtests of them through the whole path (book,
 * queues, engine, strategy, risk, executor, ledger in memory) on one core, from columns in memory and from Parquet. The
 * bare loop only keeps the levels. Each runs compiled, in its own process.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { importRecordings } from '../../src/recording/import.js';
import { bundle } from '../simulation/bundle.js';
import { type Bench, type BenchRow, sized } from './bench.js';
import { EVENTS, syntheticRecording } from './synthetic-recording.js';
import type { Work } from './work.js';

const KALSHI = resolve(import.meta.dirname, '../../../shared/data/kalshi-gold15m');
const TURNS = sized(3, 1);
const PLAYED = ['columns', 'parquet', 'bare-columns', 'bare-parquet'];

export const bench: Bench = {
  title: 'recordings: decode, write, import, and play through the whole path',
  async run() {
    const { program, remove } = await bundle('../bench/work.ts');
    const out = mkdtempSync(join(tmpdir(), 'twinbook-bench-'));
    const work = (kind: string, ...paths: readonly string[]) =>
      JSON.parse(execFileSync(process.execPath, [program, kind, ...paths], { encoding: 'utf8' })) as Work;
    const measure = (name: string, kind: string, ...paths: readonly string[]) =>
      rowsOf(
        `${name}, ${kind}`,
        Array.from({ length: TURNS }, () => work(kind, ...paths)),
      );
    try {
      const whole = await syntheticRecording();
      // Compared with the whole recording: memory does not grow with the length of the stream.
      const { peakMb } = work('parquet', await syntheticRecording(EVENTS / 10));
      const found = [
        ...measure('1 M made-up events', 'write'),
        ...['decode', ...PLAYED].flatMap((kind) => measure('10 M made-up events, 10 markets', kind, whole)),
        { name: '1 M made-up events, 10 markets, parquet: peak memory', figure: peakMb, unit: 'MB', spread: '' },
      ];
      if (sized(false, true)) return found;
      if (!existsSync(KALSHI)) {
        console.error('recorded markets are missing: only the made-up ones are measured');
        return found;
      }
      await importRecordings('kalshi', [KALSHI], out);
      const played = PLAYED.flatMap((kind) => measure('22 Kalshi windows', kind, out));
      return [...found, ...measure('22 Kalshi windows', 'import', KALSHI), ...played];
    } finally {
      remove();
      rmSync(out, { recursive: true });
    }
  },
};

/** The best of several turns: other load only makes a turn slower. */
function rowsOf(name: string, turns: readonly Work[]): readonly BenchRow[] {
  const best = (what: string, figureOf: (work: Work) => number, unit = 'events/s'): BenchRow => {
    const figures = turns.map(figureOf);
    const spread = `best of ${TURNS}, worst ${Math.round(Math.min(...figures))}`;
    return { name: `${name}${what}`, figure: Math.max(...figures), unit, spread };
  };
  const rows = [
    best('', ({ events, seconds }) => events / seconds),
    best(': a second of processor time', ({ events, processorSeconds }) => events / processorSeconds),
    best(': recorded time a second', ({ playedS, seconds }) => playedS / seconds, 's/s'),
    best(': requests a second', ({ requests, seconds }) => requests / seconds, 'requests/s'),
  ];
  const peak = Math.max(...turns.map(({ peakMb }) => peakMb));
  return [
    ...rows.filter(({ figure }) => figure > 0),
    { name: `${name}: peak memory`, figure: peak, unit: 'MB', spread: '' },
  ];
}
