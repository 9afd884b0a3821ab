import { beforeEach, describe, expect, it } from 'vitest';
import type { MarketSpec } from '../../../src/exchange/core/contract.js';
import { assetPage } from '../../../src/exchange/core/records/assets.js';
import { eventListRow, eventRow, priceRow } from '../../../src/exchange/core/records/market-rows.js';
import { must } from '../../../src/shared/base/errors.js';
import { accepted, faultOf, m, Venue, wallet } from './venue.js';

let venue: Venue;
beforeEach(() => (venue = new Venue()));

describe('credentials', () => {
  const ask = (venue: Venue, n: number, nonce: string) => accepted(venue.now.identity.challenge(wallet(n), nonce));
  const create = (venue: Venue, change: Record<string, string> = {}, valid = true, key = 'k') =>
    venue.now.identity.createKey(
      { wallet_address: wallet(1), message: challengeOf(wallet(1), 'n1'), nonce: 'n1', ...change },
      valid,
      key,
      's',
    );
  const challengeOf = (who: string, nonce: string) => `Create SVC API credential | Wallet: ${who} | Nonce: ${nonce}`;

  it('are made once per nonce, and the first key makes the account', () => {
    const challenge = { nonce: 'n1', message: challengeOf(wallet(1), 'n1'), expires_in_seconds: 600 };
    expect(ask(venue, 1, 'n1')).toEqual(challenge);
    expect(accepted(create(venue))).toEqual({ api_key: 'k', secret: 's' });
    const { account, secret } = must(venue.core.identity.credential('k'), 'the key');
    expect([secret, venue.core.identity.account(account).wallet]).toEqual(['s', wallet(1)]);
    expect(venue.core.funds.read(account).total).toBe(m(10_000));
    expect(faultOf(create(venue, {}, true, 'k2'))).toBe('invalid_request_params nonce');
    ask(venue, 1, 'n2');
    accepted(create(venue, { nonce: 'n2', message: challengeOf(wallet(1), 'n2') }, true, 'k2'));
    expect(venue.core.identity.credential('k2')?.account).toBe(account);
    expect(venue.core.deposited).toBe(m(10_000));
    expect(venue.core.identity.keys(account).map((key) => key.key_id)).toEqual(['k', 'k2']);
  });

  it('end when they are revoked, by their owner alone', () => {
    const [account, stranger] = [venue.account(1), venue.account(2)];
    expect(faultOf(venue.now.identity.revoke(stranger, 'key-1'))).toBe('not_found');
    const row = accepted(venue.now.identity.revoke(account, 'key-1'));
    expect(row).toEqual({ key_id: 'key-1', created: venue.nowMs / 1000, revoked_at: venue.nowMs / 1000 });
    expect(venue.core.identity.credential('key-1')).toBeNull();
    venue.pass(5_000);
    expect(accepted(venue.now.identity.revoke(account, 'key-1'))).toEqual(row);
  });
});

describe('a market', () => {
  it.each([
    [{ config: { kind: 'orderbook', price_precision: 7 } }, 'config'],
    [{ config: { kind: 'orderbook', min_price: m('0') } }, 'config'],
    [{ config: { kind: 'orderbook', max_price: m('1') } }, 'config'],
    [{ config: { kind: 'orderbook', min_amount: m('5'), max_amount: m('4') } }, 'config'],
    [{ config: { kind: 'orderbook', taker_fee_rate: m('1.1') } }, 'config'],
    [{ config: { kind: 'orderbook' }, category: 'weather' }, 'category'],
    [{ config: { kind: 'orderbook' }, state: 'resolved' }, 'state'],
    [{ config: { kind: 'orderbook' }, condition_id: 'a b' }, 'condition_id'],
    // A wallet would not sign a draft that names it.
    [{ config: { kind: 'orderbook' }, condition_id: 'a\u200bb' }, 'condition_id'],
  ] as readonly (readonly [MarketSpec, string])[])('is not made from %o', (spec, field) => {
    expect(faultOf(venue.now.markets.create(spec))).toBe(`invalid_request_params ${field}`);
    expect(venue.core.catalog.markets.length).toBe(1);
  });

  it('joins the event of the same title, and only a named one', () => {
    const { core, id } = venue;
    const make = (spec: Partial<MarketSpec>) =>
      accepted(venue.now.markets.create({ config: { kind: 'orderbook' }, ...spec }));
    const first = make({ event: 'Election', title: 'A wins' });
    const second = make({ event: 'Election', title: 'B wins', condition_id: 'given' });
    make({ title: 'Election' });
    expect(core.catalog.events.length).toBe(3);
    const event = core.catalog.event(1);
    expect(event).toMatchObject({ title: 'Election', markets: [first.index, second.index] });
    expect(eventListRow(core.catalog, 1, 1).markets.map((row) => row.title)).toEqual(['A wins']);
    expect(eventRow(core.catalog, 1).markets).toHaveLength(2);
    expect([core.catalog.findIndex('given'), core.catalog.findEventIndex(event.conditionId)]).toEqual([2, 1]);
    expect([core.catalog.findIndex('nobody'), core.catalog.findEventIndex(id)]).toEqual([null, null]);
    expect(faultOf(venue.now.markets.create({ config: { kind: 'orderbook' }, condition_id: 'given' }))).toBe(
      'invalid_request_params condition_id',
    );
  });

  it('joins the event of the same id, and not another event of the same title', () => {
    const make = (event_condition_id: string) =>
      accepted(venue.now.markets.create({ config: { kind: 'orderbook' }, event: 'Up in 15 min?', event_condition_id }));
    const [first, second, third] = [make('E1'), make('E2'), make('E1')];
    const { catalog } = venue.core;
    const indexes = catalog.events.slice(1).map(({ conditionId, markets }) => `${conditionId}: ${markets}`);
    expect(indexes).toEqual([`E1: ${first.index},${third.index}`, `E2: ${second.index}`]);
  });

  it('has the price of its book, else of its last trade, else of its one side, else none', () => {
    const [account, taker] = [venue.account(1), venue.account(2)];
    const price = (isYes = true) => priceRow(venue.first, isYes).price;
    expect([price(), price(false)]).toEqual([null, null]);
    const bid = venue.place(account, [true, 'buy', '0.4', '5']);
    expect([price(), price(false)]).toEqual(['0.4', '0.6']);
    venue.place(account, [false, 'buy', '0.55', '5']);
    expect([price(), price(false)]).toEqual(['0.425', '0.575']);
    venue.place(taker, [false, 'buy', '0.6', '1']);
    venue.cancel(account, bid);
    expect(price()).toBe('0.4');
  });
});

describe('assets', () => {
  it('are the shares held, at the mark, with the average price of their buys', () => {
    const [account, other] = [venue.account(1), venue.account(2)];
    venue.split(other, '100');
    venue.place(other, [true, 'sell', '0.4', '10']);
    venue.place(other, [true, 'sell', '0.5', '30']);
    venue.place(account, [true, 'buy', '0.5', '40']);
    venue.place(account, [true, 'sell', '0.6', '15']);
    expect(assetPage(venue.core.catalog, account, { limit: 5 })).toMatchObject({
      rows: [
        {
          asset_kind: 'share',
          amounts: { total: '40', locked: '15', available: '25' },
          token: { symbol: `${venue.id}-LPT` },
          value: { usdt: '20', basis: 'mark_to_market' },
          position: { is_yes: true, is_final: false, avg_trade_price: '0.475' },
        },
      ],
      nextOffset: null,
    });
    const first = assetPage(venue.core.catalog, other, { limit: 1 });
    expect(first.rows[0]?.position.is_yes).toBe(true);
    const second = assetPage(venue.core.catalog, other, { limit: 1, offset: first.nextOffset ?? 0 });
    expect(second).toMatchObject({ rows: [{ position: { is_yes: false }, token: { symbol: `${venue.id}-SPT` } }] });
    expect(second.nextOffset).toBeNull();
    expect(assetPage(venue.core.catalog, other, { limit: 5, market_condition_id: 'nobody' }).rows).toEqual([]);
    venue.now.markets.resolve(venue.id, false);
    const { rows } = assetPage(venue.core.catalog, other, { limit: 5 });
    const position = { is_final: true };
    expect(rows).toMatchObject([
      { value: { usdt: '0' }, position },
      { value: { usdt: '100' }, position },
    ]);
  });

  it('keep the time when they were first held, whatever place of the scan leads to them', () => {
    const [account, other] = [venue.account(1), venue.account(2)];
    const created = venue.nowMs / 1000;
    for (let buy = 0; buy < 2; buy++) {
      venue.place(other, [true, 'buy', '0.5', '5']);
      venue.place(account, [false, 'buy', '0.5', '5']);
      venue.pass(100_000);
    }
    const at = (offset: number) => assetPage(venue.core.catalog, account, { limit: 1, offset }).rows;
    for (const offset of [0, 1]) expect(at(offset)).toMatchObject([{ created, position: { is_yes: false } }]);
    expect(at(2)).toEqual([]);
  });

  // Five sets: at the bid of 0.4 while it exists, at 0 without a price, at the payout in the end.
  it.each([
    ['open', ['2', '3'], false],
    ['interrupted', ['0', '0'], false],
    ['answer_proposed', ['0', '0'], false],
    ['waiting_to_resolve', ['0', '0'], false],
    ['resolved', ['5', '0'], true],
    ['canceled', ['2.5', '2.5'], true],
  ] as const)('of a market that is %s are worth %j', (state, worth, isFinal) => {
    const account = venue.account(1);
    venue.split(account, '5');
    venue.place(account, [true, 'buy', '0.4', '5']);
    if (state === 'resolved') accepted(venue.now.markets.resolve(venue.id, true));
    else accepted(venue.now.markets.setState(venue.id, state));
    const { rows } = assetPage(venue.core.catalog, account, { limit: 5 });
    const position = { is_final: isFinal, market: { state } };
    expect(rows).toMatchObject(worth.map((usdt) => ({ value: { usdt }, position })));
  });
});

it('the clock does what was due in time order before a later command, and never goes back', () => {
  const account = venue.account(1);
  const order = venue.draft(account, [true, 'buy', '0.4', '5']);
  venue.nowMs += 59_900;
  const split = accepted(venue.now.conversions.draft('split', account, venue.id, '1'));
  accepted(venue.now.conversions.submit('split', account, split.pubkey, true));
  expect(venue.core.timers.nextMs).toBe(venue.nowMs + 100);
  const crowd = venue.core.at(venue.nowMs + 100_000).identity.openInternal('crowd', { unlimited: true });
  expect([
    venue.order(account, order).status,
    venue.core.conversions.records.split.row(account, split.pubkey)?.state,
  ]).toEqual(['expired', 'done']);
  expect(venue.core.timers.nextMs).toBe(Number.POSITIVE_INFINITY);
  venue.core.advance(5);
  expect(venue.core.nowMs).toBe(venue.nowMs + 100_000);
  expect(venue.core.at(0).identity.openInternal('crowd', { unlimited: false })).toBe(crowd);
});
