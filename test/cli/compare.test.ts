import { describe, expect, test } from 'vitest';
import { compare, type ExchangeSide, type LedgerSide } from '../../src/cli/compare.js';
import type { AssetRow, OrderRow, OwnTradeRow } from '../../src/protocol/records.js';
import { fillOf, m, ONE, orderOf } from '../ledger/books.js';

const orderRow = (changes: Partial<OrderRow> = {}): OrderRow => ({
  pubkey: 'order-1',
  status: 'open',
  side: 'buy',
  price: m(420_000),
  amount: m(10 * ONE),
  remaining_amount: m(10 * ONE),
  filled_amount: m(0),
  funds: null,
  remaining_funds: null,
  filled_funds: null,
  market: { condition_id: 'a', title: null },
  outcome: { is_yes: true, text: null },
  ...changes,
});

const trade = (changes: Partial<OwnTradeRow> = {}): OwnTradeRow => ({
  pubkey: 'trade-1',
  market_condition_id: 'a',
  amount: m(10 * ONE),
  price: m(420_000),
  timestamp: 1_700_000_000,
  fee: m(42_000),
  is_maker: false,
  state: 'done',
  order: orderRow(),
  ...changes,
});

const asset = (total: number): AssetRow => ({
  asset_kind: 'share',
  amounts: { total: m(total), locked: m(0), available: m(total) },
  token: { symbol: 'a-LPT', address: null },
  value: { usdt: null, basis: null },
  position: {
    market: { condition_id: 'a', title: null, state: 'open', margin_enabled: false },
    is_yes: true,
    outcome_text: null,
    is_final: false,
    avg_trade_price: null,
  },
  created: null,
});

const ours: LedgerSide = {
  resting: [orderOf()],
  fills: [fillOf()],
  positions: [{ marketConditionId: 'a', isYes: true, sharesMicros: m(10 * ONE), costMicros: m(4_200_000) }],
};
const theirs: ExchangeSide = { resting: [orderRow()], trades: [trade()], assets: [asset(10 * ONE)] };
const order = 'buy 10 YES at 0.42, 0 filled';
const fill = '10 at 0.42, fee 0.042';

describe('ledger and exchange', () => {
  const table: readonly (readonly [
    name: string,
    ledger: Partial<LedgerSide>,
    exchange: Partial<ExchangeSide>,
    found: unknown,
  ])[] = [
    ['agree', {}, {}, []],
    [
      'an order that only the ledger knows',
      {},
      { resting: [] },
      [{ what: 'order', subject: 'order-1', ledger: order, exchange: 'nothing' }],
    ],
    [
      'an order that only the exchange knows',
      { resting: [] },
      {},
      [{ what: 'order', subject: 'order-1', ledger: 'nothing', exchange: order }],
    ],
    [
      'an order that filled unseen',
      {},
      { resting: [orderRow({ filled_amount: m(1) })] },
      [{ what: 'order', subject: 'order-1', ledger: order, exchange: 'buy 10 YES at 0.42, 0.000001 filled' }],
    ],
    [
      'a fill that is not booked',
      { fills: [] },
      {},
      [{ what: 'fill', subject: 'trade-1', ledger: 'nothing', exchange: fill }],
    ],
    [
      'a fill that the exchange does not have',
      {},
      { trades: [] },
      [{ what: 'fill', subject: 'trade-1', ledger: fill, exchange: 'nothing' }],
    ],
    [
      'a fill of another size',
      {},
      { trades: [trade({ amount: m(10 * ONE - 1) })] },
      [{ what: 'fill', subject: 'trade-1', ledger: fill, exchange: '9.999999 at 0.42, fee 0.042' }],
    ],
    [
      'a failed trade that was booked',
      {},
      { trades: [trade({ state: 'failed' })] },
      [{ what: 'fill', subject: 'trade-1', ledger: fill, exchange: 'nothing' }],
    ],
    ['a trade that is not settled and not booked', { fills: [] }, { trades: [trade({ state: 'in_process' })] }, []],
    ['a trade that is not settled but booked', {}, { trades: [trade({ state: 'in_process' })] }, []],
    ['a venue without own trades', { fills: [] }, { trades: null }, []],
    [
      'shares that are one millionth off',
      {},
      { assets: [asset(10 * ONE + 1)] },
      [{ what: 'position', subject: 'a YES', ledger: '10', exchange: '10.000001' }],
    ],
    [
      'shares that are all gone',
      {},
      { assets: [asset(0)] },
      [{ what: 'position', subject: 'a YES', ledger: '10', exchange: 'nothing' }],
    ],
  ];
  test.each(table)('%s', (_, ledger, exchange, found) => {
    expect(compare({ ...ours, ...ledger }, { ...theirs, ...exchange })).toEqual(found);
  });
});
