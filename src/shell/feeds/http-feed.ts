/** Asks one address for JSON, again and again, past everything that the venue's client counts. */

import { createRequire } from 'node:module';
import type { AxiosInstance, AxiosStatic } from 'axios';
import type { HttpFeed } from '../config/types.js';
import type { FeedInbox } from './inbox.js';
import { takeRows } from './lines.js';

// As one file, as the client loads it.
const axios: AxiosStatic = createRequire(import.meta.url)('axios');

/** A longer answer is cut off and not read. */
const MAX_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 3;

const utf8 = new TextDecoder('utf-8', { fatal: true });

export class HttpReader {
  readonly #feed: HttpFeed;
  readonly #inbox: FeedInbox;
  readonly #axios: AxiosInstance;

  constructor(feed: HttpFeed, inbox: FeedInbox) {
    this.#feed = feed;
    this.#inbox = inbox;
    this.#axios = axios.create({
      proxy: false,
      maxRedirects: MAX_REDIRECTS,
      beforeRedirect: (target: Readonly<Record<string, unknown>>) => this.#checkRedirect(String(target['href'])),
      maxContentLength: MAX_BYTES,
      responseType: 'arraybuffer',
      headers: { accept: 'application/json' },
      transformResponse: [(data: unknown) => data],
      validateStatus: () => true,
    });
  }

  /** Asks once; false when nothing could be read. Never throws. */
  async look(signal: AbortSignal): Promise<boolean> {
    const { url, timeoutMs } = this.#feed;
    const late = AbortSignal.timeout(timeoutMs);
    try {
      const { status, data } = await this.#axios.get<Buffer>(url, { signal: AbortSignal.any([signal, late]) });
      if (status !== 200) throw new Error(`answered with status ${status}`);
      const rows = rowsOf(data);
      this.#inbox.fine();
      await takeRows(rows, (row) => this.#inbox.row(row), signal);
      return true;
    } catch (error) {
      if (!signal.aborted)
        this.#inbox.trouble(late.aborted ? `no whole answer within ${timeoutMs} ms` : wordsOf(error));
      return false;
    }
  }

  /** Throws for a host that is not listed, and where a secured address leads to one that is not. */
  #checkRedirect(href: string): void {
    const { host, protocol } = new URL(href);
    if (!this.#feed.hosts.includes(host)) {
      throw new Error(`it leads to ${host}, which its hosts do not list`);
    }
    if (this.#feed.url.startsWith('https:') && protocol !== 'https:') throw new Error('it leads from https to http');
  }
}

/** A list of rows, or an object with one as `values`. Throws an Error in words. */
function rowsOf(bytes: Buffer): readonly unknown[] {
  let told: unknown;
  try {
    told = JSON.parse(utf8.decode(bytes));
  } catch {
    throw new Error('its answer is not JSON');
  }
  // A list has a `values` too, a function.
  if (Array.isArray(told)) return told;
  const rows = typeof told === 'object' && told !== null && 'values' in told ? told.values : null;
  if (!Array.isArray(rows)) throw new Error('its answer is no list of rows, and has none as "values"');
  return rows;
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it cannot be asked';
  if (error.message.startsWith('maxContentLength')) return `its answer is longer than ${MAX_BYTES} bytes`;
  return error.message.slice(0, 200).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}
