import { beforeEach, describe, expect, it } from 'vitest';
import type { EstimateTerms, MarketSpec, TpSlChange } from '../../../../src/exchange/core/contract.js';
import { accepted, faultOf, m } from '../venue.js';
import { HYPERLIQUID, MarginDesk, POLYMARKET, type Wish } from './desk.js';

const GRID = { kind: 'polymarket', price_decimals: 2, shares_decimals: 2 } as const;
const RULES = { ...POLYMARKET, ...GRID, order_min_size: '2' };
const invalid = (field: string): string => `invalid_request_params ${field}`;

let desk: MarginDesk;
let account: number;
beforeEach(() => {
  desk = new MarginDesk(RULES);
  account = desk.account(1);
});

const draft = (wish: Wish) => faultOf(desk.draft(account, wish));
const create = (spec: MarketSpec) => desk.now.markets.create(spec);

describe('a request is refused', () => {
  it.each<[string, Wish, string]>([
    ['on an unknown market', { market: 'nowhere' }, invalid('market_condition_id')],
    ['without leverage enough', { leverage: '0.5' }, invalid('leverage')],
    ['with more leverage than YES may', { leverage: '10.1' }, invalid('leverage')],
    ['with more leverage than NO may', { leverage: '5.1', isYes: false }, invalid('leverage')],
    ['with less funds than its backend wants', { funds: '4.99' }, invalid('funds')],
    ['with more funds than a position can hold', { funds: '1000000000' }, invalid('funds')],
    ['off the grid of prices', { limit: ['0.305', '100'] }, invalid('price')],
    ['at a price of 0', { limit: ['0', '100'] }, invalid('price')],
    ['at a price of 1', { limit: ['1', '100'] }, invalid('price')],
    ['off the grid of shares', { limit: ['0.3', '2.001'] }, invalid('shares')],
    ['with less shares than the market wants', { limit: ['0.3', '1.99'] }, invalid('shares')],
    ['with a take profit at the mark', { takeProfit: '0.4' }, invalid('take_profit_price')],
    ['with a take profit at its limit', { limit: ['0.3', '100'], takeProfit: '0.3' }, invalid('take_profit_price')],
    ['with a stop loss at the mark', { stopLoss: '0.4' }, invalid('stop_loss_price')],
    ['with a stop loss above its limit', { limit: ['0.3', '100'], stopLoss: '0.35' }, invalid('stop_loss_price')],
    ['with a take profit off the grid', { takeProfit: '0.505' }, invalid('take_profit_price')],
    ['with a take profit of 1', { takeProfit: '1' }, invalid('take_profit_price')],
    ['with more than there is', { funds: '9950' }, 'order_insufficient_funds'],
    ['for its market first', { market: 'nowhere', leverage: '99' }, invalid('market_condition_id')],
    ['for its leverage before its funds', { leverage: '99', funds: '1' }, invalid('leverage')],
    ['for its funds before its triggers', { funds: '1', takeProfit: '0.1' }, invalid('funds')],
    ['for its triggers before the balance', { funds: '9950', takeProfit: '0.1' }, invalid('take_profit_price')],
  ])('%s', (_, wish, expected) => {
    expect(draft(wish)).toBe(expected);
    expect(desk.core.margin.requestPage(account, { limit: 1 }).rows).toEqual([]);
  });

  it('on an order-book market', () => {
    const { condition_id } = accepted(create({ config: { kind: 'orderbook' } }));
    expect(draft({ market: condition_id })).toBe(invalid('market_condition_id'));
  });

  it('on the other backend under its minimum, and with triggers', () => {
    const market = desk.market(HYPERLIQUID);
    expect(draft({ market, funds: '0.99' })).toBe(invalid('funds'));
    expect(draft({ market, funds: '1', takeProfit: '0.9' })).toBe('hyperliquid_margin_tp_sl_not_supported');
  });

  it.each([
    ['paused', () => desk.now.markets.setPaused(desk.id, true)],
    ['not open', () => desk.now.markets.setState(desk.id, 'answer_proposed')],
  ])('on a market that is %s, but its estimate is not', (_, close) => {
    accepted(close());
    expect(draft({})).toBe('order_market_not_open');
    const terms = { marketConditionId: desk.id, isYes: true, leverage: m(1), funds: m(100) };
    expect(accepted(desk.core.margin.estimate(terms)).is_fully_filled).toBe(false);
  });

  it('while the signing service is away, before anything else', () => {
    desk.now.setSigningAvailable(false);
    expect(draft({ market: 'nowhere' })).toBe('gringotts_unavailable');
  });
});

describe('a position refuses', () => {
  it.each<[string, TpSlChange, string]>([
    ['a take profit at the mark', { takeProfit: m('0.4') }, 'take_profit_price'],
    ['a stop loss at the mark', { stopLoss: m('0.4') }, 'stop_loss_price'],
    ['a price off the grid', { stopLoss: m('0.301') }, 'stop_loss_price'],
    ['a price that is no price', { stopLoss: m('0') }, 'stop_loss_price'],
  ])('%s as trigger', (_, change, field) => {
    const { pubkey } = desk.open(account);
    expect(faultOf(desk.now.margin.positions.setTpSl(account, pubkey, change))).toBe(invalid(field));
    expect(desk.position(account, pubkey).tp_sl).toBeNull();
  });

  it.each(['0', '1', '0.501'])('a close at %s', (price) => {
    const { pubkey } = desk.open(account);
    expect(faultOf(desk.close(account, pubkey, price))).toBe(invalid('price'));
  });

  it('triggers once it is closed', () => {
    const { pubkey } = desk.open(account, { takeProfit: '0.8' });
    accepted(desk.close(account, pubkey));
    const { positions } = desk.now.margin;
    expect(faultOf(positions.setTpSl(account, pubkey, { takeProfit: m('0.9') }))).toBe(invalid('pubkey'));
    expect(faultOf(positions.deleteTpSl(account, pubkey))).toBe(invalid('pubkey'));
  });
});

it.each<[Partial<EstimateTerms>, string]>([
  [{ marketConditionId: 'nowhere' }, 'market_condition_id'],
  [{ funds: m(4) }, 'funds'],
  [{ leverage: m(11) }, 'leverage'],
  [{ leverage: m(0) }, 'leverage'],
])('an estimate is refused for %j', (change, field) => {
  const terms = { marketConditionId: desk.id, isYes: true, leverage: m(1), funds: m(100), ...change };
  expect(faultOf(desk.core.margin.estimate(terms))).toBe(invalid(field));
});

describe('a reference price is refused', () => {
  it.each([m('0'), m('1')])('of %i millionths', (price) => {
    expect(faultOf(desk.now.margin.setReferencePrice(desk.id, price))).toBe(invalid('price'));
  });

  it('of a market without one or unknown', () => {
    const { condition_id } = accepted(create({ config: { kind: 'orderbook' } }));
    expect(faultOf(desk.now.margin.setReferencePrice(condition_id, m('0.5')))).toBe(invalid('condition_id'));
    expect(faultOf(desk.now.margin.setReferencePrice('nowhere', m('0.5')))).toBe('not_found');
  });
});

it.each<[MarketSpec, string]>([
  [{ config: POLYMARKET, reference_price: m('1') }, 'reference_price'],
  [{ config: { kind: 'orderbook' }, reference_price: m('0.5') }, 'reference_price'],
  [{ config: { ...POLYMARKET, max_leverage_yes: '0.9' } }, 'config'],
  [{ config: { ...POLYMARKET, opening_fee: '1.1' } }, 'config'],
  [{ config: { ...RULES, price_decimals: 7 } }, 'config'],
  [{ config: { ...RULES, shares_decimals: -1 } }, 'config'],
])('no market is made from %j', (spec, field) => expect(faultOf(create(spec))).toBe(invalid(field)));
