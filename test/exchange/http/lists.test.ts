import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningExchange } from '../../../src/exchange/exchange.js';
import { type Answered, control, openMarket, send, startTestExchange, TestTrader } from './harness.js';

let exchange: RunningExchange;
let base: string;
let trader: TestTrader;
const markets: string[] = [];
const DAY_S = 86_400;

beforeAll(async () => {
  exchange = await startTestExchange();
  base = exchange.url;
  trader = await TestTrader.join(base);
  const nowS = Math.floor(Date.now() / 1000);
  for (let n = 0; n < 12; n++) {
    const category = n % 2 === 0 ? 'politics' : 'crypto';
    const fields = { title: `Market ${n}`, event: `Event ${Math.floor(n / 3)}`, category };
    markets.push(await openMarket(base, { ...fields, resolution_date: nowS + (n + 1) * DAY_S }));
  }
});
afterAll(() => exchange.close());

type Read = (path: string) => Promise<Answered>;
const open: Read = (path) => send(base, 'GET', path);

/** All rows of a list, page by page. */
async function walk(read: Read, path: string, limit: number): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? '' : `&cursor=${cursor}`;
    const page: Answered = await read(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${next}`);
    expect(page.status).toBe(200);
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    const meta = page.meta as { limit: number; next_cursor: string | null };
    expect(meta.limit).toBe(limit);
    cursor = meta.next_cursor;
    rows.push(...page.rows);
  } while (cursor !== null);
  return rows;
}

const ids = (rows: Record<string, unknown>[]) => rows.map((row) => row['condition_id'] ?? row['pubkey']);

describe('pages', () => {
  it.each([
    '/markets/',
    '/markets/?sort=ending_soon',
    '/events/',
    '/events/?sort=total_volume',
    '/markets/?category=crypto',
  ])('of %s together are the whole list, whatever their size', async (path) => {
    const whole = ids((await open(path)).rows);
    expect(new Set(whole).size).toBe(whole.length);
    for (const limit of [1, 2, 5, 100]) expect(ids(await walk(open, path, limit))).toEqual(whole);
  });

  it('are newest first, and survive rows that come in between', async () => {
    expect(ids((await open('/markets/')).rows)).toEqual([...markets].reverse());
    const first = await open('/markets/?limit=4');
    const { next_cursor } = first.meta as { next_cursor: string };
    markets.push(await openMarket(base, { title: 'Late', event: 'Late event', resolution_date: null }));
    const second = await open(`/markets/?limit=4&cursor=${next_cursor}`);
    expect(ids(second.rows)).toEqual(markets.slice(4, 8).reverse());
  });

  it('of own lists walk by keyset and by offset', async () => {
    const market = markets[0] ?? '';
    for (let n = 0; n < 7; n++) await trader.order(market, n % 2 === 0, 'buy', `0.${10 + n}`, '1');
    const read: Read = (path) => trader.get(path);
    const whole = ids((await trader.get('/orders/')).rows);
    expect(whole).toHaveLength(7);
    expect(ids(await walk(read, '/orders/', 2))).toEqual(whole);
    const yes = await walk(read, '/orders/?is_yes=true', 3);
    expect(yes).toHaveLength(4);

    for (const id of markets.slice(0, 5))
      await trader.complete('/share-splits/', { market_condition_id: id, amount: '2' });
    await control(base, '/clock/', { advance_s: 1 });
    trader.clockShiftS += 1;
    const assets = await walk(read, '/account/assets/', 3);
    expect(assets.map((row) => (row['token'] as { symbol: string }).symbol)).toHaveLength(10);
    expect(await walk(read, '/share-splits/', 2)).toHaveLength(5);
  });

  it('of trades, own and public, agree', async () => {
    const market = markets[3] ?? '';
    const other = await TestTrader.join(base);
    other.clockShiftS = trader.clockShiftS;
    await trader.order(market, true, 'buy', '0.5', '10');
    for (let n = 0; n < 5; n++) await other.order(market, false, 'buy', '0.5', '1');
    const path = `/trades/?market_condition_id=${market}`;
    expect(await walk((p) => trader.get(p), path, 2)).toHaveLength(5);
    expect(await walk((p) => other.get(p), path, 2)).toHaveLength(5);
    expect(await walk(open, `/markets/${market}/trades/`, 2)).toHaveLength(5);
  });

  it('go on in their own list alone', async () => {
    const read: Read = (path) => (/^\/(markets|events)\//.test(path) ? open(path) : trader.get(path));
    const lists = [
      '/orders/',
      '/trades/',
      '/share-splits/',
      `/markets/${markets[3] ?? ''}/trades/`,
      '/events/',
      '/markets/',
    ];
    for (const list of lists) {
      const { next_cursor } = (await read(`${list}?limit=1`)).meta as { next_cursor: string };
      expect((await read(`${list}?limit=1&cursor=${next_cursor}`)).status).toBe(200);
      for (const other of [...lists.filter((path) => path !== list), '/share-merges/', '/redeems/']) {
        const { status, error } = await read(`${other}?cursor=${next_cursor}`);
        expect([list, other, status, error?.details]).toEqual([list, other, 400, [{ cursor: 'Invalid cursor.' }]]);
      }
    }
  });
});

describe('the events list', () => {
  it('shows at most two markets of an event, the detail all of them', async () => {
    const { rows } = await open('/events/');
    for (const row of rows) expect((row['markets'] as unknown[]).length).toBeLessThanOrEqual(2);
    const detail = await open(`/events/${String(rows.at(-1)?.['condition_id'])}/`);
    expect(detail.row['markets']).toHaveLength(3);
  });
});

describe('filters and sorts', () => {
  it('sort by how soon a market ends, those without a date last', async () => {
    const { rows } = await open('/markets/?sort=ending_soon');
    expect(ids(rows).slice(0, 12)).toEqual(markets.slice(0, 12));
    expect(ids(rows).at(-1)).toBe(markets[12]);
  });

  it('put what was traded first', async () => {
    for (const sort of ['total_volume', 'trending', 'last_trade']) {
      expect(ids((await open(`/markets/?sort=${sort}&limit=1`)).rows), sort).toEqual([markets[3]]);
    }
    expect((await open('/markets/?sort=market_cap&limit=1')).rows[0]).toBeDefined();
  });

  it('tell open, closed and resolved apart', async () => {
    const [closing = '', resolving = ''] = markets.slice(-3, -1);
    await control(base, `/markets/${closing}/state/`, { state: 'waiting_to_resolve' });
    await control(base, `/markets/${resolving}/resolve/`, { is_yes: false });
    expect(ids((await open('/markets/?state=closed')).rows)).toEqual([closing]);
    expect(ids((await open('/markets/?state=RESOLVED')).rows)).toEqual([resolving]);
    const openIds = ids((await open('/markets/?state=open')).rows);
    expect(openIds).not.toContain(closing);
    expect(openIds).toHaveLength(markets.length - 2);
    expect(ids((await open('/markets/?state=newest')).rows)).toHaveLength(markets.length);
    const soon = ids((await open('/markets/?state=ending_soon')).rows);
    expect(soon).toEqual(markets.slice(0, 7).reverse());
    expect((await open('/markets/?state=ended_recently')).rows).toEqual([]);
    expect((await open('/events/?sport=tennis')).rows).toEqual([]);
  });
});
