/**
 * One trader in its own process, with orders resting at another process's exchange, stopped in one of the possible
 * ways; and the time until none of its orders rested. Shared by the test and by `npm run lab -- guardian-trials`.
 */

import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isGone } from '../../../src/shared/base/processes.js';
import { RESTING_STATUSES } from '../../../src/shared/protocol/states.js';
import type { ServiceClient } from '../../../src/shell/client/client.js';
import { decode } from '../../../src/shell/guardian/beat-file.js';
import {
  type GuardianReport,
  type Heartbeat,
  heartbeatSchema,
  locateHeartbeatFile,
  locateReportFile,
  reportSchema,
} from '../../../src/shell/guardian/decide.js';
import { loadingFirst, type Running, twinbook } from '../../support/processes.js';
import { asTrader } from '../../support/venue.js';

export const STOPS = {
  killed: 'the process is killed (SIGKILL)',
  stopped: 'the process is stopped (SIGSTOP)',
  blocked: 'the event loop is blocked by a strategy that never returns',
  stepped: 'the clock steps by an hour, for the guardian too, and when it quotes again the process is killed',
} as const;
export type Stop = keyof typeof STOPS;

const trader = (url: string, guardian: string) => `
venue: { profile: paper, base_url: "${url}" }
wallet: { file: wallet.json }
ledger: { path: ledger.sqlite }
log: { file: trader.log }
capital: "2000"
polling: { own_interval_ms: 300, hot_interval_ms: 200, assets_interval_ms: 2000 }
journal: { enabled: false }
dashboard: { enabled: false }
guardian: ${guardian}
strategies: [maker.yaml, blocker.yaml]
`;

const maker = `
strategy: bands
markets: { select: { state: open, kind: orderbook }, max: 20 }
params:
  bands:
    - { min_margin_ticks: 1, avg_margin_ticks: 2, max_margin_ticks: 3, min_shares: "10", avg_shares: "20", max_shares: "30" }
    - { min_margin_ticks: 3, avg_margin_ticks: 4, max_margin_ticks: 5, min_shares: "20", avg_shares: "30", max_shares: "40" }
`;

/** A call that no time limit of the trader can interrupt while the file exists; without the file it wants no quotes. */
const blocker = (flag: string) => `
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { defineStrategy, NO_QUOTES } from 'twinbook/strategy';
const quote = () => {
  const flag = ${JSON.stringify(flag)};
  if (existsSync(flag)) execFileSync('sh', ['-c', 'while [ -e "$0" ]; do sleep 0.2; done', flag]);
  return NO_QUOTES('it only blocks');
};
export default defineStrategy({ name: 'blocker', summary: 'Blocks on demand.', params: {}, create: () => ({ quote }) });
`;

/** Loaded before the program: its wall clock jumps once the file exists. */
const clock = (flag: string) => `
import { existsSync } from 'node:fs';
const real = Date.now;
let stepMs = 0;
Date.now = () => real() + stepMs;
setInterval(() => {
  if (existsSync(${JSON.stringify(flag)})) stepMs = 3_600_000;
}, 100).unref();
`;

/** A folder with a trader that quotes four orders in each market, and its files. */
export class Guarded {
  readonly folder = mkdtempSync(join(tmpdir(), 'twinbook-guarded-'));
  readonly config = join(this.folder, 'trader.yaml');
  readonly #flag = join(this.folder, 'block');
  readonly #clockFlag = join(this.folder, 'step');
  readonly #clock = join(this.folder, 'clock.mjs');
  readonly #url: string;
  #client: ServiceClient | null = null;
  #running: Running | null = null;

  /** `guardian` is YAML. */
  constructor(url: string, { guardian = '{}' } = {}) {
    this.#url = url;
    writeFileSync(this.config, trader(url, guardian));
    writeFileSync(join(this.folder, 'maker.yaml'), maker);
    writeFileSync(join(this.folder, 'blocker.yaml'), 'strategy: ./blocker.js\nmarkets: { max: 1 }\n');
    writeFileSync(join(this.folder, 'blocker.js'), blocker(this.#flag));
    writeFileSync(this.#clock, clock(this.#clockFlag));
  }

  get ledger(): string {
    return join(this.folder, 'ledger.sqlite');
  }

  get process(): Running {
    if (this.#running === null) throw new Error('it was not started');
    return this.#running;
  }

  start(command: 'start' | 'guardian' = 'start'): Running {
    this.#running = twinbook([command, '-c', this.config], loadingFirst(this.#clock));
    return this.#running;
  }

  /** Takes over a trader that was started in another way. */
  adopt(child: ChildProcess, exited: Promise<number | null>): void {
    const waitFor = () => Promise.reject(new Error('nobody listens to it'));
    this.#running = { process: child, output: () => '', exited, waitFor };
  }

  /** Starts it and waits until it is watched and this number of orders rests; returns the number. */
  async quoting(orders: number): Promise<number> {
    await (this.#running ?? this.start()).waitFor(/trades on/);
    await until(() => this.report()?.state === 'watching', 'not watched');
    return this.untilResting(orders, 'too few orders');
  }

  /** Waits until this number of orders rests, and returns the number: a moment later some may be filled or moved. */
  async untilResting(orders: number, said: string): Promise<number> {
    let resting = 0;
    await until(async () => {
      resting = await this.resting();
      return resting >= orders;
    }, said);
    return resting;
  }

  heartbeat(): Heartbeat | null {
    return this.#read(locateHeartbeatFile(this.ledger), heartbeatSchema);
  }

  report(): GuardianReport | null {
    return this.#read(locateReportFile(this.ledger), reportSchema);
  }

  #read<T>(path: string, schema: Parameters<typeof decode<T>>[1]): T | null {
    if (!existsSync(path)) return null;
    const read = decode(readFileSync(path), schema);
    return read === 'unreadable' ? null : read;
  }

  log(): string {
    const path = `${this.ledger}.guardian.log`;
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  /** Number of orders that the exchange shows. */
  async resting(): Promise<number> {
    this.#client ??= asTrader(this.folder, this.#url);
    const query = { status: [...RESTING_STATUSES], limit: 100 };
    const { outcome } = await this.#client.call('orders.list', { query });
    if (outcome.kind !== 'answered') throw new Error(JSON.stringify(outcome));
    return outcome.data.length;
  }

  /** From now on the clocks of trader and guardian are an hour ahead. */
  stepClock(): void {
    writeFileSync(this.#clockFlag, '');
  }

  stop(how: Stop): void {
    if (how === 'killed' || how === 'stepped') this.process.process.kill('SIGKILL');
    if (how === 'stopped') this.process.process.kill('SIGSTOP');
    if (how === 'blocked') writeFileSync(this.#flag, '');
  }

  unblock(): void {
    rmSync(this.#flag);
  }

  /** Ends all left processes and removes the folder, which also ends a paper guardian. */
  async remove(): Promise<void> {
    const { process: child, exited } = this.process;
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await exited;
    await this.#client?.close();
    const guardian = this.report()?.process;
    // A starting guardian may still write into it.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    if (guardian !== undefined) await until(() => isGone(guardian), `guardian ${guardian.pid} stays`);
  }
}

export interface Trial {
  readonly stop: Stop;
  readonly orders: number;
  /** From the stop until a read showed that nothing rests, ms. */
  readonly clearedMs: number;
}

/** Starts a trader, stops it, and waits until no order rests. Throws at the time limit. */
export async function trial(guarded: Guarded, stop: Stop, orders: number): Promise<Trial> {
  const first = await guarded.quoting(orders);
  const resting = stop === 'stepped' ? await steppedAndQuoting(guarded, orders) : first;
  const startMs = performance.now();
  guarded.stop(stop);
  await until(async () => (await guarded.resting()) === 0, 'orders rest');
  const clearedMs = performance.now() - startMs;
  // It stays so: requests in flight have arrived by then, and were canceled too.
  await until(() => guarded.report()?.state === 'secured', 'not secured');
  if ((await guarded.resting()) > 0) throw new Error(`secured, but orders rest: ${guarded.log()}`);
  return { stop, orders: resting, clearedMs };
}

/** The trader notices and continues; its heartbeat never stopped, so there was no alarm. */
async function steppedAndQuoting(guarded: Guarded, orders: number): Promise<number> {
  guarded.stepClock();
  await guarded.process.waitFor(/clock differs from the exchange's by -?\d{4}\.\d s/);
  const resting = await guarded.untilResting(orders, 'it does not quote after the step');
  if (guarded.log().includes('ALARM')) throw new Error(`a clock step raised an alarm: ${guarded.log()}`);
  return resting;
}

const PATIENCE_MS = 240_000;

/** The caller shows the output of the processes. */
export async function until(isSo: () => boolean | Promise<boolean>, said: string): Promise<void> {
  for (const endMs = performance.now() + PATIENCE_MS; !(await isSo()); await pause(50))
    if (performance.now() > endMs) throw new Error(said);
}
