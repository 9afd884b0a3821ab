/**
 * Notifies systemd of the trader's state: ready, present action, alive. Under a unit with `Type=notify` systemd names its socket
 * in NOTIFY_SOCKET; without that name nothing here does anything.
 *
 * Node cannot write to such a socket, and starting a process for each message would halt the loop of a large process for
 * tens of milliseconds. So one small shell is started first, and passes its input on line by line.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import type { Environment } from '../config/environment.js';

/** The machine's systemd-notify, one message per line. Signals to the group do not end it: the trader does. */
const RELAY = `trap '' INT TERM HUP
command -v systemd-notify >/dev/null || exit 127
while IFS= read -r line; do systemd-notify -- "$line"; done`;
const NOT_INSTALLED = 127;
/** Extension of a start or stop by each message, and the interval of messages, ms. */
const LONGER_MS = 15_000;
const LONGER_EVERY_MS = 5_000;
/** The texts that `systemctl status` shows change each second; systemd needs them less often. */
const STATUS_EVERY_MS = 5_000;
const MAX_UNREAD_BYTES = 16_384;

export interface ServiceManagerOptions {
  readonly env: Environment;
  readonly warn: (text: string) => void;
  /** Monotonic, ms. */
  readonly clockMs?: () => number;
  /** Sends one message; absent: through the relay. */
  readonly send?: (message: string) => void;
}

export class ServiceManager {
  readonly #send: (message: string) => void;
  readonly #clockMs: () => number;
  /** Null without systemd's watchdog; else the interval of its messages, ms. */
  readonly #watchdogEveryMs: number | null;
  #timer: NodeJS.Timeout | null;
  #workedMs = Number.NEGATIVE_INFINITY;
  #shownMs = Number.NEGATIVE_INFINITY;
  #shown = '';

  private constructor({ env, clockMs = () => performance.now() }: ServiceManagerOptions, send: (text: string) => void) {
    this.#send = send;
    this.#clockMs = clockMs;
    this.#watchdogEveryMs = watchdogEveryMs(env);
    this.#timer = null;
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

  /** @param text one line; `systemctl status` shows it */
  show(text: string): void {
    const nowMs = this.#clockMs();
    if (text === this.#shown || nowMs - this.#shownMs < STATUS_EVERY_MS) return;
    this.#shown = text;
    this.#shownMs = nowMs;
    this.#send(`STATUS=${text.replaceAll('\n', ' ')}`);
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
    this.#timer = setInterval(ask, LONGER_EVERY_MS);
    this.#timer.unref();
  }

  #endAskingForTime(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

/** Three messages within systemd's limit. */
function watchdogEveryMs(env: ServiceManagerOptions['env']): number | null {
  const intervalUs = Number(env['WATCHDOG_USEC'] ?? '');
  const pid = env['WATCHDOG_PID'] ?? '';
  if (!(intervalUs > 0) || (pid !== '' && pid !== String(process.pid))) return null;
  return intervalUs / 3000;
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
