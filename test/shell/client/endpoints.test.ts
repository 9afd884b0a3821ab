import { describe, expect, expectTypeOf, it } from 'vitest';
import { declarationOf, ENDPOINTS, type EndpointName } from '../../../src/shared/protocol/endpoints.js';
import type { ServiceClient } from '../../../src/shell/client/client.js';
import type { ListName } from '../../../src/shell/client/contract.js';
import { ServiceRefused } from '../../../src/shell/client/errors.js';
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
  it('are one for each endpoint, at its name', () => {
    expectTypeOf<Missing>().toEqualTypeOf<never>();
  });

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
