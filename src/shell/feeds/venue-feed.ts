/** Reads other venues' public books, one market after the other, at its own pace. It knows no key and places no order. */

import { setTimeout as pause } from 'node:timers/promises';
import type { VenueFeed } from '../config/types.js';
import { nowMs } from '../runtime/clock.js';
import { HttpClient } from './http-feed.js';
import type { FeedInbox } from './inbox.js';
import { VENUE_BOOKS } from './venue-books.js';

/** Between two requests, ms: five a second, well within these venues' public limits. */
const APART_MS = 200;

export class VenueReader {
  readonly #feed: VenueFeed;
  readonly #inbox: FeedInbox;
  readonly #address: HttpClient;

  constructor(feed: VenueFeed, inbox: FeedInbox) {
    this.#feed = feed;
    this.#inbox = inbox;
    this.#address = new HttpClient(feed);
  }

  /** One round; false when something could not be read. Never throws. */
  async look(signal: AbortSignal): Promise<boolean> {
    let isRead = true;
    for (const [index, market] of this.#feed.markets.entries()) {
      if (index > 0) await pause(APART_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return isRead;
      isRead = (await this.#ask(market, signal)) && isRead;
    }
    if (isRead) this.#inbox.fine();
    return isRead;
  }

  async #ask({ conditionId, nameThere }: VenueFeed['markets'][number], signal: AbortSignal): Promise<boolean> {
    const { kind, url } = this.#feed;
    const { path, read } = VENUE_BOOKS[kind];
    // When the request left: the book held then or later.
    const at = nowMs();
    try {
      const prices = read(nameThere, await this.#address.get(`${url}${path(nameThere)}`, signal));
      // One side alone gives no price: the last value ages.
      if (prices !== null) this.#inbox.row({ market: conditionId, ...prices, at });
      return true;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (!signal.aborted) this.#inbox.trouble(`${nameThere}: ${why}`);
      return false;
    }
  }
}
