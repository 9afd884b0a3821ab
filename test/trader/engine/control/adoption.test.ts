import { expect } from 'vitest';
import { react } from '../../../../src/trader/engine/reactions.js';
import { conversionOf, intentOf, orderOf } from '../../ledger/books.js';
import { testWithLedger } from '../../ledger/ledger-tests.js';
import { m, ONE } from '../../risk/states.js';
import { NOTHING, PlayedTrader, START_MS, settingsOf, stateOf, traderOf } from '../played-trader.js';

testWithLedger('a redeem adopts the skipped shares that it consumes, at their payment, and no others', (ledger) => {
  const shares = m(7 * ONE);
  const held = { recorded: [{ sharesMicros: shares, spentMicros: m(3 * ONE), feesMicros: m(0) }], restMicros: m(0) };
  const redeem = conversionOf('redeem', 0, { yesMicros: m(14 * ONE), cashMicros: m(14 * ONE) });
  ledger.transaction(() => {
    ledger.setCapital(m(100 * ONE), START_MS);
    ledger.adopt({ marketConditionId: 'a', isYes: true, ...held, restWorthMicros: m(0) }, 'bought', START_MS);
    // Four shares are older than the ledger, and an operator has accepted a difference of one share.
    ledger.setNote('opening_shares', JSON.stringify([['a YES', 4 * ONE]]));
    ledger.setNote('left_out_shares', JSON.stringify([{ subject: 'a YES', amount: ONE, failedTrades: [] }]));
  });
  const state = stateOf(ledger);
  ledger.transaction(() => {
    ledger.addIntent(intentOf({ id: 'redeem', kind: 'redeem', state: 'done' }));
    ledger.bookConversion(redeem);
    const event = { ...redeem, kind: 'redeemDone', market: 'a' } as const;
    for (let told = 0; told < 2; told++) react(state, { requests: [], events: [event] }, START_MS);
  });
  // The other two shares may be of fills that are booked later.
  expect(ledger.positions()).toMatchObject([{ isYes: true, sharesMicros: -2 * ONE, costMicros: 0 }]);
  expect([ledger.cash(), ledger.adopted()]).toEqual([111 * ONE, 5 * ONE]);
  expect(ledger.pnl(new Map()).realisedMicros).toBe(6 * ONE);
  expect(state.account.own.held.get('a')?.yesMicros).toBe(-2 * ONE);
});

testWithLedger('the excess of an adopted merge or split does not count as a profit of the day', (ledger) => {
  const [sets, far] = [m(10 * ONE), m(100_000 * ONE)];
  const sharesOf = (isYes: boolean) => ({
    ...{ marketConditionId: 'a', isYes, recorded: [{ sharesMicros: sets, spentMicros: m(5 * ONE), feesMicros: m(0) }] },
    ...{ restMicros: m(0), restWorthMicros: m(0) },
  });
  ledger.transaction(() => {
    ledger.setCapital(m(1000 * ONE), START_MS);
    for (const isYes of [true, false]) ledger.adopt(sharesOf(isYes), 'bought', START_MS);
  });
  const state = stateOf(ledger);
  state.account.valuation.marks.set('a', m(ONE / 2));
  const convert = (kind: 'merge' | 'split', sharesMicros: number, cashMicros: number) =>
    ledger.transaction(() => {
      state.safety.valueHoldings(START_MS);
      const moved = { yesMicros: m(sharesMicros), noMicros: m(sharesMicros), cashMicros: m(cashMicros) };
      const conversion = conversionOf(kind, 0, { ...moved, yesCostMicros: kind === 'split' ? m(4 * ONE) : null });
      ledger.addIntent(intentOf({ id: kind, kind, state: 'done' }));
      ledger.bookConversion(conversion);
      react(state, { requests: [], events: [{ ...conversion, kind: `${kind}Done`, market: 'a' }] }, START_MS);
      state.safety.valueHoldings(START_MS);
      return state.safety.guards.loss.guard?.days.current.resultMicros;
    });
  expect(convert('merge', sets, far)).toBe(0);
  expect(convert('split', -far, -sets)).toBe(0);
  expect(state.safety.guards.loss.facts.dayLossMicros).toBe(0);
});

testWithLedger('a cancel-all ends although a fill stays unlisted, and an adoption ends the wait for it', (ledger) => {
  const settings = settingsOf({ runId: 'second' });
  ledger.transaction(() => {
    ledger.addIntent(intentOf({ state: 'done', draftPubkey: 'order-1' }));
    ledger.addOrder(orderOf({ filledMicros: m(4 * ONE), status: 'partially_filled_canceled', closedMs: 1 }));
  });
  const played = new PlayedTrader(traderOf(ledger, settings), () => NOTHING);
  const seen = () => played.trader.snapshot(played.nowMs);
  played.command({ kind: 'cancel-all' });
  played.pass(5);
  // The fill may still be listed.
  expect([played.mode, seen().provenMs]).toEqual(['canceling', null]);
  played.pass(120);
  expect([played.mode, seen().provenMs === null, seen().proven]).toEqual(['reducing', false, true]);
  expect(seen().disagreement).toContain('fill order-1 up to 4: ledger 4 shares not booked, exchange filled');
  expect(played.trader.refusal({ kind: 'adopt', reason: 'seen' })).toBeNull();
  played.command({ kind: 'adopt', reason: 'seen' });
  expect([played.mode, ledger.unsettledOrders(), ledger.verify()]).toEqual(['quoting', [], []]);
  played.pass(120);
  expect([played.mode, seen().accepted]).toEqual(['quoting', []]);
});

testWithLedger('an adoption is neither a loss nor a gain of the day, though a mark exceeds its average', (ledger) => {
  const shares = { marketConditionId: 'a', isYes: true, recorded: [], restMicros: m(200 * ONE), restWorthMicros: m(0) };
  ledger.transaction(() => {
    ledger.adopt(shares, 'held before', START_MS);
    ledger.setNote('marks', JSON.stringify([['a', 0.9 * ONE]]));
  });
  const played = new PlayedTrader(traderOf(ledger, settingsOf({ runId: 'second' })), () => NOTHING);
  played.pass(180);
  played.command({ kind: 'adopt', reason: 'withdrawn' });
  played.pass(1);
  const { losses, days } = played.trader.snapshot(played.nowMs);
  expect([losses.dayLossMicros, days?.current.resultMicros, ledger.positions()]).toEqual([0, 0, []]);
});
