/** Reads the feeds of a trader's file independently and passes their values on. The core never waits for them. */

import { type ChildProcess, spawn } from 'node:child_process';
import type { Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import axios from 'axios';
import { messageOf } from '../../shared/base/errors.js';
import { guarded } from '../../shared/base/processes.js';
import type { ChildFeed, Environment, FeedConfig, FileFeed, HttpFeed, VenueFeed } from '../config/config.js';
import { nowMs } from '../runtime/clock.js';
import { type FeedEars, FeedInbox, type FeedStatus, FileRows, takeLines, takeRows } from './inbox.js';

/** A failing address is asked with growing intervals, up to this, ms. */
const MOST_PATIENT_MS = 5_000;

export type OpenFeeds = ReturnType<typeof openFeeds>;

/** `env`: variables of this process; programs get those on a list. */
export function openFeeds(feeds: readonly FeedConfig[], ears: FeedEars, env: Environment) {
  const opened = feeds.map((feed) => {
    const inbox = new FeedInbox(feed.name, ears);
    return { inbox, close: begin(feed, inbox, env) };
  });
  return {
    status: (): readonly FeedStatus[] => opened.map(({ inbox }) => inbox.status),
    /** Ends programs and releases everything. */
    close: async () => {
      await Promise.all(opened.map(({ close }) => close()));
      for (const { inbox } of opened) inbox.close();
    },
  };
}

function begin(feed: FeedConfig, inbox: FeedInbox, env: Environment) {
  if (feed.kind === 'child') {
    const reader = new ChildReader(feed, inbox, env);
    return () => reader.close();
  }
  const end = new AbortController();
  const ended = again(makeReader(feed, inbox), feed.everyMs, end.signal);
  return async () => {
    end.abort();
    await ended;
  };
}

/** Reads once; false when something could not be read. Never throws. */
type Read = (signal: AbortSignal) => Promise<boolean>;

function makeReader(feed: Exclude<FeedConfig, { kind: 'child' }>, inbox: FeedInbox): Read {
  if (feed.kind === 'http') return makeHttpReader(feed, inbox);
  if (feed.kind !== 'file') return makeVenueReader(feed, inbox);
  const reader = new FileReader(feed, inbox);
  return (signal) => reader.look(signal);
}

/** One read after the other, never two at once. */
async function again(read: Read, everyMs: number, signal: AbortSignal): Promise<void> {
  let waitMs = everyMs;
  while (!signal.aborted) {
    const isRead = await read(signal);
    waitMs = isRead ? everyMs : Math.min(Math.max(waitMs * 2, everyMs), Math.max(MOST_PATIENT_MS, everyMs));
    await pause(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

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
    this.#start();
  }

  #start(): void {
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
    this.#again = setTimeout(() => this.#start(), waitMs);
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

/** A larger file is not read. */
const MAX_BYTES = 16 * 1024 * 1024;

const LINE_END = 10;

export class FileReader {
  readonly #feed: FileFeed;
  readonly #inbox: FeedInbox;
  /** The file at its last read. */
  #seen: Stats | null = null;
  /** Bytes of it taken so far, up to the end of a line. */
  #offset = 0;
  #rows: FileRows;

  constructor(feed: FileFeed, inbox: FeedInbox) {
    this.#feed = feed;
    this.#inbox = inbox;
    this.#rows = new FileRows(feed.path);
  }

  /** Reads once; never throws. True also for an unreadable file: reading again costs nothing. */
  async look(signal: AbortSignal): Promise<boolean> {
    let file: FileHandle | null = null;
    try {
      file = await open(this.#feed.path, 'r');
      await this.#read(file, signal);
    } catch (error) {
      this.#inbox.trouble(`cannot be read: ${messageOf(error)}`);
    } finally {
      await file?.close().catch(() => undefined);
    }
    return true;
  }

  async #read(file: FileHandle, signal: AbortSignal): Promise<void> {
    const stats = await file.stat();
    if (!stats.isFile()) return this.#inbox.trouble(`${this.#feed.path} is no file`);
    if (stats.size > MAX_BYTES) {
      return this.#inbox.trouble(`${this.#feed.path} has ${stats.size} bytes, at most ${MAX_BYTES} are read`);
    }
    const before = this.#seen;
    const isSame =
      before !== null && before.ino === stats.ino && before.size === stats.size && before.mtimeMs === stats.mtimeMs;
    if (isSame) return this.#noteUnfinished(stats);
    if (!(await this.#isLonger(file, stats))) {
      this.#offset = 0;
      this.#rows = new FileRows(this.#feed.path);
    }
    this.#seen = stats;
    this.#inbox.fine();
    if (stats.size === this.#offset) return;
    // Only up to the seen size: later bytes are for the next read.
    const bytes = file.createReadStream({ start: this.#offset, end: stats.size - 1, autoClose: false });
    const line = (text: string): void => this.#line(text);
    const problem = this.#inbox.problem.bind(this.#inbox);
    this.#offset += await takeLines(bytes, { line, problem }, signal);
  }

  /** The same file with more at its end; a longer file without a line end there was rewritten. */
  async #isLonger(file: FileHandle, { ino, size }: Stats): Promise<boolean> {
    const before = this.#seen;
    if (before === null || before.ino !== ino || size <= before.size || this.#offset === 0) return false;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, this.#offset - 1);
    return bytesRead === 1 && buffer[0] === LINE_END;
  }

  /** A last line without an end may still be in progress: half of a number is another number. */
  #noteUnfinished({ size }: Stats): void {
    if (size === this.#offset) return this.#inbox.fine();
    this.#inbox.trouble('its last line has no line end, and is not taken before it has one');
  }

  #line(text: string): void {
    const read = this.#rows.read(text);
    if (read === null) return;
    if ('problem' in read) this.#inbox.problem(read.problem);
    else this.#inbox.row(read.row);
  }
}

/** A longer answer is cut and ignored. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 3;

const utf8 = new TextDecoder('utf-8', { fatal: true });

const TIMEOUT_MS = 5_000;

/** Gets JSON from listed hosts, bounded in size and time. The result throws an Error in words for an answer without JSON. */
export function openAddress({ url: asked, hosts }: Pick<HttpFeed, 'url' | 'hosts'>) {
  const client = axios.create({
    proxy: false,
    maxRedirects: MAX_REDIRECTS,
    beforeRedirect: (target: Readonly<Record<string, unknown>>) => checkRedirect(String(target['href']), asked, hosts),
    maxContentLength: MAX_ANSWER_BYTES,
    responseType: 'arraybuffer',
    headers: { accept: 'application/json' },
    transformResponse: [(data: unknown) => data],
    validateStatus: () => true,
  });
  return async (url: string, signal: AbortSignal): Promise<unknown> => {
    const late = AbortSignal.timeout(TIMEOUT_MS);
    const asking = client.get<Buffer>(url, { signal: AbortSignal.any([signal, late]) });
    const { status, data } = await asking.catch((error: unknown) => {
      throw late.aborted ? new Error(`no whole answer within ${TIMEOUT_MS} ms`) : new Error(describeError(error));
    });
    if (status !== 200) throw new Error(`answered with status ${status}`);
    try {
      return JSON.parse(utf8.decode(data));
    } catch {
      throw new Error('its answer is not JSON');
    }
  };
}

/** Throws for an unlisted host, and for a redirect from a secure address to an insecure one. */
function checkRedirect(href: string, asked: string, hosts: readonly string[]): void {
  const { host, protocol } = new URL(href);
  if (!hosts.includes(host)) throw new Error(`it leads to ${host}, which its hosts do not list`);
  if (asked.startsWith('https:') && protocol !== 'https:') throw new Error('it leads from https to http');
}

/** Requests once; false when nothing could be read. Never throws. */
export function makeHttpReader(feed: HttpFeed, inbox: FeedInbox) {
  const get = openAddress(feed);
  return async (signal: AbortSignal): Promise<boolean> => {
    try {
      const rows = readRows(await get(feed.url, signal));
      inbox.fine();
      await takeRows(rows, (row) => inbox.row(row), signal);
      return true;
    } catch (error) {
      if (!signal.aborted) inbox.trouble(messageOf(error));
      return false;
    }
  };
}

/** A list of rows, or an object with one as `values`. Throws an Error in words. */
function readRows(told: unknown): readonly unknown[] {
  // A list has a method `values` too.
  if (Array.isArray(told)) return told;
  const rows = typeof told === 'object' && told !== null && 'values' in told ? told.values : null;
  if (!Array.isArray(rows)) throw new Error('its answer is no list of rows, and has none as "values"');
  return rows;
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'it cannot be asked';
  if (error.message.startsWith('maxContentLength')) return `its answer is longer than ${MAX_ANSWER_BYTES} bytes`;
  return error.message.slice(0, 200).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}

/** Between two requests, ms: five a second, well within these venues' public limits. */
const APART_MS = 200;

/** One round; false when something could not be read. Never throws. */
export function makeVenueReader(feed: VenueFeed, inbox: FeedInbox) {
  const get = openAddress(feed);
  const { path, read } = VENUE_BOOKS[feed.kind];
  const ask = async ({ conditionId, nameThere }: VenueFeed['markets'][number], signal: AbortSignal) => {
    // When the request left: the book held then or later.
    const at = nowMs();
    try {
      const prices = read(nameThere, await get(`${feed.url}${path(nameThere)}`, signal));
      // One side alone gives no price: the last value ages.
      if (prices !== null) inbox.row({ market: conditionId, ...prices, at });
      return true;
    } catch (error) {
      if (!signal.aborted) inbox.trouble(`${nameThere}: ${messageOf(error)}`);
      return false;
    }
  };
  return async (signal: AbortSignal): Promise<boolean> => {
    let isRead = true;
    for (const [index, market] of feed.markets.entries()) {
      if (index > 0) await pause(APART_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return isRead;
      isRead = (await ask(market, signal)) && isRead;
    }
    if (isRead) inbox.fine();
    return isRead;
  };
}

/** Of YES, in price. */
interface BestPrices {
  readonly bid: number;
  readonly ask: number;
}

interface VenueBooks {
  /** Path after the venue's address. */
  readonly path: (nameThere: string) => string;
  /** Null when a side is empty or the two cross. Throws an Error in words for an invalid answer. */
  readonly read: (nameThere: string, answer: unknown) => BestPrices | null;
}

export const VENUE_BOOKS: Readonly<Record<'polymarket' | 'kalshi', VenueBooks>> = {
  polymarket: {
    path: (token) => `/book?token_id=${encodeURIComponent(token)}`,
    read: (token, answer) => {
      const { bids, asks, asset_id: told } = requireFields(answer);
      if (told !== undefined && told !== token) throw new Error('its answer is the book of another token');
      return between(best(readLevels(bids), Math.max), best(readLevels(asks), Math.min));
    },
  },
  kalshi: {
    path: (ticker) => `/markets/${encodeURIComponent(ticker)}/orderbook`,
    read: (_, answer) => {
      const told = requireFields(answer);
      const book = requireFields(told['orderbook_fp'] ?? told['orderbook']);
      const [yes, no] = [readBids(book, 'yes'), readBids(book, 'no')];
      // Both sides are bids: a bid q for NO is an ask 1 - q for YES.
      const highestNo = best(no, Math.max);
      return between(best(yes, Math.max), highestNo === null ? null : roundPrice(1 - highestNo));
    },
  },
};

type Fields = Readonly<Record<string, unknown>>;
type Row = readonly [price: number, size: number];

function requireFields(value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Error('its answer is no book');
}

/** Rows of a side of Polymarket's. */
function readLevels(side: unknown): readonly Row[] {
  if (!Array.isArray(side)) throw new Error('its answer is no book');
  return side.map((row: unknown) => {
    const { price, size } = requireFields(row);
    return readLevel(price, size, 1);
  });
}

/** In dollars under one of two names, else in cents; a missing or empty side is null there. */
function readBids(book: Fields, outcome: 'yes' | 'no'): readonly Row[] {
  const dollars = book[`${outcome}_dollars`] ?? book[`${outcome}_dollars_fp`];
  const rows = dollars ?? book[outcome] ?? [];
  if (!Array.isArray(rows)) throw new Error('its answer is no book');
  const unit = dollars === undefined || dollars === null ? 100 : 1;
  return rows.map((row: unknown) => {
    if (!Array.isArray(row)) throw new Error('its answer is no book');
    return readLevel(row[0], row[1], unit);
  });
}

function readLevel(price: unknown, size: unknown, unit: number): Row {
  const [p, shares] = [toNumber(price) / unit, toNumber(size)];
  if (p > 0 && p < 1 && shares >= 0) return [p, shares];
  throw new Error('a level of its book is none');
}

const toNumber = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value !== '') ? Number(value) : Number.NaN;

function best(rows: readonly Row[], pick: (...prices: number[]) => number): number | null {
  const prices = rows.filter(([, shares]) => shares > 0).map(([price]) => price);
  return prices.length === 0 ? null : pick(...prices);
}

const between = (bid: number | null, ask: number | null): BestPrices | null =>
  bid === null || ask === null || bid >= ask ? null : { bid, ask };

/** 1 - 0.4 is not quite 0.6 in floats. */
const roundPrice = (price: number): number => Math.round(price * 1e6) / 1e6;
