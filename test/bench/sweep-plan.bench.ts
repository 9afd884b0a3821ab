/**
 * 10,000 configurations over 1,000 recorded market-days: how long it takes to plan them and to write the plan for a job array, as
 * `sweep plan` does, and in how much memory.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { readAxis } from '../../src/lab/sweep/axes.js';
import { makeChunks, makeSheet } from '../../src/lab/sweep/chunks/chunk.js';
import { writePlan } from '../../src/lab/sweep/chunks/folder.js';
import { estimateSweep } from '../../src/lab/sweep/estimate.js';
import { planSweep } from '../../src/lab/sweep/facts.js';
import { gridSearch } from '../../src/lab/sweep/search.js';
import { deriveConditionId } from '../../src/recording/identity.js';
import { openRecordings } from '../../src/recording/recording.js';
import { loadConfig } from '../../src/shell/config/load.js';
import { sweepPlace, sweepPlan } from '../lab/sweep/place.js';
import { type Bench, sized } from './bench.js';

const MARKET_DAYS = sized(1_000, 20);
const FILES = 24;
const ROWS = 20_000;
const DAY_MS = 86_400_000;
const FIRST_MS = 1_767_225_600_000;
const PARAMS = sized(
  ['behind_ticks=6:15:1', 'order_shares=10:200:10', 'lean=0:0.98:0.02'],
  ['behind_ticks=0:1:1', 'order_shares=10:20:10'],
);
const CONFIGURATIONS = sized(10_000, 4);
/** Of a job array's chunk. */
const CHUNK_SECONDS = 300;

/** What `twinbook record` leaves of a day, but for the content of its files: a plan reads none of it. */
function recordDay(folder: string, at: number): void {
  const id = deriveConditionId('bench', `market ${at}`);
  const fromMs = FIRST_MS + at * DAY_MS;
  const date = new Date(fromMs).toISOString().slice(0, 10);
  const day = join(folder, `market=${id}`, `date=${date}`);
  mkdirSync(day, { recursive: true });
  const files = Array.from({ length: FILES }, (_, hour) => {
    const name = `events-${String(hour + 1).padStart(4, '0')}.parquet`;
    const [firstMs, bytes] = [fromMs + (hour * DAY_MS) / FILES, ROWS * 6];
    writeFileSync(join(day, name), '');
    truncateSync(join(day, name), bytes);
    const kinds = {
      level: ROWS - 100,
      trade: 100 - Number(hour + 1 === FILES),
      clear: 0,
      end: Number(hour + 1 === FILES),
    };
    return {
      ...{
        table: 'events',
        name,
        rows: ROWS,
        bytes,
        sha256: createHash('sha256').update(`${at} ${hour}`).digest('hex'),
      },
      ...{
        first_ms: firstMs,
        last_ms: firstMs + DAY_MS / FILES - 1,
        first_seq: hour * ROWS + 1,
        last_seq: (hour + 1) * ROWS,
      },
      ...{ kinds, gaps: [] },
    };
  });
  const head = { format: 'twinbook-recording', version: 1, condition_id: id, date, origin: 'bench' };
  const counts = { refused: 0, stepped_back: 0, broken_lines: 0 };
  writeFileSync(join(day, 'manifest.json'), JSON.stringify({ ...head, files, ...counts }));
  const market = {
    ...{ condition_id: id, event_title: `Event ${at}`, title: `Market ${at}`, category: 'crypto', rules: [] },
    ...{ tick_precision: 2, amount_precision: 2, open_time_ms: fromMs, close_time_ms: fromMs + DAY_MS, outcome: true },
    ...{ fees: null, origin: 'bench', ticker: `B-${at}`, notes: [] },
  };
  writeFileSync(join(day, 'market.json'), JSON.stringify(market));
}

export const bench: Bench = {
  title: 'plan of a sweep over recorded market-days',
  async run() {
    const place = sweepPlace();
    try {
      for (let at = 0; at < MARKET_DAYS; at++) recordDay(place.data, at);
      const common = await sweepPlan(place, { params: PARAMS.slice(0, 1) });
      const startMs = performance.now();
      const before = process.cpuUsage();
      const config = await loadConfig(place.config, { env: {}, cwd: place.folder });
      const recordings = await openRecordings([place.data]);
      const axes = PARAMS.map((text) => readAxis(text, config.strategies, false));
      const search = gridSearch(config, axes);
      const plan = { ...common, config, recordings, search };
      const planned = await planSweep(plan);
      const estimate = estimateSweep(planned);
      const { facts } = planned;
      const chunks = makeChunks(facts, CHUNK_SECONDS);
      const sheet = makeSheet(planned);
      writePlan(join(place.folder, 'chunks'), { sheet, facts, chunks, outDir: plan.outDir });
      const seconds = (performance.now() - startMs) / 1000;
      const { user, system } = process.cpuUsage(before);
      if (search.candidates.length !== CONFIGURATIONS)
        throw new Error(`planned ${search.candidates.length} configurations`);
      const rows = estimate.backtests.toLocaleString('en-US');
      const peak = process.resourceUsage().maxRSS / 1024;
      return [
        {
          name: `sweep plan, ${CONFIGURATIONS} configurations, ${MARKET_DAYS} market-days`,
          figure: seconds,
          unit: 's',
          spread: `${rows} backtests`,
        },
        {
          name: 'sweep plan, processor time',
          figure: (user + system) / 1e6,
          unit: 's',
          spread: 'all threads, what the rest of the machine does hardly changes it',
        },
        { name: 'sweep plan, memory', figure: peak, unit: 'MiB', spread: 'highest of the whole process' },
      ];
    } finally {
      place.remove();
    }
  },
};
