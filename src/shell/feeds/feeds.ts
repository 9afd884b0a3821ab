/** Reads a trader's feeds (sources of fair values) and passes their values to the core, which never waits for them. */

import { type ChildProcess, spawn } from 'node:child_process';
import type { Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../shared/base/errors.js';
import { guarded } from '../../shared/base/processes.js';
import type { Environment, FeedConfig } from '../config/config.js';
import { type FeedEars, FeedInbox, type FeedStatus, FileRows, takeLines } from './inbox.js';

/** Reads the feeds. A feed program gets only those variables of `env` that match `PASSED` or that its feed lists. */
export function openFeeds(feeds: readonly FeedConfig[], ears: FeedEars, env: Environment) {
  const opened = feeds.map((feed) => {
    const inbox = new FeedInbox(feed.name, ears);
    return { inbox, reader: feed.kind === 'child' ? new ChildReader(feed, inbox, env) : new FileReader(feed, inbox) };
  });
  return {
    status: (): readonly FeedStatus[] => opened.map(({ inbox }) => inbox.status),
    close: async () => {
      await Promise.all(opened.map(({ reader }) => reader.close()));
      for (const { inbox } of opened) inbox.close();
    },
  };
}

const START_AGAIN_MS = { first: 1_000, longest: 60_000 };
/** Running time after which the pause before a feed program's next restart is reset to the shortest, ms. */
const LIVED_MS = 60_000;
/** Time that a feed program has to end after SIGTERM before it is killed, ms. */
const GRACE_MS = 2_000;
/** Maximum number of characters of a feed program's standard error that are shown after its end. */
const LAST_WORDS = 200;

class ChildReader {
  readonly #feed: Extract<FeedConfig, { kind: 'child' }>;
  readonly #inbox: FeedInbox;
  readonly #env: Environment;
  readonly #end = new AbortController();
  #child: ChildProcess | null = null;
  #gone: Promise<void> = Promise.resolve();
  #again: NodeJS.Timeout | null = null;
  #pauseMs = START_AGAIN_MS.first;
  readonly #killNow = (): void => this.#signal('SIGKILL');

  constructor(feed: Extract<FeedConfig, { kind: 'child' }>, inbox: FeedInbox, env: Environment) {
    this.#feed = feed;
    this.#inbox = inbox;
    this.#env = env;
    // If this process exits without `close`, the feed program is killed.
    process.once('exit', this.#killNow);
    this.#start();
  }

  #start(): void {
    const startedMs = performance.now();
    const [program = '', ...args] = this.#feed.command;
    // The feed program gets its own process group: its children end with it, and Ctrl-C reaches only the trader.
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
    takeLines(child.stdout, this.#inbox, new FileRows('lines.jsonl'), this.#end.signal).catch(() => undefined);
    this.#gone = new Promise((resolve) => {
      const onEnd = (why: string): void => {
        resolve();
        if (this.#child !== child) return;
        // The program's own child processes may remain, so its process group is killed.
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
    this.#again = setTimeout(() => this.#start(), waitMs);
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // The signal failed, because the feed program has already ended.
    }
  }
}

/** Names of environment variables that every feed program gets. Other variables may be secrets. */
const PASSED = /^(?:PATH|HOME|LANG|LC_[A-Z]+|TZ|TMPDIR)$/;

const passedOn = (env: Environment, named: readonly string[]) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name) || named.includes(name)));

function lastLine(words: string): string {
  const [last = ''] = words.trim().split('\n').slice(-1);
  return last === '' ? '' : `: ${last.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')}`;
}

const LINE_END = 10;
const MAX_BYTES = 16 * 1024 * 1024;

class FileReader {
  readonly #feed: Extract<FeedConfig, { kind: 'file' }>;
  readonly #inbox: FeedInbox;
  #seen: Stats | null = null;
  /** The bytes of the feed's file that were read, up to the end of a line. */
  #done: Buffer = Buffer.alloc(0);
  #rows: FileRows;
  readonly #end = new AbortController();
  readonly #ended: Promise<void>;

  constructor(feed: Extract<FeedConfig, { kind: 'file' }>, inbox: FeedInbox) {
    this.#feed = feed;
    this.#inbox = inbox;
    this.#rows = new FileRows(feed.path);
    this.#ended = this.#readAgain();
  }

  close(): Promise<void> {
    this.#end.abort();
    return this.#ended;
  }

  async #readAgain(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      await this.#readOnce();
      await pause(this.#feed.everyMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Never throws. */
  async #readOnce(): Promise<void> {
    let file: FileHandle | null = null;
    try {
      file = await open(this.#feed.path, 'r');
      await this.#read(file);
    } catch (error) {
      this.#inbox.trouble(`cannot be read: ${messageOf(error)}`);
    } finally {
      await file?.close().catch(() => undefined);
    }
  }

  async #read(file: FileHandle): Promise<void> {
    const stats = await file.stat();
    if (!stats.isFile()) return this.#inbox.trouble(`${this.#feed.path} is not a file`);
    if (stats.size > MAX_BYTES)
      return this.#inbox.trouble(`${this.#feed.path} has ${stats.size} bytes, but at most ${MAX_BYTES} bytes are read`);
    const before = this.#seen;
    const isSame = before?.ino === stats.ino && before.size === stats.size && before.mtimeMs === stats.mtimeMs;
    if (isSame) return this.#noteUnfinished(stats);
    // Reads only up to the size found now; later bytes are read next time. One read may return only a part.
    const buffer = Buffer.alloc(stats.size);
    let length = 0;
    for (let bytesRead = -1; bytesRead !== 0 && length < stats.size; length += bytesRead)
      ({ bytesRead } = await file.read(buffer, length, stats.size - length, length));
    const bytes = buffer.subarray(0, length);
    const isLonger = before?.ino === stats.ino && before.size < stats.size;
    // A file that has only grown still begins with the lines read before. Any other file is read from its start.
    const isGrown =
      isLonger && this.#done.at(-1) === LINE_END && bytes.subarray(0, this.#done.length).equals(this.#done);
    if (!isGrown) {
      this.#done = Buffer.alloc(0);
      this.#rows = new FileRows(this.#feed.path);
    }
    this.#seen = stats;
    this.#inbox.fine();
    const news = Readable.from(bytes.subarray(this.#done.length));
    const read = await takeLines(news, this.#inbox, this.#rows, this.#end.signal);
    this.#done = bytes.subarray(0, this.#done.length + read);
  }

  /** Reports a last line without a line end, because it may be cut in the middle of a number. */
  #noteUnfinished({ size }: Stats): void {
    if (size === this.#done.length) return this.#inbox.fine();
    this.#inbox.trouble('the last line of the file has no line end, and is not read until the line end is written');
  }
}
