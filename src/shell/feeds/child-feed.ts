/** Runs a program of the user and reads its output; restarts it after it ends, with growing delays. */

import { type ChildProcess, spawn } from 'node:child_process';
import { guarded } from '../../shared/base/processes.js';
import type { Environment } from '../config/environment.js';
import type { ChildFeed } from '../config/types.js';
import type { FeedInbox } from './inbox.js';
import { takeLines } from './lines.js';

const START_AGAIN_MS = { first: 1_000, longest: 60_000 };
/** A program that lived this long is restarted at once. */
const LIVED_MS = 60_000;
/** Time between the request to end and the forced end, ms. */
const GRACE_MS = 2_000;
/** The end of its standard error is shown when it dies. */
const LAST_WORDS = 200;

export class ChildReader {
  readonly #feed: ChildFeed;
  readonly #inbox: FeedInbox;
  readonly #env: Environment;
  readonly #end = new AbortController();
  #child: ChildProcess | null = null;
  #gone: Promise<void> = Promise.resolve();
  #again: NodeJS.Timeout | null = null;
  #pauseMs = START_AGAIN_MS.first;
  readonly #killNow = (): void => this.#signal('SIGKILL');

  constructor(feed: ChildFeed, inbox: FeedInbox, env: Environment) {
    this.#feed = feed;
    this.#inbox = inbox;
    this.#env = env;
    // At any end of this process that can still run code.
    process.once('exit', this.#killNow);
  }

  start(): void {
    const startedMs = performance.now();
    const [program = '', ...args] = this.#feed.command;
    // A separate group: its child processes end with it, and Ctrl-C is for the trader.
    const child = spawn(program, args, {
      cwd: this.#feed.cwd,
      env: passedOn(this.#env, this.#feed.env),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    let words = '';
    const note = (bytes: Buffer) => {
      words = (words + bytes.toString('utf8')).slice(-LAST_WORDS);
    };
    child.stderr.on('data', guarded(note, this.#killNow));
    child.stdin.on('error', () => undefined);
    const line = (text: string): void => {
      this.#inbox.fine();
      this.#inbox.json(text);
    };
    const problem = this.#inbox.problem.bind(this.#inbox);
    takeLines(child.stdout, { line, problem }, this.#end.signal).catch(() => undefined);
    this.#gone = new Promise((resolve) => {
      const onEnd = (why: string): void => {
        resolve();
        if (this.#child !== child) return;
        // Its remaining child processes.
        this.#signal('SIGKILL');
        this.#child = null;
        this.#startAgain(`${why}${lastLine(words)}`, performance.now() - startedMs);
      };
      child.once('error', (error) => onEnd(`cannot be started: ${error.message}`));
      child.once('exit', (code, signal) => onEnd(`its program ended (${signal ?? `code ${code}`})`));
    });
  }

  async close(): Promise<void> {
    this.#end.abort();
    if (this.#again !== null) clearTimeout(this.#again);
    this.#signal('SIGTERM');
    const killer = setTimeout(this.#killNow, GRACE_MS);
    await this.#gone;
    clearTimeout(killer);
    process.off('exit', this.#killNow);
  }

  #startAgain(why: string, livedMs: number): void {
    if (this.#end.signal.aborted) return;
    this.#inbox.trouble(why);
    const waitMs = livedMs >= LIVED_MS ? START_AGAIN_MS.first : this.#pauseMs;
    this.#pauseMs = Math.min(waitMs * 2, START_AGAIN_MS.longest);
    this.#again = setTimeout(() => this.start(), waitMs);
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // It is gone already.
    }
  }
}

/** Variables for every program. All others may be secrets of the trader, a cloud or a database. */
const PASSED = /^(?:PATH|HOME|LANG|LC_[A-Z]+|TZ|TMPDIR)$/;

const passedOn = (env: Environment, named: readonly string[]) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name) || named.includes(name)));

function lastLine(words: string): string {
  const last =
    words
      .trim()
      .split('\n')
      .at(-1)
      ?.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?') ?? '';
  return last === '' ? '' : `: ${last}`;
}
