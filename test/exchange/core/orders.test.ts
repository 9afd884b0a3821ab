import { beforeEach, describe, expect, it } from 'vitest';
import type { OrderRequest } from '../../../src/exchange/core/contract.js';
import { bookRow, publicTradePage, statsRow, summaryRow } from '../../../src/exchange/core/records/market-rows.js';
import { readDraftText } from '../../../src/shared/protocol/drafts/draft-text.js';
import { accepted, faultOf, type Limit, m, Venue } from './venue.js';

const market = (order: Partial<OrderRequest>): OrderRequest => ({
  market_condition_id: venue.id,
  is_yes: true,
  side: 'buy',
  order_type: 'market',
  ...order,
});

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
  const cases: readonly (readonly [string, Partial<OrderRequest>, string])[] = [
    ['is accepted on the grid', {}, 'ok'],
    ['needs a known market', { market_condition_id: 'nobody' }, 'invalid_request_params market_condition_id'],
    ['needs a price for a limit', { price: undefined }, 'invalid_request_params price'],
    ['needs an amount for a limit', { amount: undefined }, 'invalid_request_params amount'],
    ['takes no funds for a limit', { funds: m('5') }, 'invalid_request_params funds'],
    ['refuses a price off the tick', { price: m('0.425') }, 'invalid_request_params price'],
    ['refuses a price below the limit', { price: m('0.01') }, 'invalid_request_params price'],
    ['refuses a price above the limit', { price: m('0.99') }, 'invalid_request_params price'],
    ['refuses an amount off the lot', { amount: m('10.001') }, 'invalid_request_params amount'],
    ['refuses an amount below the limit', { amount: m('0.99') }, 'invalid_request_params amount'],
    ['refuses an amount above the limit', { amount: m('1000.01') }, 'invalid_request_params amount'],
    ['takes the largest amount at the highest price', { amount: m('1000'), price: m('0.98') }, 'ok'],
    ['takes them for NO', { amount: m('1000'), price: m('0.98'), is_yes: false }, 'ok'],
    ['needs YES shares to sell YES', { side: 'sell' }, 'order_insufficient_shares'],
    ['needs NO shares to sell NO', { side: 'sell', is_yes: false }, 'order_insufficient_shares'],
    [
      'needs funds for a market buy',
      { order_type: 'market', price: undefined, amount: undefined },
      'invalid_request_params funds',
    ],
    [
      'takes no price for a market buy',
      { order_type: 'market', amount: undefined, funds: m('5') },
      'invalid_request_params price',
    ],
    [
      'refuses funds off their step',
      { order_type: 'market', price: undefined, amount: undefined, funds: m('5.001') },
      'invalid_request_params funds',
    ],
    [
      'refuses funds below the limit',
      { order_type: 'market', price: undefined, amount: undefined, funds: m('0.5') },
      'invalid_request_params funds',
    ],
    [
      'needs the funds of a market buy',
      { order_type: 'market', price: undefined, amount: undefined, funds: m('10000.01') },
      'order_insufficient_funds',
    ],
    [
      'needs an amount for a market sell',
      { order_type: 'market', side: 'sell', price: undefined, amount: undefined },
      'invalid_request_params amount',
    ],
    [
      'needs the shares of a market sell',
      { order_type: 'market', side: 'sell', price: undefined },
      'order_insufficient_shares',
    ],
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

  it('is refused to the micro when the money does not reach', () => {
    // 23570.21 × 0.42 = 9899.4882, and 1 % of it. The rest pays for 3 shares at 0.5, not for 3.01.
    venue.place(account, [true, 'buy', '0.42', '23570.21']);
    expect(venue.funds(account)).toEqual([10_000, 9998.483082]);
    expect(faultOf(venue.now.orders.draft(account, venue.request([true, 'buy', '0.5', '3.01'])))).toBe(
      'order_insufficient_funds',
    );
    venue.draft(account, [true, 'buy', '0.5', '3']);
  });

  it.each([
    [
      [true, 'buy', '0.42', '10'],
      [4.242, 0, 0],
    ],
    [
      [false, 'buy', '0.42', '10'],
      [4.242, 0, 0],
    ],
    [
      [true, 'sell', '0.42', '10'],
      [0, 10, 0],
    ],
    [
      [false, 'sell', '0.42', '10'],
      [0, 0, 10],
    ],
  ] as readonly (readonly [Limit, readonly number[]])[])(
    '%o locks %o while it is open, and nothing as a draft, which expires',
    (limit, locks) => {
      venue.split(account, '20');
      const pubkey = venue.draft(account, limit);
      const locked = () => [venue.funds(account)[1], venue.shares(account).yesLocked, venue.shares(account).noLocked];
      expect(locked()).toEqual([0, 0, 0]);
      const open = venue.place(account, limit);
      expect(locked()).toEqual(locks);
      venue.pass(59_999);
      expect(venue.order(account, pubkey).status).toBe('waiting_to_sign');
      venue.pass(1);
      expect(venue.order(account, pubkey).status).toBe('expired');
      expect(locked()).toEqual(locks);
      venue.cancel(account, open);
      expect(locked()).toEqual([0, 0, 0]);
    },
  );

  it('says in its text what it is', () => {
    const draft = accepted(venue.now.orders.draft(account, venue.request([false, 'buy', '0.42', '10'])));
    expect(readDraftText(draft.message)).toEqual({
      serviceName: 'SVC',
      marketConditionId: venue.id,
      draftPubkey: draft.pubkey,
      expires: venue.nowMs / 1000 + 60,
      terms: { action: 'place-order', isYes: false, side: 'buy', type: 'limit', price: m('0.42'), amount: m('10') },
    });
    expect(venue.core.draftMessage('order', account, draft.pubkey)).toBe(draft.message);
  });

  it('is refused while the market does not trade, and while nobody can sign', () => {
    const draft = () => faultOf(venue.now.orders.draft(account, venue.request([true, 'buy', '0.42', '10'])));
    venue.now.markets.setPaused(venue.id, true);
    expect(draft()).toBe('order_market_not_open');
    venue.now.markets.setPaused(venue.id, false);
    venue.now.markets.setState(venue.id, 'interrupted');
    expect(draft()).toBe('order_market_not_open');
    venue.now.markets.setState(venue.id, 'open');
    venue.now.setSigningAvailable(false);
    expect(draft()).toBe('gringotts_unavailable');
    venue.now.setSigningAvailable(true);
    expect(draft()).toBe('ok');
  });

  it('is refused on a market without a book of users', () => {
    const fee = { opening_fee: '0', closing_fee: '0', annual_fee_rate: '0' };
    const config = { kind: 'hyperliquid', max_leverage_yes: '5', max_leverage_no: '5', ...fee } as const;
    const { condition_id } = accepted(venue.now.markets.create({ config }));
    const request = { ...venue.request([true, 'buy', '0.42', '10']), market_condition_id: condition_id };
    expect(faultOf(venue.now.orders.draft(account, request))).toBe('invalid_request_params market_condition_id');
  });
});

describe('the submit of an order', () => {
  it('checks owner, expiry, state, signature and market in this order', () => {
    const submit = (who: number, pubkey: string, valid: boolean) =>
      faultOf(venue.now.orders.submit(who, pubkey, valid));
    const pubkey = venue.draft(account, [true, 'buy', '0.42', '10']);
    expect(submit(account, 'nobody', false)).toBe('not_found');
    expect(submit(other, pubkey, false)).toBe('not_found');
    expect(submit(account, pubkey, false)).toBe('invalid_request_params signature');
    expect(venue.order(account, pubkey).status).toBe('waiting_to_sign');
    expect(submit(account, pubkey, true)).toBe('ok');
    expect(submit(account, pubkey, false)).toBe('invalid_program_call_status');
    const late = venue.draft(account, [true, 'buy', '0.42', '10']);
    venue.pass(60_000);
    expect(submit(account, late, false)).toBe('program_call_has_expired');
    expect(submit(account, late, true)).toBe('program_call_has_expired');
  });

  it.each([
    ['limit buy', 'order_insufficient_funds', [true, 'buy', '0.5', '19000']],
    [
      ...(['market buy', 'order_insufficient_funds'] as const),
      { is_yes: true, side: 'buy', order_type: 'market', funds: m('6000') },
    ],
    ['limit sell', 'order_insufficient_shares', [true, 'sell', '0.5', '15']],
    [
      ...(['market sell', 'order_insufficient_shares'] as const),
      { is_yes: true, side: 'sell', order_type: 'market', amount: m('15') },
    ],
  ] as const)('fails a %s with %s when another one has used up the balance since the draft', (_name, slug, wanted) => {
    venue.split(account, '20');
    const request = 'side' in wanted ? { market_condition_id: venue.id, ...wanted } : wanted;
    const late = venue.draft(account, request);
    venue.place(
      account,
      slug === 'order_insufficient_funds' ? [true, 'buy', '0.4', '15000'] : [true, 'sell', '0.9', '6'],
    );
    const before = [venue.funds(account), venue.shares(account), venue.book()];
    venue.now.markets.setPaused(venue.id, true);
    expect(faultOf(venue.now.orders.submit(account, late, false))).toBe('invalid_request_params signature');
    venue.now.markets.setPaused(venue.id, false);
    expect(faultOf(venue.now.orders.submit(account, late, true))).toBe(slug);
    expect(venue.order(account, late).status).toBe('failed');
    expect([venue.funds(account), venue.shares(account), venue.book()]).toEqual(before);
    expect(faultOf(venue.now.orders.submit(account, late, true))).toBe('invalid_program_call_status');
  });

  it('grants two drafts that each need all there is, and fails the second submit', () => {
    const all = { market_condition_id: venue.id, is_yes: true, side: 'buy', order_type: 'limit' } as const;
    // 19801.98 × 0.5, and 1 % of it: 9999.9999.
    const [first, second] = [1, 2].map(() => venue.draft(account, { ...all, price: m('0.5'), amount: m('19801.98') }));
    const submit = (pubkey = '') => faultOf(venue.now.orders.submit(account, pubkey, true));
    expect([submit(second), submit(first)]).toEqual(['ok', 'order_insufficient_funds']);
    expect(venue.funds(account)).toEqual([10_000, 9999.9999]);
    venue.cancel(account, second ?? '');
    expect(venue.order(account, first ?? '').status).toBe('failed');
  });

  it('hears of the market before the balance', () => {
    const late = venue.draft(account, [true, 'buy', '0.5', '19000']);
    venue.place(account, [true, 'buy', '0.4', '15000']);
    venue.now.markets.setPaused(venue.id, true);
    expect(faultOf(venue.now.orders.submit(account, late, true))).toBe('order_market_not_open');
  });

  it('fails the order when the market has closed meanwhile', () => {
    const pubkey = venue.draft(account, [true, 'buy', '0.42', '10']);
    venue.now.markets.setState(venue.id, 'answer_proposed');
    expect(faultOf(venue.now.orders.submit(account, pubkey, true))).toBe('order_market_not_open');
    expect(venue.order(account, pubkey).status).toBe('failed');
    expect(venue.funds(account)).toEqual([10_000, 0]);
    expect(faultOf(venue.now.orders.submit(account, pubkey, true))).toBe('invalid_program_call_status');
  });
});

describe('matching', () => {
  it('mints a set when a YES buy meets a NO buy', () => {
    venue.place(account, [true, 'buy', '0.42', '10']);
    venue.place(other, [false, 'buy', '0.58', '10']);
    expect(venue.shares(account).yes).toBe(10);
    expect(venue.shares(other).no).toBe(10);
    expect(venue.funds(account)).toEqual([9995.8, 0]);
    // 10 × 0.58, and 1 % of it as taker.
    expect(venue.funds(other)).toEqual([9994.142, 0]);
    expect(venue.core.matching.fees).toBe(m('0.058'));
    expect(venue.core.marketFacts(0).setsOutstanding).toBe(m('10'));
  });

  it('burns a set when a YES sell meets a NO sell', () => {
    venue.split(account, '10');
    venue.split(other, '10');
    venue.place(account, [true, 'sell', '0.42', '10']);
    venue.place(other, [false, 'sell', '0.58', '10']);
    expect(venue.shares(account)).toMatchObject({ yes: 0, no: 10 });
    expect(venue.shares(other)).toMatchObject({ yes: 10, no: 0 });
    expect(venue.funds(account)).toEqual([9994.2, 0]);
    expect(venue.funds(other)).toEqual([9995.742, 0]);
    expect(venue.core.marketFacts(0).setsOutstanding).toBe(m('10'));
  });

  it.each([true, false])('hands shares on when a buy meets a sell of the same outcome (YES: %s)', (isYes) => {
    venue.split(account, '10');
    venue.place(account, [isYes, 'sell', '0.4', '10']);
    venue.place(other, [isYes, 'buy', '0.45', '4']);
    expect(venue.shares(account)).toMatchObject(
      isYes ? { yes: 6, yesLocked: 6, no: 10 } : { yes: 10, no: 6, noLocked: 6 },
    );
    expect(venue.shares(other)).toMatchObject(isYes ? { yes: 4, no: 0 } : { yes: 0, no: 4 });
    // The price is the resting order's.
    expect(venue.funds(other)).toEqual([9998.384, 0]);
    expect(venue.funds(account)).toEqual([9991.6, 0]);
  });

  it('shows one book in YES space and its mirror', () => {
    venue.split(account, '10');
    venue.place(account, [true, 'buy', '0.4', '1']);
    venue.place(account, [false, 'sell', '0.59', '2']);
    venue.place(account, [true, 'sell', '0.45', '3']);
    venue.place(account, [false, 'buy', '0.5', '4']);
    expect(venue.book()).toEqual({ bid: ['0.41:2', '0.4:1'], ask: ['0.45:3', '0.5:4'] });
    expect(venue.book(false)).toEqual({ bid: ['0.55:3', '0.5:4'], ask: ['0.59:2', '0.6:1'] });
    expect(bookRow(venue.first, true, 1).bid).toEqual([{ price: '0.41', total_amount: '2' }]);
  });

  it('serves the better price first, then the earlier order', () => {
    const third = venue.account(3);
    const orders = [
      venue.place(account, [true, 'buy', '0.4', '5']),
      venue.place(account, [true, 'buy', '0.41', '5']),
      venue.place(third, [true, 'buy', '0.41', '5']),
    ];
    venue.place(other, [false, 'buy', '0.59', '1']);
    venue.place(other, [false, 'buy', '0.6', '12']);
    expect([venue.order(account, orders[0] ?? '').filled_amount, venue.order(account, orders[1] ?? '').status]).toEqual(
      ['3', 'filled'],
    );
    expect(venue.order(third, orders[2] ?? '').status).toBe('filled');
  });

  it('rounds a trade so that nothing is created or lost', () => {
    fresh({ price_precision: 4, amount_precision: 4, min_amount: m('0.0001') });
    venue.place(account, [true, 'buy', '0.3333', '0.0001']);
    venue.place(other, [false, 'buy', '0.6667', '0.0001']);
    // 0.3333 × 100 millionths = 33.33: YES pays 33, NO 67, and the fee of 0.67 is rounded up to 1.
    expect(venue.core.funds.read(account).total).toBe(m(10_000) - 33);
    expect(venue.core.funds.read(other).total).toBe(m(10_000) - 67 - 1);
  });

  it('charges maker and taker rates on the notional of the own outcome', () => {
    fresh({ maker_fee_rate: m('0.02'), taker_fee_rate: m('0.01') });
    venue.split(other, '10');
    const pubkey = venue.place(account, [true, 'buy', '0.4', '10']);
    expect(venue.funds(account)).toEqual([10_000, 4.08]);
    venue.place(other, [true, 'sell', '0.4', '10']);
    expect(venue.funds(account)).toEqual([9995.92, 0]);
    expect(venue.funds(other)).toEqual([9993.96, 0]);
    expect(venue.core.orders.trades(account, { limit: 1 }).rows[0]).toMatchObject({
      fee: '0.08',
      is_maker: true,
      order: { pubkey },
    });
    expect(publicTradePage(venue.first, { limit: 1 }).rows[0]).toMatchObject({
      maker_fee: '0.08',
      taker_fee: '0.04',
    });
  });

  it('stops an incoming order at its own account and cancels its rest', () => {
    const first = venue.place(other, [true, 'buy', '0.42', '5']);
    const own = venue.place(account, [true, 'buy', '0.41', '5']);
    const incoming = venue.place(account, [false, 'buy', '0.6', '20']);
    expect(venue.order(other, first).status).toBe('filled');
    expect(venue.order(account, own).status).toBe('open');
    expect(venue.order(account, incoming)).toMatchObject({
      status: 'partially_filled_canceled',
      remaining_amount: '15',
    });
    const again = venue.place(account, [false, 'buy', '0.6', '20']);
    expect(venue.order(account, again).status).toBe('canceled');
    expect(venue.book()).toEqual({ bid: ['0.41:5'], ask: [] });
  });

  it('tells every side its own price, and the public the taker’s', () => {
    venue.place(account, [true, 'buy', '0.42', '10']);
    venue.place(other, [false, 'buy', '0.58', '4']);
    expect(venue.core.orders.trades(account, { limit: 5 }).rows).toMatchObject([
      { price: '0.42', amount: '4', is_maker: true },
    ]);
    expect(venue.core.orders.trades(other, { limit: 5 }).rows).toMatchObject([
      { price: '0.58', amount: '4', fee: '0.0232' },
    ]);
    expect(publicTradePage(venue.first, { limit: 5 }).rows).toMatchObject([
      { price: '0.58', is_yes: false, state: 'done' },
    ]);
    expect(summaryRow(venue.core.catalog, venue.first).last_trade_price).toBe('0.42');
    expect(statsRow(venue.first, venue.core.nowMs)).toEqual({
      total_volume: '2.32',
      total_volume_24h: '2.32',
      market_cap: '4',
      trade_count: 1,
    });
    venue.pass(26 * 3_600_000);
    expect(statsRow(venue.first, venue.core.nowMs)).toMatchObject({
      total_volume: '2.32',
      total_volume_24h: '0',
    });
  });
});

describe('a market order', () => {
  beforeEach(() => venue.split(account, '100'));

  it('buys no more than its funds pay, fee included', () => {
    venue.place(account, [true, 'sell', '0.4', '10']);
    const pubkey = venue.place(other, market({ funds: m('2') }));
    // 4.95 × 0.4 × 1.01 = 1.9998; a hundredth of a share more would cost 2.00384.
    expect(venue.order(other, pubkey)).toMatchObject({
      status: 'filled',
      filled_funds: '1.9998',
      remaining_funds: '0.0002',
    });
    expect(venue.shares(other).yes).toBe(4.95);
    expect(venue.funds(other)).toEqual([9998.0002, 0]);
  });

  it('never rests', () => {
    const lone = venue.place(other, market({ funds: m('2') }));
    expect(venue.order(other, lone)).toMatchObject({
      status: 'canceled',
      funds: '2',
      remaining_funds: '2',
      amount: null,
    });
    venue.place(account, [true, 'sell', '0.4', '1']);
    const part = venue.place(other, market({ funds: m('2') }));
    expect(venue.order(other, part)).toMatchObject({ status: 'partially_filled_canceled', filled_funds: '0.404' });
    venue.place(other, [true, 'buy', '0.3', '5']);
    const sell = venue.place(account, market({ side: 'sell', amount: m('8') }));
    expect(venue.order(account, sell)).toMatchObject({
      status: 'partially_filled_canceled',
      amount: '8',
      filled_funds: '1.485',
    });
    expect(venue.book()).toEqual({ bid: [], ask: [] });
  });
});

describe('a cancel', () => {
  it('takes the order off the book and frees its locks', () => {
    const pubkey = venue.place(account, [true, 'buy', '0.42', '10']);
    venue.place(other, [false, 'buy', '0.58', '4']);
    const draft = accepted(venue.now.orders.draftCancel(account, pubkey));
    expect(readDraftText(draft.message)).toMatchObject({
      draftPubkey: pubkey,
      terms: { action: 'cancel-order', orderPubkey: pubkey },
    });
    expect(accepted(venue.core.at(venue.nowMs + 1000).orders.draftCancel(account, pubkey))).toEqual(draft);
    expect(accepted(venue.now.orders.submitCancel(account, pubkey, true)).status).toBe('partially_filled_canceled');
    expect(venue.funds(account)).toEqual([9998.32, 0]);
    expect(venue.book()).toEqual({ bid: [], ask: [] });
  });

  it('checks owner, expiry, state, signature and what the order has become, in this order', () => {
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
    expect(submit(false)).toBe('invalid_request_params signature');
    expect(submit()).toBe('order_not_cancelable');
    expect(faultOf(venue.now.orders.draftCancel(account, pubkey))).toBe('order_not_cancelable');
    const second = venue.place(account, [true, 'buy', '0.42', '10']);
    venue.cancel(account, second);
    expect(faultOf(venue.now.orders.submitCancel(account, second, true))).toBe('invalid_program_call_status');
  });
});

describe('the list of orders', () => {
  it('is newest first, filtered and paged by keyset', () => {
    const placed = [1, 2, 3, 4, 5].map((n) => venue.place(account, [n % 2 === 0, 'buy', '0.2', String(n)]));
    venue.cancel(account, placed[4] ?? '');
    const amounts = (page: { rows: readonly { amount?: string | null | undefined }[] }) =>
      page.rows.map((row) => row.amount);
    const first = venue.core.orders.page(account, { limit: 2 });
    expect(amounts(first)).toEqual(['5', '4']);
    const second = venue.core.orders.page(account, { limit: 2, beforeId: first.nextBeforeId ?? 0 });
    expect(amounts(second)).toEqual(['3', '2']);
    expect(venue.core.orders.page(account, { limit: 2, beforeId: second.nextBeforeId ?? 0 })).toMatchObject({
      nextBeforeId: null,
    });
    expect(amounts(venue.core.orders.page(account, { limit: 9, status: ['open'] }))).toEqual(['4', '3', '2', '1']);
    expect(amounts(venue.core.orders.page(account, { limit: 9, status: ['open', 'canceled'] }))).toHaveLength(5);
    expect(amounts(venue.core.orders.page(account, { limit: 9, is_yes: true }))).toEqual(['4', '2']);
    expect(venue.core.orders.page(account, { limit: 9, side: 'sell' }).rows).toEqual([]);
    expect(venue.core.orders.page(account, { limit: 9, market_condition_id: 'nobody' }).rows).toEqual([]);
    expect(venue.core.orders.page(account, { limit: 9, market_condition_id: venue.id }).rows).toHaveLength(5);
    expect(venue.core.orders.page(other, { limit: 9 }).rows).toEqual([]);
  });
});
