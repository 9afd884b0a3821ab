/** Requests JSON from one address repeatedly, outside the venue client's budgets. */

import axios, { type AxiosInstance } from 'axios';
import { messageOf } from '../../shared/base/errors.js';
import type { HttpFeed } from '../config/types.js';
import type { FeedInbox } from './inbox.js';
import { takeRows } from './lines.js';

/** A longer answer is cut and ignored. */
const MAX_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 3;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The longest that a whole answer may take, ms. */
const TIMEOUT_MS = 5_000;

/** Gets JSON from listed hosts, bounded in size and time. */
export class HttpClient {
  readonly #asked: Pick<HttpFeed, 'url' | 'hosts'>;
  readonly #axios: AxiosInstance;

  constructor(asked: Pick<HttpFeed, 'url' | 'hosts'>) {
    this.#asked = asked;
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

  /** Throws an Error in words for an answer without JSON. */
  async get(url: string, signal: AbortSignal): Promise<unknown> {
    const late = AbortSignal.timeout(TIMEOUT_MS);
    const asking = this.#axios.get<Buffer>(url, { signal: AbortSignal.any([signal, late]) });
    const { status, data } = await asking.catch((error: unknown) => {
      throw late.aborted ? new Error(`no whole answer within ${TIMEOUT_MS} ms`) : new Error(describeError(error));
    });
    if (status !== 200) throw new Error(`answered with status ${status}`);
    try {
      return JSON.parse(utf8.decode(data));
    } catch {
      throw new Error('its answer is not JSON');
    }
  }

  /** Throws for an unlisted host, and for a redirect from a secure address to an insecure one. */
  #checkRedirect(href: string): void {
    const { host, protocol } = new URL(href);
    if (!this.#asked.hosts.includes(host)) {
      throw new Error(`it leads to ${host}, which its hosts do not list`);
    }
    if (this.#asked.url.startsWith('https:') && protocol !== 'https:') throw new Error('it leads from https to http');
  }
}

export class HttpReader {
  readonly #feed: HttpFeed;
  readonly #inbox: FeedInbox;
  readonly #address: HttpClient;

  constructor(feed: HttpFeed, inbox: FeedInbox) {
    this.#feed = feed;
    this.#inbox = inbox;
    this.#address = new HttpClient(feed);
  }

  /** Requests once; false when nothing could be read. Never throws. */
  async look(signal: AbortSignal): Promise<boolean> {
    try {
      const rows = readRows(await this.#address.get(this.#feed.url, signal));
      this.#inbox.fine();
      await takeRows(rows, (row) => this.#inbox.row(row), signal);
      return true;
    } catch (error) {
      if (!signal.aborted) this.#inbox.trouble(messageOf(error));
      return false;
    }
  }
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
