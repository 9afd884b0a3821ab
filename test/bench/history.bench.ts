/**
 * What years of history cost: a data folder with a million orders (another number in the environment variable
 * TWINBOOK_HISTORY_ORDERS).
 */

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { PersistentCore } from '../../src/exchange/store/persistent-core.js';
import { HISTORY_SETTINGS, History } from '../exchange/store/history.js';
import { type Bench, type BenchRow, sized } from './bench.js';

const ORDERS = Number(process.env['TWINBOOK_HISTORY_ORDERS'] ?? sized(1_000_000, 2_000));
/** Orders that no snapshot holds, as a crash leaves them behind: about the 50,000 calls after which there is a snapshot. */
const UNSAVED_ORDERS = sized(20_000, 100);
const OPEN_ORDERS = sized(5_000, 50);
const BATCH = sized(500, 50);

/** Makes the folder; answers what it measured on the way. */
function build(folder: string): BenchRow[] {
  const persistentCore = PersistentCore.open(folder, HISTORY_SETTINGS);
  const before = History.lengthMs(ORDERS + UNSAVED_ORDERS + 2 * OPEN_ORDERS) + 120_000;
  const history = new History(persistentCore.core, Date.now() - before);
  const batches = perSecond(history, ORDERS, () => {
    persistentCore.batch(() => repeat(BATCH, () => history.step()));
    persistentCore.saveIfDue(history.nowMs);
  });
  for (const target = history.orders + OPEN_ORDERS; history.orders < target; )
    persistentCore.batch(() => history.rest());
  persistentCore.core.advance(history.nowMs + 60_000);
  const started = performance.now();
  persistentCore.save(history.nowMs);
  const pause = performance.now() - started;
  const single = perSecond(history, history.orders + UNSAVED_ORDERS, () => history.step());
  persistentCore.close();
  const size = statSync(join(folder, 'exchange.sqlite')).size / ORDERS;
  return [
    { name: 'orders through core, journal and archive, in batches', figure: batches, unit: 'orders/s', spread: '-' },
    { name: 'the same, each call a transaction', figure: single, unit: 'orders/s', spread: '-' },
    {
      name: `the service stands still for a snapshot, ${OPEN_ORDERS} open orders`,
      figure: pause,
      unit: 'ms',
      spread: '-',
    },
    { name: 'the file, for each order', figure: size, unit: 'bytes', spread: 'fills included' },
  ];
}

function perSecond(history: History, target: number, work: () => void): number {
  const from = history.orders;
  const started = performance.now();
  while (history.orders < target) work();
  return ((history.orders - from) / (performance.now() - started)) * 1000;
}

function repeat(times: number, work: () => void): void {
  for (let n = 0; n < times; n++) work();
}

async function run(): Promise<readonly BenchRow[]> {
  const parent = mkdtempSync(join(tmpdir(), 'twinbook-history-'));
  try {
    return build(join(parent, 'data'));
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

export const bench: Bench = { title: 'history: a million orders on disk', run };
