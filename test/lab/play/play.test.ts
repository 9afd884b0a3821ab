/** The page of sliders: what it asks a strategy, what it answers, and whom. */

import { get } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  askAtLook,
  askStrategy,
  computeCurves,
  listRecorded,
  RANGES,
  readSetting,
} from '../../../src/lab/play/ask-strategy.js';
import { openPlay } from '../../../src/lab/play/play-server.js';
import { showEvents } from '../../../src/lab/strategy-checks/shown-events.js';
import { showMarkets } from '../../../src/lab/strategy-checks/shown-markets.js';
import { defineStrategy, NO_QUOTES } from '../../../src/trader/strategy/contract.js';
import fairMaker from '../../../strategies/fair-maker.js';
import logOddsMaker from '../../../strategies/log-odds-maker.js';
import { paramsFor } from '../../trader/strategy/fixtures.js';

const maker = { strategy: logOddsMaker, params: paramsFor(logOddsMaker, { order_shares: '10' }) };
const fair = { strategy: fairMaker, params: paramsFor(fairMaker, { feed: 'model', order_shares: '10' }) };
const usual = readSetting({});

describe('a market by hand', () => {
  it('is what its sliders say, clipped to their ranges', () => {
    expect(readSetting({ fair: '7', inventory: '-900', sigma: 'much' })).toMatchObject({
      fair: RANGES.fair.max,
      inventory: -200,
      sigma: RANGES.sigma.usual,
    });
    const { bids, asks, book, note } = askStrategy(maker, { ...usual, fair: 0.6, spread: 0.1 });
    expect(book.bids[0]).toEqual([0.55, 100]);
    expect(book.asks[0]).toEqual([0.65, 100]);
    expect(bids[0]?.[0]).toBeLessThan(asks[0]?.[0] ?? 0);
    expect(note).not.toBe('');
  });

  it('moves the quotes of a maker down when more is held, and silences it on an old book', () => {
    const bidAt = (inventory: number) => askStrategy(maker, { ...usual, inventory }).bids[0]?.[0] ?? 0;
    expect(bidAt(100)).toBeLessThan(bidAt(-100));
    expect(askStrategy(maker, { ...usual, ageS: 120 }).bids).toEqual([]);
  });

  it('shows how quotes bend with volatility, and what a feed does', () => {
    const { sigma, inventory, leftS } = computeCurves(maker, usual);
    for (const curve of [sigma, inventory, leftS]) expect(curve).toHaveLength(41);
    const width = (at: number) => (sigma[at]?.ask ?? 1) - (sigma[at]?.bid ?? 0);
    expect(width(40)).toBeGreaterThan(width(0));
    const at = (feed: number) => askStrategy(fair, { ...usual, feed }).fair ?? 0;
    expect(at(0.52)).toBeGreaterThan(at(0.48));
  });

  it('shows a strategy of whole events the market as one of two outcomes', () => {
    const sum = defineStrategy({
      name: 'sum',
      summary: 'Says what the middles add up to.',
      scope: 'event',
      params: {},
      create: () => ({
        quote: ({ markets }) => {
          const middles = markets.map(({ view }) => view.estimates.mid ?? 0);
          const told = NO_QUOTES(
            `${middles.length} add up to ${middles.reduce((all, mid) => all + mid, 0).toFixed(2)}`,
          );
          return Object.fromEntries(markets.map(({ view }) => [view.market.conditionId, told]));
        },
      }),
    });
    const tried = { strategy: sum, params: {} };
    expect(askStrategy(tried, { ...usual, fair: 0.3 }).note).toBe('2 add up to 1.00');
    const places = listRecorded(showEvents(1, 1, 3).markets);
    expect(places.map(({ title }) => title)).toEqual(places.map((_, index) => `generated-1-${index + 1}`));
    const [first] = places;
    if (first === undefined) throw new Error('there is one');
    expect(askAtLook(tried, first, 2).note).toMatch(new RegExp(`^${places.length} add up to`));
  });

  it('steps through the looks of a recording, each after all before it', () => {
    const [market] = listRecorded(showMarkets(1, 1, 30).markets);
    if (market === undefined) throw new Error('there is one');
    expect(askAtLook(maker, market, 20)).toEqual(askAtLook(maker, market, 20));
    expect(() => askAtLook(maker, market, -1)).toThrow(/no such look/);
  });
});

describe('its page', () => {
  const fetched = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    new Promise<{ status: number; policy: string; text: string }>((resolve, reject) => {
      get(url, { headers }, (response) => {
        let text = '';
        response.on('data', (part: Buffer) => {
          text += part.toString();
        });
        const policy = String(response.headers['content-security-policy']);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, policy, text }));
      }).on('error', reject);
    });

  async function opened(tried = maker) {
    const server = await openPlay({ tried, recorded: showMarkets(1, 2, 5).markets, port: 0 });
    onTestFinished(() => server.close());
    return server.url;
  }

  it('runs its own script alone, and answers what the sliders ask', async () => {
    const url = await opened();
    const page = await fetched(url);
    expect(page.policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-/);
    expect(page.text).not.toMatch(/https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
    const about = JSON.parse((await fetched(`${url}about`)).text);
    expect(about.markets).toHaveLength(2);
    const { said, curves } = JSON.parse((await fetched(`${url}quotes?fair=0.4`)).text);
    expect(said.book.bids[0][0]).toBe(0.38);
    expect(Object.keys(curves)).toEqual(['inventory', 'leftS', 'sigma']);
    expect(JSON.parse((await fetched(`${url}recorded?market=1&look=2`)).text).said.note).toBeTypeOf('string');
    expect(JSON.parse((await fetched(`${url}recorded?market=9`)).text)).toEqual({ error: 'there is no such market' });
  });

  it('shows what a broken strategy throws, and hears no other page', async () => {
    const broken = {
      ...maker,
      strategy: {
        ...logOddsMaker,
        create: () => {
          throw new Error('broken by its author');
        },
      },
    };
    const url = await opened(broken);
    expect(JSON.parse((await fetched(`${url}quotes`)).text)).toEqual({ error: 'Error: broken by its author' });
    expect((await fetched(url, { host: 'evil.example' })).status).toBe(403);
    expect((await fetched(url, { origin: 'http://evil.example' })).status).toBe(403);
  });
});
