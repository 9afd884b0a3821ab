/**
 * Rules for every call of the table: allowed callers, trailing slash, method (`anyCall`); its parameters and page
 * (`anyQuery`, in its own file, because these take as long as all the rest).
 */

import { beforeAll, describe, expect, it } from 'vitest';
import { callOf, ENDPOINTS, type Endpoint, endpointOf } from './endpoints.js';
import { NOBODY, named, type Reply, Trader, type Venue } from './stranger.js';

const withNames = (endpoints: readonly Endpoint[]) => endpoints.map((each) => [callOf(each), each] as const);
const CALLS = withNames(ENDPOINTS);

/** A market of an exchange, and requests about it. */
function useMarket(venue: Venue) {
  let trader: Trader;
  let market: string;
  let event: string;

  beforeAll(async () => {
    trader = await Trader.join(venue);
    market = await venue.market({ event: 'Weather' });
    const { row } = await venue.get(`/markets/${market}/`);
    event = String((row['event'] as { condition_id: unknown }).condition_id);
  });

  const fill = (path: string, id?: string) =>
    path
      .replace('{market}', id ?? market)
      .replace('{event}', id ?? event)
      .replaceAll(/\{\w+\}/g, id ?? NOBODY);

  const ask = (endpoint: Endpoint, query: string): Promise<Reply> => {
    const kept = endpoint.needs.split('&').filter((pair) => !query.startsWith(`${pair.split('=')[0]}=`));
    const pairs = [...kept, query].filter((pair) => pair !== '');
    const path = `${fill(endpoint.path)}${pairs.length === 0 ? '' : '?'}${pairs.join('&')}`;
    return endpoint.access === 'signed' ? trader.get(path) : venue.get(path);
  };

  return { fill, ask, trader: () => trader };
}

export function anyCall(venue: Venue): void {
  const { fill, ask, trader } = useMarket(venue);

  describe('any call', () => {
    it.each(CALLS)('%s asks for credentials exactly if it is signed', async (_, { method, path, access }) => {
      // A call that is not signed does not look at credentials.
      const sent = access === 'signed' ? {} : { headers: { 'SVC-API-KEY': 'nobody', 'SVC-TIMESTAMP': '1' } };
      const { slug } = await venue.call(method, fill(path), sent);
      if (access === 'signed') expect(slug).toBe('not_authenticated');
      else expect(String(slug)).not.toMatch(/authenticat/);
    });

    it.each(CALLS)('%s is not found without its trailing slash', async (_, { method, path }) => {
      expect(await trader().call(method, fill(path).slice(0, -1))).toMatchObject({ status: 404, slug: 'not_found' });
    });

    it('that reads anything but a record of its own answers a newcomer', async () => {
      for (const endpoint of ENDPOINTS.filter(({ method, path }) => method === 'GET' && !/pubkey|estimate/.test(path)))
        expect([callOf(endpoint), (await ask(endpoint, '')).slug]).toEqual([callOf(endpoint), null]);
    });

    it('refuses methods that a path does not have', async () => {
      for (const path of new Set(ENDPOINTS.map((endpoint) => endpoint.path))) {
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
          if (endpointOf(method, fill(path)) !== undefined) continue;
          const body = method === 'GET' ? undefined : {};
          expect([path, (await trader().call(method, fill(path), body)).slug]).toEqual([path, 'method_not_allowed']);
        }
      }
    });

    const ofOneRecord = withNames(ENDPOINTS.filter(({ path }) => path.includes('{')));
    it.each(ofOneRecord)('%s does not find an unknown record', async (_, { method, path }) => {
      // Each call reads its own field.
      const body = { signature: 'ab'.repeat(64), stop_loss_price: null };
      const needs = ENDPOINTS.find((endpoint) => endpoint.path === path)?.needs ?? '';
      const wanted = /^\/share-.*submit/.test(path) ? 'share_conversion_not_found' : 'not_found';
      for (const id of [NOBODY, 'nobody', 'a%2Fb%20%F0%9F%92%A9']) {
        const target = `${fill(path, id)}${needs && '?'}${needs}`;
        const reply = await trader().call(method, target, method === 'POST' ? body : undefined);
        expect([id, reply.status, reply.slug]).toEqual([id, 404, wanted]);
      }
    });
  });
}

export function anyQuery(venue: Venue): void {
  const { ask } = useMarket(venue);
  const expectRefused = async (endpoint: Endpoint, name: string, value: string) =>
    expect([value, await ask(endpoint, `${name}=${encodeURIComponent(value)}`)]).toMatchObject([value, named(name)]);

  describe('any call', () => {
    const lists = withNames(ENDPOINTS.filter(({ page }) => page !== null));

    it.each(lists)('%s pages within its bounds', async (_, endpoint) => {
      const { standard = 0, most = 0 } = endpoint.page ?? {};
      expect((await ask(endpoint, '')).meta['limit']).toBe(standard);
      expect((await ask(endpoint, '')).meta['next_cursor']).toBeNull();
      for (const limit of [1, most]) expect((await ask(endpoint, `limit=${limit}`)).meta['limit']).toBe(limit);
      for (const limit of [0, -1, most + 1, '1.5', 'many', '', '1e1', '0x10', '99999999999999999999'])
        await expectRefused(endpoint, 'limit', String(limit));
    });

    it.each(lists)('%s refuses a cursor that is not its own kind', async (_, endpoint) => {
      const of = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const wrong = ['%', 'nonsense', of(null), of([1]), of({}), of({ x: 1 }), of({ before_id: 'one' })];
      for (const cursor of wrong) await expectRefused(endpoint, 'cursor', cursor);
    });

    const parameters = CALLS.flatMap(([call, endpoint]) =>
      Object.entries(endpoint.query).map(([name, values]) => [`${call} ${name}`, endpoint, name, values] as const),
    );

    it.each(parameters)('%s takes what the documents allow and refuses the rest', async (_, endpoint, name, values) => {
      for (const value of values.good)
        expect([value, (await ask(endpoint, `${name}=${encodeURIComponent(value)}`)).slug]).toEqual([value, null]);
      for (const value of values.bad) await expectRefused(endpoint, name, value);
    });

    it.each(lists)('%s ignores parameters that it does not know', async (_, endpoint) => {
      expect(await ask(endpoint, 'colour=green&before_id=x')).toMatchObject({ slug: null });
    });
  });
}
