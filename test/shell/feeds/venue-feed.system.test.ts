/** Books that were really recorded, played by a server on loopback in the form in which the venues answer. */

import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EVENT, SIDE } from '../../../src/recording/contract.js';
import { openRecordings } from '../../../src/recording/recording.js';
import type { FeedValue } from '../../../src/shared/protocol/seam.js';
import type { VenueFeed } from '../../../src/shell/config/types.js';
import { openFeeds } from '../../../src/shell/feeds/feeds.js';
import { REAL_DATA } from '../../recording/samples.js';
import { until } from '../../support/waiting.js';

type Book = readonly [bids: Map<number, number>, asks: Map<number, number>];

/** Books of a recording after so many events each, where both sides are there. */
async function booksOf(path: string, every: number, wanted: number): Promise<Book[]> {
  const [recording] = await openRecordings([path]);
  const book: Book = [new Map(), new Map()];
  const found: Book[] = [];
  let events = 0;
  for await (const { length, kind, side, priceMicros, amountMicros } of recording?.chunks() ?? []) {
    for (let i = 0; i < length && found.length < wanted; i++) {
      if (kind[i] === EVENT.clear) for (const levels of book) levels.clear();
      if (kind[i] !== EVENT.level) continue;
      const levels = side[i] === SIDE.bid ? book[0] : book[1];
      if (amountMicros[i] === 0) levels.delete(priceMicros[i] ?? 0);
      else levels.set(priceMicros[i] ?? 0, amountMicros[i] ?? 0);
      events += 1;
      if (events % every === 0 && Math.max(...book[0].keys()) < Math.min(...book[1].keys()))
        found.push([new Map(book[0]), new Map(book[1])]);
    }
    if (found.length >= wanted) break;
  }
  return found;
}

const dollars = (micros: number) => (micros / 1e6).toFixed(4);

const ANSWERS = {
  polymarket: ([bids, asks]: Book, token: string) => {
    const rows = (levels: Map<number, number>) =>
      Array.from(levels, ([price, amount]) => ({ price: dollars(price), size: String(amount / 1e6) }));
    return { market: '0x1', asset_id: token, timestamp: '1', bids: rows(bids), asks: rows(asks) };
  },
  kalshi: ([bids, asks]: Book) => {
    const rows = (levels: Map<number, number>, turned: boolean) =>
      Array.from(levels, ([price, amount]) => [dollars(turned ? 1e6 - price : price), String(amount / 1e6)]);
    return { orderbook_fp: { yes_dollars: rows(bids, false), no_dollars: rows(asks, true) } };
  },
} as const;

const PATHS = {
  polymarket: ['/book?token_id=NAME', join(REAL_DATA, 'polymarket-tickscope')],
  kalshi: ['/markets/NAME/orderbook', join(REAL_DATA, 'kalshi-gold15m')],
} as const;

describe.skipIf(!existsSync(REAL_DATA))('recorded books (need ../shared/data)', () => {
  it.each(['polymarket', 'kalshi'] as const)('of %s are heard as the recording has them', async (kind) => {
    const [path, data] = PATHS[kind];
    const books = await booksOf(data, 97, 5);
    expect(books).toHaveLength(5);
    const asked: string[] = [];
    let at = 0;
    const server = createServer((from, to) => {
      asked.push(from.url ?? '');
      const book = books[at];
      if (book === undefined) to.writeHead(503).end();
      else to.end(JSON.stringify(ANSWERS[kind](book, 'NAME')));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const heard: FeedValue[] = [];
    const loud: string[] = [];
    const ears = {
      deliver: (_: string, values: readonly FeedValue[]) => void heard.push(...values),
      loud: (text: string) => void loud.push(text),
      quiet: () => undefined,
    };
    const markets = [{ conditionId: 'ours', nameThere: 'NAME' }];
    const feed: VenueFeed = {
      name: 'odds',
      maxAgeMs: 10_000,
      kind,
      url: `http://${host}`,
      hosts: [host],
      markets,
      everyMs: 100,
      timeoutMs: 1000,
    };
    const feeds = openFeeds([feed], ears, {});
    onTestFinished(async () => {
      await feeds.close();
      server.closeAllConnections();
      server.close();
    });
    for (const [bids, asks] of books) {
      const expected = {
        conditionId: 'ours',
        bid: Math.max(...bids.keys()) / 1e6,
        ask: Math.min(...asks.keys()) / 1e6,
      };
      await until(
        () => heard.at(-1),
        (value) => value?.bid === expected.bid && value?.ask === expected.ask,
      );
      expect(heard.at(-1)).toMatchObject(expected);
      at += 1;
    }
    await until(
      () => loud,
      (lines) => lines.length > 0,
    );
    expect(loud[0]).toContain('NAME: answered with status 503');
    expect(new Set(asked)).toEqual(new Set([path]));
  });
});
