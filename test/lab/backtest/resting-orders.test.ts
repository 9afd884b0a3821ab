import { describe, expect, it } from 'vitest';
import { RestingOrders } from '../../../src/lab/backtest/metrics.js';
import { ASK, BID } from './recordings.js';

const ONE = 1_000_000;

/** A bid of ten at 0.45 that rests since 1000 ms. */
function withBid(): RestingOrders {
  const orders = new RestingOrders();
  const joined = { sinceMs: 1_000, priceMicros: 450_000, amountMicros: 10 * ONE, behindMicros: 0 };
  orders.onJoin('bid', { ...joined, side: BID });
  return orders;
}

const middle = (): number => 420_000;

describe('an order that the other side reached', () => {
  it('counts the time that it stood crossed, spell by spell, from the first time on', () => {
    const orders = withBid();
    orders.onReach(2_000, ASK, 450_000, 450_000, middle);
    orders.onReach(2_100, ASK, 440_000, 440_000, middle);
    orders.onReach(2_500, ASK, null, null, middle);
    orders.onReach(4_000, ASK, 430_000, 430_000, middle);
    orders.onEnd('bid', 4_250);
    expect(orders.stoodCrossed).toMatchObject([
      { timeMs: 2_000, side: 'bid', amountMicros: 10 * ONE, crossedMs: 750, markMicros: 420_000 },
    ]);
  });

  it('counts what it had left, and not at all once it was filled', () => {
    const [partly, wholly] = [withBid(), withBid()];
    for (const orders of [partly, wholly]) orders.onReach(2_000, ASK, 450_000, 450_000, middle);
    partly.onFill('bid', 4 * ONE, 2_500);
    wholly.onFill('bid', 10 * ONE, 2_500);
    for (const orders of [partly, wholly]) orders.onClose(9_000);
    expect(partly.stoodCrossed).toMatchObject([{ amountMicros: 6 * ONE, crossedMs: 7_000 }]);
    expect(wholly.stoodCrossed).toEqual([]);
  });

  it('is not one that took from that side and rests with the remainder, nor one of the same side, nor one beyond', () => {
    const orders = withBid();
    // The recording still holds the amount that we took: nothing new has arrived.
    orders.onReach(2_000, ASK, null, 450_000, middle);
    orders.onReach(2_100, BID, 460_000, 460_000, middle);
    orders.onReach(2_200, ASK, 460_000, null, middle);
    orders.onClose(9_000);
    expect(orders.stoodCrossed).toEqual([]);
  });

  it('has its later marks from the moment when it was reached', () => {
    const orders = withBid();
    orders.onReach(2_000, ASK, 450_000, 450_000, middle);
    expect(orders.nextMarkMs).toBe(3_000);
    orders.takeMarks(3_000, 410_000);
    expect(orders.nextMarkMs).toBe(7_000);
    orders.onClose(9_000);
    expect(orders.stoodCrossed[0]?.marksAfterMicros).toEqual([410_000, null, null, null, null]);
    expect(orders.nextMarkMs).toBe(Number.POSITIVE_INFINITY);
  });
});
