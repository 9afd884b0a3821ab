/** Shared by the flows of real traders: an exchange that stays up, and a trader's folder. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openKeyFile } from '../../src/shell/wallet/key-file.js';
import { openReadOnly } from '../../src/trader/ledger/ledger.js';
import { ladderOf } from '../support/folders.js';
import { killNow } from '../support/life.js';
import { BIN, type Running, twinbook } from '../support/processes.js';
import { asTrader, paper, Taker } from '../support/venue.js';
import { type Comparison, compared } from './kill-comparison.js';
import { type Tracing, traced, tracing } from './traced.js';

const ONE = 1_000_000;
const CAPITAL = 1000;
/** The funds that `twinbook exchange` gives a new account. */
const FUNDS = 10_000;
const LOOK_MS = 20;
/** Maximum wait; on an idle machine all waits end within seconds. */
const PATIENCE_MS = 40_000;

/** Orders in two markets; one more where an ask closes shares of both outcomes. */
export const ALL_REST = /orders (?:[89]|\d\d) \|/;

const traderFile = (url: string, minMerge: string): string => `
venue: { profile: paper, base_url: "${url}" }
wallet: { file: wallet.json }
ledger: { path: ledger.sqlite }
log: { file: trader.log }
guardian: { enabled: false }
dashboard: { enabled: false }
capital: "${CAPITAL}"
polling: { own_interval_ms: 300, hot_interval_ms: 200, assets_interval_ms: 2000 }
risk: { max_fills: 10000, max_actions_per_second: 1000, max_actions_per_minute: 10000 }
merge: { min_shares: "${minMerge}" }
strategies: [ladder.yaml]
`;

/** How a run ended: by the wanted kill, or because it was complete before it. */
export type Ending = 'killed' | 'done';

export class KillWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'twinbook-kill-'));
  readonly #exchange: Running;
  readonly #url: string;
  readonly #taker: Taker;
  readonly #running = new Set<Running>();
  readonly #foreign = new Map<string, number>();
  #markets = 0;

  static async open(): Promise<KillWorld> {
    const flags = ['--controls', '--no-rate-limits', '--no-crowd', '--draft-lifetime-s', '5', '--landing-ms', '50'];
    const exchange = twinbook(['exchange', '--port', '0', ...flags]);
    const url = (await exchange.waitFor(/listening on (http:\S+)/))[1] ?? '';
    const world = new KillWorld(exchange, url, await Taker.join(url, 1));
    writeFileSync(join(world.folder, 'ladder.js'), ladderOf(2));
    writeFileSync(join(world.folder, 'trader.yaml'), traderFile(url, '1'));
    writeFileSync(join(world.folder, 'holding.yaml'), traderFile(url, '1000000'));
    world.quote([await world.newMarket(), await world.newMarket()]);
    return world;
  }

  private constructor(exchange: Running, url: string, taker: Taker) {
    this.#exchange = exchange;
    this.#url = url;
    this.#taker = taker;
  }

  async newMarket(): Promise<string> {
    const id = `m${++this.#markets}`;
    const config = { kind: 'orderbook', maker_fee_rate: '0.01', taker_fee_rate: '0.02' };
    await paper(this.#url, '/markets/', { title: `Market ${id}`, condition_id: id, config });
    return id;
  }

  /** Effective at the next start. */
  quote(ids: readonly string[]): void {
    const text = `strategy: ./ladder.js\nmarkets: { ids: ${JSON.stringify(ids)} }\n`;
    writeFileSync(join(this.folder, 'ladder.yaml'), text);
  }

  resolve(market: string): Promise<unknown> {
    return paper(this.#url, `/markets/${market}/resolve/`, { is_yes: true });
  }

  start(file = 'trader.yaml'): Running {
    return this.#kept(twinbook(['start', '-c', join(this.folder, file)]));
  }

  /** Runs a command on this trader to its end. */
  async command(...args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
    const running = this.#kept(twinbook([...args, '-c', join(this.folder, 'trader.yaml')]));
    return { code: await running.exited, output: running.output() };
  }

  /** Starts the trader under strace; kills it when its output matches, unless it was killed before. */
  async startTraced(how: Tracing, done: RegExp): Promise<Ending> {
    const words = [process.execPath, BIN, 'start', '-c', join(this.folder, 'trader.yaml')];
    return this.untilKilled(this.#kept(traced(words, how)), done, childOf);
  }

  /** Traces a running trader during this operation. */
  async during(trader: Running, how: Tracing, what: () => Promise<unknown>, done: RegExp): Promise<Ending> {
    const strace = this.#kept(await tracing(trader.process.pid ?? 0, how));
    await what();
    const ending = await this.untilKilled(trader, done, (pid) => pid);
    await strace.exited;
    return ending;
  }

  async untilKilled(running: Running, done: RegExp, pidOf: (pid: number) => number | null): Promise<Ending> {
    const isKilled = await this.#inTime(
      running.waitFor(done).then(
        () => false,
        () => true,
      ),
    );
    if (isKilled === true) return 'killed';
    // The operation is complete, or a busy machine never completes it: the trader is killed here.
    const pid = pidOf(running.process.pid ?? 0);
    if (pid !== null) killNow(pid);
    await running.exited;
    return 'done';
  }

  /** Waits, with a timeout, until the output matches; throws if the process ends first. */
  async heard(running: Running, what: RegExp): Promise<void> {
    await this.#inTime(running.waitFor(what));
  }

  /** Runs the trader, with a taker of its orders, until its ledger meets the condition; then stops it. */
  async holdUntil(isSo: (shares: (market: string, isYes: boolean) => number) => boolean, ids: string[]): Promise<void> {
    const trader = this.start('holding.yaml');
    await this.heard(trader, /orders [1-9]/);
    this.#taker.go(ids, LOOK_MS);
    const endMs = Date.now() + PATIENCE_MS;
    const ledger = openReadOnly(join(this.folder, 'ledger.sqlite'));
    while (!isSo((market, isYes) => ledger.shares(market, isYes)) && Date.now() < endMs) await pause(LOOK_MS);
    ledger.close();
    await this.#taker.rest();
    await this.stop(trader);
  }

  async stop(trader: Running): Promise<void> {
    trader.process.kill('SIGTERM');
    const code = await trader.exited;
    if (code !== 0) throw new Error(`it ended with ${code}:\n${trader.output()}`);
  }

  /** Another program with the same key splits a set of this number of shares. */
  async split(market: string, shares: number): Promise<void> {
    const client = asTrader(this.folder, this.#url);
    const wallet = openKeyFile({ path: join(this.folder, 'wallet.json'), passphrase: null });
    await client.split(wallet, { market_condition_id: market, amount: String(shares) }, { pollMs: LOOK_MS });
    await client.close();
    this.#foreign.set(market, (this.#foreign.get(market) ?? 0) + shares * ONE);
  }

  compared(): Promise<Comparison> {
    const account = { folder: this.folder, url: this.#url, capital: CAPITAL * ONE, funds: FUNDS * ONE };
    return compared({ ...account, foreign: this.#foreign });
  }

  async close(): Promise<void> {
    for (const running of this.#running) {
      running.process.kill('SIGKILL');
      await running.exited;
    }
    await this.#taker.end();
    this.#exchange.process.kill('SIGKILL');
    await this.#exchange.exited;
    rmSync(this.folder, { recursive: true, force: true });
  }

  #kept(running: Running): Running {
    this.#running.add(running);
    void running.exited.then(() => this.#running.delete(running));
    return running;
  }

  /** Null at the timeout. */
  async #inTime<T>(what: Promise<T>): Promise<T | null> {
    const timer = new AbortController();
    try {
      return await Promise.race([what, pause(PATIENCE_MS, null, { signal: timer.signal })]);
    } finally {
      timer.abort();
    }
  }
}

/** The process id of the program that strace runs; null once it has ended. */
function childOf(pid: number): number | null {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? null : Number(children.split(' ')[0]);
  } catch {
    return null;
  }
}
