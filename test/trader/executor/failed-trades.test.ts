/** If a trade fails, settles later, or fails after settlement, the order still reserves its possible fills. */

import { describe, expect, it } from 'vitest';
import { must } from '../../../src/shared/base/errors.js';
import { fresh, m, ONE, row, type Script, trade } from './script.js';

const reserved = (s: Script) => s.executor.reservations().map(({ remainingMicros }) => remainingMicros / ONE);
const failed = (pubkey: string, shares: number) => trade(pubkey, shares, { state: 'failed' });

describe('of a buy of 10 that rests', () => {
  it('4 are matched and fail: they may be back in the book, so all 10 stay reserved', () => {
    const s = fresh().resting();
    const cash = s.ledger.cash();
    s.list([row('partially_filled', 4)]);
    s.trades([failed('t1', 4)]);
    expect([s.ledger.cash(), s.ledger.fills()]).toEqual([cash, []]);
    expect(reserved(s)).toEqual([10]);
    expect(s.executor.missingFills()).toEqual([]);
    s.list([row('open', 0)]);
    expect(reserved(s)).toEqual([10]);
  });

  it('4 fail and settle after all: they are booked, loudly, and 6 stay reserved', () => {
    const s = fresh().resting();
    s.list([row('partially_filled', 4)]);
    s.trades([failed('t1', 4)]);
    s.trades([trade('t1', 4)]);
    s.trades([trade('t1', 4)]);
    expect(reserved(s)).toEqual([6]);
    expect(s.ledger.order('order')).toMatchObject({ bookedMicros: 4 * ONE, failedMicros: 0 });
    expect(s.heard()).toEqual(['orderOpened', 'failed_trade', 'fillBooked', 'failed_trade_settled']);
    expect(s.ledger.verify()).toEqual([]);
  });

  it('4 settle and then fail: what was booked is undone, loudly, and all 10 are reserved', () => {
    const s = fresh().resting();
    const cash = s.ledger.cash();
    s.trades([trade('t1', 4, { fee: m(1_000) })]);
    expect(reserved(s)).toEqual([6]);
    s.trades([failed('t1', 4)]);
    s.trades([failed('t1', 4)]);
    expect(reserved(s)).toEqual([10]);
    expect(s.ledger.cash()).toBe(cash);
    expect(s.ledger.shares('mkt', true)).toBe(0);
    expect(s.ledger.fills()).toEqual([]);
    expect(s.ledger.order('order')).toMatchObject({ bookedMicros: 0, failedMicros: 4 * ONE });
    expect(s.heard()).toEqual(['orderOpened', 'fillBooked', 'settled_trade_failed']);
    expect(s.ledger.verify()).toEqual([]);
  });

  it('4 settle and fail several times: ledger and reservation follow, and each reversal is reported', () => {
    const s = fresh().resting();
    for (let i = 0; i < 3; i++) {
      s.trades([trade('t1', 4)]);
      expect(reserved(s)).toEqual([6]);
      s.trades([failed('t1', 4)]);
      expect(reserved(s)).toEqual([10]);
    }
    s.restart();
    s.trades([failed('t1', 4)]);
    expect(reserved(s)).toEqual([10]);
    const loud = s.heard().filter((kind) => kind.includes('trade'));
    expect(loud).toEqual([
      'settled_trade_failed',
      'failed_trade_settled',
      'settled_trade_failed',
      'settled_trade_failed',
    ]);
    expect(s.ledger.verify()).toEqual([]);
  });
});

describe('of a buy of 10 that is filled', () => {
  const filled = () => {
    const s = fresh().resting();
    s.trades([trade('t2', 6), trade('t1', 4)]);
    s.readAfter(1, 'filled', 10);
    expect(reserved(s)).toEqual([]);
    return s;
  };

  it('4 fail: nothing more comes of an order that is over, and its record is read again', () => {
    const s = filled();
    s.trades([failed('t1', 4)]);
    expect(reserved(s)).toEqual([]);
    expect(s.executor.missingFills()).toEqual([]);
    s.wait(1);
    expect(s.out).toEqual(['orders.detail']);
  });

  it('4 fail and are back in the book: they are reserved, and the order is ours to cancel', () => {
    const s = filled();
    s.trades([failed('t1', 4)]);
    s.readAfter(1, 'partially_filled', 6);
    expect(reserved(s)).toEqual([4]);
    expect(s.executor.restingOrders()).toMatchObject([{ orderPubkey: 'order' }]);
  });
  it('no trade is listed until the wait has ended: 4 listed later are booked, and only 6 are missing', () => {
    const s = fresh().resting();
    s.list([row('filled', 10)]);
    const [fill] = s.executor.missingFills();
    s.ledger.transaction(() => s.executor.endWait(must(fill, 'missing fill'), s.nowMs));
    expect([s.executor.missingFills(), reserved(s)]).toEqual([[], []]);
    s.trades([trade('t1', 4)]);
    expect(s.executor.missingFills()).toMatchObject([{ missingMicros: 6 * ONE }]);
    expect(reserved(s)).toEqual([6]);
    expect(s.heard()).toContain('failed_trade_settled');
    s.trades([trade('t2', 6)]);
    expect(s.ledger.order('order')).toMatchObject({ bookedMicros: 10 * ONE, failedMicros: 0 });
    expect(s.ledger.verify()).toEqual([]);
  });

  it('6 are adopted as lost: another trade that fails and settles again leaves their wait ended', () => {
    const s = fresh().resting();
    s.trades([trade('t1', 4)]);
    s.list([row('filled', 10)]);
    const [fill] = s.executor.missingFills();
    s.ledger.transaction(() => s.executor.endWait(must(fill, 'missing fill'), s.nowMs));
    s.trades([failed('t1', 4)]);
    s.trades([trade('t1', 4)]);
    expect(s.ledger.order('order')).toMatchObject({ bookedMicros: 4 * ONE, failedMicros: 6 * ONE });
    expect(s.executor.missingFills()).toEqual([]);
  });
});
