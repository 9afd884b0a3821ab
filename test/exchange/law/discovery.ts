/** What everybody may read: events, markets, statistics, prices, candles, sports, search; and one's own account. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningExchange } from '../../../src/exchange/exchange.js';
import { isRecord } from './shapes.js';
import { NOBODY, POLYMARKET, type Reply, start, Trader, Venue } from './stranger.js';

const named = (...fields: string[]) => ({ status: 400, slug: 'invalid_request_params', named: fields });
const titles = ({ rows }: Reply) => rows.map((row) => row['title']);
const keysOf = (page: Reply | undefined): readonly string[] =>
  Object.keys(JSON.parse(Buffer.from(String(page?.meta['next_cursor']), 'base64url').toString()));

export function discovery(): void {
  let exchange: RunningExchange;
  let venue: Venue;
  let trader: Trader;
  /** Of the event Weather, oldest first. */
  let weather: string[];
  let eventId: string;

  beforeAll(async () => {
    exchange = await start();
    venue = new Venue(exchange.url);
    trader = await Trader.join(venue);
    weather = [];
    for (const title of ['Will it rain?', 'Will it snow?', 'Will it hail?'])
      weather.push(await venue.market({ title, event: 'Weather', category: 'politics' }));
    for (const title of ['Alpha', 'Beta', 'Gamma'])
      await venue.market({ title: `${title} wins`, event: title, category: 'crypto' });
    await venue.market({ title: 'Gold up', event: 'Gold', category: 'finance', config: POLYMARKET });
    const { event } = (await venue.get(`/markets/${weather[0]}/`)).row;
    eventId = String(isRecord(event) ? event['condition_id'] : '');
    const [rain = ''] = weather;
    const maker = await Trader.join(venue);
    await maker.split(rain, '100');
    await maker.limit(rain, true, 'sell', '0.6', '50');
    await trader.limit(rain, true, 'buy', '0.6', '10');
    await maker.limit(rain, true, 'buy', '0.5', '50');
    await trader.limit(rain, true, 'sell', '0.5', '4');
  });
  afterAll(() => exchange.close());

  async function walk(path: string): Promise<Reply[]> {
    const pages: Reply[] = [];
    for (let cursor: unknown = ''; cursor !== null; cursor = pages.at(-1)?.meta['next_cursor'])
      pages.push(await venue.get(`${path}${cursor && `&cursor=${cursor}`}`));
    return pages;
  }

  describe('events', () => {
    it('come newest first, two of their markets with them, and all in the detail', async () => {
      expect(titles(await venue.get('/events/'))).toEqual(['Gold', 'Gamma', 'Beta', 'Alpha', 'Weather']);
      const listed = (await venue.get('/events/?category=politics')).rows;
      expect(listed).toHaveLength(1);
      expect(listed[0]?.['markets']).toHaveLength(2);
      const { row } = await venue.get(`/events/${eventId}/`);
      expect(row['markets']).toHaveLength(3);
      expect(row).toMatchObject({ title: 'Weather', condition_id: eventId, category: 'politics' });
    });

    it.each([
      '',
      ...['market_cap', 'last_trade', 'total_volume', 'live_stream', 'trending', 'leverage', 'ending_soon'],
    ])('page without gap or repeat when sorted by "%s"', async (sort) => {
      const query = sort && `&sort=${sort}`;
      const whole = titles(await venue.get(`/events/?limit=100${query}`));
      expect(whole).toHaveLength(5);
      const pages = await walk(`/events/?limit=2${query}`);
      expect(pages.flatMap(titles)).toEqual(whole);
      expect(keysOf(pages[0])).toEqual([sort === '' ? 'before_id' : 'e_offset']);
      // The cursor of the decisions is one, too: nothing but the offset.
      const stated = Buffer.from('{"e_offset":2}').toString('base64url');
      if (sort !== '')
        expect(titles(await venue.get(`/events/?limit=3${query}&cursor=${stated}`))).toEqual(whole.slice(2));
    });

    it('filter by what became of them', async () => {
      expect((await venue.get('/events/?state=Open')).rows).toHaveLength(5);
      expect((await venue.get('/events/?state=resolved')).rows).toHaveLength(0);
      expect(titles(await venue.get('/events/?category=crypto'))).toEqual(['Gamma', 'Beta', 'Alpha']);
      const gone = await venue.market({ title: 'Past', event: 'Past' });
      await venue.paper(`/markets/${gone}/resolve/`, { is_yes: true });
      expect(titles(await venue.get('/events/?state=RESOLVED'))).toEqual(['Past']);
      expect(titles(await venue.get('/events/?state=open'))).not.toContain('Past');
    });

    it('refuse a league without its sport', async () => {
      for (const path of ['/events/', '/markets/']) {
        expect(await venue.get(`${path}?league=nba`)).toMatchObject(named('league'));
        const { rows } = await venue.get('/sports/');
        const [sport] = rows;
        const league = Array.isArray(sport?.['leagues']) ? sport['leagues'][0]?.slug : '';
        const found = await venue.get(`${path}?sport=${sport?.['slug']}&league=${league}`);
        expect(found).toMatchObject({ slug: null, rows: [] });
        expect((await venue.get(`${path}?sport=${sport?.['slug']}`)).slug).toBeNull();
      }
    });
  });

  describe('markets', () => {
    it('are listed newest first, and paged by their own kinds of cursor', async () => {
      const plain = await walk('/markets/?limit=3');
      const whole = (await venue.get('/markets/?limit=100')).rows;
      expect(plain.flatMap(({ rows }) => rows)).toEqual(whole);
      const sorted = await walk('/markets/?limit=3&sort=total_volume');
      expect(new Set(sorted.flatMap(titles))).toEqual(new Set(whole.map((row) => row['title'])));
      expect(sorted[0]?.rows[0]).toMatchObject({ title: 'Will it rain?' });
      expect(keysOf(sorted[0])).toEqual(['m_offset']);
      const found = await venue.get('/search/?state=open&limit=2');
      expect(keysOf(found)).toEqual(['m_offset']);
      expect(await venue.get(`/markets/?sort=trending&cursor=${found.meta['next_cursor']}`)).toMatchObject(
        named('cursor'),
      );
      const cursor = sorted[0]?.meta['next_cursor'];
      expect(await venue.get(`/events/?sort=trending&cursor=${cursor}`)).toMatchObject(named('cursor'));
      expect(await venue.get(`/markets/?cursor=${cursor}`)).toMatchObject(named('cursor'));
    });

    it('have a price in the middle, or none', async () => {
      const path = `/markets/${weather[0]}/price/`;
      expect((await venue.get(path)).row).toEqual({
        condition_id: weather[0],
        price: '0.55',
        price_kind: 'mid',
        is_yes: true,
      });
      expect((await venue.get(`${path}?is_yes=false`)).row).toMatchObject({ price: '0.45', is_yes: false });
      expect((await venue.get(`/markets/${weather[1]}/price/`)).row).toMatchObject({ price: null });
    });

    it('count their trades', async () => {
      expect((await venue.get(`/markets/${weather[0]}/stats/`)).row).toMatchObject({ trade_count: 2 });
      expect((await venue.get(`/markets/${weather[1]}/stats/`)).row).toMatchObject({
        trade_count: 0,
        total_volume: '0',
        total_volume_24h: '0',
        market_cap: '0',
      });
    });

    it('draw candles in both scales', async () => {
      const now = venue.nowS;
      const path = `/markets/${weather[0]}/candles/?interval=30m&start_time=${now - 86_400}&end_time=${now + 3600}`;
      const yes = await venue.get(path);
      expect(yes.meta).toEqual({ is_yes: true });
      expect(yes.rows.at(-1) ?? {}).toMatchObject({ high: expect.any(String), is_yes: true });
      const no = await venue.get(`${path}&is_yes=false`);
      expect(no.meta).toEqual({ is_yes: false });
      expect(no.rows.map((row) => [row['timestamp'], Number(row['high']), Number(row['low'])])).toEqual(
        yes.rows.map((row) => [row['timestamp'], 1 - Number(row['low']), 1 - Number(row['high'])]),
      );
      const ask = (from: unknown, to: unknown) =>
        venue.get(`/markets/${weather[0]}/candles/?interval=5m&start_time=${from}&end_time=${to}`);
      expect((await ask(now - 30 * 86_400, now)).slug).toBeNull();
      expect(await ask(now - 30 * 86_400 - 1, now)).toMatchObject(named('end_time'));
      expect((await ask(now, now - 1)).slug).toBe('invalid_request_params');
      expect((await venue.get(`/markets/${weather[0]}/candles/`)).named).toEqual(
        expect.arrayContaining(['start_time', 'end_time', 'interval']),
      );
      const at = Number(yes.rows[0]?.['timestamp']);
      const from = (start: number, end: number) =>
        venue.get(`/markets/${weather[0]}/candles/?interval=30m&start_time=${start}&end_time=${end}`);
      expect((await from(at, at + 1)).rows.map((row) => row['timestamp'])).toEqual([at]);
      expect((await from(at - 1800, at)).rows).toEqual([]);
    });

    it('show what they were made of', async () => {
      const fields = {
        title: 'Will it thaw?',
        description: 'A thaw.',
        logo: 'https://example.org/thaw.png',
        category: 'tech',
        yes_outcome_label: 'Aye',
        no_outcome_label: 'Nay',
        rules: ['First.', 'Second.'],
        resolution_date: venue.nowS + 86_400,
      };
      const market = await venue.market(fields);
      const outcomes = [
        { is_yes: true, text: 'Aye' },
        { is_yes: false, text: 'Nay' },
      ];
      expect((await venue.get(`/markets/${market}/`)).row).toMatchObject({ ...fields, outcomes, state: 'open' });
      const { row } = await trader.limit(market, false, 'buy', '0.5', '10');
      expect(row['outcome']).toEqual({ is_yes: false, text: 'Nay' });
    });

    it.each(['draft', 'waiting_to_open', 'answer_proposed', 'waiting_to_resolve', 'interrupted'])(
      'can be %s',
      async (state) => {
        const market = await venue.market({ title: state });
        await venue.paper(`/markets/${market}/state/`, { state });
        expect((await venue.get(`/markets/${market}/`)).row).toMatchObject({ state });
      },
    );
  });

  describe('search', () => {
    it('finds markets and events as full details', async () => {
      const markets = await venue.get('/search/?q=RAIN&result_type=market');
      expect(markets.rows.map(({ summary }) => isRecord(summary) && summary['title'])).toEqual(['Will it rain?']);
      const events = await venue.get('/search/?q=weath&result_type=event');
      expect(events.rows.map(({ summary }) => isRecord(summary) && summary['title'])).toEqual(['Weather']);
      const leveraged = await venue.get('/search/?leveraged=true&result_type=market');
      expect(leveraged.rows.map(({ summary }) => isRecord(summary) && summary['title'])).toEqual(['Gold up']);
    });

    it('needs a filter', async () => {
      for (const query of ['', '?limit=10', '?sort=created', '?result_type_=x'])
        expect(await venue.get(`/search/${query}`)).toMatchObject({ status: 400, slug: 'invalid_request_params' });
      expect((await venue.get('/search/?q=x')).named).toEqual(['q']);
    });

    it('pages', async () => {
      const whole = (await venue.get('/search/?q=will&limit=100')).rows;
      expect((await walk('/search/?q=will&limit=1')).flatMap(({ rows }) => rows)).toEqual(whole);
    });
  });

  describe('an account', () => {
    it('tells who it is and what it earned', async () => {
      const { row } = await trader.get('/account/');
      expect(Number(row['joined_at'])).toBeLessThanOrEqual(venue.nowS);
      const pnl = await trader.get(`/account/pnl/?market_condition_id=${weather[0]}`);
      expect(pnl.row).toMatchObject({ redeems_funds: '0', creator_fees: '0' });
      expect((await trader.get(`/account/pnl/?event_condition_id=${eventId}`)).slug).toBeNull();
      expect((await trader.get(`/account/pnl/?market_condition_id=${NOBODY}`)).row).toMatchObject({ total_pnl: '0' });
    });
  });
}
