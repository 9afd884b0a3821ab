/**
 * A whole world on one virtual clock: the paper exchange with its crowd, a network with faults, and the trader as the
 * daemon runs it (core, ledger in a file, wallet), which is killed and started again. Everything follows from the seed.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Timeline } from '../../src/backtest/timeline.js';
import { Random } from '../../src/base/random.js';
import { Trader } from '../../src/engine/trader.js';
import type { DraftSigner } from '../../src/executor/contract.js';
import { declarationOf } from '../../src/protocol/endpoints.js';
import type { Observation, OperatorCommand, Request } from '../../src/protocol/seam.js';
import { Wallet } from '../../src/wallet/wallet.js';
import { ExchangeSide } from './exchange-side.js';
import { CALM, type Faults, Tally } from './faults.js';
import { Invariants } from './invariants.js';
import { type Delivery, Network } from './network.js';
import { START_MS } from './setting.js';
import { Killed, RestlessTrader, TraderProcess } from './trader-process.js';

const BEAT_MS = 250;

/**
 * What becomes of beats: the trader is given each and sees for itself which it may pass over; it takes each in full; or
 * those before its `quietUntilMs` are not made.
 */
export type Beats = 'given' | 'taken in full' | 'left out';

const LOOK_MS = 1_000;
const LONGEST_DOWN_MS = 5_000;
const LONGEST_OUTAGE_MS = 20_000;
const LONGEST_HOLD_MS = 20_000;
/** A request that the client's own budget holds back tries again after this. */
const CLIENT_WAIT_MS = 50;

/** A commit costs a sync; in memory that is nothing. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Keeps everything that crosses the seam, run by run, as the daemon's journal does. */
export interface Diary {
  /** A process begins, on the ledger in this file, which may not exist yet. Returns the signer, listened to. */
  begin(runId: string, ledgerFile: string, nowMs: number): (signer: DraftSigner) => DraftSigner;
  step(observation: Observation, requests: readonly Request[]): void;
}

export class World {
  readonly timeline = new Timeline(START_MS);
  readonly tally = new Tally();
  readonly exchange: ExchangeSide;
  readonly network: Network;
  readonly invariants: Invariants;
  readonly #random: Random;
  readonly #wallet = new Wallet(Uint8Array.from({ length: 32 }, (_, i) => i + 1));
  readonly #folder = mkdtempSync(join(FOLDER, 'twinbook-simulation-'));
  readonly #trace = createHash('sha256');
  readonly #diary: Diary | null;
  readonly #beats: Beats;
  #faults: Faults;
  #clockOffMs: number;
  #runs = 0;
  #process: TraderProcess | null = null;

  constructor(seed: number, faults: Faults, diary: Diary | null = null, beats: Beats = 'given') {
    this.#beats = beats;
    this.#diary = diary;
    this.#random = Random.seeded(seed, 'world');
    this.exchange = new ExchangeSide(seed, this.#wallet.address, START_MS);
    this.invariants = new Invariants(this.exchange);
    const random = Random.seeded(seed, 'network');
    this.network = new Network(this.exchange, this.timeline, random, this.tally, ({ endpoint }) => {
      if (endpoint === 'orders.submit') this.invariants.placed();
    });
    this.#faults = faults;
    this.network.faults = faults;
    this.#clockOffMs = faults.clockOffMs;
    this.#start();
    this.#crowd();
    this.#every(BEAT_MS, () => this.#step({ kind: 'time', nowMs: this.ourMs }));
    this.#every(LOOK_MS, () => this.#look());
  }

  /** Our clock. */
  get ourMs(): number {
    return this.timeline.nowMs + this.#clockOffMs;
  }

  /** The process that runs; null between a crash and the next start, and after a failure of its own. */
  get process(): TraderProcess | null {
    return this.#process;
  }

  get traceHash(): string {
    return this.#trace.copy().digest('hex');
  }

  /** Time passes, up to the first violation. */
  pass(ms: number): void {
    const { timeline, invariants } = this;
    const untilMs = timeline.nowMs + ms;
    while (invariants.violations.length === 0 && timeline.nextMs <= untilMs) timeline.runUntil(timeline.nextMs);
    if (invariants.violations.length === 0) timeline.runUntil(untilMs);
  }

  stepClock(byMs: number): void {
    if (byMs !== 0) this.tally.add('fault: clock stepped');
    this.#clockOffMs += byMs;
  }

  /** No more faults; what is under way stays under way. */
  calm(): void {
    this.#faults = CALM;
    this.network.faults = CALM;
    this.network.outageUntilMs = 0;
    for (const conditionId of this.exchange.markets()) {
      this.exchange.core.setMarketPaused(this.timeline.nowMs, conditionId, false);
    }
  }

  /** As an operator does it: tried again until a process has taken it in. */
  command(command: OperatorCommand): void {
    const taken = this.#step({ kind: 'command', nowMs: this.ourMs, command });
    if (!taken && this.invariants.violations.length === 0) this.timeline.after(500, () => this.command(command));
  }

  resolveAny(): void {
    const conditionId = this.exchange.anyOpenMarket();
    if (conditionId === null) return;
    this.tally.add('markets resolved');
    this.exchange.resolve(conditionId, this.timeline.nowMs);
  }

  close(): void {
    this.#process?.ledger.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #every(ms: number, run: () => void): void {
    this.timeline.after(ms, () => {
      run();
      this.#every(ms, run);
    });
  }

  #crowd(): void {
    const { nowMs } = this.timeline;
    this.exchange.settle(nowMs);
    this.timeline.after(Math.max(1, this.exchange.nextDueMs() - nowMs), () => this.#crowd());
  }

  /** Once a second: looks at what the trader says of itself, and lets rarer things go wrong. */
  #look(): void {
    const { nowMs } = this.timeline;
    if (this.#process !== null) this.invariants.looked(this.#process, this.ourMs);
    const faults = this.#faults;
    if (this.#random.chance(faults.outage)) {
      this.tally.add('fault: outage');
      this.network.outageUntilMs = nowMs + this.#random.below(LONGEST_OUTAGE_MS);
    }
    if (this.#random.chance(faults.command)) this.#intervene();
    const conditionId = this.#random.chance(faults.marketPaused) ? this.exchange.anyOpenMarket() : null;
    if (conditionId === null) return;
    this.tally.add('fault: market paused');
    const { core } = this.exchange;
    core.setMarketPaused(nowMs, conditionId, true);
    this.timeline.after(this.#random.below(LONGEST_HOLD_MS), () =>
      core.setMarketPaused(this.timeline.nowMs, conditionId, false),
    );
  }

  #intervene(): void {
    const reason = 'the simulation';
    const later = (command: OperatorCommand) => {
      this.timeline.after(this.#random.below(LONGEST_HOLD_MS), () => this.command(command));
      // What an operator has ordered must outlive the process that heard it.
      if (this.#random.chance(10 * this.#faults.crashPending)) this.#kill();
    };
    switch (this.#random.below(5)) {
      case 0:
        this.command({ kind: 'pause', reason });
        return later({ kind: 'resume', reason });
      case 1:
        this.command({ kind: 'kill', reason });
        return later({ kind: 'unkill', reason });
      case 2:
        this.command({ kind: 'flatten' });
        return later({ kind: 'resume', reason });
      case 3:
        return this.command({ kind: 'cancel-all' });
      default:
        return this.command({ kind: 'reconcile' });
    }
  }

  #start(): void {
    const runId = `r${++this.#runs}`;
    this.#note('start', runId);
    const path = join(this.#folder, 'ledger.sqlite');
    const heard = this.#diary?.begin(runId, path, this.ourMs);
    const Kind = this.#beats === 'taken in full' ? RestlessTrader : Trader;
    this.#attempt(() => {
      this.#process = new TraderProcess(path, runId, this.#wallet, this.ourMs, heard, Kind);
    });
    this.invariants.restarted();
  }

  /** The process is gone, as by kill -9: what it had committed stays, its answers find nobody. */
  #kill(): void {
    if (this.#process === null) return;
    this.tally.add('fault: crash');
    this.#process.ledger.close();
    this.#process = null;
    this.timeline.after(this.#random.below(LONGEST_DOWN_MS), () => this.#start());
  }

  /** One observation; false when no process has taken it in. */
  #step(observation: Observation): boolean {
    const process = this.#process;
    if (process === null) return false;
    const crashes = this.#random.chance(process.pending > 0 ? this.#faults.crashPending : this.#faults.crash);
    const moment = crashes ? this.#random.below(3) : null;
    if (moment === 0) {
      this.#kill();
      return false;
    }
    process.diesSigning = moment === 1;
    const requests = this.#leavesOut(observation, process)
      ? []
      : this.#attempt(() => process.trader.handle(observation));
    if (requests !== null) this.#diary?.step(observation, requests);
    if (observation.kind === 'command') {
      this.invariants.commanded(observation.command);
      this.tally.add(`command: ${observation.command.kind}`);
    }
    process.diesSigning = false;
    if (requests === null) return true;
    const dead = moment === 2;
    for (const request of dead ? requests.slice(0, requests.length / 2) : requests) this.#release(process, request);
    if (dead) this.#kill();
    return true;
  }

  #leavesOut({ kind, nowMs }: Observation, { trader }: TraderProcess): boolean {
    return this.#beats === 'left out' && kind === 'time' && trader.quietUntilMs(nowMs) > nowMs;
  }

  /** Runs what may die, or fail; null when it did. */
  #attempt<T>(work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      if (error instanceof Killed) this.#kill();
      else this.#fail(error);
      return null;
    }
  }

  /** The daemon would cancel what rests and end; here it is a failure of what is tested. */
  #fail(error: unknown): void {
    this.invariants.say(`the trader threw: ${error instanceof Error ? error.stack : String(error)}`);
    this.#process?.ledger.close();
    this.#process = null;
  }

  #release(process: TraderProcess, request: Request): void {
    this.#note('request', request);
    this.tally.add('requests');
    this.invariants.released(request, process);
    this.#send(process, request);
  }

  /** As the client does it: within its own budget, and not at all when its time is over. */
  #send(process: TraderProcess, request: Request): void {
    if (this.#process !== process) return;
    const window = process.windows[declarationOf(request.call.endpoint).scope];
    if (this.ourMs >= request.latestMs) {
      const outcome = { kind: 'unknown', reason: 'its turn did not come in time', sent: false } as const;
      this.#deliver(process, request, this.ourMs, { outcome, venueTimeMs: null, budget: null });
      return;
    }
    if (window.free(this.timeline.nowMs) <= 0) {
      this.tally.add('held back by the client');
      this.timeline.after(CLIENT_WAIT_MS, () => this.#send(process, request));
      return;
    }
    const isSigned = request.call.body !== undefined && 'signature' in request.call.body;
    const sentMs = this.ourMs;
    if (this.timeline.nowMs >= this.network.outageUntilMs) this.invariants.left(request, this.timeline.nowMs);
    window.start();
    if (isSigned) process.pending++;
    this.network.send(request.call, (delivery) => {
      if (this.#process !== process) return; // the process that asked is dead
      if (isSigned) process.pending--;
      const { outcome, budget } = delivery;
      if (outcome.kind === 'unknown' && !outcome.sent) window.giveBack();
      else window.finish(this.timeline.nowMs);
      if (budget !== null) window.learn(budget.limit, budget.remaining, this.timeline.nowMs);
      this.#deliver(process, request, sentMs, delivery);
    });
  }

  #deliver(process: TraderProcess, { id, call }: Request, leftMs: number, { outcome, ...rest }: Delivery): void {
    const requestId = id;
    const budget = rest.budget && { ...rest.budget, resetMs: rest.budget.resetMs + this.#clockOffMs };
    const sentMs = outcome.kind === 'unknown' && !outcome.sent ? this.ourMs : leftMs;
    const observation = { kind: 'outcome', nowMs: this.ourMs, requestId, outcome, sentMs } as const;
    this.#note('outcome', { ...observation, run: process.runId, endpoint: call.endpoint });
    this.tally.add(`outcome: ${outcome.kind === 'refused' ? `refused ${outcome.slug}` : outcome.kind}`);
    this.#step({ ...observation, venueTimeMs: rest.venueTimeMs, budget });
  }

  #note(kind: string, what: unknown): void {
    this.#trace.update(JSON.stringify([this.timeline.nowMs, kind, what]));
  }
}
