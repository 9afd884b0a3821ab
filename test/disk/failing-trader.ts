/**
 * A real trader in its own process, whose ledger's disk fails at one write or sync; the exchange in another process
 * keeps the true state. Before each failure the trader is killed with resting orders, which a failing start must still
 * cancel. Guardian and console are connected. Its log is on a full disk.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { micros } from '../../src/shared/base/micros.js';
import { openReadOnly } from '../../src/trader/ledger/ledger.js';
import { BIN, loadingFirst, type Place, program, type Running, traderPlace, twinbook } from '../support/processes.js';
import { allRows, asTrader, expectAgreement, isResting } from '../support/venue.js';
import { compiledDisk } from './compile.js';
import { countsOf, type DiskFault, faultValues } from './faulty-disk.js';
import { EFFECTLESS } from './kill-comparison.js';

const PRELOAD = pathToFileURL(join(import.meta.dirname, 'preload.mjs')).href;
const LEDGER = 'ledger.sqlite';
/** A run without a failure ends after this number of fills: by then it has made every kind of write. */
const FILLS = 3;

const configOf = (url: string): string => `
venue: { profile: paper, base_url: "${url}" }
wallet: { file: wallet.json }
ledger: { path: ${LEDGER} }
log: { file: /dev/full }
# Patient: it must leave to the failing start what the killed one left.
guardian: { timeout_ms: 10000, resume_after_alarm: true }
dashboard: { port: 0 }
capital: "1000"
polling: { own_interval_ms: 300, hot_interval_ms: 200, assets_interval_ms: 2000 }
risk: { max_fills: 10000, max_actions_per_second: 1000, max_actions_per_minute: 10000 }
merge: { min_shares: "5" }
strategies: [strategies/maker.yaml]
`;

const STRATEGY = `
strategy: log-odds-maker
markets: { select: { state: open, kind: orderbook }, max: 4 }
params: { half_spread_ticks: 2, improve_ticks: 1, order_shares: "25", risk_aversion: 0.002 }
`;

/** The outcome of a start on a failing disk. */
export interface FailedRun {
  /** False if the run ended before the disk failed. */
  readonly happened: boolean;
  readonly exitCode: number | null;
  /** Orders that rest at the exchange after its end. */
  readonly resting: number;
  /** Orders that took effect at the exchange without a signature in the ledger. */
  readonly unwritten: readonly string[];
  /** Lines of the output about the failure. */
  readonly said: readonly string[];
  readonly output: string;
}

export class FailingTrader {
  readonly #place: Place;
  readonly #url: string;
  readonly #running = new Set<Running>();

  constructor(url: string) {
    this.#url = url;
    this.#place = traderPlace(configOf(url), STRATEGY);
  }

  /** Starts it on a working disk and kills it while orders rest. */
  async leaveOrders(): Promise<void> {
    const trader = this.#start();
    await trader.waitFor(/quoting \|/);
    trader.process.kill('SIGKILL');
    await trader.exited;
  }

  /** Starts it on a failing disk and waits for its end; stops it if the disk does not fail. */
  async startOn(fault: Omit<DiskFault, 'file'>): Promise<FailedRun> {
    const compiled = compiledDisk();
    if ('missing' in compiled) throw new Error(compiled.missing);
    const { folder } = this.#place;
    const report = join(folder, 'disk-report');
    const plan = { library: compiled.path, folder, fault: faultValues({ ...fault, file: LEDGER }), report };
    const trader = this.#start({ ...loadingFirst(PRELOAD), TWINBOOK_FAULTY_DISK: JSON.stringify(plan) });
    await Promise.race([trader.waitFor(new RegExp(`quoting \\|[^]*(fill: [^]*){${FILLS}}`)), trader.exited]).catch(
      () => undefined,
    );
    trader.process.kill('SIGTERM');
    const ended = await this.#ended(trader);
    return { ...ended, happened: countsOf(readFileSync(report, 'utf8')).failures > 0 };
  }

  /** Starts it with every call of this name failing as on a full disk. Needs strace. */
  async startWithout(call: string): Promise<FailedRun> {
    const strace = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${call}:error=ENOSPC`];
    const words = [...strace, process.execPath, BIN, 'start', '-c', this.#place.config];
    return { ...(await this.#ended(this.#kept(program('strace', words)))), happened: true };
  }

  /** Starts it on a working disk, stops it and compares it with the exchange to the micro. Returns the fill count. */
  async agrees(): Promise<number> {
    const trader = this.#start();
    // Without a fill there is nothing to compare.
    await trader.waitFor(/quoting \|[\s\S]*fill: /);
    trader.process.kill('SIGTERM');
    const code = await trader.exited;
    if (code !== 0) throw new Error(`the last run ended with ${code}:\n${trader.output()}`);
    return expectAgreement(this.#place.folder, this.#url, micros(1_000_000_000));
  }

  async remove(): Promise<void> {
    for (const trader of this.#running) {
      trader.process.kill('SIGKILL');
      await trader.exited;
    }
    this.#place.remove();
  }

  async #ended(trader: Running): Promise<Omit<FailedRun, 'happened'>> {
    const exitCode = await trader.exited;
    const output = trader.output();
    const said = output.split('\n').filter((line) => /the ledger .*(failed|cannot be opened)/.test(line));
    return { exitCode, said, output, ...(await this.#atTheExchange()) };
  }

  #start(env: Readonly<Record<string, string>> = {}): Running {
    return this.#kept(twinbook(['start', '-c', this.#place.config], env));
  }

  #kept(trader: Running): Running {
    this.#running.add(trader);
    void trader.exited.then(() => this.#running.delete(trader));
    return trader;
  }

  async #atTheExchange(): Promise<Pick<FailedRun, 'resting' | 'unwritten'>> {
    const { folder } = this.#place;
    // A start that failed before it got credentials has no orders.
    if (!existsSync(join(folder, 'credentials.json'))) return { resting: 0, unwritten: [] };
    const client = asTrader(folder, this.#url);
    const orders = await allRows(client, 'orders.list');
    await client.close();
    const resting = orders.filter(isResting).length;
    const effective = orders.filter(({ status }) => !EFFECTLESS.includes(status ?? ''));
    if (effective.length === 0) return { resting, unwritten: [] };
    const ledger = openReadOnly(join(folder, LEDGER));
    const isWritten = (pubkey: string) => {
      const order = ledger.order(pubkey);
      return order !== null && ledger.intent(order.intentId)?.signature !== null;
    };
    const unwritten = effective.map(({ pubkey }) => pubkey ?? '').filter((pubkey) => !isWritten(pubkey));
    ledger.close();
    return { resting, unwritten };
  }
}
