/**
 * Recorded events a second through a whole backtest (book, queues, engine, strategy, risk, executor, ledger in memory)
 * on one core, from columns in memory and from Parquet; the bare loop only keeps the levels. Each runs compiled, in its
 * own process.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { importRecordings } from '../../src/recording/import.js';
import { bundle } from '../simulation/bundle.js';
import type { BacktestWork } from './backtest-work.js';
import { type Bench, type BenchRow, percentile, sized } from './bench.js';
import { syntheticRecording, TEN_MILLION } from './synthetic-recording.js';

const ROOT = resolve(import.meta.dirname, '../..');
const KALSHI = resolve(ROOT, '../shared/data/kalshi-gold15m');
const TURNS = sized(3, 1);

function work(program: string, kind: string, path: string): BacktestWork {
  const out = execFileSync(process.execPath, [program, kind, path], { encoding: 'utf8' });
  return JSON.parse(out) as BacktestWork;
}

function rows(program: string, name: string, path: string): BenchRow[] {
  return ['columns', 'parquet', 'bare-columns', 'bare-parquet'].flatMap((kind) => {
    const turns = Array.from({ length: TURNS }, () => work(program, kind, path));
    const rates = turns.map(({ events, seconds }) => events / seconds).sort((a, b) => a - b);
    const [figure, lowest, highest] = [percentile(rates, 0.5), rates[0] ?? 0, rates.at(-1) ?? 0];
    const spread = `±${((50 * (highest - lowest)) / figure).toFixed(0)} %`;
    const perProcessor = Math.max(...turns.map(({ events, processorSeconds }) => events / processorSeconds));
    const peak = Math.max(...turns.map(({ peakMb }) => peakMb));
    const [{ playedS = 0, requests = 0, seconds = 0 } = {}] = turns;
    const more: BenchRow[] = kind.startsWith('bare')
      ? []
      : [
          { name: `${name}, ${kind}: recorded time a second`, figure: playedS / seconds, unit: 's/s', spread: '' },
          { name: `${name}, ${kind}: requests a second`, figure: requests / seconds, unit: 'requests/s', spread: '' },
        ];
    return [
      { name: `${name}, ${kind}`, figure, unit: 'events/s', spread },
      { name: `${name}, ${kind}: a second of processor time`, figure: perProcessor, unit: 'events/s', spread: 'best' },
      ...more,
      { name: `${name}, ${kind}: peak memory`, figure: peak, unit: 'MB', spread: '' },
    ];
  });
}

const peakOf = (program: string, name: string, path: string): BenchRow => ({
  name: `${name}, parquet: peak memory`,
  figure: work(program, 'parquet', path).peakMb,
  unit: 'MB',
  spread: '',
});

export const bench: Bench = {
  title: 'backtest: recorded events through the whole path',
  async run() {
    const { program, remove } = await bundle('../bench/backtest-work.ts');
    const out = mkdtempSync(join(tmpdir(), 'twinbook-bench-'));
    try {
      const tenth = { ...TEN_MILLION, events: TEN_MILLION.events / 10 };
      const found = [
        ...rows(program, '10 M made-up events, 10 markets', await syntheticRecording(TEN_MILLION)),
        // Compared with the whole recording: memory does not grow with the length of the stream.
        peakOf(program, '1 M made-up events, 10 markets', await syntheticRecording(tenth)),
      ];
      if (sized(false, true)) return found;
      if (!existsSync(KALSHI)) {
        console.error('recorded markets are missing: only the made-up ones are measured');
        return found;
      }
      await importRecordings('kalshi', [KALSHI], out);
      return [...found, ...rows(program, '22 Kalshi windows', out)];
    } finally {
      remove();
      rmSync(out, { recursive: true });
    }
  },
};
