/** The lists of own orders prove a stop, also on an exchange that ignores the requested status. */

import { expect, it } from 'vitest';
import type { PlannedRequest } from '../../../../src/shared/protocol/seam.js';
import { row } from '../../executor/script.js';
import { Account } from '../exchange-lists.js';

it('a list of open orders that also has ended orders counts only those that may rest', () => {
  const account = new Account();
  const call = { endpoint: 'orders.list', params: {}, query: { limit: 100 }, body: undefined } as const;
  const request: PlannedRequest = {
    lane: 'own',
    call,
    latestMs: 9e15,
    owner: { kind: 'poll', target: { kind: 'orders' } },
  };
  const listed = [
    row('open', 0, 'a'),
    row('canceled', 0, 'b'),
    row('filled', 10, 'c'),
    { ...row('open', 0, 'd'), status: null },
  ];
  const outcome = { kind: 'answered', data: listed, nextCursor: null } as const;
  const report = { request, outcome, sentMs: 1, nowMs: 2, venueTimeMs: null };
  const { restingOrders } = account.ledger.transaction(() => account.ownLists.onReport('orders', report));
  expect(restingOrders?.rows.map(({ pubkey }) => pubkey)).toEqual(['a', 'd']);
  account.close();
});
