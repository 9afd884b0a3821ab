/**
 * A whole world on one virtual clock: the paper exchange with its crowd, a network with faults, and the trader as the
 * daemon runs it (core, ledger in a file, wallet), which is killed and restarted. Everything follows from the seed.
 */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Answer } from '../../src/exchange/service/answers.js';
import { Timeline } from '../../src/lab/backtest/run.js';
import { Random } from '../../src/shared/base/random.js';
import { declarationOf, type Scope } from '../../src/shared/protocol/endpoints.js';
import type { AnyCall, Observation, OperatorCommand, Request } from '../../src/shared/protocol/seam.js';
import { Pacing } from '../../src/shell/client/pacing.js';
import { Trader } from '../../src/trader/engine/trader.js';
import type { IntentSigner } from '../../src/trader/executor/contract.js';
import { LedgerBroken } from '../../src/trader/ledger/database.js';
import { ClockFaults } from './clock-faults.js';
import { cancelDirectly } from './direct-cancel.js';
import { Disk } from './disk.js';
import { ExchangeSide } from './exchange-side.js';
import { CALM, type Faults, Tally } from './faults.js';
import { Invariants } from './invariants.js';
import { type Delivery, Network } from './network.js';
import { Readers } from './readers.js';
import { KEY, type Setting, STANDARD, START_MS } from './setting.js';
import { type Keys, Killed, keysOf, RestlessTrader, TraderProcess } from './trader-process.js';
import { Weather } from './weather.js';

/** Beats: the trader gets each and may skip it; processes each completely; or gets none before `quietUntilMs`. */
export type Beats = 'given' | 'taken in full' | 'left out';

const LOOK_MS = 1_000;
const LONGEST_DOWN_MS = 5_000;
const LONGEST_OUTAGE_MS = 20_000;
const LONGEST_HOLD_MS = 20_000;
const LONGEST_NOTE_MS = 60_000;
/** A request held back by the client's own budget is retried after this time: answers may release it. */
const CLIENT_WAIT_MS = 250;
/** Interval between connections of readers while a trader without a ledger cancels. */
const READERS_AGAIN_MS = 20;
const PRUNE_MS = 30_000;
const HOUR_MS = 3_600_000;
/** Unit: characters. */
const MOST_TRACED = 65_536;
/** Factor of the crash rate while a signed request is in flight. */
const PENDING_FACTOR = 10;

/** Records all inputs and requests, run by run, like the daemon's journal. */
export interface Diary {
  /** A process starts on the ledger in this file, which may not exist yet. Returns a wrapper of the signer. */
  begin(runId: string, ledgerFile: string, nowMs: number): (signer: IntentSigner) => IntentSigner;
  step(observation: Observation, requests: readonly Request[]): void;
}

/** How this request may be sent now; null if it may not. */
function placeOf(
  pacing: Pacing,
  { lane, isUrgent = false }: Request,
  nowMs: number,
): Parameters<Pacing['onAnswer']>[0] | null {
  if (pacing.freePermits(nowMs) >= 1) return 'place';
  return Pacing.mayProbe(lane) && pacing.nextProbeMs(isUrgent, nowMs) <= nowMs ? 'probe' : null;
}

export class World {
  readonly timeline = new Timeline(START_MS);
  readonly tally = new Tally();
  readonly exchange: ExchangeSide;
  readonly network: Network;
  readonly invariants: Invariants;
  reads = 0;
  readonly #commands: OperatorCommand[] = [];
  readonly #setting: Setting;
  readonly #random: Random;
  /** Random numbers of the client. */
  readonly #chances: Random;
  readonly #keys: Keys;
  readonly #clock: ClockFaults;
  readonly #disk: Disk;
  readonly #trace = createHash('sha256');
  /** Text that is not in the hash yet: hashing a large text costs as little as a small one. */
  #traced = '';
  readonly #diary: Diary | null;
  readonly #beats: Beats;
  #faults: Faults = CALM;
  /** Our clock minus the exchange's at `#driftSinceMs`; it drifts from then on. */
  #clockOffMs: number;
  #driftSinceMs = START_MS;
  #steppedMs = START_MS;
  #runs = 0;
  #process: TraderProcess | null = null;
  /** An operator stops it, and restarts it after its end. */
  #restarts = false;
  /** The scope of the answer in process. */
  #takesIn: Scope | null = null;
  /** The power fails at one of the next writes. */
  #powerGoes = false;

  constructor(
    seed: number,
    faults: Faults,
    diary: Diary | null = null,
    beats: Beats = 'given',
    setting: Setting = STANDARD,
  ) {
    this.#beats = beats;
    this.#diary = diary;
    this.#setting = setting;
    this.#random = Random.fromSeed(seed, 'world');
    this.#chances = Random.fromSeed(seed, 'client');
    this.#keys = keysOf(KEY);
    this.#clock = new ClockFaults(this, Random.fromSeed(seed, 'clock'));
    this.#disk = new Disk(Random.fromSeed(seed, 'disk'), this.tally, diary !== null);
    this.exchange = new ExchangeSide(seed, this.#keys.address, START_MS, setting, this.tally);
    this.exchange.trades.onTakenBack = () => this.#takeNote();
    this.invariants = new Invariants(this.exchange, setting);
    const weather = new Weather(Random.fromSeed(seed, 'network'), this.tally);
    this.network = new Network(this.exchange, this.timeline, weather, this.tally, (call, answer) =>
      this.#heard(call, answer),
    );
    this.#clockOffMs = faults.clockOffMs;
    this.suffer(faults);
    this.#start();
    this.#crowd();
    this.#every(setting.beatMs, () => this.#step({ kind: 'time', nowMs: this.ourMs }));
    this.#every(LOOK_MS, () => this.#look());
    if (setting.prunes === true) this.#every(PRUNE_MS, () => this.#attempt(() => this.#prune()));
  }

  /** Our clock. */
  get ourMs(): number {
    const { nowMs } = this.timeline;
    const driftMs = ((nowMs - this.#driftSinceMs) * this.#faults.driftPpm) / 1e6;
    return nowMs + this.#clockOffMs + Math.floor(driftMs);
  }

  /** The running process; null between a crash and the next start, and after a failure of its own. */
  get process(): TraderProcess | null {
    return this.#process;
  }

  get traceHash(): string {
    this.#hashTraced();
    return this.#trace.copy().digest('hex');
  }

  /** Passes time, up to the first violation. */
  pass(ms: number): void {
    const { timeline, invariants } = this;
    const untilMs = timeline.nowMs + ms;
    while (invariants.violations.length === 0 && timeline.nextMs <= untilMs) timeline.runUntil(timeline.nextMs);
    if (invariants.violations.length === 0) timeline.runUntil(untilMs);
  }

  stepClock(byMs: number): void {
    if (byMs !== 0) this.tally.add('fault: clock stepped');
    this.#clockOffMs += byMs;
    this.invariants.unsettled(this.timeline.nowMs);
  }

  /** Sets the faults from now on. Our clock keeps its offset. */
  suffer(faults: Faults): void {
    this.#clockOffMs = this.ourMs - this.timeline.nowMs;
    this.#driftSinceMs = this.timeline.nowMs;
    this.#faults = faults;
    this.#powerGoes = false;
    this.network.weather.faults = faults;
    this.exchange.trades.fail = faults.tradeFails;
    this.#disk.suffer(faults);
  }

  /** Removes the faults; requests in flight keep their fate. */
  calm(): void {
    this.suffer(CALM);
    this.network.outageUntilMs = 0;
    for (const conditionId of this.exchange.markets())
      this.exchange.core.at(this.timeline.nowMs).markets.setPaused(conditionId, false);
  }

  /** Stops it finally: it is not restarted. */
  stop(): void {
    this.#restarts = false;
    this.command({ kind: 'stop' });
  }

  /** Sends a command like an operator: retried until a process has accepted it, in the order of the commands. */
  command(command: OperatorCommand): void {
    if (this.#commands.push(command) === 1) this.#sendCommands();
  }

  #sendCommands(): void {
    for (let [command] = this.#commands; command !== undefined; [command] = this.#commands) {
      const taken = this.#step({ kind: 'command', nowMs: this.ourMs, command });
      if (!taken && this.invariants.violations.length === 0) this.timeline.after(500, () => this.#sendCommands());
      if (!taken) return;
      this.#commands.shift();
    }
  }

  /** The process ends as by kill -9 or a power cut: only committed data stays. It restarts after this time. */
  kill(downMs?: number): void {
    if (this.#process === null) return;
    this.tally.add('fault: crash');
    this.#powerGoes = false;
    this.#disk.crash(this.#faults);
    this.#process.close();
    this.#startLater(downMs);
  }

  resolveAny(): void {
    const conditionId = this.exchange.anyOpenMarket();
    if (conditionId === null) return;
    this.tally.add('markets resolved');
    this.exchange.resolve(conditionId, this.timeline.nowMs);
  }

  close(): void {
    this.#process?.close();
    this.#disk.close();
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

  #heard(call: AnyCall, { status }: Answer): void {
    if (status > 299) return;
    switch (call.endpoint) {
      case 'orders.submit':
      case 'orders.cancelSubmit':
      case 'merges.submit':
      case 'splits.submit':
      case 'redeems.submit':
        this.invariants.effect(call, call.params.pubkey);
    }
  }

  /** Once a second: checks the trader's own report, and draws rarer faults. */
  #look(): void {
    const { nowMs } = this.timeline;
    if (this.#process !== null) this.#lookAt(this.#process);
    const faults = this.#faults;
    const hourly = (times: number) => this.#random.chance((times * LOOK_MS) / HOUR_MS);
    if (hourly(faults.restarts)) this.#restartExchange();
    if (hourly(faults.clockSteps)) this.stepClock(this.#random.below(2 * faults.clockStepMs) - faults.clockStepMs);
    this.#clock.look(faults, LOOK_MS);
    if (this.#random.chance(faults.outage)) {
      this.tally.add('fault: outage');
      const untilMs = nowMs + this.#random.below(LONGEST_OUTAGE_MS);
      this.network.outageUntilMs = Math.max(this.network.outageUntilMs, untilMs);
    }
    if (this.#random.chance(faults.command)) this.#intervene();
    const conditionId = this.#random.chance(faults.marketPaused) ? this.exchange.anyOpenMarket() : null;
    if (conditionId === null) return;
    this.tally.add('fault: market paused');
    this.exchange.core.at(nowMs).markets.setPaused(conditionId, true);
    // The exchange may have restarted by then, and its previous core shares the archive.
    this.timeline.after(this.#random.below(LONGEST_HOLD_MS), () =>
      this.exchange.core.at(this.timeline.nowMs).markets.setPaused(conditionId, false),
    );
  }

  #prune(): void {
    const { ourMs: nowMs } = this;
    for (let [after, isDone]: [number | null, boolean] = [0, false]; !isDone && this.#process !== null; ) {
      const batch = this.#process.trader.prune({ beforeMs: nowMs, after, rows: 50 }, nowMs);
      this.tally.add('rows pruned', batch.rows);
      ({ after, isDone } = batch);
    }
  }

  #lookAt(process: TraderProcess): void {
    this.invariants.looked(process, this.ourMs, this.timeline.nowMs);
    if (!this.#restarts || process.trader.snapshot(this.ourMs).mode !== 'stopped') return;
    this.#restarts = false;
    this.tally.add('stopped and started again');
    if (this.#attempt(() => process.trader.end(this.ourMs, 'stopped')) === null) return;
    process.close();
    this.#startLater();
  }

  /** A user acknowledges the exchange's revocations, and resumes the trader. */
  #takeNote(): void {
    this.timeline.after(this.#random.below(LONGEST_NOTE_MS), () =>
      this.command({ kind: 'resume', reason: 'the simulation' }),
    );
  }

  #restartExchange(): void {
    this.tally.add('fault: exchange restarted');
    this.network.cut(1 + this.#random.below(LONGEST_OUTAGE_MS));
    this.exchange.restart(this.timeline.nowMs);
  }

  #intervene(): void {
    const reason = 'the simulation';
    const later = (command: OperatorCommand) => {
      this.timeline.after(this.#random.below(LONGEST_HOLD_MS), () => this.command(command));
      // An operator's command must outlive the process that received it.
      if (this.#random.chance(1 / 4) && this.#faults.crashes > 0) this.kill();
    };
    switch (this.#random.below(8)) {
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
      case 4:
        this.command({ kind: 'reduce-only', reason });
        return later({ kind: 'resume', reason });
      case 5:
        this.#restarts = true;
        return this.command({ kind: 'stop' });
      case 6:
        return this.#flattenAny(later);
      default:
        return this.command({ kind: 'reconcile' });
    }
  }

  #flattenAny(later: (command: OperatorCommand) => void): void {
    const marketConditionId = this.exchange.anyOpenMarket();
    if (marketConditionId === null) return;
    this.command({ kind: 'flatten-market', marketConditionId });
    later({ kind: 'resume-market', marketConditionId, reason: 'the simulation' });
  }

  #start(): void {
    const runId = `r${++this.#runs}`;
    this.#note('start', runId);
    const path = join(this.#disk.folder, 'ledger.sqlite');
    const heard = this.#diary?.begin(runId, path, this.ourMs);
    const kind = this.#beats === 'taken in full' ? RestlessTrader : Trader;
    const chance = () => this.#chances.uniform();
    const options = { path, runId, keys: this.#keys, nowMs: this.ourMs, setting: this.#setting, heard, kind, chance };
    const process = this.#attempt(() => new TraderProcess(options));
    if (process === null) return;
    this.#process = process;
    this.invariants.restarted(process);
    this.invariants.unsettled(this.timeline.nowMs);
    process.touched.clear();
  }

  #startLater(downMs = this.#random.below(LONGEST_DOWN_MS)): void {
    this.#process = null;
    this.timeline.after(downMs, () => this.#start());
  }

  /** One observation; false if no process has accepted it. */
  #step(observation: Observation): boolean {
    const process = this.#process;
    if (process === null) return false;
    const moment = this.#crashes(process) ? this.#random.below(4) : null;
    if (moment === 0) {
      this.kill();
      return false;
    }
    process.diesSigning = moment === 1;
    if (moment === 3) this.#losePowerSoon();
    const refusal = observation.kind === 'command' ? process.trader.refusal(observation.command) : null;
    const requests = this.#leavesOut(observation, process)
      ? []
      : this.#attempt(() => process.trader.handle(observation));
    if (requests !== null) {
      this.#diary?.step(observation, requests);
      this.invariants.stepped(process);
    }
    process.diesSigning = false;
    if (observation.kind === 'command' && refusal === null) this.#ordered(observation.command, requests !== null);
    if (requests === null) return observation.kind !== 'command';
    const dead = moment === 2;
    for (const request of dead ? requests.slice(0, requests.length / 2) : requests) this.#release(process, request);
    if (dead) this.kill();
    return true;
  }

  /** A process that ended during a command may have kept it or not: its operator got no answer and repeats it. */
  #ordered(command: OperatorCommand, taken: boolean): void {
    if (!taken) return this.invariants.lifted(command);
    this.invariants.commanded(command);
    this.tally.add(`command: ${command.kind}`);
  }

  /** Whether the process ends at this step. */
  #crashes(process: TraderProcess): boolean {
    const { nowMs } = this.timeline;
    const sinceMs = nowMs - this.#steppedMs;
    this.#steppedMs = nowMs;
    const perHour = this.#faults.crashes * (process.pending > 0 ? PENDING_FACTOR : 1);
    return this.#random.chance((perHour * sinceMs) / HOUR_MS);
  }

  #losePowerSoon(): void {
    this.#powerGoes = true;
    this.#disk.crashSoon(this.#faults);
  }

  #leavesOut({ kind, nowMs }: Observation, { trader }: TraderProcess): boolean {
    return this.#beats === 'left out' && kind === 'time' && trader.quietUntilMs(nowMs) > nowMs;
  }

  /** Runs work that may end the process or fail; null if it did. */
  #attempt<T>(work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      if (error instanceof Killed) this.kill();
      else if (error instanceof LedgerBroken && this.#powerGoes) this.kill();
      else if (error instanceof LedgerBroken) this.#broken();
      else this.#fail(error);
      return null;
    }
  }

  /** The disk has failed under the ledger: the daemon cancels resting orders with only the key, ends, and restarts. */
  #broken(): void {
    this.tally.add('the ledger broke');
    const readers = this.#process === null ? null : this.#readersOf(this.#process);
    this.#process?.close();
    this.#process = null;
    const { network, invariants } = this;
    let isDone = false;
    const done = () => {
      isDone = true;
      this.#startLater();
    };
    cancelDirectly({ network, invariants, setting: this.#setting, keys: this.#keys, done });
    if (readers !== null) this.#connectUntil(readers, () => isDone);
  }

  /** Readers of a process whose ledger has just failed; null if none are connected. */
  #readersOf({ ledger }: TraderProcess): Readers | null {
    if (this.#faults.readers === 0) return null;
    this.tally.add('fault: the ledger fails while readers are connected');
    const readers = new Readers(ledger, () => this.timeline.nowMs);
    readers.lose();
    return readers;
  }

  #connectUntil(readers: Readers, isDone: () => boolean): void {
    if (isDone()) return;
    try {
      for (let i = 0; i < this.#faults.readers; i++) readers.connect();
    } catch (error) {
      const resting = this.exchange.resting().length;
      if (resting > 0) this.invariants.say(`a reader ended the trader while ${resting} orders rested: ${error}`);
    }
    this.timeline.after(READERS_AGAIN_MS, () => this.#connectUntil(readers, isDone));
  }

  #fail(error: unknown): void {
    const words = error instanceof Error ? error.stack : String(error);
    const said = this.#takesIn === 'public' ? 'public data ended the trader' : 'the trader threw';
    this.invariants.say(`${said}: ${words}`);
    this.#process?.close();
    this.#process = null;
  }

  #release(process: TraderProcess, request: Request): void {
    this.#note('request', request);
    this.tally.add('requests');
    if (request.call.body === undefined) this.reads += 1;
    this.invariants.released(request);
    this.#send(process, request);
  }

  /** Sends as the client does: within its own budget, and not after its deadline. */
  #send(process: TraderProcess, request: Request, isHeldBack = false): void {
    if (this.#process !== process) return;
    const pacing = process.pacings[declarationOf(request.call.endpoint).scope];
    if (this.ourMs >= request.latestMs) {
      const outcome = { kind: 'unknown', reason: 'the request was not sent by its deadline', sent: false } as const;
      this.#deliver(process, request, this.ourMs, { outcome, venueTimeMs: null, budget: null, heard: null, text: '' });
      return;
    }
    const place = placeOf(pacing, request, this.timeline.nowMs);
    if (place === null) {
      if (!isHeldBack) this.tally.add('held back by the client');
      const waitMs = Math.min(CLIENT_WAIT_MS, request.latestMs - this.ourMs);
      this.timeline.after(waitMs, () => this.#send(process, request, true));
      return;
    }
    if (place === 'probe') this.tally.add('probes of the client');
    const isSigned = request.call.body !== undefined && 'signature' in request.call.body;
    const sentMs = this.ourMs;
    if (this.timeline.nowMs >= this.network.outageUntilMs) this.invariants.left(request, this.timeline.nowMs);
    pacing.start(place);
    if (isSigned) process.pending++;
    this.network.send(request.call, (delivery) => {
      if (this.#process !== process) return; // The process that asked has ended.
      if (isSigned) process.pending--;
      const { outcome, heard } = delivery;
      if (outcome.kind === 'unknown' && !outcome.sent) pacing.giveBack(place);
      else if (heard === null) pacing.onSilence(place, this.timeline.nowMs);
      else pacing.onAnswer(place, heard, this.timeline.nowMs);
      this.#deliver(process, request, sentMs, delivery);
    });
  }

  #deliver(process: TraderProcess, request: Request, leftMs: number, { outcome, text, ...rest }: Delivery): void {
    const { id: requestId, call } = request;
    const { scope } = declarationOf(call.endpoint);
    const { pausedMs, ...window } = process.pacings[scope].read(this.timeline.nowMs);
    const left = outcome.kind !== 'unknown' || outcome.sent;
    const budget = left ? { scope, ...window, resetMs: this.ourMs + pausedMs } : null;
    const sentMs = outcome.kind === 'unknown' && !outcome.sent ? this.ourMs : leftMs;
    const observation = { kind: 'outcome', nowMs: this.ourMs, requestId, outcome, sentMs } as const;
    this.#note('outcome', [this.ourMs, process.runId, requestId, call.endpoint, outcome.kind, sentMs]);
    this.#traced += text;
    this.invariants.delivered(request, outcome, sentMs, this.timeline.nowMs);
    this.tally.add(`outcome: ${outcome.kind === 'refused' ? `refused ${outcome.slug}` : outcome.kind}`);
    this.#takesIn = scope;
    this.#step({ ...observation, venueTimeMs: rest.venueTimeMs, budget });
    this.#takesIn = null;
  }

  #note(kind: string, what: unknown): void {
    this.#traced += JSON.stringify([this.timeline.nowMs, kind, what]);
    if (this.#traced.length > MOST_TRACED) this.#hashTraced();
  }

  #hashTraced(): void {
    this.#trace.update(this.#traced);
    this.#traced = '';
  }
}
