import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CoreSnapshot, ExchangeCore } from '../../../../src/exchange/core/core.js';
import { priceRow, publicTradePage, statsRow, summaryRow } from '../../../../src/exchange/core/records/market-rows.js';
import { accepted, faultOf, m, settings } from '../venue.js';
import { DAY_MS, HYPERLIQUID, MarginDesk, marginSettings, POLYMARKET, STEP, TO_FILL } from './desk.js';

let desk: MarginDesk;
let account: number;
function fresh(...args: ConstructorParameters<typeof MarginDesk>): void {
  desk = new MarginDesk(...args);
  account = desk.account(1);
}

beforeEach(() => fresh());

afterEach(() => expect(desk.missing).toBe(0));

/** The states of a request or settlement, step by step. */
function statesOf(read: () => string, steps: number): string[] {
  const states = [read()];
  for (let step = 0; step < steps; step++) {
    desk.pass(STEP - 1);
    expect(read(), 'too early').toBe(states.at(-1));
    desk.pass(1);
    states.push(read());
  }
  return states;
}
const requestStates = (pubkey: string, steps: number) => statesOf(() => desk.requestRow(account, pubkey).state, steps);

describe('a request', () => {
  it('becomes a position step by step, its money going from lock to pool', () => {
    const draft = accepted(desk.draft(account, { leverage: '2.5' }));
    expect(draft).toMatchObject({ state: 'created', type: 'market', leverage: '2.5', funds: '100', order_state: null });
    expect(draft.message).toContain('open-margin-position | Market: ');
    expect(draft.message).toContain('Outcome: YES, Type: market, Leverage: 2.5, Funds: 100');
    expect(desk.funds(account)).toEqual([10_000, 101]); // 100 and 1 % of it
    accepted(desk.now.margin.requests.submit(account, draft.pubkey, true));
    expect(desk.funds(account)).toEqual([10_000, 101]);
    expect(requestStates(draft.pubkey, 3)).toEqual(['funding_processing', 'processing', 'order_placed', 'completed']);
    expect([desk.funds(account), desk.core.matching.fees]).toEqual([[9_899, 0], m('1')]);
    const request = desk.requestRow(account, draft.pubkey);
    expect(request).toMatchObject({ order_state: 'filled', refund_txid: null });
    expect(request.funding_txid).toMatch(/^[1-9A-HJ-NP-Za-km-z]{40,44}$/);
    const terms = { position_request_pubkey: draft.pubkey, is_yes: true, leverage: '2.5', total_shares: '625' };
    const prices = { avg_entry_price: '0.4', closing_price: null, liquidation_price: '0.256', tp_sl: null };
    const sums = { unrealized_pnl: '0', realized_pnl: '0', user_liquidity: '100', total_liquidity: '250' };
    const open = { is_closed: false, is_liquidated: false, is_claimed: false };
    const { rows } = desk.core.margin.positionPage(account, { limit: 10 });
    expect(rows).toMatchObject([{ ...terms, ...prices, ...sums, ...open }]);
  });

  it('with a limit waits for the reference price and gets the better one', () => {
    const pubkey = desk.request(account, { limit: ['0.3', '100'], leverage: '2.5' });
    expect(desk.funds(account)).toEqual([10_000, 12.12]); // 30 / 2.5 and 1 % of it
    desk.pass(TO_FILL + DAY_MS);
    expect(desk.requestRow(account, pubkey)).toMatchObject({ state: 'order_placed', order_state: 'open' });
    expect(desk.funds(account)).toEqual([9_987.88, 0]);
    desk.move('0.31');
    expect(desk.requestRow(account, pubkey).state).toBe('order_placed');
    desk.move('0.25');
    expect(desk.requestRow(account, pubkey).state).toBe('completed');
    // 100 shares at 0.25 take 10 and a fee of 0.1; 2.02 are returned.
    expect(desk.funds(account)).toEqual([9_989.9, 0]);
    expect(desk.core.margin.positionPage(account, { limit: 1 }).rows).toMatchObject([
      { total_shares: '100', avg_entry_price: '0.25', user_liquidity: '10', total_liquidity: '25' },
    ]);
  });

  it.each([false, true])('is filled before a later one, in whatever order submitted (restored: %s)', (isRestored) => {
    const [first, second] = [1, 2].map(() => accepted(desk.draft(account, { limit: ['0.3', '10'] })).pubkey);
    for (const pubkey of [second, first]) accepted(desk.now.margin.requests.submit(account, pubkey ?? '', true));
    desk.pass(TO_FILL);
    if (isRestored) desk.core = new ExchangeCore(marginSettings, desk.core.snapshot(), desk.archive);
    desk.move('0.3');
    const { rows } = desk.core.margin.positionPage(account, { limit: 10 });
    expect(rows).toMatchObject([{ position_request_pubkey: first, total_shares: '20' }]);
  });

  it('on NO is priced in the space of NO', () => {
    const position = desk.open(account, { isYes: false, leverage: '1.5', funds: '40' });
    expect(position).toMatchObject({ is_yes: false, avg_entry_price: '0.6', total_shares: '100' });
    desk.move('0.3');
    expect(desk.position(account, position.pubkey)).toMatchObject({ unrealized_pnl: '10' });
    expect(priceRow(desk.first, false).price).toBe('0.7');
  });

  it('that is not signed in time fails, says so, and locks nothing', () => {
    const { pubkey } = accepted(desk.draft(account));
    desk.pass(59_999);
    expect(desk.funds(account)[1]).toBe(101);
    desk.pass(1);
    expect([desk.requestRow(account, pubkey).state, desk.funds(account)]).toEqual(['failed', [10_000, 0]]);
    expect(faultOf(desk.now.margin.requests.submit(account, pubkey, true))).toBe('program_call_has_expired');
    expect(faultOf(desk.now.margin.requests.cancel(account, pubkey))).toBe('invalid_request_params pubkey');
  });

  it('can be cancelled as a draft, and until it is funded', () => {
    const draft = accepted(desk.draft(account)).pubkey;
    expect(accepted(desk.now.margin.requests.cancel(account, draft))).toMatchObject({ state: 'cancelled' });
    const pubkey = desk.request(account);
    const answer = accepted(desk.now.margin.requests.cancel(account, pubkey));
    expect(answer).toMatchObject({ state: 'cancelled', funding_txid: null, refund_txid: null });
    expect(requestStates(pubkey, 1)).toEqual(['cancelled', 'cancelled']);
    expect(desk.funds(account)).toEqual([10_000, 0]);
    const late = desk.request(account);
    desk.pass(STEP);
    expect(faultOf(desk.now.margin.requests.cancel(account, late))).toBe('invalid_request_params pubkey');
  });

  it('is not moved by what was due before its last step', () => {
    const draft = accepted(desk.draft(account)).pubkey;
    desk.pass(59_900);
    accepted(desk.now.margin.requests.submit(account, draft, true));
    desk.pass(100); // The draft would expire now.
    expect(desk.requestRow(account, draft).state).toBe('funding_processing');
    accepted(desk.now.margin.requests.cancel(account, draft));
    desk.pass(STEP - 100); // Its funding would land now.
    expect(desk.requestRow(account, draft).state).toBe('cancelled');
  });

  it.each([
    [0, 'funding_processing', null],
    [1, 'processing', null],
    [2, 'order_placed', 'canceled'],
  ] as const)('turns back when its market leaves open %d steps in', (steps, state, orderState) => {
    const pubkey = desk.request(account, { limit: ['0.3', '100'] });
    desk.pass(steps * STEP);
    expect(desk.requestRow(account, pubkey).state).toBe(state);
    accepted(desk.now.markets.setState(desk.id, 'interrupted'));
    expect(desk.requestRow(account, pubkey)).toMatchObject({ state: 'refund_processing', order_state: orderState });
    accepted(desk.now.markets.setState(desk.id, 'open'));
    expect(requestStates(pubkey, 1)).toEqual(['refund_processing', 'failed']);
    expect(desk.funds(account)).toEqual([10_000, 0]);
    const row = desk.requestRow(account, pubkey);
    // Only deposits are paid back.
    expect(row.funding_txid === null).toBe(steps === 0);
    expect(row.refund_txid === null).toBe(steps === 0);
  });

  it('waits while its market is paused and goes on where it stood', () => {
    const pubkey = desk.request(account);
    accepted(desk.now.markets.setPaused(desk.id, true));
    desk.pass(10 * TO_FILL);
    expect(desk.requestRow(account, pubkey).state).toBe('order_placed');
    accepted(desk.now.markets.setPaused(desk.id, false));
    expect(desk.requestRow(account, pubkey).state).toBe('completed');
  });

  it('is refused at the submit when the market no longer trades, and is over', () => {
    const { pubkey } = accepted(desk.draft(account));
    accepted(desk.now.markets.setPaused(desk.id, true));
    expect(faultOf(desk.now.margin.requests.submit(account, pubkey, true))).toBe('order_market_not_open');
    expect(desk.requestRow(account, pubkey).state).toBe('failed');
    expect(faultOf(desk.now.margin.requests.submit(account, pubkey, true))).toBe('invalid_program_call_status');
    expect(desk.funds(account)).toEqual([10_000, 0]);
  });

  it('fails when the price has fallen so far that a position could not hold the shares', () => {
    fresh(HYPERLIQUID);
    accepted(desk.now.identity.deposit(desk.core.identity.account(account).wallet ?? '', m(9_000)));
    const pubkey = desk.request(account, { funds: '18000', leverage: '3' });
    desk.move('0.000001');
    desk.pass(TO_FILL);
    expect(desk.requestRow(account, pubkey).state).toBe('refund_processing');
    desk.pass(STEP);
    expect([desk.requestRow(account, pubkey).state, desk.funds(account)]).toEqual(['failed', [19_000, 0]]);
  });
});

describe('a second request on the same side', () => {
  it('increases the position', () => {
    const first = desk.open(account, { leverage: '2.5', takeProfit: '0.9' });
    desk.move('0.6');
    const { pubkey, position_request_pubkey } = first;
    const terms = { total_shares: '725', avg_entry_price: '0.427587', leverage: '1.9375' };
    const sums = { user_liquidity: '160', total_liquidity: '310', unrealized_pnl: '125' };
    const tp_sl = { take_profit_price: '0.9', stop_loss_price: '0.5', state: 'active' };
    const second = desk.open(account, { leverage: '1', funds: '60', stopLoss: '0.5' });
    expect(second).toMatchObject({ pubkey, position_request_pubkey, ...terms, ...sums, tp_sl });
    const { rows } = desk.core.margin.activityPage(0, { limit: 10 });
    const told = rows.map((row) => `${row.activity_type} ${row.shares} at ${row.price}`);
    expect(told).toEqual(['increased 100 at 0.6', 'opened 625 at 0.4']);
  });

  it('pays interest for each part from its own time on', () => {
    desk.open(account, { leverage: '2.5' }); // borrows 150
    desk.pass(73 * DAY_MS - TO_FILL); // 3 of interest by the second fill.
    const { pubkey } = desk.open(account, { leverage: '2.5' }); // borrows 150 more
    desk.pass(73 * DAY_MS); // 6 more
    accepted(desk.close(account, pubkey));
    // 200 − 9; a loss pays no closing fee.
    expect(desk.position(account, pubkey)).toMatchObject({ realized_pnl: '-9' });
  });

  it('of the other side is another position', () => {
    desk.open(account);
    desk.open(account, { isYes: false });
    expect(desk.core.margin.positionPage(account, { limit: 10 }).rows.map((row) => row.is_yes)).toEqual([false, true]);
  });
});

describe('a close', () => {
  it('sells at the reference price, and the settlement brings the money', () => {
    const { pubkey } = desk.open(account, { leverage: '2.5' });
    desk.pass(73 * DAY_MS);
    desk.move('0.5');
    expect(desk.position(account, pubkey)).toMatchObject({ unrealized_pnl: '62.5', liquidation_price: '0.2608' });
    const answer = { close_type: 'order', position_pubkey: pubkey, is_closed: true };
    expect(accepted(desk.close(account, pubkey))).toEqual(answer);
    const prices = { closing_price: '0.5', liquidation_price: '0.2608', unrealized_pnl: null, realized_pnl: '53.25' };
    const closed = { is_closed: true, is_liquidated: false, is_claimed: false };
    expect(desk.position(account, pubkey)).toMatchObject({ ...prices, ...closed });
    // 1 % of 100 for the opening, 2 % of 312.5 for the end.
    expect(desk.core.matching.fees).toBe(m('7.25'));
    expect(faultOf(desk.now.margin.claimSettlement(account, pubkey))).toBe('invalid_request_params pubkey');
    const states = statesOf(() => desk.settlement(account, pubkey).state, 2);
    expect(states).toEqual(['created', 'settlement_pending', 'claimable']);
    desk.pass(DAY_MS);
    const claimable = { state: 'claimable', total_pnl: '52.25', user_liquidity: '100' };
    expect(desk.settlement(account, pubkey)).toMatchObject(claimable);
    const claimed = { position_pubkey: pubkey, state: 'claim_pending' };
    expect(accepted(desk.now.margin.claimSettlement(account, pubkey))).toEqual(claimed);
    expect([desk.funds(account)[0], desk.position(account, pubkey).is_claimed]).toEqual([9_899, false]);
    desk.pass(STEP);
    expect(desk.settlement(account, pubkey)).toMatchObject({ state: 'done', position: { is_claimed: true } });
    expect(desk.funds(account)).toEqual([10_052.25, 0]); // 52.25 more than before: the settlement's total_pnl
    expect(faultOf(desk.now.margin.claimSettlement(account, pubkey))).toBe('invalid_request_params pubkey');
  });

  it('with a price waits for it unless it is reached already; another call replaces it', () => {
    const { pubkey } = desk.open(account);
    expect(accepted(desk.close(account, pubkey, '0.6'))).toMatchObject({ close_type: 'order', is_closed: false });
    desk.move('0.59');
    accepted(desk.close(account, pubkey, '0.7'));
    desk.move('0.65');
    expect(desk.position(account, pubkey).is_closed).toBe(false);
    desk.move('0.75');
    expect(desk.position(account, pubkey)).toMatchObject({ is_closed: true, closing_price: '0.75' });
    expect(accepted(desk.close(account, desk.open(account).pubkey, '0.75')).is_closed).toBe(true);
  });
});

describe('liquidation', () => {
  it('comes at the liquidation price, not above it', () => {
    const { pubkey } = desk.open(account, { leverage: '2.5' });
    desk.move('0.256001');
    expect(desk.position(account, pubkey).is_closed).toBe(false);
    desk.move('0.256');
    const liquidated = { is_closed: true, is_liquidated: true, closing_price: '0.256', realized_pnl: '-93.2' };
    expect(desk.position(account, pubkey)).toMatchObject(liquidated);
    // 10 left, less the closing fee of 2 % of 160.
    desk.claim(account, pubkey);
    expect(desk.funds(account)).toEqual([9_905.8, 0]);
    const activity = { activity_type: 'liquidated', price: '0.256', realized_pnl: '-93.2', shares: '625' };
    expect(desk.core.margin.activityPage(0, { limit: 1 }).rows[0]).toMatchObject(activity);
  });

  it('comes when all is lost unless the venue says otherwise, and then nothing is left for a fee', () => {
    fresh(POLYMARKET, {}, settings);
    const { pubkey, liquidation_price } = desk.open(account, { leverage: '2.5' });
    expect(liquidation_price).toBe('0.24');
    desk.move('0.240001');
    expect(desk.position(account, pubkey).is_closed).toBe(false);
    desk.move('0.24');
    expect(desk.position(account, pubkey)).toMatchObject({ is_liquidated: true, realized_pnl: '-100' });
    expect(desk.core.matching.fees).toBe(m('1')); // the opening
  });

  it('comes by interest alone, to the ms', () => {
    const { pubkey } = desk.open(account, { leverage: '2.5' });
    desk.move('0.26');
    // See economics.test.ts; the fill was at this millisecond.
    desk.pass(5_255_997_897);
    expect(desk.position(account, pubkey)).toMatchObject({ is_closed: false, liquidation_price: '0.259999' });
    desk.pass(1);
    const liquidated = { is_liquidated: true, closing_price: '0.26', liquidation_price: '0.26' };
    expect(desk.position(account, pubkey)).toMatchObject(liquidated);
  });

  it.each([
    ['interest', '0.27', 300 * DAY_MS],
    ['a move', '0.1', 0],
  ])('waits while the market is paused, until it trades again, when %s made the loss fatal', (_, price, ms) => {
    const { pubkey } = desk.open(account, { leverage: '2.5' });
    if (ms > 0) desk.move(price);
    accepted(desk.now.markets.setPaused(desk.id, true));
    desk.move(price);
    desk.pass(ms);
    expect(desk.position(account, pubkey).is_closed).toBe(false);
    accepted(desk.now.markets.setPaused(desk.id, false));
    expect(desk.position(account, pubkey)).toMatchObject({ is_liquidated: true, closing_price: price });
  });

  it('comes at its own time when the clock jumps far beyond it', () => {
    const { pubkey } = desk.open(account, { leverage: '2.5' });
    desk.move('0.26');
    const openedMs = desk.nowMs;
    desk.pass(300 * DAY_MS);
    expect(desk.settlement(account, pubkey).created).toBe(Math.floor((openedMs + 5_255_997_898) / 1000));
  });

  it('is looked for without a look for every move of the price', () => {
    const { pubkey } = desk.open(account, { leverage: '2.5' });
    for (let move = 0; move < 1_000; move++) desk.move(move % 2 === 0 ? '0.4' : '0.41');
    const { due } = desk.core.snapshot() as CoreSnapshot;
    expect(due.entries.length).toBeLessThan(5);
    expect(desk.position(account, pubkey).is_closed).toBe(false);
  });
});

describe('take profit and stop loss', () => {
  it.each([
    ['take_profit', '0.7', '0.8'],
    ['take_profit', '0.7', '0.7'],
    ['stop_loss', '0.3', '0.29'],
    ['stop_loss', '0.3', '0.3'],
  ])('%s at %s triggers at %s and sells', (type, _, mark) => {
    const { pubkey } = desk.open(account, { takeProfit: '0.7', stopLoss: '0.3' });
    desk.move('0.31');
    desk.move('0.69');
    expect(desk.position(account, pubkey).is_closed).toBe(false);
    desk.move(mark);
    expect(desk.position(account, pubkey)).toMatchObject({
      is_closed: true,
      closing_price: mark,
      tp_sl: {
        take_profit_price: '0.7',
        stop_loss_price: '0.3',
        state: 'triggered',
        trigger_type: type,
        triggered_price: mark,
        triggered_at: Math.floor(desk.nowMs / 1000),
      },
    });
  });

  it('are in the space of NO for a NO position', () => {
    const { pubkey } = desk.open(account, { isYes: false, takeProfit: '0.7', stopLoss: '0.5' });
    desk.move('0.31');
    expect(desk.position(account, pubkey).is_closed).toBe(false);
    desk.move('0.3');
    expect(desk.position(account, pubkey).tp_sl).toMatchObject({ trigger_type: 'take_profit', triggered_price: '0.7' });
  });

  it('of a limit request count from its fill', () => {
    desk.request(account, { limit: ['0.3', '100'], takeProfit: '0.35', stopLoss: '0.25' });
    desk.pass(TO_FILL);
    // The fill at 0.2 is already below the stop.
    desk.move('0.2');
    expect(desk.core.margin.positionPage(account, { limit: 1 }).rows).toMatchObject([
      { avg_entry_price: '0.2', closing_price: '0.2', tp_sl: { state: 'triggered', trigger_type: 'stop_loss' } },
    ]);
  });

  it('are written key by key, cleared by null, cancelled by a delete that still shows them', () => {
    const { pubkey } = desk.open(account);
    const set = (change: Parameters<typeof desk.core.margin.positions.setTpSl>[2]) =>
      accepted(desk.now.margin.positions.setTpSl(account, pubkey, change));
    const prices = (row: ReturnType<typeof set>) => [row.take_profit_price, row.stop_loss_price, row.state];
    expect(prices(set({ takeProfit: m('0.7') }))).toEqual(['0.7', null, 'active']);
    expect(prices(set({ stopLoss: m('0.2') }))).toEqual(['0.7', '0.2', 'active']);
    expect(prices(set({ takeProfit: null }))).toEqual([null, '0.2', 'active']);
    expect(prices(accepted(desk.now.margin.positions.deleteTpSl(account, pubkey)))).toEqual([null, '0.2', 'cancelled']);
    expect(faultOf(desk.now.margin.positions.deleteTpSl(account, pubkey))).toBe('not_found');
    desk.move('0.15');
    expect(desk.position(account, pubkey)).toMatchObject({ is_closed: true, is_liquidated: true }); // not stopped
  });

  it('of a limit that is reached already must lie on the two sides of the reference price, which it buys at', () => {
    const limit = ['0.5', '100'] as const;
    expect(faultOf(desk.draft(account, { limit, stopLoss: '0.45' }))).toBe('invalid_request_params stop_loss_price');
    const position = desk.open(account, { limit, takeProfit: '0.45', stopLoss: '0.35' });
    expect(position).toMatchObject({ avg_entry_price: '0.4', is_closed: false });
    desk.move('0.45');
    expect(desk.position(account, position.pubkey).tp_sl).toMatchObject({ trigger_type: 'take_profit' });
  });

  it('can be set one beside another that was passed during a pause, which triggers when the market trades again', () => {
    const { pubkey } = desk.open(account, { leverage: '1', stopLoss: '0.3' });
    accepted(desk.now.markets.setPaused(desk.id, true));
    desk.move('0.2');
    const row = accepted(desk.now.margin.positions.setTpSl(account, pubkey, { takeProfit: m('0.9') }));
    expect(row).toMatchObject({ take_profit_price: '0.9', stop_loss_price: '0.3', state: 'active' });
    accepted(desk.now.markets.setPaused(desk.id, false));
    expect(desk.position(account, pubkey).tp_sl).toMatchObject({ trigger_type: 'stop_loss', triggered_price: '0.2' });
  });

  it('set again after a cancel take nothing over', () => {
    const { pubkey } = desk.open(account, { takeProfit: '0.7' });
    accepted(desk.now.margin.positions.deleteTpSl(account, pubkey));
    const row = accepted(desk.now.margin.positions.setTpSl(account, pubkey, { stopLoss: m('0.3') }));
    expect(row).toMatchObject({ take_profit_price: null, stop_loss_price: '0.3', state: 'active' });
    const cleared = accepted(desk.now.margin.positions.setTpSl(account, pubkey, { stopLoss: null }));
    expect(cleared).toMatchObject({ take_profit_price: null, stop_loss_price: null, state: 'cancelled' });
  });

  it('end as cancelled when something else closes the position', () => {
    const { pubkey } = desk.open(account, { takeProfit: '0.7' });
    accepted(desk.close(account, pubkey));
    expect(desk.position(account, pubkey).tp_sl).toMatchObject({ state: 'cancelled', take_profit_price: '0.7' });
  });

  it('yield to a liquidation at the same price', () => {
    const { pubkey } = desk.open(account, { leverage: '10', stopLoss: '0.39' });
    desk.move('0.3');
    expect(desk.position(account, pubkey)).toMatchObject({ is_liquidated: true, tp_sl: { state: 'cancelled' } });
  });
});

describe('a market that is settled', () => {
  it.each([
    // A second of interest is a millionth; the closing fee is 2 % of the proceeds of a winner's shares.
    [true, '1', '362.499999', '0', '-60'],
    [false, '0', '-100', '1', '38'],
    [null, '0.5', '56.249999', '0.5', '-10'],
  ])('with outcome %s ends YES at %s (%s) and NO at %s (%s)', (outcome, yesPrice, yesPnl, noPrice, noPnl) => {
    const yes = desk.open(account, { leverage: '2.5' }).pubkey;
    const no = desk.open(account, { leverage: '1', isYes: false, funds: '60' }).pubkey;
    const waiting = desk.request(account, { limit: ['0.3', '10'] });
    accepted(desk.now.markets.resolve(desk.id, outcome));
    const ended = { is_closed: true, is_liquidated: false };
    expect(desk.position(account, yes)).toMatchObject({ ...ended, closing_price: yesPrice, realized_pnl: yesPnl });
    expect(desk.position(account, no)).toMatchObject({ ...ended, closing_price: noPrice, realized_pnl: noPnl });
    desk.pass(STEP);
    expect(desk.requestRow(account, waiting).state).toBe('failed');
    desk.pass(STEP);
    expect(desk.settlement(account, yes).state).toBe('claimable');
    expect(faultOf(desk.now.margin.setReferencePrice(desk.id, m('0.5')))).toBe('invalid_request_params price');
  });

  it('that only awaits its answer keeps positions as they are', () => {
    const { pubkey } = desk.open(account, { stopLoss: '0.3' });
    accepted(desk.now.markets.setState(desk.id, 'answer_proposed'));
    desk.move('0.1');
    expect(desk.position(account, pubkey).is_closed).toBe(false);
    expect(faultOf(desk.close(account, pubkey))).toBe('order_market_not_open');
    accepted(desk.now.markets.resolve(desk.id, true));
    expect(desk.position(account, pubkey)).toMatchObject({ closing_price: '1', tp_sl: { state: 'cancelled' } });
  });
});

describe('what everybody sees', () => {
  it('the reference price, and trades with the pool as the market’s trades', () => {
    expect(priceRow(desk.first, true)).toMatchObject({ price: '0.4', price_kind: 'mid' });
    expect(summaryRow(desk.core.catalog, desk.first).last_trade_price).toBe('0');
    const { pubkey } = desk.open(account, { leverage: '2.5' });
    desk.move('0.5');
    expect(desk.position(account, pubkey).market.last_trade_price).toBe('0.4');
    accepted(desk.close(account, pubkey));
    expect(summaryRow(desk.core.catalog, desk.first).last_trade_price).toBe('0.5');
    expect(statsRow(desk.first, desk.core.nowMs)).toMatchObject({ total_volume: '562.5', trade_count: 2 });
    expect(publicTradePage(desk.first, { limit: 5 }).rows).toMatchObject([
      { price: '0.5', amount: '625', taker_fee: '6.25', is_yes: true },
      { price: '0.4', amount: '625', taker_fee: '1', is_yes: true },
    ]);
  });

  it('an estimate is what then happens', () => {
    const terms = { marketConditionId: desk.id, isYes: true, leverage: m('2.5'), funds: m('100') };
    const prices = { average_price: '0.4', best_ask: '0.4', worst_fill_price: '0.4', liquidation_price: '0.256' };
    const sums = { total_shares: '625', total_cost: '250', fee_amount: '1', user_funds_needed: '101' };
    expect(accepted(desk.core.margin.estimate(terms))).toEqual({ ...prices, ...sums, is_fully_filled: true });
    expect(accepted(desk.core.margin.estimate({ ...terms, leverage: m('1') })).liquidation_price).toBeNull();
    expect(desk.open(account, { leverage: '2.5' })).toMatchObject({ total_shares: '625', liquidation_price: '0.256' });
  });
});
