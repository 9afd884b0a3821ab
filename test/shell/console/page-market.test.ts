import { expect, test } from 'vitest';
import type { MarketStatus } from '../../../src/shared/protocol/trader-status.js';
import { makePageState, marketDetail, marketRow } from '../../../src/shell/console/page-state.js';
import { m } from '../../trader/ledger/books.js';
import { ACCOUNT, market, NOTHING_BESIDE, toldTrader } from './state-of-markets.js';

const [bid] = market('m').orders;
if (bid === undefined) throw new Error('that market has orders');
const ask = { ...bid, side: 'ask' as const, priceMicros: m(620_000), queueAheadMicros: m(4_000_000) };
const MARKET: MarketStatus = {
  ...market('m'),
  askMicros: m(620_000),
  orders: [bid, { ...bid, remainingMicros: m(5_000_000) }, ask],
  bids: [
    [m(590_000), m(7_000_000)],
    [m(570_000), m(1_000_000)],
  ],
  asks: [
    [m(620_000), m(8_000_000)],
    [m(640_000), m(2_000_000)],
  ],
  factors: { sigma: 0.5 },
};

const FACTS = { nowMs: 5_000, stopped: null, paused: [] };

test('a ladder runs from the highest price down, with the fair value between, and ours beside others’', () => {
  const { ladder, factors } = marketDetail(MARKET, FACTS);
  const rows = ladder.map(({ side, price, others, ours, ahead }) => [side, price, others, ours, ahead].join(' '));
  expect(rows).toEqual(['ask 0.64 2  ', 'ask 0.62 8 10 4', 'fair 0.6   ', 'bid 0.59 7 15 ', 'bid 0.57 1  ']);
  expect(factors).toEqual([{ name: 'sigma', value: 0.5 }]);
});

test('a row has our best prices beside the others’, and what we hold', () => {
  const row = { bid: '0.59', ask: '0.62', best_bid: '0.59', best_ask: '0.62', net: '3' };
  expect(marketRow(MARKET, FACTS)).toMatchObject(row);
});

test('a book is old after ten seconds, or three planned looks', () => {
  const planned = { ...MARKET, worth: { value: { lookEveryS: 20 } } } as MarketStatus; // The rest of a worth is not read.
  const ages = [9_000, 11_000, 59_000, 61_000].map((ageMs) => {
    const facts = { ...FACTS, nowMs: 4_000 + ageMs };
    return [MARKET, planned].map((one) => marketRow(one, facts).is_old);
  });
  expect(ages).toEqual([
    [false, false],
    [true, false],
    [true, false],
    [true, true],
  ]);
});

test('a row has the decimals of its tick, and the mode of a stopped trader', () => {
  expect(marketRow(MARKET, FACTS)).toMatchObject({ places: 2, state: 'quoting' });
  const fine = { ...MARKET, bids: [[m(589_500), m(7_000_000)] as const] };
  expect(marketRow(fine, { ...FACTS, stopped: 'killed' })).toMatchObject({ places: 4, state: 'killed' });
});

test('a page that asks for a market sees it from close by, and for one that is not there nothing', () => {
  const parts = { trader: toldTrader([MARKET]), name: 'trader', ...NOTHING_BESIDE };
  const shown = (wanted: string | null) => makePageState(parts, wanted);
  expect([shown('m').market?.id, shown('x').market, shown(null).market]).toEqual(['m', null, null]);
  expect(shown(null).losses[0]).toEqual({ name: 'today', loss: '10', limit: '50' });
});

test.each([
  ['has its UTC day', m(1_000_000), { result: '1', result_day: '2', result_day_of: '2025-12-01' }],
  ['is not shown while a holding has no price', null, { result: '', result_day: '' }],
])('the result of the day %s', (_, resultMicros, shown) => {
  const trader = toldTrader([MARKET], { ...ACCOUNT, resultMicros });
  expect(makePageState({ trader, name: 'trader', ...NOTHING_BESIDE }, null)).toMatchObject(shown);
});

test('public trades are shown in decimals, and none are made up', () => {
  const trades = [[9_000, m(600_000), m(5_000_000), 'buy']] as const;
  const { tape } = marketDetail({ ...MARKET, trades }, FACTS);
  expect(tape).toEqual([{ time: 9_000, price: '0.6', amount: '5', taker: 'buy' }]);
  expect(marketDetail(MARKET, FACTS).tape).toBeNull();
});
