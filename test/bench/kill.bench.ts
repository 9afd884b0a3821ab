/** The kill switch: time from the command until no order of ours rests at a distant exchange. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import build from '../support/build.js';
import { type Bench, type BenchRow, latencies, sized } from './bench.js';
import { type FarExchange, farExchange, ONE_WAY_MS } from './far-exchange.js';
import { ORDERS, RestingTrader } from './resting-trader.js';

const KILLS = sized(20, 1);

interface Times {
  /** Time until the exchange locks no funds of ours. */
  readonly goneMs: number;
  /** Time until the trader has read twice that no order is left. */
  readonly provenMs: number;
}

/** Kills a process that agrees with the exchange and serves its page, by its control socket; budget of the venue. */
async function once(template: RestingTrader, folder: string, exchange: FarExchange): Promise<Times> {
  const trader = template.copy(folder);
  await exchange.begin(trader.exchangeDir);
  try {
    await trader.start();
    const { account } = await trader.until((now) => now.account.mode === 'quoting' && now.dashboard !== null);
    if (account.openOrders !== ORDERS) throw new Error(`${account.openOrders} orders rest in place of ${ORDERS}`);
    const toldMs = performance.now();
    await trader.order('kill', 'a benchmark');
    await trader.untilLocked((locked) => locked === 0);
    const goneMs = performance.now() - toldMs;
    await trader.until((now) => now.account.openOrders === 0);
    return { goneMs, provenMs: performance.now() - toldMs };
  } finally {
    await trader.kill();
    await exchange.kill();
  }
}

async function run(): Promise<readonly BenchRow[]> {
  build();
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-bench-'));
  const exchange = await farExchange();
  try {
    const template = new RestingTrader(join(folder, 'template'), exchange);
    await template.fill();
    await exchange.kill();
    const times: Times[] = [];
    for (let kill = 0; kill < KILLS; kill++) times.push(await once(template, join(folder, 'one'), exchange));
    const away = `${ORDERS} orders, the exchange ${2 * ONE_WAY_MS} ms away`;
    return [
      latencies(`kill until nothing rests, ${away}`, times, 'goneMs'),
      latencies('kill until the trader knows of each', times, 'provenMs'),
    ];
  } finally {
    await exchange.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export const bench: Bench = { title: 'kill: from the word until nothing rests', run };
