/**
 * Recorded events a second through the whole path of a backtest (book, queues, engine, strategy, risk, executor, ledger in
 * memory) on one core, from columns in memory and from Parquet; beside it the bare loop that only keeps the levels. Compiled
 * as a user runs it, each in a process of its own.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { importRecordings } from '../../src/recording/import.js';
import type { BacktestWork } from './backtest-work.js';
import type { Bench, BenchRow } from './bench.js';
import { syntheticRecording, TEN_MILLION } from './synthetic-recording.js';

const ROOT = resolve(import.meta.dirname, '../..');
const KALSHI = resolve(ROOT, '../shared/data/kalshi-gold15m');
/** Inside, so that packages are found. */
const BUILT = join(ROOT, 'node_modules/.cache/twinbook-bench');
const TURNS = 3;

function build(): void {
  rmSync(BUILT, { recursive: true, force: true });
  const options = ['-p', 'test/tsconfig.json', '--noEmit', 'false', '--outDir', BUILT, '--declaration', 'false'];
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options], { cwd: ROOT });
  // Beneath node_modules nothing is a module unless it says so.
  writeFileSync(join(BUILT, 'package.json'), '{"type":"module"}');
}

function work(kind: string, path: string): BacktestWork {
  const script = join(BUILT, 'test/bench/backtest-work.js');
  const out = execFileSync(process.execPath, [script, kind, path], { encoding: 'utf8' });
  // What `backtest-work.ts` has just printed.
  return JSON.parse(out) as BacktestWork;
}

function rows(name: string, path: string): BenchRow[] {
  return ['columns', 'parquet', 'bare-columns', 'bare-parquet'].flatMap((kind) => {
    const turns = Array.from({ length: TURNS }, () => work(kind, path));
    const rates = turns.map(({ events, seconds }) => events / seconds).sort((a, b) => a - b);
    const [lowest = 0, figure = 0, highest = 0] = rates;
    const spread = `±${((50 * (highest - lowest)) / figure).toFixed(0)} %`;
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
      ...more,
      { name: `${name}, ${kind}: peak memory`, figure: peak, unit: 'MB', spread: '' },
    ];
  });
}

export const bench: Bench = {
  title: 'backtest: recorded events through the whole path',
  async run() {
    build();
    const found = rows('10 M made-up events, 10 markets', await syntheticRecording(TEN_MILLION));
    if (!existsSync(KALSHI)) {
      console.error('recorded markets are missing: only the made-up ones are measured');
      return found;
    }
    const out = mkdtempSync(join(tmpdir(), 'twinbook-bench-'));
    try {
      await importRecordings('kalshi', [KALSHI], out);
      return [...found, ...rows('22 Kalshi windows', out)];
    } finally {
      rmSync(out, { recursive: true });
    }
  },
};
