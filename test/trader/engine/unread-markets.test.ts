/** One market with an unreadable row hides no other. */

import { expect, it } from 'vitest';
import { declarationOf } from '../../../src/shared/protocol/endpoints.js';
import type { Outcome, RequestResult } from '../../../src/shared/protocol/seam.js';
import { classify } from '../../../src/shell/client/message.js';
import { UnreadMarkets } from '../../../src/trader/engine/notices.js';

const row = (id: string, state = 'open') => ({ title: id, condition_id: id, state });

const answerOf = (rows: readonly unknown[], name: 'markets.list' | 'orders.list' = 'markets.list'): Outcome =>
  classify(
    declarationOf(name),
    200,
    JSON.stringify({ data: rows, meta: { next_cursor: null, limit: 100 }, error: null }),
  ).outcome;

const reportOf = (outcome: Outcome) => ({ outcome }) as RequestResult;

it('a list of markets leaves out the row that cannot be read, and names market, field and value', () => {
  const outcome = answerOf([row('a', 'disputed'), row('b'), { ...row('c'), title: 7 }, row('d')]);
  expect(outcome).toMatchObject({
    kind: 'answered',
    data: [{ condition_id: 'b' }, { condition_id: 'd' }],
    unread: [
      { conditionId: 'a', problem: expect.stringMatching(/^market\.state: .*got "disputed"$/) },
      { conditionId: 'c', problem: expect.stringMatching(/^market\.title: .*got "7"$/) },
    ],
  });
  expect(answerOf([row('a'), row('b')])).not.toHaveProperty('unread');
});

it('a page without a readable row, and a list of own orders with one unreadable row, stay unread', () => {
  expect(answerOf([row('a', 'disputed')])).toMatchObject({ kind: 'unknown' });
  const order = { pubkey: 'x', status: 'odd', side: 'buy' };
  expect(answerOf([order], 'orders.list')).toMatchObject({ kind: 'unknown' });
});

it('such a market is told once, stays out over a walk that fails, and is told once more when it can be read', () => {
  const markets = new UnreadMarkets();
  const walk = (rows: readonly unknown[], isComplete = true) => {
    markets.onPage(reportOf(answerOf(rows)));
    return markets.onEnd(isComplete).map(({ kind }) => kind);
  };
  const odd = [row('a', 'disputed'), row('b')];
  expect(walk(odd)).toEqual(['market_unread']);
  expect(walk(odd)).toEqual([]);
  expect(walk([row('b')], false)).toEqual([]);
  expect(markets.findReason('a')).toContain('market.state');
  expect(markets.findReason('b')).toBeUndefined();
  expect(walk([row('a'), row('b')])).toEqual(['market_read']);
  expect(markets.findReason('a')).toBeUndefined();
});
