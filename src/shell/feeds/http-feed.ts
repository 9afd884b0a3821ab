/** Requests JSON from one address repeatedly, outside the venue client's budgets. */

import axios from 'axios';
import { messageOf } from '../../shared/base/errors.js';
import type { HttpFeed } from '../config/types.js';
import type { FeedInbox } from './inbox.js';
import { takeRows } from './lines.js';

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
