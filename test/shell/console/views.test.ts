/** Inputs of the views beside the overview. */

import { renameSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { add, ZERO } from '../../../src/shared/base/micros.js';
import { shownConfig } from '../../../src/shell/config/shown.js';
import { listActions } from '../../../src/shell/console/actions.js';
import { LedgerConnection } from '../../../src/shell/console/ledger-lists.js';
import { ShownState } from '../../../src/shell/console/trader-state.js';
import { type ExplainNode, explainView, marketLines } from '../../../src/shell/console/views/explain-view.js';
import { moneyView, ResultBook } from '../../../src/shell/console/views/money-view.js';
import { ordersView, RoundTrips } from '../../../src/shell/console/views/orders-view.js';
import { riskView } from '../../../src/shell/console/views/risk-view.js';
import { configView, logView, runsView, withinText } from '../../../src/shell/console/views/views.js';
import type { Ledger } from '../../../src/trader/ledger/contract.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { HOLDER, intentOf, m, ONE, orderOf, withLedger } from '../../trader/ledger/books.js';
import { loadedTrader } from '../config/files.js';
import { bookTrades } from './booked-trades.js';
import { ACCOUNT, hello, market, PROCESS, toldTrader } from './state-of-markets.js';

const DAY_MS = 86_400_000;

/** Two markets, two strategies, three days: bought and sold, with fees, a part still held. */
function trade(ledger: Ledger): void {
  const bought = { side: 'buy', price: 400_000, shares: 10 } as const;
  const sold = { side: 'sell', price: 470_000, shares: 7 } as const;
  const maker = { market: 'a', strategy: 'maker' };
  const grid = { market: 'b', strategy: 'grid' };
  bookTrades(ledger, [
    { ...maker, ...bought, id: 'a-buy', seenMs: 5 },
    { ...maker, ...sold, id: 'a-sell', seenMs: DAY_MS + 5 },
    { ...grid, ...bought, id: 'b-buy', seenMs: DAY_MS + 5 },
    { ...grid, ...sold, id: 'b-sell', seenMs: 2 * DAY_MS + 5 },
  ]);
}

/** An open ledger as a console reads it. */
const readFrom = (ledger: Ledger) => ({ opened: 1, read: <T>(work: (open: Ledger) => T) => work(ledger) });

function moneyOf(ledger: Ledger, of: { readonly trader: ShownState; readonly book: ResultBook }, atMs: number | null) {
  const sources = { ...of, ledger: readFrom(ledger), history: { account: () => [] }, markouts: { read: () => [] } };
  const view = moneyView(sources, { spanMs: 0, atMs });
  if (view === null) throw new Error('that ledger is open');
  return view;
}

describe('money', () => {
  test('adds up to the ledger’s own result, by day, market and strategy alike', () =>
    withLedger((ledger) => {
      trade(ledger);
      const book = new ResultBook(() => 0);
      const trader = toldTrader([
        { ...market('a'), markMicros: m(500_000) },
        { ...market('b'), markMicros: m(300_000) },
      ]);
      const view = moneyOf(ledger, { trader, book }, DAY_MS);
      const pnl = ledger.pnl(new Map(Object.entries({ a: m(500_000), b: m(300_000) })));
      for (const sums of [book.days, book.markets, book.strategies]) {
        expect([...sums.values()].reduce((sum, one) => add(sum, one.realisedMicros), ZERO)).toBe(pnl.realisedMicros);
        expect([...sums.values()].reduce((sum, one) => add(sum, one.feesMicros), ZERO)).toBe(pnl.feesMicros);
        expect([...sums.values()].reduce((sum, one) => sum + one.fills, 0)).toBe(4);
      }
      expect([...book.strategies.keys()]).toEqual(['maker', 'grid']);
      const shown = (sums: typeof view.days) => sums.map(({ key, fills }) => `${key} ${fills}`);
      expect(shown(view.days)).toEqual(['1970-01-03 1', '1970-01-02 2', '1970-01-01 1']);
      // The market with the smaller result comes first.
      expect(shown(view.day_markets)).toEqual(['b 1', 'a 1']);
      const micros = (text: string) => Math.round(Number(text) * ONE);
      expect(view.markets.reduce((sum, { result }) => sum + micros(result), 0)).toBe(pnl.totalMicros);
      expect(micros(view.result)).toBe(pnl.totalMicros);
      expect(view.markets[0]).toMatchObject({ key: 'a', yes: '3', no: '0', cost: '1.2', turnover: '7.29' });
    }));

  test('says no result while a holding has no price, or while bookings are unread', () =>
    withLedger((ledger) => {
      trade(ledger);
      const unmarked = moneyOf(ledger, { trader: toldTrader([]), book: new ResultBook() }, null);
      expect(unmarked).toMatchObject({ result: '', unrealised: '', unmarked: 2 });
      ledger.transaction(() => ledger.noteFailedTrade('fill-b-sell', 'order-b-sell', m(7 * ONE), 2 * DAY_MS + 9));
      const trader = toldTrader(['a', 'b'].map((id) => ({ ...market(id), markMicros: m(500_000) })));
      let now = 0;
      const view = (stepMs: number) => moneyOf(ledger, { trader, book: new ResultBook(() => (now += stepMs)) }, null);
      // A reversed trade is no fill.
      expect(view(0).days[0]).toMatchObject({ key: '1970-01-03', fills: 0, turnover: '0' });
      expect(view(0).markets.map(({ result }) => result)).toEqual(['0.706', '0.958']);
      ledger.newestBooking = () => 1_000;
      expect(view(1_000).markets.map(({ result }) => result)).toEqual(['', '']);
    }));

  test('reads a long ledger in parts, and from its beginning when a trade was taken back', () =>
    withLedger((ledger) => {
      trade(ledger);
      let now = 0;
      const book = new ResultBook(() => (now += 1_000));
      const readOf = {
        ...ledger,
        newestBooking: () => 2_000,
        tradeTurns: () => 0,
        bookingsAfter: (id: number) => [bookingOf(id + 500)],
      };
      book.readOn(readOf, 1);
      expect(book.read).toBe(0.25);
      book.readOn(readOf, 1);
      expect([book.read, book.days.get('1970-01-01')?.fills]).toEqual([0.5, 2]);
      book.readOn({ ...readOf, tradeTurns: () => 1 }, 1);
      expect([book.read, book.days.get('1970-01-01')?.fills]).toEqual([0.25, 1]);
    }));
});

const bookingOf = (id: number) => ({
  ...{ id, kind: 'fill' as const, timeMs: 0, marketConditionId: 'a', strategy: 'maker' },
  ...{ fills: 1, cashMicros: m(-ONE), realisedMicros: m(0), feesMicros: m(0) },
});

describe('risk', () => {
  const NO_LEDGER = { read: () => null };

  test('has a row for every limit that there is, each with its bound', () => {
    const config = shownConfig({ ...loadedTrader(), strategies: [], configHash: '', texts: new Map() });
    const told = toldTrader([market('m')]);
    told.onLine(hello({ config }));
    const { limits = [] } = riskView(told, NO_LEDGER) ?? {};
    expect(limits.map(({ name }) => name).toSorted()).toEqual(Object.keys(config['risk'] as object).toSorted());
    expect(limits.filter(({ limit }) => limit === '')).toEqual([]);
  });

  test('says what is used and what was refused', () => {
    const refusals = [{ name: 'max_open_orders', count: 4, text: '41 orders, the limit is 40' }];
    const told = toldTrader([{ ...market('m'), refusals, maxPositionMicros: m(6_000_000) }]);
    const config = { risk: { max_open_orders: 40, max_event_loss: '2' } };
    told.onLine(hello({ config }));
    const view = riskView(told, NO_LEDGER);
    expect(view?.limits.find(({ name }) => name === 'max_open_orders')).toMatchObject({
      ...{ used: '2', limit: '40', share: 0.05, refusals: 4, newest: '41 orders, the limit is 40' },
    });
    expect(view?.limits.find(({ name }) => name === 'max_event_loss')).toMatchObject({
      ...{ used: '1.8', share: 0.9 },
    });
    expect(view?.events).toEqual([{ id: 'm', title: 'Will it?', markets: 1, position: '3', loss: '1.8', share: 0.9 }]);
    expect(view?.markets).toMatchObject([{ id: 'm', net: '3', limit: '6', share: 0.5 }]);
    expect(riskView(new ShownState(() => 0), NO_LEDGER)).toBeNull();
  });
});

test('latencies are bounds of their histogram', () =>
  expect([[], [0, 0], [1, 98, 1], [...Array(11).fill(0), 1]].map((counts) => withinText(counts, 0.99))).toEqual([
    '–',
    '–',
    '≤ 0.05 s',
    '> 30 s',
  ]));

/** `Terms: buy YES at 0.4 > The same as: sell NO 0.6`, a line for each leaf. */
const leaves = ({ name, value, children }: ExplainNode): readonly string[] =>
  children.length === 0
    ? [`${name}: ${value}`]
    : children.flatMap((child) => leaves(child).map((line) => `${name}${value === '' ? '' : ` ${value}`} > ${line}`));

describe('explain', () => {
  test('says of a fill what it was, and of its order why it was there', () =>
    withLedger((ledger) => {
      trade(ledger);
      const { tree } = explainView('fill-a-buy', ledger, toldTrader([]));
      const lines = tree === null ? [] : leaves(tree);
      expect(lines).toContain('Fill fill-a-buy > Terms buy YES at 0.4 > The same as: sell NO 0.6');
      expect(lines).toContain('Fill fill-a-buy > Order order-a-buy > Decided by maker > factors > sigma: 0.5');
      expect(lines).toContain('Fill fill-a-buy > Order order-a-buy > Decided by maker > book age: 7');
      // The exchange's row of the order does not show it yet.
      expect(listOrders(ledger, { market: 'a' }).orders.rows.map(({ side, filled }) => `${side} ${filled}`)).toEqual([
        'sell YES 7',
        'buy YES 10',
      ]);
      expect(explainView('a-buy', ledger, toldTrader([])).tree?.value).toBe('order-a-buy');
      expect(explainView('nobody', ledger, toldTrader([])).tree).toBeNull();
    }));

  test('says of a market what its strategy said, and which controls refused', () => {
    const refusals = [{ name: 'max_open_orders', count: 4, text: '41 orders' }];
    const { tree } = explainView(
      'm',
      null,
      toldTrader([{ ...market('m'), note: 'as usual', factors: { skew: 0.25 }, refusals }]),
    );
    const lines = tree === null ? [] : leaves(tree);
    expect(lines).toContain('Market Will it? > Strategy maker > State: as usual');
    expect(lines).toContain('Market Will it? > Fair value 0.6 > skew: 0.25');
    expect(lines).toContain('Market Will it? > Refused by controls 4 > max_open_orders 4 > Newest: 41 orders');
    const forged = marketLines({ ...market('m'), title: 'Rain?\n  State: canceled' }, ACCOUNT);
    expect(forged[0]).toBe('Market: Rain??  State: canceled (m)');
  });
});

const ALL = { market: null, side: '', words: '', page: 0, spanMs: 0 };

function listOrders(ledger: Ledger, query: Partial<typeof ALL> | { readonly market: string }) {
  vi.useFakeTimers({ now: 1_100_000, toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const sources = { ledger: readFrom(ledger), trader: toldTrader([]), history: {} };
  const view = ordersView(sources, new RoundTrips(), { ...ALL, ...query });
  if (view === null) throw new Error('that ledger is open');
  return view;
}

describe('lists', () => {
  const many = Array.from({ length: 60 }, (_, i) => {
    const side = i % 2 === 0 ? ('buy' as const) : ('sell' as const);
    return { id: `t${i}`, market: 'a', side, price: 500_000, shares: 1, timeS: 1_000 + i };
  });

  test.each([
    [{}, 50, 60],
    [{ page: 1 }, 10, 60],
    [{ page: 2 }, 0, 60],
    [{ side: 'sell' }, 30, 30],
    [{ words: 'SELL t3' }, 6, 6],
    [{ spanMs: 45_000 }, 5, 5],
    [{ market: 'b' }, 0, 0],
  ])('%j of sixty fills shows %i of %i', (query, shown, count) => {
    withLedger((ledger) => {
      bookTrades(ledger, many);
      const { fills } = listOrders(ledger, query);
      expect([fills.rows.length, fills.count]).toEqual([shown, count]);
    });
  });

  test('of resting orders have the newest 100, and the number of all, also after a restore of the ledger', () =>
    withLedger((ledger, path) => {
      ledger.transaction(() => {
        for (let i = 0; i < 150; i++) {
          ledger.addIntent(intentOf({ id: `i${i}`, draftPubkey: `o${i}` }));
          ledger.addOrder(orderOf({ pubkey: `o${i}`, intentId: `i${i}` }));
        }
      });
      const connection = new LedgerConnection(path);
      const { orders, resting_orders: count } = connection.lists();
      expect([orders.length, orders.at(-1)?.id, count]).toEqual([100, 'o149', 150]);
      openLedger(`${path}.restoring`, HOLDER).close();
      for (const side of ['-wal', '-shm', '']) renameSync(`${path}${side}`, `${path}.before${side}`);
      renameSync(`${path}.restoring`, path);
      expect([connection.lists().resting_orders, connection.opened]).toEqual([0, 2]);
      connection.close();
    }));

  test('pair the first shares bought with the first sold, in either outcome, after fees', () =>
    withLedger((ledger) => {
      // Each fill has a fee of 0.042.
      bookTrades(ledger, [
        { id: '1', market: 'a', price: 400_000, shares: 10, timeS: 1_000 },
        { id: '2', market: 'a', price: 500_000, shares: 5, timeS: 1_010 },
        // Sells 12 YES at 0.6, of both lots.
        { id: '3', market: 'a', isYes: false, price: 400_000, shares: 12, timeS: 1_060 },
        // Sells 3 more, and opens 2 of NO.
        { id: '4', market: 'a', side: 'sell', price: 550_000, shares: 5, timeS: 1_070 },
        { id: '5', market: 'a', price: 350_000, shares: 2, timeS: 1_090 },
      ]);
      const rows = listOrders(ledger, {}).trips.rows;
      expect(
        rows.map(({ held, shares, bought, sold, profit, lasted }) => [held, shares, bought, sold, profit, lasted]),
      ).toEqual([
        ['NO', '2', '0.45', '0.65', '0.3412', 20_000],
        ['YES', '3', '0.5', '0.55', '0.0996', 60_000],
        ['YES', '12', '0.416667', '0.6', '2.0992', 60_000],
      ]);
    }));

  test('of a long ledger have the round trips of the fills read so far, and their fraction', () =>
    withLedger((ledger) => {
      const parts = Array.from({ length: 12 }, (_, i) =>
        many.slice(10).map((one) => ({ ...one, id: `${i} ${one.id}` })),
      );
      bookTrades(ledger, parts.flat());
      const trips = new RoundTrips();
      let now = 0;
      const look = () => {
        const { closed, read } = trips.readOn(ledger, 1, () => (now += 30));
        return [closed.length, read];
      };
      expect([look(), look(), look()]).toEqual([
        [250, 500 / 600],
        [300, 1],
        [300, 1],
      ]);
      expect(listOrders(ledger, {})).toMatchObject({ trips: { count: 300 }, read: 1 });
    }));
});

test.each([
  ['quoting', true, '', 'widen pause reduce-only cancel-all flatten kill'],
  ['widened', true, 'resume', 'pause reduce-only cancel-all flatten kill resume'],
  ['paused', true, 'resume', 'cancel-all flatten kill resume'],
  ['flattening', true, 'resume --reason TEXT', 'pause cancel-all flatten kill resume'],
  ['halted', true, 'resume --reason TEXT', 'cancel-all flatten kill resume'],
  ['killed', true, 'unkill --reason TEXT', 'cancel-all unkill'],
  ['stopping', true, '', 'cancel-all kill'],
  ['not answering', false, 'resume', 'kill'],
  ['ending', false, '', 'kill'],
  ['stopped', false, '', ''],
])('a trader that is %s offers what has an effect, cancel-all and flatten', (mode, answers, wayBack, names) => {
  expect(listActions({ mode, answers, wayBack }).map(({ name }) => name)).toEqual(names.split(' ').filter(Boolean));
});

test('the log has the events of the ledger and other notices of the trader, without fills, and all refusals', () =>
  withLedger((ledger) => {
    ledger.transaction(() => ledger.addEvent({ timeMs: 9_000, severity: 'loud', kind: 'kill', text: 'why' }));
    ledger.transaction(() => ledger.addEvent({ timeMs: 9_900, severity: 'info', kind: 'fill', text: 'bought 5' }));
    const refusals = [1, 2].map((count) => ({ name: 'max_open_orders', count, text: `${count} orders` }));
    const told = toldTrader([{ ...market('m'), refusals }]);
    told.onLine({ type: 'notice', time: 9_400, severity: 'loud', kind: 'kill', text: 'why' });
    told.onLine({ type: 'notice', time: 9_900, severity: 'info', kind: 'fill', text: 'bought 5' });
    told.onLine({ type: 'notice', time: 9_950, severity: 'info', kind: 'throttled', text: 'asks to wait' });
    const list = (of: Ledger | null, query = {}) =>
      logView(of, told, { ...ALL, ...query }).lines.rows.map(({ kind }) => kind);
    expect(list(ledger)).toEqual(['throttled', 'kill']);
    expect(list(ledger, { side: 'loud' })).toEqual(['kill']);
    expect(list(ledger, { words: 'asks' })).toEqual(['throttled']);
    expect(list(null)).toEqual(['throttled', 'kill']);
    expect(logView(ledger, told, ALL).refusals).toEqual([{ control: 'max_open_orders', count: 3, text: '2 orders' }]);
    const isCurrent = () => runsView(ledger, told).runs.map((run) => [run.id, run.stoppedMs, run.isCurrent]);
    expect(isCurrent()).toEqual([['run', null, false]]);
    told.onLine(hello({ run: 'run' }));
    expect(isCurrent()).toEqual([['run', null, true]]);
    told.onLost('no trader is running');
    expect(isCurrent()).toEqual([['run', null, false]]);
  }));

test('a configuration is a line for each setting, called as in its files', () => {
  const config = {
    capital: '10',
    risk: { a: 1 },
    strategies: [{ name: 'maker', params: { size: '5' }, markets: ['x', 'y'] }],
    feeds: [],
  };
  expect(configView({ ...PROCESS, config }, ALL).settings.rows.map(({ name, value }) => `${name} = ${value}`)).toEqual([
    'capital = 10',
    'risk.a = 1',
    'strategies.maker.name = maker',
    'strategies.maker.params.size = 5',
    'strategies.maker.markets = x, y',
    'feeds = none',
  ]);
});
