import { beforeEach, describe, expect, it } from 'vitest';
import type { OrderRequest } from '../../../src/exchange/core/contract.js';
import { publicTradePage, statsRow, summaryRow } from '../../../src/exchange/core/records/market-rows.js';
import { faultOf, m, Venue } from './venue.js';

let venue: Venue;
let account: number;
let other: number;
function fresh(config?: ConstructorParameters<typeof Venue>[0]): void {
  venue = new Venue(config);
  [account, other] = [venue.account(1), venue.account(2)];
}

beforeEach(() => fresh());

describe('an order draft', () => {
  const base = { is_yes: true, side: 'buy', order_type: 'limit', price: m('0.42'), amount: m('10') } as const;
  // The plain model draws no price beyond the limits, and a fault in the first field alone.
  const cases: readonly (readonly [string, Partial<OrderRequest>, string])[] = [
    ['refuses a price below the limit', { price: m('0.01') }, 'invalid_request_params price'],
    ['refuses a price above the limit', { price: m('0.99') }, 'invalid_request_params price'],
    ['refuses an amount off the lot', { amount: m('10.001') }, 'invalid_request_params amount'],
    ['refuses an amount below the limit', { amount: m('0.99') }, 'invalid_request_params amount'],
    ['refuses an amount above the limit', { amount: m('1000.01') }, 'invalid_request_params amount'],
    ['takes the largest amount at the highest price', { amount: m('1000'), price: m('0.98') }, 'ok'],
    ['takes them for NO', { amount: m('1000'), price: m('0.98'), is_yes: false }, 'ok'],
  ];

  it.each(cases)('%s: %o → %s', (_, change, expected) => {
    fresh({ min_price: m('0.02'), max_price: m('0.98'), max_amount: m('1000') });
    expect(faultOf(venue.now.orders.draft(account, { market_condition_id: venue.id, ...base, ...change }))).toBe(
      expected,
    );
  });

  it.each([
    ['no signing', { market_condition_id: 'nobody' }, 'gringotts_unavailable'],
    ['', { market_condition_id: 'nobody', price: m('0.425') }, 'invalid_request_params market_condition_id'],
    ['', { price: m('0.425'), amount: m('10.001') }, 'invalid_request_params price'],
    ['', { amount: m('10.001'), funds: m('5') }, 'invalid_request_params amount'],
    ['paused', { funds: m('5') }, 'invalid_request_params funds'],
    ['paused', { amount: m('99999') }, 'order_market_not_open'],
    ['paused', { side: 'sell' }, 'order_market_not_open'],
  ] as const)('with several faults (%s, %o) hears of %s', (trouble, change, expected) => {
    if (trouble === 'paused') venue.now.markets.setPaused(venue.id, true);
    if (trouble === 'no signing') venue.now.setSigningAvailable(false);
    const request = { market_condition_id: venue.id, ...base, ...change };
    expect(faultOf(venue.now.orders.draft(account, request))).toBe(expected);
  });
});

describe('the submit of an order', () => {
  it('checks owner, expiry, state, signature and market in this order', () => {
    const submit = (who: number, id: string, valid: boolean) => faultOf(venue.now.orders.submit(who, id, valid));
    const pubkey = venue.draft(account, [true, 'buy', '0.42', '10']);
    expect([submit(account, 'nobody', false), submit(other, pubkey, false)]).toEqual(['not_found', 'not_found']);
    expect(submit(account, pubkey, false)).toBe('invalid_request_params signature');
    expect(venue.order(account, pubkey).status).toBe('waiting_to_sign');
    expect(submit(account, pubkey, true)).toBe('ok');
    expect(submit(account, pubkey, false)).toBe('invalid_program_call_status');
    const late = venue.draft(account, [true, 'buy', '0.42', '10']);
    venue.pass(60_000);
    expect(submit(account, late, false)).toBe('program_call_has_expired');
    expect(submit(account, late, true)).toBe('program_call_has_expired');
  });

  it('hears of the market before the balance', () => {
    const late = venue.draft(account, [true, 'buy', '0.5', '19000']);
    venue.place(account, [true, 'buy', '0.4', '15000']);
    venue.now.markets.setPaused(venue.id, true);
    expect(faultOf(venue.now.orders.submit(account, late, true))).toBe('order_market_not_open');
  });
});

it('a match is published at the taker’s price, and in the figures of the market', () => {
  venue.place(account, [true, 'buy', '0.42', '10']);
  venue.place(other, [false, 'buy', '0.58', '4']);
  expect(publicTradePage(venue.first, { limit: 5 }).rows).toMatchObject([{ price: '0.58', is_yes: false }]);
  expect(summaryRow(venue.core.catalog, venue.first).last_trade_price).toBe('0.42');
  const stats = { total_volume: '2.32', total_volume_24h: '2.32', market_cap: '4', trade_count: 1 };
  expect(statsRow(venue.first, venue.core.nowMs)).toEqual(stats);
  venue.pass(26 * 3_600_000);
  expect(statsRow(venue.first, venue.core.nowMs)).toEqual({ ...stats, total_volume_24h: '0' });
});

it('a cancel checks owner, expiry, state, signature and what the order has become, in this order', () => {
  const pubkey = venue.place(account, [true, 'buy', '0.42', '10']);
  const submit = (valid = true) => faultOf(venue.now.orders.submitCancel(account, pubkey, valid));
  expect(faultOf(venue.now.orders.draftCancel(other, pubkey))).toBe('not_found');
  expect(faultOf(venue.now.orders.submitCancel(other, pubkey, true))).toBe('not_found');
  expect(submit()).toBe('invalid_program_call_status');
  venue.now.orders.draftCancel(account, pubkey);
  venue.pass(60_000);
  expect(submit(false)).toBe('program_call_has_expired');
  venue.now.orders.draftCancel(account, pubkey);
  expect(submit(false)).toBe('invalid_request_params signature');
  venue.place(other, [false, 'buy', '0.58', '10']);
  expect([submit(false), submit()]).toEqual(['invalid_request_params signature', 'order_not_cancelable']);
  expect(faultOf(venue.now.orders.draftCancel(account, pubkey))).toBe('order_not_cancelable');
  const second = venue.place(account, [true, 'buy', '0.42', '10']);
  venue.cancel(account, second);
  expect(faultOf(venue.now.orders.submitCancel(account, second, true))).toBe('invalid_program_call_status');
});
