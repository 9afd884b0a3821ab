import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TwinbookError } from '../../../src/shared/base/errors.js';
import { cancelDirectly, cancelLeftovers, leavesOrdersBehind } from '../../../src/shell/daemon/direct-cancel.js';
import { explainLoss, settleWallet } from '../../../src/shell/daemon/fleet-session.js';
import { type FleetMember, Lease, rulesOf } from '../../../src/shell/fleet/member.js';
import { profile } from '../client/hostile-server.js';
import { startPaper } from '../client/paper.js';
import { loadedTrader } from '../config/files.js';

/** A client whose account has as many resting orders. */
async function withOrders(count: number) {
  const { client, wallet, network, openMarket } = await startPaper();
  const terms = { is_yes: true, side: 'buy', order_type: 'limit', amount: '10' } as const;
  const order = { market_condition_id: await openMarket(), ...terms };
  const pubkeys: string[] = [];
  for (let nth = 0; nth < count; nth++) {
    const { pubkey } = await client.place(wallet, { ...order, price: `0.${40 + nth}` }, { pollMs: 1 });
    pubkeys.push(pubkey ?? '');
  }
  const statuses = () => Promise.all(pubkeys.map(async (pubkey) => (await client.orders.detail(pubkey)).status));
  const access = { client, wallet, profile, allowBlindSigning: false };
  const cancel = (verify = true, checkOwner = (): void => undefined) =>
    cancelDirectly({ ...access, verify, checkOwner });
  return { access, client, network, pubkeys, statuses, cancel };
}

it.each([true, false])('orders that nobody can name are not taken for canceled (verify: %s)', async (verify) => {
  const { network, pubkeys, statuses, cancel } = await withOrders(1);
  network.answered = ({ method, url }, attempt) =>
    method === 'GET' && url.pathname === '/orders/' && attempt.kind === 'answer' && attempt.text !== null
      ? { ...attempt, text: attempt.text.replace(`"${pubkeys[0]}"`, 'null') }
      : attempt;
  await expect(cancel(verify)).rejects.toThrow('no order could be canceled: an order has no pubkey');
  expect(await statuses()).toEqual(['open']);
});

it('orders of the trader that has taken over the wallet meanwhile are left alone', async () => {
  const { access, statuses, cancel } = await withOrders(3);
  const lease = new Lease(rulesOf(3_000));
  lease.lose({ holder: 'b', instance: 'b', term: 2, renewal: 1, leaseMs: 3_000, isFree: false });
  const member = { lease, standing: 'lost' } as FleetMember; // No database is asked.
  const settled = settleWallet({ member, isSettled: false }, access, { say: () => undefined, isStopping: () => false });
  await expect(settled).rejects.toMatchObject({ code: 'wallet_taken' });
  let asked = 0;
  const checkOwner = () => {
    if (++asked > 1) throw explainLoss(lease);
  };
  await expect(cancel(true, checkOwner)).rejects.toMatchObject({ code: 'wallet_taken' });
  expect((await statuses()).filter((status) => status === 'open').length).toBeGreaterThan(1);
});

it('ended orders in the list of open orders are neither canceled again nor counted', async () => {
  const { client, network, cancel } = await withOrders(2);
  expect(await cancel()).toEqual({ asked: 2, resting: 0, verified: true });
  let all = '';
  network.answered = ({ url }, attempt) => {
    if (url.pathname !== '/orders/' || attempt.kind !== 'answer') return attempt;
    if (!url.searchParams.has('status')) all = attempt.text ?? '';
    return { ...attempt, text: all };
  };
  await client.orders.list({ limit: 5 });
  expect(all).toContain('canceled');
  expect(await cancel()).toEqual({ asked: 0, resting: 0, verified: true });
});

it('a key that was revoked is said with what makes another', async () => {
  const { client, cancel } = await withOrders(0);
  for (const { key_id } of await client.keys.list()) await client.keys.revoke(key_id);
  const hint = expect.stringContaining('keys bootstrap');
  await expect(cancel()).rejects.toMatchObject({ code: 'venue_refused', hint });
});

it.each(['each page shows the same and names another', 'the page behind the first is a page of a proxy'])(
  'an endless list of open orders is no reason to leave those that it shows: %s',
  async (what) => {
    const { network, statuses, cancel } = await withOrders(3);
    let first = '';
    network.answered = ({ method, url }, attempt) => {
      if (method !== 'GET' || url.pathname !== '/orders/' || attempt.kind !== 'answer') return attempt;
      const goesOn = url.searchParams.has('cursor');
      if (!goesOn) first = attempt.text ?? '';
      if (goesOn && what.endsWith('proxy')) return { ...attempt, status: 502, text: '<html>Bad Gateway</html>' };
      return { ...attempt, status: 200, text: withCursor(first, `after ${url.searchParams.get('cursor') ?? ''}`) };
    };
    await expect(cancel()).rejects.toThrow(/open orders/);
    expect(await statuses()).toEqual(['canceled', 'canceled', 'canceled']);
  },
);

/** The same page with a cursor to another one. */
const withCursor = (text: string, cursor: string): string =>
  text.replace(/"next_cursor":(null|"[^"]*")/, `"next_cursor":${JSON.stringify(cursor)}`);

it('in a fleet, a trader that could not start cancels nothing, because another trader may own the orders', async () => {
  const config = loadedTrader('fleet: { database: "postgresql://fleet@127.0.0.1/fleet", name: a, standby: true }');
  writeFileSync(config.wallet.file, 'a key');
  const said: string[] = [];
  await cancelLeftovers(config, {}, (text) => said.push(text));
  expect(said).toEqual([
    expect.stringMatching(/^orders may still rest: unless another trader .* has the wallet, run /),
  ]);
});

it.each([
  ['ledger_broken', true, true],
  ['venue_refused', false, true],
  ['fleet_unusable', false, true],
  ['ledger_locked', false, false],
  ['wallet_taken', false, false],
] as const)('after a failed start with %s, orders of an earlier run may rest: %s, in a fleet: %s', (code, ...may) => {
  const error = new TwinbookError(code, 'the start failed');
  const { fleet } = loadedTrader('fleet: { database: "postgresql://fleet@127.0.0.1/fleet", name: a }');
  expect([null, fleet].map((each) => leavesOrdersBehind(error, { fleet: each }))).toEqual(may);
});
