import { describe, expect, it } from 'vitest';
import { ASK, BID, type BookSide } from '../../../../src/exchange/core/contract.js';
import type { Snapshot } from '../../../../src/exchange/core/core.js';
import { ExchangeCore } from '../../../../src/exchange/core/core.js';
import { publicTradePage } from '../../../../src/exchange/core/records/market-rows.js';
import { m, settings, Venue } from '../venue.js';

/** A market with recorded liquidity and a trader. */
function recorded() {
  const venue = new Venue({ min_amount: m('0.01'), taker_fee_rate: m(0) });
  const account = venue.account(1);
  return {
    venue,
    account,
    level: (side: BookSide, price: string, total: number) => venue.now.feed.level(0, side, m(price), m(total)),
    trade: (taker: BookSide, price: string, amount: number) => venue.now.feed.trade(0, taker, m(price), m(amount)),
    filled: (pubkey: string, who = account) => Number(venue.order(who, pubkey).filled_amount),
    /** Recorded shares ahead of each resting order, in queue order. */
    ahead: () => {
      // The last of the eight fields of a row is the amount ahead.
      const { resting } = venue.core.snapshot() as Snapshot;
      return (resting[0] ?? []).filter((_, at) => at % 8 === 7).map((value) => value / 1e6);
    },
    prints: () =>
      publicTradePage(venue.first, { limit: 100 }).rows.map(
        (row) => `${row.is_yes ? 'YES' : 'NO'} ${row.amount}@${row.price}`,
      ),
  };
}

describe('a resting order in a recorded queue', () => {
  it('shares a trade with the recorded amounts before, between and behind real orders', () => {
    const { venue, account, level, trade, filled, ahead, prints } = recorded();
    const other = venue.account(2);
    level(ASK, '0.6', 20);
    const first = venue.place(account, [false, 'buy', '0.4', '10']);
    level(ASK, '0.6', 50);
    const second = venue.place(other, [false, 'buy', '0.4', '10']);
    expect(ahead()).toEqual([20, 50]);
    trade(BID, '0.6', 35);
    // 20 recorded, 10 of the first, 5 recorded.
    expect([filled(first), filled(second, other)]).toEqual([10, 0]);
    expect(ahead()).toEqual([25]);
    expect(prints()).toEqual(['YES 5@0.6', 'YES 10@0.6', 'YES 20@0.6']);
    trade(BID, '0.6', 27);
    expect(filled(second, other)).toBe(2);
    expect(ahead()).toEqual([0]);
  });

  it('is filled by a trade through its price, whatever was recorded ahead of it', () => {
    const { venue, account, level, trade, filled, prints } = recorded();
    level(BID, '0.4', 100);
    const near = venue.place(account, [true, 'buy', '0.41', '5']);
    const at = venue.place(account, [true, 'buy', '0.4', '5']);
    const far = venue.place(account, [true, 'buy', '0.39', '5']);
    trade(ASK, '0.39', 12);
    expect([filled(near), filled(at), filled(far)]).toEqual([5, 5, 2]);
    // A recorded seller is printed as a buyer of NO; the fills have their own prices.
    expect(prints()).toEqual(['NO 2@0.61', 'NO 5@0.6', 'NO 5@0.59']);
  });
});

describe('an aggressive real order', () => {
  it('eats recorded amounts once, best price first, and rests with what is left', () => {
    const { venue, account, level, prints } = recorded();
    level(ASK, '0.5', 10);
    level(ASK, '0.52', 10);
    level(ASK, '0.55', 10);
    const pubkey = venue.place(account, [true, 'buy', '0.52', '25']);
    expect(venue.order(account, pubkey)).toMatchObject({ status: 'partially_filled', filled_amount: '20' });
    expect(venue.book()).toEqual({ bid: ['0.52:5'], ask: ['0.55:10'] });
    expect(prints()).toEqual(['YES 10@0.52', 'YES 10@0.5']);
    expect(venue.funds(account)).toEqual([9989.8, 2.6]);
    level(ASK, '0.5', 10); // repeated: still consumed
    expect(venue.book().ask).toEqual(['0.55:10']);
    level(ASK, '0.5', 13); // three more are new, and meet the resting orders
    expect(venue.book()).toEqual({ bid: ['0.52:2'], ask: ['0.55:10'] });
    level(ASK, '0.5', 18);
    expect(venue.book()).toEqual({ bid: [], ask: ['0.5:3', '0.55:10'] });
  });

  it('stops at its own account behind the recorded amount', () => {
    const { venue, account, level } = recorded();
    level(BID, '0.4', 10);
    venue.place(account, [true, 'buy', '0.4', '5']);
    const pubkey = venue.place(account, [false, 'buy', '0.6', '20']);
    expect(venue.order(account, pubkey)).toMatchObject({ status: 'partially_filled_canceled', filled_amount: '10' });
  });

  it('pays from its funds alone when it is a market buy', () => {
    const { venue, account, level } = recorded();
    level(ASK, '0.5', 100);
    const request = { market_condition_id: venue.id, is_yes: true, side: 'buy', order_type: 'market' } as const;
    const pubkey = venue.place(account, { ...request, funds: m('3') });
    expect(venue.order(account, pubkey)).toMatchObject({ status: 'filled', filled_funds: '3' });
    expect(venue.book().ask).toEqual(['0.5:94']);
  });
});

describe('recorded input', () => {
  it('is refused off the grid and ignored while the market does not trade', () => {
    const { venue, account, level, trade, filled } = recorded();
    expect([level(BID, '0.405', 1), level(BID, '0', 1), level(ASK, '1', 1), level(BID, '0.4', -1)]).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect([trade(BID, '0.405', 1), trade(BID, '0.4', 0)]).toEqual([false, false]);
    const pubkey = venue.place(account, [true, 'buy', '0.4', '5']);
    venue.now.markets.setPaused(venue.id, true);
    expect(trade(ASK, '0.4', 10)).toBe(false);
    expect(filled(pubkey)).toBe(0);
  });

  it('survives a snapshot: eaten amounts, trades since the change, places in the queue', () => {
    const { venue, account, level, trade, ahead, filled } = recorded();
    level(BID, '0.4', 10);
    level(ASK, '0.5', 10);
    const pubkey = venue.place(account, [true, 'buy', '0.4', '5']);
    venue.place(account, [true, 'buy', '0.5', '4']);
    trade(ASK, '0.4', 3);
    const before = JSON.stringify(venue.core.snapshot());
    venue.core = new ExchangeCore(settings, JSON.parse(before));
    expect(JSON.stringify(venue.core.snapshot())).toBe(before);
    expect(ahead()).toEqual([7]);
    expect(venue.book().ask).toEqual(['0.5:6']);
    trade(ASK, '0.4', 8);
    expect(filled(pubkey)).toBe(1);
  });
});
