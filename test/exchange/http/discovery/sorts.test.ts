/** Every sort of markets, events and search, over markets whose order differs between sorts. */

import { describe, expect, it } from 'vitest';
import { control, openMarket, TestTrader } from '../harness.js';
import { sharedExchange } from '../shared-exchange.js';
import { pass, read } from './walk.js';

const DAY_S = 86_400;
const FEES = { opening_fee: '0', closing_fee: '0', annual_fee_rate: '0' };
const BOOK = { kind: 'orderbook' };
const pool = (max_leverage_yes: string, max_leverage_no: string) => ({
  ...{ kind: 'hyperliquid', max_leverage_yes, max_leverage_no },
  ...FEES,
});

/** In order of creation, a second apart. `shares` are traded in the order of `turn`. */
const MARKETS = [
  { title: 'Sorted a', event: 'Sorted ab', date: 300, config: BOOK, shares: '11', turn: 1 },
  { title: 'Sorted b', event: 'Sorted ab', date: 100, config: BOOK, shares: '10', turn: 2 },
  { title: 'Sorted c', event: 'Sorted c', date: 200, config: BOOK, shares: '15', turn: 0 },
  { title: 'Sorted d', event: 'Sorted d', date: null, config: pool('1', '5'), shares: null, turn: 3 },
  { title: 'Sorted e', event: 'Sorted e', date: 50, config: pool('3', '1'), shares: null, turn: 4 },
];

/** The last letters of the titles, first row first. Newest first among equals. */
const ORDERS: readonly (readonly [sort: string, markets: string, events: string])[] = [
  ['created', 'e d c b a', 'e d c ab'],
  ['live_stream', 'e d c b a', 'e d c ab'],
  // An event has the sum of its markets.
  ['total_volume', 'c a b e d', 'ab c e d'],
  ['market_cap', 'c a b e d', 'ab c e d'],
  // The trade in c is older than a day.
  ['trending', 'a b e d c', 'ab e d c'],
  ['last_trade', 'b a c e d', 'ab c e d'],
  ['leverage', 'd e c b a', 'd e c ab'],
  ['ending_soon', 'e b c a d', 'e ab c d'],
];

const { url: base } = await sharedExchange();
const maker = await TestTrader.join(base);
const taker = await TestTrader.join(base);
const made: { id: string; shares: string | null; turn: number }[] = [];
for (const { title, event, date, config, shares, turn } of MARKETS) {
  const resolution_date = date === null ? null : 2_000_000_000 + date;
  made.push({ id: await openMarket(base, { title, event, config, resolution_date }), shares, turn });
  await pass(base, 1, maker, taker);
}
for (const { id, shares, turn } of made.sort((a, b) => a.turn - b.turn)) {
  if (shares === null) continue;
  await maker.order(id, true, 'buy', '0.4', shares);
  await taker.order(id, false, 'buy', '0.6', shares);
  await pass(base, turn === 0 ? DAY_S + 1 : 1, maker, taker);
}

const lettersOf = (rows: readonly Record<string, unknown>[]): string =>
  rows.map(({ title }) => String(title).replace('Sorted ', '')).join(' ');

const found = async (type: string, sort: string): Promise<string> => {
  const { rows } = await read(base, `/search/?q=sorted&result_type=${type}&sort=${sort}`);
  return lettersOf(rows.map(({ summary }) => summary as Record<string, unknown>));
};

describe('a sort', () => {
  it.each(ORDERS.filter(([sort]) => sort !== 'created'))('of the lists by %s', async (sort, markets, events) => {
    expect(lettersOf((await read(base, `/markets/?sort=${sort}`)).rows)).toBe(markets);
    expect(lettersOf((await read(base, `/events/?sort=${sort}`)).rows)).toBe(events);
  });

  it.each(ORDERS.filter(([sort]) => sort !== 'live_stream'))('of all found by %s', async (sort, markets, events) => {
    expect(await found('market', sort)).toBe(markets);
    expect(await found('event', sort)).toBe(events);
  });
});

it('what ended recently does not trade any more, and should have ended in the seven days before', async () => {
  const nowS = maker.nowS();
  const cases = [
    { title: 'settled', days: -1, state: 'resolved' },
    { title: 'under review', days: -6, state: 'waiting_to_resolve' },
    { title: 'still open', days: -1, state: 'open' },
    { title: 'long ago', days: -8, state: 'resolved' },
    { title: 'too early', days: 1, state: 'resolved' },
  ];
  for (const { title, days, state } of cases) {
    const id = await openMarket(base, { title, event: title, resolution_date: nowS + days * DAY_S });
    if (state === 'resolved') await control(base, `/markets/${id}/resolve/`, { is_yes: true });
    else await control(base, `/markets/${id}/state/`, { state });
  }
  for (const list of ['markets', 'events']) {
    const { rows } = await read(base, `/${list}/?state=ended_recently`);
    expect(rows.map(({ title }) => title)).toEqual(['under review', 'settled']);
  }
});
