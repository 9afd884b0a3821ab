/**
 * A market at an earlier time, from the command that a person would type: it replays that run from its journal, which
 * takes a processor for seconds or minutes. So it is a separate process at the lowest priority, one at a time, with its
 * output cached for a while.
 */

import { type ChildProcess, execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { PROGRAM } from './program.js';

/** A run of a day with many markets takes minutes. */
const WITHIN_MS = 600_000;
/** Minutes before the time that are searched for gaps without an order. */
const GAPS_MINUTES = '10';
/** A page asks every two seconds; a replay without a request for this long is ended when another one is requested. */
const GIVEN_UP_MS = 10_000;
const MOST_KEPT = 8;

/** A market at an earlier time. */
export interface PastView {
  readonly subject: string;
  /** Unix ms. */
  readonly at: number;
  /** `waiting` while another time is computed; requests repeat in either state. */
  readonly state: 'waiting' | 'working' | 'done' | 'failed';
  /** Output of the command; until then its progress. */
  readonly text: string;
}

interface Working {
  readonly key: string;
  readonly child: ChildProcess;
  askedMs: number;
  /** Ended for lack of requests: restarted at the next one. */
  isGivenUp: boolean;
}

export class MarketReplay {
  readonly #file: string;
  readonly #program: string;
  readonly #steadyMs: () => number;
  /** Cached answers, oldest question first. */
  readonly #known = new Map<string, PastView>();
  #working: Working | null = null;

  /** @param file the trader's */
  constructor(file: string, program = PROGRAM, steadyMs: () => number = () => performance.now()) {
    this.#file = file;
    this.#program = program;
    this.#steadyMs = steadyMs;
  }

  /** @param subject of a market @param atMs Unix ms */
  ask(subject: string, atMs: number): PastView {
    const key = JSON.stringify([subject, atMs]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const nowMs = this.#steadyMs();
    if (this.#working?.key === key) this.#working.askedMs = nowMs;
    else if (this.#working === null) this.#begin(key, { subject, atMs }, nowMs);
    else {
      if (nowMs - this.#working.askedMs > GIVEN_UP_MS) this.#giveUp(this.#working);
      return {
        subject,
        at: atMs,
        state: 'waiting',
        text: 'Another moment is being worked out; this one comes after it.',
      };
    }
    return { subject, at: atMs, state: 'working', text: 'The run of then is decided again from its journal …' };
  }

  close(): void {
    if (this.#working !== null) this.#giveUp(this.#working);
  }

  #giveUp(working: Working): void {
    working.isGivenUp = true;
    working.child.kill('SIGKILL');
  }

  #begin(key: string, { subject, atMs }: { readonly subject: string; readonly atMs: number }, askedMs: number): void {
    const moment = new Date(atMs).toISOString();
    const asked = ['explain', '-c', this.#file, '--at', moment, '--gaps', GAPS_MINUTES, '--', subject];
    const child = execFile(
      process.execPath,
      [...process.execArgv, this.#program, ...asked],
      { timeout: WITHIN_MS, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        this.#working = null;
        if (working.isGivenUp) return;
        const text = (error === null ? stdout : stderr).trim() || `it did not end within ${WITHIN_MS / 60_000} minutes`;
        this.#keep(key, { subject, at: atMs, state: error === null ? 'done' : 'failed', text });
      },
    );
    const working: Working = { key, child, askedMs, isGivenUp: false };
    this.#working = working;
    spareOthers(child);
  }

  #keep(key: string, view: PastView): void {
    this.#known.set(key, view);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KEPT && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** The trader has priority. */
export function spareOthers({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or the system forbids it.
  }
}
