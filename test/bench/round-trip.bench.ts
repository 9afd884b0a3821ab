/** One order from draft to acceptance over loopback: by the real trader, and by the same two calls alone. */

import { createPrivateKey, sign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { micros } from '../../src/shared/base/micros.js';
import { keepCollectionsBrief } from '../../src/shared/base/processes.js';
import { SqliteDriver } from '../../src/shared/base/sqlite-driver.js';
import type { Observation, Request } from '../../src/shared/protocol/seam.js';
import { requestSignature, signatureHeaders } from '../../src/shared/protocol/signing.js';
import { ServiceClient } from '../../src/shell/client/client.js';
import type { Credentials } from '../../src/shell/wallet/key-file.js';
import { Wallet } from '../../src/shell/wallet/wallet.js';
import type { Trader } from '../../src/trader/engine/trader.js';
import { openLedger } from '../../src/trader/ledger/ledger.js';
import { defineStrategy, NO_QUOTES } from '../../src/trader/strategy/strategy.js';
import build from '../support/build.js';
import { ask } from '../support/http.js';
import { twinbook } from '../support/processes.js';
import { paper, UNLIMITED } from '../support/venue.js';
import { type Bench, type BenchRow, percentile, sized } from './bench.js';
import { BENCH_PROFILE, benchTrader } from './bench-trader.js';

const WARM_UP = sized(200, 2);
const ORDERS = sized(1_000, 10);
const BEAT_MS = 100;
const TRADER_SEED = new Uint8Array(32).fill(5);
/** Not the trader's seed: it would see the orders as foreign orders of its account and stop quoting. */
const BARE_SEED = new Uint8Array(32).fill(6);

/** Wants one bid that alternates between two prices, which causes an endless series of orders and cancels. */
const flipper = defineStrategy({
  name: 'flipper',
  summary: 'Never content.',
  params: {},
  create: () => {
    let high = false;
    return {
      quote: () => {
        high = !high;
        const bid = { priceMicros: micros(high ? 480_000 : 470_000), amountMicros: micros(10_000_000) };
        return { ...NO_QUOTES('flips'), fairMicros: micros(500_000), bids: [bid] };
      },
    };
  },
});

/** Drives a trader like the daemon's loop and times each order from its first request to its acceptance. */
class Timed {
  readonly roundTripsMs: number[] = [];
  readonly #trader: Trader;
  readonly #client: ServiceClient;
  readonly #byRequest = new Map<number, number>();
  readonly #byPubkey = new Map<string, number>();
  #enough: () => void = () => undefined;
  #wanted = 0;
  #ended = false;

  constructor(trader: Trader, client: ServiceClient) {
    this.#trader = trader;
    this.#client = client;
  }

  async until(orders: number): Promise<void> {
    this.#wanted = orders;
    const beat = setInterval(() => this.#observe({ kind: 'time', nowMs: Date.now() }, null), BEAT_MS);
    await new Promise<void>((resolve) => {
      this.#enough = resolve;
    });
    clearInterval(beat);
    this.#ended = true;
  }

  #observe(observation: Observation, request: Request | null): void {
    if (this.#ended) return;
    const startedMs = performance.now();
    const asked = this.#trader.handle(observation);
    for (const next of asked) {
      // The time from before the intent was written.
      if (next.call.endpoint === 'orders.create') this.#byRequest.set(next.id, startedMs);
      void this.#client.perform(next).then((outcome) => this.#observe(outcome, next));
    }
    if (request !== null && observation.kind === 'outcome') this.#time(observation, request);
    this.#trader.takeNotices();
  }

  #time({ outcome, requestId }: Extract<Observation, { kind: 'outcome' }>, { call }: Request): void {
    if (outcome.kind !== 'answered') return;
    if (call.endpoint === 'orders.create' && 'pubkey' in outcome.data)
      this.#byPubkey.set(String(outcome.data.pubkey), this.#byRequest.get(requestId) ?? Number.NaN);
    if (call.endpoint !== 'orders.submit') return;
    this.roundTripsMs.push(performance.now() - (this.#byPubkey.get(call.params.pubkey) ?? Number.NaN));
    if (this.roundTripsMs.length >= this.#wanted) this.#enough();
  }
}

async function engine(url: string): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-bench-'));
  const wallet = new Wallet(TRADER_SEED);
  const nowMs = Date.now();
  const ledger = openLedger(join(folder, 'ledger.sqlite'), { pid: process.pid, startedMs: nowMs });
  const client = new ServiceClient({ profile: BENCH_PROFILE, baseUrl: url, budgets: UNLIMITED });
  await client.bootstrap(wallet);
  const trader = benchTrader({ wallet, ledger, strategy: flipper, params: {}, markets: 1, nowMs });
  const timed = new Timed(trader, client);
  // The first orders wait for the trader's start and are warm-up. For the second half Node has compiled the hot code,
  // and the ledger's log has its full length.
  await timed.until(WARM_UP + 2 * ORDERS);
  await client.close();
  ledger.close();
  rmSync(folder, { recursive: true });
  return timed.roundTripsMs.slice(WARM_UP);
}

/** Draft, sign and submit, with our code for the two signatures only. */
async function bare(url: string, market: string): Promise<number[]> {
  const client = new ServiceClient({ profile: BENCH_PROFILE, baseUrl: url, budgets: UNLIMITED });
  const credentials = await client.bootstrap(new Wallet(BARE_SEED));
  await client.close();
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), BARE_SEED]);
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  const figures: number[] = [];
  for (let n = 0; n < WARM_UP + ORDERS; n++) {
    const startedMs = performance.now();
    const terms = { is_yes: true, side: 'buy', order_type: 'limit', price: '0.4', amount: '1' };
    const drafted = await post(url, '/orders/', { market_condition_id: market, ...terms }, credentials);
    const signature = sign(null, Buffer.from(drafted.message), key).toString('hex');
    await post(url, `/orders/${drafted.pubkey}/submit/`, { signature }, credentials);
    if (n >= WARM_UP) figures.push(performance.now() - startedMs);
  }
  return figures;
}

/** Time of one durable commit: an order needs four, each before the next step. */
function commits(): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-bench-'));
  const sqlite = new SqliteDriver(join(folder, 'plain.sqlite'));
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = FULL');
  sqlite.exec('CREATE TABLE one (text TEXT)');
  const insert = sqlite.prepare('INSERT INTO one VALUES (?)');
  const figures: number[] = [];
  for (let n = 0; n < ORDERS; n++) {
    const startedMs = performance.now();
    insert.run('x'.repeat(500));
    figures.push(performance.now() - startedMs);
  }
  sqlite.close();
  rmSync(folder, { recursive: true });
  return figures;
}

interface Drafted {
  readonly pubkey: string;
  readonly message: string;
}

async function post(url: string, path: string, body: object, { apiKey, secret }: Credentials): Promise<Drafted> {
  const text = JSON.stringify(body);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const names = signatureHeaders(BENCH_PROFILE.header_prefix);
  const headers = {
    'content-type': 'application/json',
    [names.apiKey]: apiKey,
    [names.timestamp]: timestamp,
    [names.signature]: requestSignature(secret, { timestamp, method: 'POST', pathWithQuery: path, body: text }),
  };
  const answer = await ask(`${url}${path}`, { method: 'POST', headers, body: text });
  if (answer.status >= 300) throw new Error(answer.text);
  return (JSON.parse(answer.text) as { data: Drafted }).data;
}

async function exchange() {
  const flags = ['--no-crowd', '--no-rate-limits', '--controls', '--starting-funds', '1000000000'];
  const running = twinbook(['exchange', '--port', '0', ...flags]);
  const url = (await running.waitFor(/listening on (http:\S+)/))[1] ?? '';
  const { condition_id: market } = (await paper(url, '/markets/', { title: 'Market' })) as { condition_id: string };
  return { running, url, market };
}

async function run(): Promise<readonly BenchRow[]> {
  build();
  // `twinbook start` does the same.
  keepCollectionsBrief();
  const one = await exchange();
  const disk = commits();
  const plain = await bare(one.url, one.market);
  const alone = await engine(one.url);
  const again = await bare(one.url, one.market);
  disk.push(...commits());
  one.running.process.kill('SIGTERM');
  await one.running.exited;
  const bareMs = [...plain, ...again];
  const [first, later] = [alone.slice(0, ORDERS), alone.slice(ORDERS)];
  const above = (tripsMs: readonly number[], name: string, share: number, spread: string): BenchRow => ({
    name: `trader above bare at ${name}`,
    figure: percentile(sorted(tripsMs), share) - percentile(sorted(bareMs), share),
    unit: 'ms',
    spread,
  });
  return [
    row('one durable commit of SQLite (an order takes four)', disk),
    row('bare: draft, sign, submit', bareMs),
    row('trader, one order at a time: draft, sign, submit, ledger', later),
    above(later, 'p50', 0.5, 'the four commits are in it'),
    above(later, 'p99', 0.99, 'target below 5'),
    row('the same, its first thousand orders', first),
    above(first, 'p50, its first thousand orders', 0.5, 'the log of its ledger grows'),
    above(first, 'p99, its first thousand orders', 0.99, 'and Node compiles'),
  ];
}

const sorted = (figures: readonly number[]): number[] => [...figures].sort((a, b) => a - b);
const p99 = (figures: readonly number[]): number => percentile(sorted(figures), 0.99);
const row = (name: string, figures: readonly number[]): BenchRow => ({
  name,
  figure: percentile(sorted(figures), 0.5),
  unit: 'ms p50',
  spread: `p10 ${percentile(sorted(figures), 0.1).toFixed(2)} / p99 ${p99(figures).toFixed(2)}`,
});

export const bench: Bench = { title: 'round trip: one order over loopback', run };
