import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExchangeCore } from '../../../../src/exchange/core/core.js';
import { accountPnl, assetPage } from '../../../../src/exchange/core/records/assets.js';
import { HYPERLIQUID, MarginDesk } from '../margin/desk.js';
import { accepted, m, settings, Venue } from '../venue.js';

const total = (venue: Venue, account: number, filter = {}) =>
  m(accountPnl(venue.core.catalog, venue.core.margin, account, filter).total_pnl);

describe('profit and loss', () => {
  it('is what was received and what is held, less what was paid, in every market by itself', () => {
    const venue = new Venue();
    const [maker, taker] = [venue.account(1), venue.account(2)];
    venue.split(maker, '100');
    venue.place(maker, [true, 'sell', '0.4', '10']);
    venue.place(taker, [true, 'buy', '0.4', '10']);
    venue.place(maker, [true, 'buy', '0.4', '1']);
    venue.place(maker, [true, 'sell', '0.6', '1']);
    // 4 paid and a fee of 0.04; ten shares at the mark of 0.5.
    expect(accountPnl(venue.core.catalog, venue.core.margin, taker, {})).toEqual({
      margin_position_settlements_pnl: '0',
      margin_positions_unrealized_pnl: '0',
      redeems_funds: '0',
      active_assets_value: '5',
      creator_fees: '0',
      total_pnl: '0.96',
    });
    // 100 paid, 4 received; 90 YES and 100 NO at 0.5.
    const made = { active_assets_value: '95', total_pnl: '-1' };
    expect(accountPnl(venue.core.catalog, venue.core.margin, maker, {})).toMatchObject(made);
    accepted(venue.now.markets.resolve(venue.id, true));
    accepted(venue.now.redeems.submit(taker, accepted(venue.now.redeems.draft(taker, venue.id)).pubkey, true));
    const taken = { redeems_funds: '10', active_assets_value: '0', total_pnl: '5.96' };
    expect(accountPnl(venue.core.catalog, venue.core.margin, taker, {})).toMatchObject(taken);
  });

  it('counts complete sets as what they are worth while a market has no price', () => {
    const venue = new Venue();
    const account = venue.account(1);
    venue.split(account, '7');
    expect(assetPage(venue.core.catalog, account, { limit: 5 }).rows[0]?.value.usdt).toBe('0');
    const held = { active_assets_value: '7', total_pnl: '0' };
    expect(accountPnl(venue.core.catalog, venue.core.margin, account, {})).toMatchObject(held);
  });

  it('is filtered by market and by event, and nothing for an id that matches none', () => {
    const venue = new Venue({}, { event: 'A' });
    const account = venue.account(1);
    const config = { kind: 'orderbook' } as const;
    const second = accepted(venue.now.markets.create({ config, event: 'A' }));
    const third = accepted(venue.now.markets.create({ config, event: 'B' }));
    for (const [id, amount] of [
      [venue.id, '1'],
      [second.condition_id, '20'],
      [third.condition_id, '300'],
    ] as const) {
      const draft = accepted(venue.now.conversions.draft('split', account, id, amount));
      accepted(venue.now.conversions.submit('split', account, draft.pubkey, true));
    }
    venue.pass(settings.landingMs);
    const [a = '', b = ''] = [0, 1].map((index) => venue.core.catalog.event(index).conditionId);
    const worth = (by: object) => accountPnl(venue.core.catalog, venue.core.margin, account, by).active_assets_value;
    expect([{}, { event_condition_id: a }, { event_condition_id: b }].map(worth)).toEqual(['321', '21', '300']);
    expect(worth({ market_condition_id: venue.id })).toBe('1');
    expect(worth({ market_condition_id: venue.id, event_condition_id: a })).toBe('1');
    expect(worth({ market_condition_id: venue.id, event_condition_id: b })).toBe('0');
    expect(worth({ market_condition_id: 'nobody' })).toBe('0');
    expect(worth({ market_condition_id: venue.id, event_condition_id: 'nobody' })).toBe('0');
    expect(worth({ event_condition_id: 'nobody' })).toBe('0');
  });

  const step = fc.record({
    kind: fc.constantFrom('buy', 'buy', 'buy', 'sell', 'sell', 'split', 'merge', 'settle', 'redeem'),
    who: fc.nat(2),
    market: fc.nat(1),
    isYes: fc.boolean(),
    price: fc.integer({ min: 30, max: 70 }),
    amount: fc.integer({ min: 1, max: 40 }),
  });
  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

  /** Rejected requests change nothing. */
  function take(venue: Venue, ids: readonly string[], accounts: readonly number[], one: Step): void {
    const [account = 0, id = ''] = [accounts[one.who], ids[one.market]];
    const amount = String(one.amount);
    if (one.kind === 'settle') {
      if (one.amount < 5) venue.now.markets.resolve(id, one.amount === 1 ? null : one.isYes);
      return;
    }
    if (one.kind === 'split' || one.kind === 'merge') {
      const draft = venue.now.conversions.draft(one.kind, account, id, amount);
      if (draft.ok) venue.now.conversions.submit(one.kind, account, draft.value.pubkey, true);
      return;
    }
    if (one.kind === 'redeem') {
      const draft = venue.now.redeems.draft(account, id);
      if (draft.ok) venue.now.redeems.submit(account, draft.value.pubkey, true);
      return;
    }
    const order = { market_condition_id: id, is_yes: one.isYes, side: one.kind, order_type: 'limit' } as const;
    const draft = venue.now.orders.draft(account, { ...order, price: m(one.price / 100), amount: m(amount) });
    if (draft.ok) venue.now.orders.submit(account, draft.value.pubkey, true);
  }

  it('over all markets is what an account has now less what was put in, and the sum of its markets', () =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const venue = new Venue({ maker_fee_rate: m('0.003'), price_precision: 3 });
        const ids = [venue.id, accepted(venue.now.markets.create({ config: { kind: 'orderbook' } })).condition_id];
        const accounts = [1, 2, 3].map((number) => venue.account(number));
        for (const one of steps) {
          take(venue, ids, accounts, one);
          venue.pass(250);
        }
        venue.pass(60_000);
        const copy = new ExchangeCore(settings, JSON.parse(JSON.stringify(venue.core.snapshot())));
        for (const account of accounts) {
          const row = accountPnl(venue.core.catalog, venue.core.margin, account, {});
          const gained = venue.core.funds.read(account).total - settings.startingFunds;
          expect(m(row.total_pnl)).toBe(gained + m(row.active_assets_value));
          const parts = ids.map((id) => total(venue, account, { market_condition_id: id }));
          expect(m(row.total_pnl)).toBe((parts[0] ?? 0) + (parts[1] ?? 0));
          expect(accountPnl(copy.catalog, copy.margin, account, {})).toEqual(row);
        }
      }),
    ));
});

const marginStep = fc.record({
  kind: fc.constantFrom('open', 'open', 'move', 'close', 'claim', 'pass', 'settle'),
  who: fc.nat(1),
  market: fc.nat(1),
  isYes: fc.boolean(),
  size: fc.integer({ min: 1, max: 98 }),
});
type MarginStep = typeof marginStep extends fc.Arbitrary<infer S> ? S : never;

/** Rejected requests change nothing. */
function take(desk: MarginDesk, ids: readonly string[], accounts: readonly number[], one: MarginStep): void {
  const [account = 0, market = ''] = [accounts[one.who], ids[one.market]];
  const position = desk.core.margin.positionPage(account, { limit: 5 }).rows[one.size % 5]?.pubkey ?? 'none';
  if (one.kind === 'open') {
    const draft = desk.draft(account, { market, isYes: one.isYes, leverage: '2', funds: String(one.size + 5) });
    if (draft.ok) desk.now.margin.requests.submit(account, draft.value.pubkey, true);
  } else if (one.kind === 'move') desk.now.margin.setReferencePrice(market, m(one.size / 100));
  else if (one.kind === 'close') desk.now.margin.positions.close(account, position, null);
  else if (one.kind === 'claim') desk.now.margin.claimSettlement(account, position);
  else if (one.kind === 'settle' && one.size < 5) desk.now.markets.resolve(market, one.isYes);
  desk.pass(one.kind === 'pass' ? one.size * 3_600_000 : 500);
}

it('profit and loss with margin is what the account has, in funds, in margin and in open positions, less what was put in', () =>
  fc.assert(
    fc.property(fc.array(marginStep, { maxLength: 60 }), (steps) => {
      const desk = new MarginDesk();
      const ids = [desk.id, desk.market(HYPERLIQUID)];
      const accounts = [1, 2].map((number) => desk.account(number));
      for (const one of steps) take(desk, ids, accounts, one);
      for (const account of accounts) {
        const row = accountPnl(desk.core.catalog, desk.core.margin, account, {});
        const { held, unrealized } = desk.core.margin.pnl(account);
        const gained = desk.core.funds.read(account).total + held + unrealized - settings.startingFunds;
        expect(m(row.total_pnl)).toBe(gained);
        const parts = ids.map((id) =>
          m(accountPnl(desk.core.catalog, desk.core.margin, account, { market_condition_id: id }).total_pnl),
        );
        expect(m(row.total_pnl)).toBe((parts[0] ?? 0) + (parts[1] ?? 0));
      }
    }),
  ));
