/** Impossible figures in our own records: such an answer is unknown, even if the rest is valid. */

import { describe, expect, it } from 'vitest';
import { declarationOf, type EndpointName } from '../../../src/shared/protocol/endpoints.js';
import { classify } from '../../../src/shell/client/message.js';

const order = {
  pubkey: 'o',
  status: 'open',
  side: 'buy',
  price: '0.42',
  amount: '10',
  remaining_amount: '10',
  filled_amount: '0',
  funds: null,
  remaining_funds: null,
  filled_funds: null,
  market: { condition_id: 'm', title: null },
  outcome: { is_yes: true, text: null },
};
const trade = {
  pubkey: 't',
  market_condition_id: 'm',
  amount: '4',
  price: '0.42',
  timestamp: 1,
  fee: '0.01',
  is_maker: true,
  state: 'done',
  order,
};
const merge = {
  pubkey: 'c',
  message: null,
  market_condition_id: 'm',
  state: 'done',
  amount: '10',
  onchain_amount: '10',
  created: 1,
};
const redeem = {
  pubkey: 'r',
  market_condition_id: 'm',
  state: 'completed',
  funds: '1',
  onchain_funds: '1',
  yes_shares: '1',
  no_shares: '0',
  message: null,
  created: 1,
};

const asset = (amounts: object) => ({
  asset_kind: 'share',
  amounts: { total: '5', locked: '0', available: '5', ...amounts },
  token: { symbol: 'm-LPT' },
  value: {},
  position: { market: { condition_id: 'm' }, is_yes: true },
});

const answerOf = (endpoint: EndpointName, data: unknown) => {
  const isList = declarationOf(endpoint).page !== undefined;
  const body = { success: true, data: isList ? [data] : data, error: null, meta: isList ? { next_cursor: null } : {} };
  return classify(declarationOf(endpoint), 200, JSON.stringify(body)).outcome.kind;
};

const RECORDS: readonly (readonly [EndpointName, object, readonly string[]])[] = [
  ['trades.list', trade, ['amount', 'price', 'fee']],
  ['orders.detail', order, ['amount', 'price', 'remaining_amount', 'filled_amount']],
  ['merges.detail', merge, ['amount', 'onchain_amount']],
  ['redeems.detail', redeem, ['funds', 'onchain_funds', 'yes_shares', 'no_shares']],
];
const CASES = RECORDS.flatMap(([endpoint, record, names]) => names.map((name) => [endpoint, name, record] as const));

describe('an answer', () => {
  it.each(RECORDS)('of %s is taken as it should be', (endpoint, record) => {
    expect(answerOf(endpoint, record)).toBe('answered');
  });

  it.each(CASES)('of %s with a negative or absurd %s is unknown', (endpoint, name, record) => {
    expect(answerOf(endpoint, { ...record, [name]: '-5' })).toBe('unknown');
    expect(answerOf(endpoint, { ...record, [name]: '-0.000001' })).toBe(name === 'fee' ? 'answered' : 'unknown');
    expect(answerOf(endpoint, { ...record, [name]: name === 'price' ? '1.000001' : '1000000001' })).toBe('unknown');
  });

  it.each(['total', 'locked', 'available'])('of own shares with a negative or absurd amount %s is unknown', (name) => {
    expect(answerOf('account.assets', asset({}))).toBe('answered');
    for (const absurd of ['-0.000001', '1000000001', '-9007199254.740991'])
      expect(answerOf('account.assets', asset({ [name]: absurd }))).toBe('unknown');
  });

  it('of a trade with ~ in its id is unknown, because references of the ledger contain ~', () => {
    expect(answerOf('trades.list', { ...trade, pubkey: 't~2' })).toBe('unknown');
  });
});
