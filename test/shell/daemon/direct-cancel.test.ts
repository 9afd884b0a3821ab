import { expect, it } from 'vitest';
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
