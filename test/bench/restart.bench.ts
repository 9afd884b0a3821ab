/** Restart of a killed trader on a ledger with a long history: time until it agrees and until it quotes. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteDriver } from '../../src/shared/base/sqlite-driver.js';
import build from '../support/build.js';
import { type Bench, type BenchRow, latencies, sized } from './bench.js';
import { farExchange, ONE_WAY_MS } from './far-exchange.js';
import { historyRows, putLongHistory } from './long-history.js';
import { ORDERS, RestingTrader } from './resting-trader.js';

const RESTARTS = sized(20, 1);

/** One order is canceled while it is down, so that it has to quote: both times count from the SIGKILL. */
async function once(trader: RestingTrader) {
  const whole = await trader.locked();
  await trader.cancelOne();
  const killedMs = performance.now();
  await trader.kill();
  await trader.start();
  await trader.until(({ account }) => account.mode === 'quoting');
  const agreedMs = performance.now() - killedMs;
  await trader.untilLocked((locked) => locked === whole);
  const quotedMs = performance.now() - killedMs;
  await trader.untilAllRest();
  return { agreedMs, quotedMs };
}

async function run(): Promise<readonly BenchRow[]> {
  build();
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-bench-'));
  const exchange = await farExchange();
  const trader = new RestingTrader(join(folder, 'one'), exchange);
  try {
    mkdirSync(trader.folder);
    putLongHistory(trader.ledgerPath);
    const rows = rowsOf(trader.ledgerPath);
    await trader.fill();
    await trader.start();
    await trader.until(({ account }) => account.mode === 'quoting');
    const times: Awaited<ReturnType<typeof once>>[] = [];
    for (let restart = 0; restart < RESTARTS; restart++) times.push(await once(trader));
    const with_ = `${rows.toLocaleString('en-US')} rows, ${ORDERS} orders, the exchange ${2 * ONE_WAY_MS} ms away`;
    return [
      latencies(`SIGKILL until it agrees with the exchange: ${with_}`, times, 'agreedMs'),
      latencies('SIGKILL until the first new quote rests', times, 'quotedMs'),
    ];
  } finally {
    await trader.kill();
    await exchange.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowsOf(path: string): number {
  const sqlite = new SqliteDriver(path, { readonly: true });
  const count = (table: string) => Number(sqlite.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
  try {
    return historyRows(count);
  } finally {
    sqlite.close();
  }
}

export const bench: Bench = { title: 'restart: on a ledger of a million rows, with a hundred orders', run };
