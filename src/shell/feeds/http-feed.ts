/** Requests a user's rows or other venues' public books by HTTP, outside the venue client's budgets. */

import { setTimeout as pause } from 'node:timers/promises';
import axios from 'axios';
import { messageOf } from '../../shared/base/errors.js';
import type { HttpFeed, VenueFeed } from '../config/config.js';
import { nowMs } from '../runtime/clock.js';
import { type FeedInbox, takeRows } from './inbox.js';

/** A longer answer is cut and ignored. */
const MAX_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 3;

const utf8 = new TextDecoder('utf-8', { fatal: true });

const TIMEOUT_MS = 5_000;

/** Gets JSON from listed hosts, bounded in size and time. The result throws an Error in words for an answer without JSON. */
export function openAddress({ url: asked, hosts }: Pick<HttpFeed, 'url' | 'hosts'>) {
  const client = axios.create({
    proxy: false,
    maxRedirects: MAX_REDIRECTS,
    beforeRedirect: (target: Readonly<Record<string, unknown>>) => checkRedirect(String(target['href']), asked, hosts),
    maxContentLength: MAX_BYTES,
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
  if (error.message.startsWith('maxContentLength')) return `its answer is longer than ${MAX_BYTES} bytes`;
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
