import { describe, expect, it } from 'vitest';
import { ASK, BID, type MatchingSide } from '../../../../src/exchange/core/contract.js';
import { m, Venue } from '../venue.js';

/** A market with recorded liquidity and a trader. */
function recorded() {
  const venue = new Venue({ min_amount: m('0.01'), taker_fee_rate: m(0) });
  const account = venue.account(1);
  return {
    venue,
    account,
    level: (side: MatchingSide, price: string, total: number) => venue.now.feed.level(0, side, m(price), m(total)),
    trade: (taker: MatchingSide, price: string, amount: number) => venue.now.feed.trade(0, taker, m(price), m(amount)),
    filled: (pubkey: string) => Number(venue.order(account, pubkey).filled_amount),
  };
}

describe('an aggressive real order', () => {
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
});
