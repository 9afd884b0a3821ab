import { expect, test } from 'vitest';
import type { StatusLineOf } from '../../../src/shared/protocol/trader-status.js';
import { judgeMode, makePageState } from '../../../src/shell/console/page-state.js';
import { ShownState, SILENT_AFTER_MS } from '../../../src/shell/console/trader-state.js';
import { NO_TRADER } from '../../../src/shell/control/control-client.js';
import { ACCOUNT, hello as greet, market, NOTHING_BESIDE, toldTrader } from './state-of-markets.js';

const hello = (run: string) => greet({ run });
const frame = (ids: readonly string[], known: readonly string[]): StatusLineOf<'frame'> => ({
  type: 'frame',
  time: 1,
  markets: ids.map((id) => market(id)),
  known,
  account: ACCOUNT,
});

const modeOf = (trader: ShownState) => judgeMode(trader).mode;

test('keeps the newest of each market, and forgets those that are over or of another run', () => {
  const trader = new ShownState(() => 0);
  trader.onLine(hello('one'));
  trader.onLine(frame(['a', 'b'], ['a', 'b']));
  trader.onLine(frame([], ['b']));
  expect([...trader.markets.keys()]).toEqual(['b']);
  trader.onLine(hello('one'));
  expect(trader.markets.size).toBe(1);
  trader.onLine(hello('two'));
  expect(trader.markets.size).toBe(0);
});

test('knows since when the mode applies, unless the mode began in another run', () => {
  const trader = new ShownState(() => 0);
  const say = (time: number, mode: StatusLineOf<'frame'>['account']['mode']) =>
    trader.onLine({ ...frame([], []), time, account: { ...ACCOUNT, mode } });
  trader.onLine(hello('one'));
  say(1, 'quoting');
  say(2, 'killed');
  expect(trader.modeSinceMs).toBe(2);
  trader.onLine(hello('two'));
  say(3, 'killed');
  expect(trader.modeSinceMs).toBeNull();
});

test('takes a trader that has said nothing for a while for one that does not answer', () => {
  let ms = 0;
  const trader = new ShownState(() => ms);
  expect([modeOf(trader), modeOf(new ShownState(() => ms, true))]).toEqual(['not running', 'starting']);
  trader.onLine(hello('one'));
  expect(modeOf(trader)).toBe('starting');
  ms += SILENT_AFTER_MS;
  expect(modeOf(trader)).toBe('not answering');
  // A reader that is always disconnected before a frame receives only first lines.
  trader.onLine(hello('one'));
  expect([trader.silentMs, modeOf(trader)]).toEqual([SILENT_AFTER_MS, 'not answering']);
  trader.onLine(hello('two'));
  expect([trader.silentMs, modeOf(trader)]).toEqual([0, 'starting']);
  trader.onLine(frame([], []));
  ms += SILENT_AFTER_MS - 1;
  expect([trader.isCurrent, modeOf(trader)]).toEqual([true, 'quoting']);
  ms += 1;
  expect([trader.isCurrent, modeOf(trader)]).toEqual([false, 'not answering']);
  trader.onLine(frame([], []));
  expect(trader.isCurrent).toBe(true);
  trader.onLost('the trader closed the connection');
  expect(modeOf(trader)).toBe('not answering');
  trader.onLine({ type: 'bye', time: 1, reason: 'the disk is full', proven: false });
  expect(modeOf(trader)).toBe('ending');
  trader.onLost(NO_TRADER);
  expect(judgeMode(trader)).toEqual({ mode: 'not running', reason: 'orders may rest: the disk is full' });
});

test('shows no open order after a proof that follows a failure', () => {
  const trader = toldTrader([market('m')]);
  for (const proven of [false, true]) trader.onLine({ type: 'bye', time: 7_000, reason: 'it failed', proven });
  trader.onLost(NO_TRADER);
  const lists = { resting_orders: 1, orders: [{}], fills: [], events: [] };
  const parts = { trader, name: 'trader', ...NOTHING_BESIDE, ledger: { lists: () => lists } };
  const state = makePageState(parts as unknown as Parameters<typeof makePageState>[0], null);
  expect(state).toMatchObject({ mode: 'stopped', reason: 'it failed', proven: 7_000, open_orders: 0, actions: [] });
  expect(state).toMatchObject({ unknown_orders: 0, resting_orders: 0, orders: [] });
  expect(state.markets).toMatchObject([{ open_orders: 0, bid: null }]);
});
