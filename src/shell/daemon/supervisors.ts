/** Starts and watches guardian, console and the relay to systemd. A guardian without new reports counts as hanging. */

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { dirname, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import { guarded, isGone } from '../../shared/base/processes.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import { type Config, type Environment, isConsoleWanted, type TraderConfig } from '../config/config.js';
import { addressText, obtainPageToken, passwordFrom } from '../console/page-access.js';
import { Heart, readBeat } from '../guardian/beat-file.js';
import {
  ABLE,
  describeReport,
  type GuardianReport,
  type GuardianState,
  HANGS_AFTER_MS,
  locateReportFile,
  reportSchema,
} from '../guardian/decide.js';

const LOOK_EVERY_MS = 500;
/** Running time after which the pause before the guardian's next restart is reset to the shortest, ms. */
const LIVED_MS = 60_000;
/** Maximum wait for a required guardian, ms. Decrypting the guardian's key takes a second, longer on a busy machine. */
const READY_WITHIN_MS = 20_000;
/** Maximum wait for a process's end, ms: the guardian first reads orders again, and the console sends its alerts. */
const GONE_WITHIN_MS = 3_000;

const OVER: readonly string[] = ['ended', 'failed'] satisfies readonly GuardianState[];

const HERE = fileURLToPath(import.meta.url);
const PROGRAM = join(dirname(dirname(dirname(HERE))), 'cli', `twinbook${extname(HERE)}`);

/** Starts a child process in its own session, because Ctrl-C and a closed terminal must reach only the trader. */
const startBeside = (command: 'console' | 'guardian', file: string, options: SpawnOptions): ChildProcess =>
  spawn(process.execPath, [...process.execArgv, PROGRAM, command, '--with-trader', '-c', file], {
    ...options,
    detached: true,
  });

/** Pause before the next start of a child process, ms, doubled at each start up to the longest. */
const GUARDIAN_AGAIN_MS = { first: 1_000, longest: 60_000 } as const;
const CONSOLE_AGAIN_MS = { first: 5_000, longest: 300_000 } as const;

interface GuardianSupervisorOptions {
  readonly config: Config;
  readonly env: Environment;
  readonly ledger: Ledger;
  readonly oursForMs: () => number | null;
  /** Whether orders of the wallet's previous owner may rest. */
  readonly takesOver: boolean;
  readonly loud: (text: string) => void;
  readonly quiet: (text: string) => void;
}

export class GuardianSupervisor {
  readonly #options: GuardianSupervisorOptions;
  readonly heart: Heart;
  #timer: NodeJS.Timeout | null = null;
  #report: GuardianReport | null = null;
  /** Monotonic time of the last change of the guardian's report, ms. */
  #movedMs = performance.now();
  #startedMs = Number.NEGATIVE_INFINITY;
  #isAlive = false;
  #pauseMs: number = GUARDIAN_AGAIN_MS.first;
  #isReading = false;
  #isClosed = false;
  #said = '';

  /** Begins the heartbeat. Call this only after the ledger is locked. Throws `file_unreadable`. */
  constructor(options: GuardianSupervisorOptions) {
    this.#options = options;
    const { config, ledger, oursForMs, takesOver, loud } = options;
    const knowsOrders = ledger.orders({ limit: 1 }).length > 0;
    const cannotBeat = (error: unknown) =>
      loud(`the heartbeat cannot be written, so the guardian will cancel everything: ${messageOf(error)}`);
    this.heart = new Heart(config.ledger.path, knowsOrders, cannotBeat, oursForMs, takesOver);
  }

  /** Starts a guardian unless one is active. Throws `timed_out` if a required guardian is not ready in time. */
  async start(): Promise<void> {
    await this.#read();
    this.#movedMs = performance.now();
    this.#look();
    this.#timer = setInterval(() => void this.#read().then(() => this.#look()), LOOK_EVERY_MS).unref();
    if (!this.#options.config.guardian.required) return;
    const endMs = performance.now() + READY_WITHIN_MS;
    while (!this.#isGuarded && !this.#hasFailed && performance.now() < endMs) await sleep(LOOK_EVERY_MS);
    if (this.#isGuarded) return;
    const text = `no guardian is ready to cancel orders: ${this.status}`;
    throw new TwinbookError('timed_out', text, 'See guardian.log, or set guardian.required: false.');
  }

  get status(): string {
    const report = this.#report;
    const unguarded = 'NONE, so no process cancels orders if the trader dies';
    if (report?.state === 'failed') return `${unguarded}: the guardian ${report.text}`;
    return report === null || this.#isStill ? unguarded : describeReport(report);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.heart.close();
    const { config } = this.#options;
    if (!this.heart.hasEnded || !config.guardian.start) return;
    // Waits for the guardian's end, so that no child process remains when this process exits.
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
    if (this.#isClosed || this.heart.hasEnded) return;
    const report = this.#report;
    const isLost = report === null || this.#isStill || OVER.includes(report.state) || isGone(report.process);
    // A guardian that is still loading has no report yet, and a second guardian would delay the first.
    const patienceMs = this.#isAlive ? Math.max(this.#pauseMs, HANGS_AFTER_MS) : this.#pauseMs;
    if (isLost && performance.now() - this.#startedMs >= patienceMs) this.#spawn();
    this.#tell();
  }

  /** Reads the guardian's report. If the disk hangs, the report stays unchanged, and the guardian counts as stopped. */
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
    // The trader's credentials are withheld, because the guardian has its own API key.
    const withheld = { TWINBOOK_API_KEY: undefined, TWINBOOK_API_SECRET: undefined };
    const child = startBeside('guardian', config.file, { stdio: 'ignore', env: { ...env, ...withheld } });
    // The guardian's start time is read after `spawn`, because `spawn` itself may take long on a busy machine.
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

  #tell(): void {
    const now = this.#isGuarded ? '' : this.status;
    // A guardian that is still starting needs no message, because opening its key takes a second.
    const isYoung = !this.#hasFailed && performance.now() - this.#startedMs < READY_WITHIN_MS / 2;
    if (now === this.#said || (now !== '' && isYoung)) return;
    if (now === '') this.#options.quiet('guarded again');
    else this.#options.loud(`not guarded: ${now}`);
    this.#said = now;
  }
}

interface ConsoleSupervisorOptions {
  readonly config: TraderConfig;
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
  /** Address of the dashboard; null while the dashboard is not served. */
  url: string | null = null;
  #lastWords = '';
  #shownUrl: string | null = null;

  private constructor(options: ConsoleSupervisorOptions) {
    this.#options = options;
    this.#password = passwordFrom(options.env);
    // The console reads the token from the same file, and a password from its environment.
    this.#token = this.#password ?? obtainPageToken(options.config.ledger.path);
    this.#spawn();
  }

  /** Starts the console. Returns null if the configuration needs no console, or after a warning if the start fails. */
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

  /** Ends the console. If orders may still rest, the console first sends an alert; it may outlive the wait of 3 s. */
  async close(isOrderly: boolean): Promise<void> {
    this.#isClosed = true;
    if (this.#again !== null) clearTimeout(this.#again);
    const child = this.#child;
    if (child === null) return;
    await new Promise<void>((resolve) => {
      child.once('close', () => resolve());
      child.stdin?.end(isOrderly ? 'end\n' : '');
      setTimeout(() => (isOrderly ? child.kill('SIGKILL') : resolve()), GONE_WITHIN_MS).unref();
    });
  }

  #spawn(): void {
    const { config, env, note } = this.#options;
    const pass = this.#password === null ? {} : { TWINBOOK_DASHBOARD_PASSWORD: this.#password };
    const child = startBeside('console', config.file, { stdio: 'pipe', env: { ...env, ...WITHHELD, ...pass } });
    this.#child = child;
    // Writing to a console that has ended fails; the `close` event reports that end.
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
    // The cast is safe: `twinbook console --with-trader` of this version wrote the line.
    const { url, isElsewhere } = JSON.parse(line) as { url: string | null; isElsewhere: boolean };
    this.url = url;
    if (url === null || url === this.#shownUrl) return;
    this.#shownUrl = url;
    if (isElsewhere)
      say(
        `warning: port ${config.dashboard.port} (dashboard.port) is in use, so the dashboard has another port, which \`twinbook status\` shows`,
      );
    say(addressText(url, this.#password, this.#token));
  }

  #lose(why: string): void {
    if (this.#child === null || this.#isClosed) return;
    this.#child = null;
    this.url = null;
    this.#options.say(`warning: the dashboard's process ${why}; it is restarted`);
    this.#again = setTimeout(() => this.#spawn(), this.#pauseMs).unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, CONSOLE_AGAIN_MS.longest);
  }
}

/** Secrets removed from the console's environment, because the console needs neither key nor credentials. */
const WITHHELD: Environment = {
  TWINBOOK_WALLET_PASSPHRASE: undefined,
  TWINBOOK_WALLET_PASSPHRASE_FILE: undefined,
  TWINBOOK_API_KEY: undefined,
  TWINBOOK_API_SECRET: undefined,
  TWINBOOK_DASHBOARD_PASSWORD_FILE: undefined,
  TWINBOOK_FLEET_PASSWORD: undefined,
  TWINBOOK_FLEET_PASSWORD_FILE: undefined,
};

/** Shell script that passes each input line to systemd-notify, and ignores signals to its process group. */
const RELAY = `trap '' INT TERM HUP
command -v systemd-notify >/dev/null || exit 127
while IFS= read -r line; do systemd-notify -- "$line"; done`;
const NOT_INSTALLED = 127;
/** Time by which each message extends systemd's limit for start or stop, and interval of the messages, ms. */
const LONGER_MS = 15_000;
const LONGER_EVERY_MS = 5_000;
const MAX_UNREAD_BYTES = 16_384;

interface ServiceManagerOptions {
  readonly env: Environment;
  readonly warn: (text: string) => void;
  readonly clockMs?: () => number;
  /** Sends one message to systemd; by default through the relay process. */
  readonly send?: (message: string) => void;
}

/** Returns an object that notifies systemd; null unless systemd waits for messages. */
export function openServiceManager(options: ServiceManagerOptions) {
  const { env, clockMs = () => performance.now() } = options;
  const socket = env['NOTIFY_SOCKET'] ?? '';
  if (socket === '') return null;
  const send = options.send ?? startRelay(options, socket);
  // The watchdog's interval is a third of systemd's time limit: µs / 1000 / 3.
  const everyMs = Number(env['WATCHDOG_USEC'] ?? '') / 3000;
  const isWatched = everyMs > 0 && ['', String(process.pid)].includes(env['WATCHDOG_PID'] ?? '');
  let workedMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const askForTime = () => {
    clearInterval(timer);
    const ask = () => send(`EXTEND_TIMEOUT_USEC=${LONGER_MS * 1000}`);
    ask();
    timer = setInterval(ask, LONGER_EVERY_MS).unref();
  };
  askForTime();
  return {
    /** Call when own orders, fills and assets are known. Trading then begins, and systemd starts to monitor steps. */
    ready: () => {
      clearInterval(timer);
      send('READY=1');
    },
    /** Call this after each step of the core. Sends at most one message per watchdog interval. */
    step: () => {
      if (!isWatched || clockMs() - workedMs < everyMs) return;
      workedMs = clockMs();
      send('WATCHDOG=1');
    },
    /** Call when the trader begins to stop. Systemd then extends its time limit and no longer monitors steps. */
    stopping: () => {
      send('STOPPING=1');
      askForTime();
    },
  };
}

/** Starts one script for all messages: Node cannot write to systemd's socket, and a process per message would block. */
function startRelay({ env, warn }: ServiceManagerOptions, socket: string): (message: string) => void {
  const relay: ChildProcess = spawn('/bin/sh', ['-c', RELAY], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: env['PATH'] ?? '/usr/bin:/bin', NOTIFY_SOCKET: socket },
  });
  let isGone = false;
  const onGone = (why: string) => {
    if (!isGone) warn(`systemd cannot be notified, and may end the trader (WatchdogSec, Type=notify): ${why}`);
    isGone = true;
  };
  relay.on('error', ({ message }) => onGone(message));
  relay.on('exit', (code) => onGone(code === NOT_INSTALLED ? 'systemd-notify is not installed' : 'the relay ended'));
  const { stdin } = relay;
  stdin?.on('error', () => undefined); // The process's end is reported by `exit`.
  relay.unref();
  if (stdin !== null && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return (message) => {
    if (!isGone && stdin !== null && stdin.writableLength < MAX_UNREAD_BYTES) stdin.write(`${message}\n`);
  };
}
