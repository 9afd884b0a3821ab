/**
 * What years of history cost: a data folder with a million orders (another number in the environment variable
 * TWINBOOK_HISTORY_ORDERS), and a real `twinbook exchange` process on it.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { PersistentCore } from '../../src/exchange/store/persistent-core.js';
import { encodeCursor } from '../../src/shared/protocol/cursors.js';
import { requestSignature } from '../../src/shared/protocol/signing.js';
import { openMarket, TestTrader } from '../exchange/http/harness.js';
import { HISTORY_SETTINGS, History, keyOf } from '../exchange/store/history.js';
import { Killable } from '../exchange/store/killable.js';
import { type Bench, type BenchRow, percentile, sized } from './bench.js';

const ORDERS = Number(process.env['TWINBOOK_HISTORY_ORDERS'] ?? sized(1_000_000, 2_000));
/** Orders that no snapshot holds, as a crash leaves them behind: about the 50,000 calls after which there is a snapshot. */
const UNSAVED_ORDERS = sized(20_000, 100);
const OPEN_ORDERS = sized(5_000, 50);
const TRAFFIC = sized(4_000, 16);
const BATCH = sized(500, 50);
const MIB = 1024;

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
  // As a killed process leaves it: the calls since the snapshot are in the journal alone.
  cpSync(folder, `${folder}-crashed`, { recursive: true });
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

class Running {
  readonly #process: Killable;
  readonly startMs: number;

  private constructor(process: Killable, startMs: number) {
    this.#process = process;
    this.startMs = startMs;
  }

  static async start(dataDir: string): Promise<Running> {
    const started = performance.now();
    return new Running(await Killable.start(dataDir, 'quiet'), performance.now() - started);
  }

  get url(): string {
    return this.#process.url;
  }

  /** MiB of the process. */
  rss(): number {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(this.#process.pid)], { encoding: 'utf8' })) / MIB;
  }

  async get(path: string, account: number): Promise<unknown> {
    const { apiKey, secret } = keyOf(account);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = requestSignature(secret, { timestamp, method: 'GET', pathWithQuery: path, body: '' });
    const headers = { 'SVC-API-KEY': apiKey, 'SVC-TIMESTAMP': timestamp, 'SVC-SIGNATURE': signature };
    const response = await fetch(`${this.#process.url}${path}`, { headers });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  end(): Promise<void> {
    return this.#process.kill('SIGTERM');
  }
}

/** Orders that come and go over HTTP, eight traders at once. */
async function traffic(exchange: Running): Promise<void> {
  const market = await openMarket(exchange.url);
  const trade = async () => {
    const trader = await TestTrader.join(exchange.url);
    for (let n = 0; n < TRAFFIC / 8; n++) {
      const { row } = await trader.order(market, true, 'buy', '0.1', '1');
      await trader.cancel(String(row['pubkey']));
    }
  };
  await Promise.all(Array.from({ length: 8 }, trade));
}

const deep = (share: number): string => encodeCursor({ before_id: Math.floor(ORDERS * share) });

const LISTS: Readonly<Record<string, string>> = {
  'newest orders': '/orders/?limit=100',
  'open orders': '/orders/?status=open&limit=100',
  'orders in the middle of the history': `/orders/?limit=100&cursor=${deep(0.5)}`,
  'orders with a status that one of a hundred has': '/orders/?status=partially_filled_canceled&limit=100',
  'orders with a status that none has': '/orders/?status=failed&limit=100',
  'orders of a market, a side and an outcome, deep': `/orders/?side=buy&is_yes=false&limit=100&cursor=${deep(0.1)}`,
  'own trades in the middle of the history': `/trades/?limit=100&cursor=${deep(0.3)}`,
};

async function lists(exchange: Running): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [name, path] of Object.entries(LISTS)) {
    const times: number[] = [];
    for (let n = 0; n < 80; n++) {
      const started = performance.now();
      await exchange.get(path, n % 8);
      times.push(performance.now() - started);
    }
    times.sort((a, b) => a - b);
    const spread = `p99 ${percentile(times, 0.99).toFixed(1)} ms, over HTTP`;
    rows.push({ name: `a page of 100: ${name}`, figure: percentile(times, 0.5), unit: 'ms', spread });
  }
  return rows;
}

async function run(): Promise<readonly BenchRow[]> {
  const parent = mkdtempSync(join(tmpdir(), 'twinbook-history-'));
  const folder = join(parent, 'data');
  try {
    const rows = build(folder);
    const empty = await Running.start(join(parent, 'empty'));
    rows.push(startRow('an empty data folder', empty));
    await empty.end();
    const clean = await Running.start(folder);
    rows.push(startRow(`${ORDERS.toLocaleString('en-US')} orders of history`, clean));
    rows.push(...(await lists(clean)));
    await traffic(clean);
    rows.push({
      name: `memory after these lists and ${TRAFFIC.toLocaleString('en-US')} orders, each drafted, signed and canceled`,
      figure: clean.rss(),
      unit: 'MiB',
      spread: '-',
    });
    await clean.end();
    const crashed = await Running.start(`${folder}-crashed`);
    rows.push(
      startRow(`the same after a crash, ${UNSAVED_ORDERS.toLocaleString('en-US')} orders not in a snapshot`, crashed),
    );
    await crashed.end();
    return rows;
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

const startRow = (name: string, exchange: Running): BenchRow => ({
  name: `start of a process on ${name}`,
  figure: exchange.startMs,
  unit: 'ms',
  spread: `${exchange.rss().toFixed(0)} MiB resident`,
});

export const bench: Bench = { title: 'history: a million orders on disk', run };
