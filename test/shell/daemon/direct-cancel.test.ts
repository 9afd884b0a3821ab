import { describe, expect, it } from 'vitest';
import { cancelDirectly } from '../../../src/shell/daemon/direct-cancel.js';
import { profile } from '../client/hostile-server.js';
import { startPaper } from '../client/paper.js';

it.each([true, false])('orders that nobody can name are not taken for canceled (verify: %s)', async (verify) => {
  const { client, network, wallet, openMarket } = await startPaper();
  const order = { market_condition_id: await openMarket(), is_yes: true, side: 'buy', order_type: 'limit' } as const;
  const { pubkey } = await client.place(wallet, { ...order, price: '0.42', amount: '10' }, { pollMs: 1 });
  network.answered = ({ method, url }, attempt) =>
    method === 'GET' && url.pathname === '/orders/' && attempt.kind === 'answer' && attempt.text !== null
      ? { ...attempt, text: attempt.text.replace(`"${pubkey}"`, 'null') }
      : attempt;
  await expect(cancelDirectly({ client, wallet, profile, allowBlindSigning: false, verify })).rejects.toThrow(
    'no order could be canceled: an order has no pubkey',
  );
  expect((await client.orders.detail(pubkey ?? '')).status).toBe('open');
});

it('a key that was revoked is said with what makes another', async () => {
  const { client, wallet } = await startPaper();
  for (const { key_id } of await client.keys.list()) await client.keys.revoke(key_id);
  await expect(
    cancelDirectly({ client, wallet, profile, allowBlindSigning: false, verify: true }),
  ).rejects.toMatchObject({
    code: 'venue_refused',
    hint: expect.stringContaining('keys bootstrap'),
  });
});

describe('a list of open orders that does not come to its end', () => {
  const price = (nth: number) => `0.${40 + nth}`;

  async function threeOrders() {
    const paper = await startPaper();
    const order = {
      market_condition_id: await paper.openMarket(),
      is_yes: true,
      side: 'buy',
      order_type: 'limit',
    } as const;
    const pubkeys: string[] = [];
    for (let nth = 0; nth < 3; nth++) {
      const { pubkey } = await paper.client.place(
        paper.wallet,
        { ...order, price: price(nth), amount: '10' },
        { pollMs: 1 },
      );
      pubkeys.push(pubkey ?? '');
    }
    const statuses = () =>
      Promise.all(pubkeys.map(async (pubkey) => (await paper.client.orders.detail(pubkey)).status));
    return { ...paper, statuses };
  }

  it.each(['each page shows the same and names another', 'the page behind the first is a page of a proxy'])(
    'is no reason to leave those that it shows: %s',
    async (what) => {
      const { client, wallet, network, statuses } = await threeOrders();
      let first = '';
      network.answered = ({ method, url }, attempt) => {
        if (method !== 'GET' || url.pathname !== '/orders/' || attempt.kind !== 'answer') return attempt;
        const goesOn = url.searchParams.has('cursor');
        if (!goesOn) first = attempt.text ?? '';
        if (goesOn && what.endsWith('proxy')) return { ...attempt, status: 502, text: '<html>Bad Gateway</html>' };
        return { ...attempt, status: 200, text: withCursor(first, `after ${url.searchParams.get('cursor') ?? ''}`) };
      };
      await expect(cancelDirectly({ client, wallet, profile, allowBlindSigning: false, verify: true })).rejects.toThrow(
        /open orders/,
      );
      expect(await statuses()).toEqual(['canceled', 'canceled', 'canceled']);
    },
  );
});

/** The same page with a cursor to another one. */
const withCursor = (text: string, cursor: string): string =>
  text.replace(/"next_cursor":(null|"[^"]*")/, `"next_cursor":${JSON.stringify(cursor)}`);
