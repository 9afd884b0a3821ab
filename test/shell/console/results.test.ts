/** Results on the page beside sums: markouts of fills, possible ends of events, and files for spreadsheets. */

import { describe, expect, test } from 'vitest';
import { csvLine } from '../../../src/shared/base/text.js';
import type { MarketPoint } from '../../../src/shell/console/store.js';
import { MarkoutBook } from '../../../src/shell/console/views/money-view.js';
import { makeCsv } from '../../../src/shell/console/views/orders-view.js';
import { listScenarios } from '../../../src/shell/console/views/risk-view.js';
import { m, withLedger } from '../../trader/ledger/books.js';
import { bookTrades } from './booked-trades.js';
import { market, toldTrader } from './state-of-markets.js';

const point = (timeS: number, bid: number | null, ask: number | null): MarketPoint => ({
  ...{ timeMs: timeS * 1000, bestBidMicros: bid, bestAskMicros: ask },
  ...{ fairMicros: null, bidMicros: null, askMicros: null, netMicros: 0 },
});

describe('markouts', () => {
  /** At 1,000 s; after 5 s the middle is 0.5, after 30 s there is a gap, after 60 s one side is missing, after 300 s it is 0.3. */
  const POINTS = [point(1_000, 440_000, 460_000), point(1_005, 490_000, 510_000)];
  const LATER = [point(1_060, null, 510_000), point(1_300, 290_000, 310_000)];

  test('are the others’ middle beside our price, by side, in YES space, and not known where nothing is', () =>
    withLedger((ledger) => {
      bookTrades(ledger, [
        { id: 'bought', market: 'a', price: 400_000, shares: 10 },
        // Buying NO at 0.45 equals selling YES at 0.55.
        { id: 'bought-no', market: 'b', isYes: false, price: 450_000, shares: 30 },
      ]);
      const history = { closeUp: () => [...POINTS, ...LATER] };
      const rows = new MarkoutBook(history, () => 0).read(ledger, 2_000_000);
      const of = (horizon: number, side: string) => rows.find((row) => row.horizon_s === horizon && row.side === side);
      const figures = { fills: 1, not_known: 0, shares: '10', mean: '0.1', error: '', total: '1', drift: '0.5' };
      expect(of(5, 'bid')).toMatchObject(figures);
      expect(of(5, 'ask')).toMatchObject({ fills: 1, mean: '0.05', total: '1.5' });
      expect(of(5, 'all')).toMatchObject({ fills: 2, shares: '40', mean: '0.0625', total: '2.5', error: '0.01875' });
      for (const horizon of [30, 60])
        expect(of(horizon, 'all')).toMatchObject({ fills: 0, not_known: 2, mean: '', total: '' });
      expect(of(300, 'bid')).toMatchObject({ mean: '-0.1', total: '-1' });
      expect(of(300, 'ask')).toMatchObject({ mean: '0.25' });
    }));

  test('are looked up again until the last of them is over, and then never', () =>
    withLedger((ledger) => {
      bookTrades(ledger, [{ id: 'bought', market: 'a', price: 400_000, shares: 10 }]);
      let points = [...POINTS];
      let asked = 0;
      const history = {
        closeUp: () => {
          asked += 1;
          return points;
        },
      };
      const markouts = new MarkoutBook(history, () => 0);
      const known = (nowMs: number) => markouts.read(ledger, nowMs).map(({ fills }) => fills);
      expect(known(1_010_000)).toEqual([1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
      points = [...points, ...LATER];
      expect(known(1_320_000).slice(-3)).toEqual([1, 1, 0]);
      points = [];
      expect(known(9_000_000).slice(-3)).toEqual([1, 1, 0]);
      expect(asked).toBe(2);
    }));
});

test('scenarios say what is held of an event would come to, worst first, and nothing of orders', () =>
  withLedger((ledger) => {
    bookTrades(ledger, [
      { id: 'a1', market: 'a', price: 400_000, shares: 10 },
      { id: 'b1', market: 'b', isYes: false, price: 300_000, shares: 20 },
      { id: 'c1', market: 'c', price: 500_000, shares: 100 },
    ]);
    const told = toldTrader([
      { ...market('a', 'A'), eventId: 'e', markMicros: m(450_000) },
      { ...market('b', 'B'), eventId: 'e', markMicros: m(600_000) },
      { ...market('c', 'C'), markMicros: null },
    ]);
    expect(listScenarios(told, ledger)).toEqual([
      { event: 'C', scenario: 'NO', result: '-50', from_now: '' },
      { event: 'C', scenario: 'YES', result: '50', from_now: '' },
      // Cost 4 and 6; worth 4.5 and 8.
      { event: 'A · B', scenario: 'only B: YES', result: '-10', from_now: '-12.5' },
      { event: 'A · B', scenario: 'each market at its worst outcome', result: '-10', from_now: '-12.5' },
      { event: 'A · B', scenario: 'no market: YES', result: '10', from_now: '7.5' },
      { event: 'A · B', scenario: 'only A: YES', result: '20', from_now: '17.5' },
    ]);
  }));

describe('files for spreadsheets', () => {
  test.each([
    ['=cmd|x', "'=cmd|x"],
    ['+1+1', "'+1+1"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\t1', "'\t1"],
    ['\r1', '"\'\r1"'],
    [' =1', "' =1"],
    ['＝1+1', "'＝1+1"],
    [-1.5e-7, '-1.5e-7'],
    ['-2.5', '-2.5'],
    ['say "no", then', '"say ""no"", then"'],
    ['=1\n=2', '"\'=1\n=2"'],
  ])('write %j so that nothing is computed of it', (value, cell) => {
    expect(csvLine([value, 7, null])).toBe(`${cell},7,\n`);
  });

  test('hold orders and fills with their titles', () =>
    withLedger((ledger) => {
      bookTrades(ledger, [{ id: 'one', market: 'a', price: 400_000, shares: 10 }]);
      const lines = (name: 'fills' | 'orders') => makeCsv(name, ledger, () => '=1+1').split('\n');
      expect(lines('fills')).toEqual([
        'time,fill,order,market,title,side,outcome,price,amount,fee,role,seen',
        expect.stringMatching(/^1970-01-01T00:16:40.000Z,fill-one,order-one,a,'=1\+1,buy,YES,0.4,10,/),
        '',
      ]);
      expect(lines('orders')[1]).toMatch(/,order-one,a,'=1\+1,buy,YES,0.4,10,10,/);
    }));
});
