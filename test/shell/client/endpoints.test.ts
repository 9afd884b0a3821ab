import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { declarationOf, ENDPOINTS, type EndpointName } from '../../../src/shared/protocol/endpoints.js';
import type { HttpCaller } from '../../../src/shell/client/caller.js';
import { walkPages } from '../../../src/shell/client/calls.js';
import type { ServiceClient } from '../../../src/shell/client/client.js';
import { BrokenList, type ListName, ServiceRefused } from '../../../src/shell/client/contract.js';
import { client, orderBody, serveEachTest, server } from './fixture.js';
import { answering, envelope, refusal } from './hostile-server.js';

serveEachTest();

/** Endpoints without a client method of their name. */
type Missing = {
  [N in EndpointName]: N extends `${infer G}.${infer M}`
    ? G extends keyof ServiceClient
      ? M extends keyof ServiceClient[G]
        ? never
        : N
      : N
    : N;
}[EndpointName];

const order = { ...orderBody, side: 'buy', order_type: 'limit' } as const;
const conversion = { market_condition_id: 'm', amount: '5' };
const proof = { wallet_address: 'w', message: 'm', nonce: 'n', signature: 's' };
const chart = { start_time: 0, end_time: 300, interval: '5m' } as const;
const estimate = { market_condition_id: 'm', funds: '100', leverage: '2.5' };
const margin = { type: 'market', market_condition_id: 'm', leverage: 2, funds: '100' } as const;

/** Every method, called once. A new endpoint without a line here does not compile. */
const CALLS: Readonly<Record<EndpointName, (client: ServiceClient) => Promise<unknown>>> = {
  'keys.challenge': ({ keys }) => keys.challenge('w'),
  'keys.create': ({ keys }) => keys.create(proof),
  'keys.list': ({ keys }) => keys.list(),
  'keys.revoke': ({ keys }) => keys.revoke('id'),
  'events.list': ({ events }) => events.list({ state: 'open', limit: 5 }),
  'events.detail': ({ events }) => events.detail('id'),
  'markets.list': ({ markets }) => markets.list({ category: 'crypto' }),
  'markets.detail': ({ markets }) => markets.detail('id'),
  'markets.book': ({ markets }) => markets.book('id', { depth: 5, is_yes: false }),
  'markets.trades': ({ markets }) => markets.trades('id', { limit: 5 }),
  'markets.stats': ({ markets }) => markets.stats('id'),
  'markets.price': ({ markets }) => markets.price('id', { is_yes: false }),
  'markets.candles': ({ markets }) => markets.candles('id', chart),
  'markets.marginActivity': ({ markets }) => markets.marginActivity('id', { activity_type: 'opened' }),
  'sports.list': ({ sports }) => sports.list(),
  'search.list': ({ search }) => search.list({ q: 'rain', price_gte: '0.1', state: ['open', 'resolved'] }),
  'orders.list': ({ orders }) => orders.list({ status: ['open', 'filled'], is_yes: true }),
  'orders.create': ({ orders }) => orders.create(order),
  'orders.submit': ({ orders }) => orders.submit('id', 'ab'),
  'orders.detail': ({ orders }) => orders.detail('id'),
  'orders.cancel': ({ orders }) => orders.cancel('id'),
  'orders.cancelSubmit': ({ orders }) => orders.cancelSubmit('id', 'ab'),
  'trades.list': ({ trades }) => trades.list({ limit: 1 }),
  'merges.list': ({ merges }) => merges.list({ state: 'done' }),
  'merges.create': ({ merges }) => merges.create(conversion),
  'merges.submit': ({ merges }) => merges.submit('id', 'ab'),
  'merges.detail': ({ merges }) => merges.detail('id'),
  'splits.list': ({ splits }) => splits.list({ limit: 1 }),
  'splits.create': ({ splits }) => splits.create(conversion),
  'splits.submit': ({ splits }) => splits.submit('id', 'ab'),
  'splits.detail': ({ splits }) => splits.detail('id'),
  'redeems.list': ({ redeems }) => redeems.list({ limit: 1 }),
  'redeems.create': ({ redeems }) => redeems.create('m'),
  'redeems.submit': ({ redeems }) => redeems.submit('id', 'ab'),
  'redeems.detail': ({ redeems }) => redeems.detail('id'),
  'account.detail': ({ account }) => account.detail(),
  'account.assets': ({ account }) => account.assets({ limit: 200 }),
  'account.pnl': ({ account }) => account.pnl({ market_condition_id: 'm' }),
  'positions.list': ({ positions }) => positions.list({ is_closed: false }),
  'positions.estimate': ({ positions }) => positions.estimate(estimate),
  'positions.detail': ({ positions }) => positions.detail('id'),
  'positions.close': ({ positions }) => positions.close('id', { price: '0.42' }),
  'positions.setTpSl': ({ positions }) => positions.setTpSl('id', { take_profit_price: '0.8', stop_loss_price: null }),
  'positions.deleteTpSl': ({ positions }) => positions.deleteTpSl('id'),
  'positions.claim': ({ positions }) => positions.claim('id'),
  'settlements.list': ({ settlements }) => settlements.list({ states: ['claimable'], position_leverage: '2' }),
  'requests.list': ({ requests }) => requests.list({ sort: 'created', leverage: '2' }),
  'requests.create': ({ requests }) => requests.create(margin),
  'requests.submit': ({ requests }) => requests.submit('id', 'ab'),
  'requests.detail': ({ requests }) => requests.detail('id'),
  'requests.cancel': ({ requests }) => requests.cancel('id'),
};

/** The start of every walk. A new list without one does not compile. */
const WALKS: Readonly<Record<ListName, (client: ServiceClient) => AsyncGenerator<unknown>>> = {
  'events.list': ({ events }) => events.all(),
  'markets.list': ({ markets }) => markets.all(),
  'markets.trades': ({ markets }) => markets.allTrades('id'),
  'markets.marginActivity': ({ markets }) => markets.allMarginActivity('id'),
  'search.list': ({ search }) => search.all({ q: 'rain' }),
  'orders.list': ({ orders }) => orders.all(),
  'trades.list': ({ trades }) => trades.all(),
  'merges.list': ({ merges }) => merges.all(),
  'splits.list': ({ splits }) => splits.all(),
  'redeems.list': ({ redeems }) => redeems.all(),
  'account.assets': ({ account }) => account.allAssets(),
  'positions.list': ({ positions }) => positions.all(),
  'settlements.list': ({ settlements }) => settlements.all(),
  'requests.list': ({ requests }) => requests.all(),
};

// `Object.keys` has no type for names; these are the table's.
const NAMES = Object.keys(ENDPOINTS) as EndpointName[];
const LISTS = Object.keys(WALKS) as ListName[];

const pathOf = (name: EndpointName) => declarationOf(name).path.replace(/\{\w+\}/g, 'id');

describe('the typed methods', () => {
  it('are one for each endpoint, at its name', () => expectTypeOf<Missing>().toEqualTypeOf<never>());

  it.each(NAMES)('%s calls its own endpoint, and throws its refusal under its name', async (name) => {
    server.answer = answering(404, refusal('not_found', 'Not found.'));
    const error: unknown = await CALLS[name](client).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceRefused);
    expect(error).toMatchObject({ endpoint: name, status: 404, slug: 'not_found', reason: 'Not found.' });
    const { method } = declarationOf(name);
    const [asked] = server.asked;
    expect([asked?.method, asked?.url.split('?')[0]]).toEqual([method, pathOf(name)]);
  });

  it.each(LISTS)('%s is walked with the largest page', async (name) => {
    server.answer = answering(200, envelope([], { limit: 100, next_cursor: null }));
    for await (const row of WALKS[name](client)) expect(row).toBeNull();
    expect(server.asked.map(({ url }) => url.split('?')[0])).toEqual([pathOf(name)]);
    expect(server.asked[0]?.url).toContain('limit=100');
  });

  it('write decimals, lists and booleans as the interface spells them', async () => {
    server.answer = answering(404, refusal('not_found'));
    const urlOf = async (name: EndpointName) => {
      await CALLS[name](client).catch(() => undefined);
      return server.asked.at(-1);
    };
    expect((await urlOf('positions.close'))?.url).toBe('/margin/positions/id/?price=0.42');
    expect((await urlOf('orders.list'))?.url).toBe('/orders/?status=open%2Cfilled&is_yes=true');
    expect((await urlOf('positions.estimate'))?.url).toContain('funds=100&leverage=2.5');
    expect((await urlOf('positions.setTpSl'))?.body).toBe('{"take_profit_price":"0.8","stop_loss_price":null}');
    expect((await urlOf('redeems.create'))?.body).toBe('{"market_condition_id":"m"}');
  });
});

type Answer = { readonly rows: readonly string[]; readonly next: string | null; readonly limit?: number };

/** `positions.list` may skip rows; trades of a market have no name. */
type Walked = 'orders.list' | 'positions.list' | 'markets.trades';

/** Walks scripted pages, one for each cursor: its results, its requests, and its end. */
async function walk(
  pages: (cursor: string | undefined) => Answer,
  { endpoint = 'orders.list', limit: size = 2 }: { endpoint?: Walked; limit?: number } = {},
  most = 1e9,
) {
  const asked: (string | undefined)[] = [];
  const came: (string | null)[] = [];
  let fault: string | null = null;
  const call = async (_: string, { query: { cursor } }: { query: { cursor?: string } }) => {
    asked.push(cursor);
    const { rows: ids, next: nextCursor, limit: pageLimit = null } = pages(cursor);
    const data = ids.map((id) => ({ pubkey: id === '' ? null : id }));
    return { outcome: { kind: 'answered', data, nextCursor }, pageLimit };
  };
  // Rows with the fields that a walk reads.
  const rows = walkPages({ call } as unknown as HttpCaller, endpoint as 'orders.list', { query: { limit: size } });
  try {
    for await (const { pubkey } of rows) {
      came.push(pubkey);
      if (came.length >= most) break;
    }
  } catch (error) {
    if (!(error instanceof BrokenList)) throw error;
    fault = error.fault;
  }
  return { asked, came, fault };
}

const script =
  (answers: Readonly<Record<string, Answer>>) =>
  (cursor = 'start'): Answer =>
    answers[cursor] ?? { rows: [], next: null };

describe('walking a list', () => {
  it('hands out every row once, whatever the pages, against the list itself', async () => {
    const list = fc.uniqueArray(fc.nat().map(String), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(list, fc.integer({ min: 1, max: 7 }), async (ids, size) => {
        const pages = (cursor = '0') => {
          const end = Number(cursor) + size;
          return { rows: ids.slice(Number(cursor), end), next: end < ids.length ? String(end) : null };
        };
        const { came, fault, asked } = await walk(pages, { limit: size });
        expect([came, fault]).toEqual([ids, null]);
        expect(asked).toHaveLength(Math.max(1, Math.ceil(ids.length / size)));
      }),
      { numRuns: 100 },
    );
  });

  /** A page with a row for each letter. */
  const page = (rows: string, next: string | null = null): Answer => ({ rows: [...rows], next });

  it.each<[string, Readonly<Record<string, Answer>>, string, string]>([
    ['a cursor that names its own page', { start: page('ab', 'x'), x: page('cd', 'x') }, 'cursor_repeated', 'ab'],
    ['a cursor circle', { start: page('ab', 'x'), x: page('cd', 'y'), y: page('ef', 'x') }, 'cursor_repeated', 'abcd'],
    ['a row that moved to the next page', { start: page('ab', 'x'), x: page('bc') }, 'row_repeated', 'ab'],
    ['a row twice on one page', { start: page('aa') }, 'row_repeated', ''],
    ['a page that was cut', { start: page('a', 'x') }, 'page_cut', ''],
    ['a page cut below the size that it tells', { start: { ...page('ab', 'x'), limit: 3 } }, 'page_cut', ''],
    ['an empty page before others', { start: page('', 'x') }, 'page_cut', ''],
    ['more rows than the page holds', { start: page('abc') }, 'page_overfull', ''],
  ])('ends at %s, before anything of that page', async (_, answers, fault, came) => {
    expect(await walk(script(answers))).toMatchObject({ fault, came: [...came] });
  });

  it('takes a smaller page for whole where the service says that pages are smaller', async () => {
    const answers = { start: { ...page('a', 'x'), limit: 1 }, x: { ...page('b'), limit: 1 } };
    expect(await walk(script(answers))).toMatchObject({ fault: null, came: ['a', 'b'] });
  });

  it('takes short pages where the list may skip rows, and still finds repeats', async () => {
    const short = { start: page('a', 'x'), x: page('', 'y'), y: page('b') };
    expect(await walk(script(short), { endpoint: 'positions.list' })).toMatchObject({ fault: null, came: ['a', 'b'] });
    const again = { start: page('a', 'x'), x: page('a') };
    expect(await walk(script(again), { endpoint: 'positions.list' })).toMatchObject({ fault: 'row_repeated' });
  });

  it('asks for nothing that nobody wanted', async () => {
    const endless = (cursor = '0') => ({ rows: [`${cursor}a`, `${cursor}b`], next: String(Number(cursor) + 1) });
    expect((await walk(endless, {}, 2)).asked).toHaveLength(1);
    expect((await walk(endless, {}, 3)).asked).toHaveLength(2);
  });

  it('finds a circle of three thousand cursors at once', async () => {
    const round = (cursor = '0') => ({ rows: ['x', 'y'], next: String((Number(cursor) + 1) % 3_000) });
    const { fault, asked } = await walk(round, { endpoint: 'markets.trades' });
    expect([fault, asked.length]).toEqual(['cursor_repeated', 3_001]);
  });

  it.each([
    [10_000, 'row_repeated'],
    [10_001, null],
  ])('knows a row again that came %i rows before: %s', async (distance, expected) => {
    // The second page's first row; those of the first page stay known.
    const again = 2 + distance;
    const name = (at: number) => String(at === again ? 2 : at);
    const pages = (cursor = '0') => {
      const at = Number(cursor);
      return { rows: [name(at), name(at + 1)], next: at > again ? null : String(at + 2) };
    };
    expect((await walk(pages)).fault).toBe(expected);
  });

  it('finds a list that begins anew under other cursors, however long it is', async () => {
    const length = 8_000;
    const anew = (cursor = '0') => {
      const page = Number(cursor) % length;
      return { rows: [`${page}a`, `${page}b`], next: String(Number(cursor) + 1) };
    };
    const { fault, asked } = await walk(anew);
    expect([fault, asked.length]).toEqual(['row_repeated', length + 1]);
  });

  it('lets rows without a name pass', async () => {
    const answers = { start: { rows: ['', ''], next: 'x' }, x: { rows: [''], next: null } };
    expect(await walk(script(answers))).toMatchObject({ fault: null, came: [null, null, null] });
  });

  it('ends when a thousand pages in a row are empty under ever new cursors, and not while rows come in between', async () => {
    const numbered =
      (rows: (at: number) => string[]) =>
      (cursor = '0') => ({ rows: rows(Number(cursor)), next: cursor === '5000' ? null : String(Number(cursor) + 1) });
    const skipping = { endpoint: 'positions.list' } as const;
    const empty = numbered(() => []);
    const { fault, asked } = await walk(empty, skipping);
    expect([fault, asked.length]).toEqual(['pages_empty', 1_000]);
    const sparse = numbered((at) => (at % 999 === 0 ? [String(at)] : []));
    const { came, ...walked } = await walk(sparse, skipping);
    expect([walked.fault, came.length]).toEqual([null, 6]);
  });
});
