import { expect } from 'vitest';
import { react } from '../../../../src/trader/engine/reactions.js';
import { conversionOf, intentOf } from '../../ledger/books.js';
import { testWithLedger } from '../../ledger/ledger-tests.js';
import { m, ONE } from '../../risk/states.js';
import { START_MS, stateOf } from '../played-trader.js';

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
