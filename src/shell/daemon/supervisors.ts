/**
 * The processes beside a trader: guardian, console, and the relay of messages to systemd. The trader never waits for
 * the console, and trusts only the guardian's file: an existing process may hang.
 */

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { dirname, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import { guarded, isGone } from '../../shared/base/processes.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import { type Config, type Environment, isConsoleWanted } from '../config/config.js';
import { addressText, obtainPageToken, passwordFrom } from '../console/page-access.js';
import { Heart, readBeat } from '../guardian/beat-file.js';
import {
  describeReport,
  type GuardianReport,
  type GuardianState,
  locateReportFile,
  reportSchema,
} from '../guardian/decide.js';

const LOOK_EVERY_MS = 500;
/** A guardian writes four times a second; without a write for this long it hangs. */
const HANGS_AFTER_MS = 5_000;
/** A guardian that lived this long may be restarted at once. */
const LIVED_MS = 60_000;
/** A key under a passphrase takes a second to open, a busy machine some more. */
const READY_WITHIN_MS = 20_000;
/** Time for a child's end, ms: the guardian learns that no order rests, the console sends pending messages. */
const GONE_WITHIN_MS = 3_000;

const ABLE: readonly string[] = ['watching', 'canceling', 'secured'] satisfies readonly GuardianState[];
const OVER: readonly string[] = ['ended', 'failed'] satisfies readonly GuardianState[];

const HERE = fileURLToPath(import.meta.url);
const PROGRAM = join(dirname(dirname(dirname(HERE))), 'cli', `twinbook${extname(HERE)}`);

/**
 * Starts a child in its own group and session. Ctrl-C and a closed terminal reach only the trader: guardian and console
 * must outlive the trader.
 */
const startBeside = (command: 'console' | 'guardian', file: string, options: SpawnOptions): ChildProcess =>
  spawn(process.execPath, [...process.execArgv, PROGRAM, command, '--with-trader', '-c', file], {
    ...options,
    detached: true,
  });

/** Between two starts, ms, doubled each time: a process that dies at once must not keep the machine busy. */
const GUARDIAN_AGAIN_MS = { first: 1_000, longest: 60_000 } as const;
const CONSOLE_AGAIN_MS = { first: 5_000, longest: 300_000 } as const;

export interface GuardianSupervisorOptions {
  readonly config: Config;
  readonly env: Environment;
  readonly ledger: Ledger;
  readonly loud: (text: string) => void;
  readonly quiet: (text: string) => void;
}

export class GuardianSupervisor {
  readonly #options: GuardianSupervisorOptions;
  readonly heart: Heart;
  #timer: NodeJS.Timeout | null = null;
  #report: GuardianReport | null = null;
  /** Our own clock, ms, of the last change of the report. */
  #movedMs = performance.now();
  #startedMs = Number.NEGATIVE_INFINITY;
  #isAlive = false;
  #pauseMs: number = GUARDIAN_AGAIN_MS.first;
  #isReading = false;
  #isClosed = false;
  #said = '';

  /** Begins the heartbeat; the ledger is locked. Throws `file_unreadable`. */
  constructor(options: GuardianSupervisorOptions) {
    this.#options = options;
    const { config, ledger, loud } = options;
    const knowsOrders = ledger.orders({ limit: 1 }).length > 0;
    this.heart = new Heart(config.ledger.path, knowsOrders, (error) => {
      loud(`the heartbeat cannot be written, the guardian will cancel everything: ${messageOf(error)}`);
    });
  }

  /** Starts a guardian if none is awake. Throws `timed_out` when one is required and none can cancel in time. */
  async start(): Promise<void> {
    await this.#read();
    this.#movedMs = performance.now();
    this.#look();
    this.#timer = setInterval(() => void this.#read().then(() => this.#look()), LOOK_EVERY_MS).unref();
    if (!this.#options.config.guardian.required) return;
    const endMs = performance.now() + READY_WITHIN_MS;
    while (!this.#isGuarded && !this.#hasFailed && performance.now() < endMs) await sleep(LOOK_EVERY_MS);
    if (this.#isGuarded) return;
    const text = `no guardian can cancel: ${this.status}`;
    throw new TwinbookError('timed_out', text, 'See guardian.log, or set guardian.required: false.');
  }

  get status(): string {
    const report = this.#report;
    const nobody = 'NONE, nothing cancels when this process stops';
    if (report?.state === 'failed') return `${nobody}: it ${report.text}`;
    return report === null || this.#isStill ? nobody : describeReport(report);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.heart.close();
    const { config } = this.#options;
    if (!this.heart.hasEnded || !config.guardian.start) return;
    // After our exit the parent must find no child process of ours.
    const endMs = performance.now() + GONE_WITHIN_MS;
    while (performance.now() < endMs && (await this.#othersRemain())) await sleep(50);
  }

  async #othersRemain(): Promise<boolean> {
    const report = await readBeat(locateReportFile(this.#options.config.ledger.path), reportSchema);
    return report !== null && report !== 'unreadable' && !report.stays && !isGone(report.process);
  }

  get #isStill(): boolean {
    return performance.now() - this.#movedMs >= HANGS_AFTER_MS;
  }

  get #isGuarded(): boolean {
    return this.#report !== null && ABLE.includes(this.#report.state) && !this.#isStill;
  }

  get #hasFailed(): boolean {
    return this.#report?.state === 'failed' && this.#movedMs > this.#startedMs;
  }

  #look(): void {
    if (this.#isClosed) return;
    const report = this.#report;
    const isLost = report === null || this.#isStill || OVER.includes(report.state) || isGone(report.process);
    // A loading guardian reports nothing yet: on a busy machine a second one would only slow it down.
    const patienceMs = this.#isAlive ? Math.max(this.#pauseMs, HANGS_AFTER_MS) : this.#pauseMs;
    if (isLost && performance.now() - this.#startedMs >= patienceMs) this.#spawn();
    this.#tell();
  }

  /** A hanging disk leaves the report unchanged, and soon it counts as stopped. */
  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const read = await readBeat(locateReportFile(this.#options.config.ledger.path), reportSchema);
    this.#isReading = false;
    if (read === null || read === 'unreadable') return;
    if (read.run !== this.#report?.run || read.count !== this.#report.count) this.#movedMs = performance.now();
    this.#report = read;
  }

  #spawn(): void {
    const { config, env, loud, quiet } = this.#options;
    if (!config.guardian.start) return;
    const lived = performance.now() - this.#startedMs >= LIVED_MS;
    this.#pauseMs = lived ? GUARDIAN_AGAIN_MS.first : Math.min(this.#pauseMs * 2, GUARDIAN_AGAIN_MS.longest);
    // The guardian has its own API key.
    const withheld = { TWINBOOK_API_KEY: undefined, TWINBOOK_API_SECRET: undefined };
    const child = startBeside('guardian', config.file, { stdio: 'ignore', env: { ...env, ...withheld } });
    // A busy machine needs time to begin a process: its patience does not begin before that.
    const startedMs = performance.now();
    this.#startedMs = startedMs;
    this.#isAlive = true;
    const hasEnded = () => {
      if (this.#startedMs === startedMs) this.#isAlive = false;
    };
    child.once('exit', hasEnded);
    child.on('error', (error) => {
      hasEnded();
      loud(`the guardian cannot be started: ${error.message}`);
    });
    child.unref();
    quiet(`started a guardian, process ${child.pid ?? 'unknown'}`);
  }

  /** Each change once. */
  #tell(): void {
    const now = this.#isGuarded ? '' : this.status;
    // Opening its key takes a second and needs no message.
    const isYoung = !this.#hasFailed && performance.now() - this.#startedMs < READY_WITHIN_MS / 2;
    if (now === this.#said || (now !== '' && isYoung)) return;
    if (now === '') this.#options.quiet('guarded again');
    else this.#options.loud(`not guarded: ${now}`);
    this.#said = now;
  }
}

/** Lines that `twinbook console --with-trader` writes, as JSON. */
export interface ConsoleSaid {
  readonly url: string | null;
  readonly isElsewhere: boolean;
}

export interface ConsoleSupervisorOptions {
  readonly config: Config;
  readonly env: Environment;
  readonly say: (text: string) => void;
  readonly note: (text: string) => void;
}

export class ConsoleSupervisor {
  readonly #options: ConsoleSupervisorOptions;
  readonly #password: string | null;
  readonly #token: string;
  #child: ChildProcess | null = null;
  #again: NodeJS.Timeout | null = null;
  #pauseMs: number = CONSOLE_AGAIN_MS.first;
  #isClosed = false;
  /** Address of the page; null while there is none. */
  url: string | null = null;
  #lastWords = '';
  #shownUrl: string | null = null;

  private constructor(options: ConsoleSupervisorOptions) {
    this.#options = options;
    this.#password = passwordFrom(options.env);
    // The console reads the same token file, and gets a password from its environment.
    this.#token = this.#password ?? obtainPageToken(options.config.ledger.path);
    this.#spawn();
  }

  /** Null when the configuration has none, or when it cannot start, which is reported. */
  static start(options: ConsoleSupervisorOptions): ConsoleSupervisor | null {
    const { config } = options;
    if (!isConsoleWanted(config) || !config.dashboard.start) return null;
    try {
      return new ConsoleSupervisor(options);
    } catch (error) {
      const hint = error instanceof TwinbookError ? `. ${error.hint}` : '';
      options.say(`warning: there is no dashboard: ${messageOf(error)}${hint}`);
      return null;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#again !== null) clearTimeout(this.#again);
    const child = this.#child;
    if (child === null) return;
    const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
    child.stdin?.end('end\n');
    const timer = setTimeout(() => child.kill('SIGKILL'), GONE_WITHIN_MS);
    await gone;
    clearTimeout(timer);
  }

  #spawn(): void {
    const { config, env, note } = this.#options;
    const pass = this.#password === null ? {} : { TWINBOOK_DASHBOARD_PASSWORD: this.#password };
    const child = startBeside('console', config.file, { stdio: 'pipe', env: { ...env, ...WITHHELD, ...pass } });
    this.#child = child;
    // The console's input ends with this process in every case.
    child.stdin?.on('error', () => undefined);
    const failed = (error: unknown) => note(`console: ${String(error)}`);
    const hear = (line: string) => this.#hear(line);
    if (child.stdout) createInterface({ input: child.stdout }).on('line', guarded(hear, failed));
    const complain = (line: string) => {
      this.#lastWords = `: ${line}`;
      note(`console: ${line}`);
    };
    if (child.stderr) createInterface({ input: child.stderr }).on('line', guarded(complain, failed));
    child.on('error', (error) => this.#lose(`cannot be started: ${error.message}`));
    child.on('close', (code, signal) => this.#lose(`ended (${signal ?? code})${this.#lastWords}`));
  }

  #hear(line: string): void {
    const { say, config } = this.#options;
    const { url, isElsewhere } = JSON.parse(line) as ConsoleSaid; // Our own program of this version wrote the line.
    this.url = url;
    if (url === null || url === this.#shownUrl) return;
    this.#shownUrl = url;
    if (isElsewhere)
      say(
        `warning: port ${config.dashboard.port} is taken (dashboard.port), so the dashboard is at another one, which \`twinbook status\` names`,
      );
    say(addressText(url, this.#password, this.#token));
  }

  #lose(why: string): void {
    if (this.#child === null || this.#isClosed) return;
    this.#child = null;
    this.url = null;
    this.#options.say(`warning: the dashboard's process ${why}; it is started again`);
    this.#again = setTimeout(() => this.#spawn(), this.#pauseMs).unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, CONSOLE_AGAIN_MS.longest);
  }
}

/** Secrets removed from the console's environment: the console has no key and no credentials. */
const WITHHELD: Environment = {
  TWINBOOK_WALLET_PASSPHRASE: undefined,
  TWINBOOK_WALLET_PASSPHRASE_FILE: undefined,
  TWINBOOK_API_KEY: undefined,
  TWINBOOK_API_SECRET: undefined,
  TWINBOOK_DASHBOARD_PASSWORD_FILE: undefined,
  TWINBOOK_FLEET_PASSWORD: undefined,
  TWINBOOK_FLEET_PASSWORD_FILE: undefined,
};

/** Passes input lines to systemd-notify. Only the trader ends the relay; group signals do not. */
const RELAY = `trap '' INT TERM HUP
command -v systemd-notify >/dev/null || exit 127
while IFS= read -r line; do systemd-notify -- "$line"; done`;
const NOT_INSTALLED = 127;
/** Extension of a start or stop by each message, and the interval of messages, ms. */
const LONGER_MS = 15_000;
const LONGER_EVERY_MS = 5_000;
const MAX_UNREAD_BYTES = 16_384;

interface ServiceManagerOptions {
  readonly env: Environment;
  readonly warn: (text: string) => void;
  readonly clockMs?: () => number;
  /** Sends one message to systemd; absent: the relay sends. */
  readonly send?: (message: string) => void;
}

/**
 * Notifies systemd: ready, alive, stopping. Node cannot write to systemd's socket, and a process per message would halt
 * the loop. One small shell passes messages on line by line.
 */
export class ServiceManager {
  readonly #send: (message: string) => void;
  readonly #clockMs: () => number;
  /** Null without systemd's watchdog; else the interval of its messages, ms. */
  readonly #watchdogEveryMs: number | null;
  #timer: NodeJS.Timeout | null = null;
  #workedMs = Number.NEGATIVE_INFINITY;

  private constructor({ env, clockMs = () => performance.now() }: ServiceManagerOptions, send: (text: string) => void) {
    this.#send = send;
    this.#clockMs = clockMs;
    // Three messages within systemd's limit.
    const intervalUs = Number(env['WATCHDOG_USEC'] ?? '');
    const isOurs = ['', String(process.pid)].includes(env['WATCHDOG_PID'] ?? '');
    this.#watchdogEveryMs = intervalUs > 0 && isOurs ? intervalUs / 3000 : null;
    this.#askForTime();
  }

  /** Null without a waiting systemd. */
  static open(options: ServiceManagerOptions): ServiceManager | null {
    const socket = options.env['NOTIFY_SOCKET'] ?? '';
    if (socket === '') return null;
    return new ServiceManager(options, options.send ?? startRelay(options, socket));
  }

  /** Own orders, fills and assets are known: trading begins, and systemd watches the steps. */
  ready(): void {
    this.#endAskingForTime();
    this.#send('READY=1');
  }

  /** A step of the core was taken. Cheap: most calls only read the clock. */
  step(): void {
    if (this.#watchdogEveryMs === null) return;
    const nowMs = this.#clockMs();
    if (nowMs - this.#workedMs < this.#watchdogEveryMs) return;
    this.#workedMs = nowMs;
    this.#send('WATCHDOG=1');
  }

  /** The trader cancels everything and ends: systemd no longer watches its steps, and there is no time limit. */
  stopping(): void {
    this.#send('STOPPING=1');
    this.#askForTime();
  }

  #askForTime(): void {
    this.#endAskingForTime();
    const ask = () => this.#send(`EXTEND_TIMEOUT_USEC=${LONGER_MS * 1000}`);
    ask();
    this.#timer = setInterval(ask, LONGER_EVERY_MS).unref();
  }

  #endAskingForTime(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

function startRelay({ env, warn }: ServiceManagerOptions, socket: string): (message: string) => void {
  const relay: ChildProcess = spawn('/bin/sh', ['-c', RELAY], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: env['PATH'] ?? '/usr/bin:/bin', NOTIFY_SOCKET: socket },
  });
  let isGone = false;
  const onGone = (why: string) => {
    if (!isGone) warn(`systemd cannot be notified, and ends the trader if it waits for that: ${why}`);
    isGone = true;
  };
  relay.on('error', ({ message }) => onGone(message));
  relay.on('exit', (code) => onGone(code === NOT_INSTALLED ? 'systemd-notify is not installed' : 'its relay ended'));
  const { stdin } = relay;
  stdin?.on('error', () => undefined); // the end of the process is message enough
  relay.unref();
  if (stdin !== null && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return (message) => {
    if (!isGone && stdin !== null && stdin.writableLength < MAX_UNREAD_BYTES) stdin.write(`${message}\n`);
  };
}
