import { describe, expect, it } from 'vitest';
import { refusal } from '../discovery/walk.js';
import { control, openMarket, send } from '../harness.js';
import {
  HYPERLIQUID,
  MarginWorld,
  POLYMARKET,
  POSITIONS,
  REQUESTS,
  SETTLEMENTS,
  STEP_S,
  startMarginExchange,
} from './market.js';

const exchange = await startMarginExchange();
const world = await MarginWorld.open(exchange.url);
const other = await openMarket(exchange.url, { config: HYPERLIQUID, reference_price: '0.4' });
const position = await world.position();

const invalid = (field: string): string => `400 invalid_request_params ${field}`;
const LIMIT = { type: 'limit', funds: undefined, price: '0.3', shares: '100' };

describe('a request is refused', () => {
  it.each([
    ['of no known type', { type: 'stop' }, invalid('type')],
    ['without funds', { funds: undefined }, invalid('funds')],
    ['with a price at market', { price: '0.3' }, invalid('price')],
    ['with shares at market', { shares: '10' }, invalid('shares')],
    ['with funds at a limit', { ...LIMIT, funds: '100' }, invalid('funds')],
    ['without a price at a limit', { ...LIMIT, price: undefined }, invalid('price')],
    ['without shares at a limit', { ...LIMIT, shares: undefined }, invalid('shares')],
    ['on an unknown market', { market_condition_id: 'nowhere' }, invalid('market_condition_id')],
    ['without leverage enough', { leverage: 0.5 }, invalid('leverage')],
    ['with more leverage than YES may', { leverage: 10.1 }, invalid('leverage')],
    ['with more leverage than NO may', { leverage: 5.1, is_yes: false }, invalid('leverage')],
    ['with leverage as text', { leverage: '2' }, invalid('leverage')],
    ['with less funds than its backend wants', { funds: '4.99' }, invalid('funds')],
    ['with more funds than a position can hold', { funds: '1000000000' }, invalid('funds')],
    ['off the grid of prices', { ...LIMIT, price: '0.305' }, invalid('price')],
    ['at a price of 0', { ...LIMIT, price: '0' }, invalid('price')],
    ['at a price of 1', { ...LIMIT, price: '1' }, invalid('price')],
    ['at a negative price', { ...LIMIT, price: '-0.3' }, invalid('price')],
    ['off the grid of shares', { ...LIMIT, shares: '1.001' }, invalid('shares')],
    ['with less shares than the market wants', { ...LIMIT, shares: '1.99' }, invalid('shares')],
    ['with a take profit below the mark', { take_profit_price: '0.4' }, invalid('take_profit_price')],
    ['with a take profit below its limit', { ...LIMIT, take_profit_price: '0.3' }, invalid('take_profit_price')],
    ['with a stop loss above the mark', { stop_loss_price: '0.4' }, invalid('stop_loss_price')],
    ['with a stop loss above its limit', { ...LIMIT, stop_loss_price: '0.35' }, invalid('stop_loss_price')],
    ['with a take profit off the grid', { take_profit_price: '0.505' }, invalid('take_profit_price')],
    ['with a take profit of 1', { take_profit_price: '1' }, invalid('take_profit_price')],
    ['with more than there is', { funds: '9950' }, '400 order_insufficient_funds'],
  ])('%s', async (_, fields, expected) => {
    const before = await world.trader.get(`${REQUESTS}?limit=100`);
    expect(refusal(await world.draft(fields))).toBe(expected);
    expect((await world.trader.get(`${REQUESTS}?limit=100`)).rows).toEqual(before.rows);
  });

  it('on an order-book market', async () => {
    const book = await openMarket(exchange.url);
    expect(refusal(await world.draft({ market_condition_id: book }))).toBe(invalid('market_condition_id'));
  });

  it('on the other backend under its minimum, and with triggers', async () => {
    const market_condition_id = other;
    expect(refusal(await world.draft({ market_condition_id, funds: '0.99' }))).toBe(invalid('funds'));
    expect(refusal(await world.draft({ market_condition_id, funds: '1', take_profit_price: '0.9' }))).toBe(
      '501 hyperliquid_margin_tp_sl_not_supported',
    );
  });

  it('on a market that is paused or not open, but its estimate is not', async () => {
    const market = await openMarket(exchange.url, { config: POLYMARKET, reference_price: '0.4' });
    const fields = { market_condition_id: market };
    await control(exchange.url, `/markets/${market}/state/`, { paused: true });
    expect(refusal(await world.draft(fields))).toBe('400 order_market_not_open');
    await control(exchange.url, `/markets/${market}/state/`, { paused: false, state: 'answer_proposed' });
    expect(refusal(await world.draft(fields))).toBe('400 order_market_not_open');
    const path = `/margin/positions/estimate/?market_condition_id=${market}&funds=100`;
    expect((await send(exchange.url, 'GET', path)).row['is_fully_filled']).toBe(false);
  });

  it('while the signing service is away, before anything else but its body', async () => {
    await control(exchange.url, '/signing-service/', { available: false });
    expect(refusal(await world.draft({ market_condition_id: 'nowhere' }))).toBe('503 gringotts_unavailable');
    expect(refusal(await world.draft({ funds: undefined }))).toBe(invalid('funds'));
    await control(exchange.url, '/signing-service/', { available: true });
  });

  it.each([
    [{ market_condition_id: 'nowhere', leverage: 99 }, invalid('market_condition_id')],
    [{ leverage: 99, funds: '1' }, invalid('leverage')],
    [{ funds: '1', take_profit_price: '0.1' }, invalid('funds')],
    [{ funds: '9000', take_profit_price: '0.1' }, invalid('take_profit_price')],
  ])('in a fixed order when several things are wrong: %j', async (fields, expected) => {
    expect(refusal(await world.draft(fields))).toBe(expected);
  });
});

describe('a position refuses', () => {
  it.each([
    ['neither key', {}, invalid('take_profit_price')],
    ['a take profit at the mark', { take_profit_price: '0.4' }, invalid('take_profit_price')],
    ['a stop loss at the mark', { stop_loss_price: '0.4' }, invalid('stop_loss_price')],
    ['a price off the grid', { stop_loss_price: '0.301' }, invalid('stop_loss_price')],
    ['a price that is no price', { stop_loss_price: '0' }, invalid('stop_loss_price')],
    ['a price that is no text', { stop_loss_price: 0.3 }, invalid('stop_loss_price')],
  ])('%s as trigger', async (_, body, expected) => {
    expect(refusal(await world.trader.post(`${POSITIONS}${position}/tp-sl/`, body))).toBe(expected);
    expect((await world.trader.get(`${POSITIONS}${position}/`)).row['tp_sl']).toBeNull();
  });

  it.each(['0', '1', '0.501', 'x', '-0.5'])('a close at %s', async (price) => {
    expect(refusal(await world.delete(`${POSITIONS}${position}/?price=${price}`))).toBe(invalid('price'));
  });

  it('everything but a second close once it is closed', async () => {
    const closed = await world.position({ funds: '5', is_yes: false, leverage: 1 });
    await world.delete(`${POSITIONS}${closed}/`);
    expect(refusal(await world.trader.post(`${POSITIONS}${closed}/tp-sl/`, { take_profit_price: '0.9' }))).toBe(
      invalid('pubkey'),
    );
    expect(refusal(await world.delete(`${POSITIONS}${closed}/tp-sl/`))).toBe(invalid('pubkey'));
    expect(refusal(await world.trader.post(`${POSITIONS}${closed}/settlements/`))).toBe(invalid('pubkey'));
    await world.forward(2 * STEP_S);
    expect((await world.trader.post(`${POSITIONS}${closed}/settlements/`)).status).toBe(200);
    expect(refusal(await world.trader.post(`${POSITIONS}${closed}/settlements/`))).toBe(invalid('pubkey'));
  });
});

describe('a list refuses', () => {
  it.each([
    [REQUESTS, `cursor=${Buffer.from('{"before_id":1}').toString('base64url')}`, 'cursor'],
    [SETTLEMENTS, 'position_leverage=-1', 'position_leverage'],
  ])('%s?%s', async (path, query, field) => {
    expect(refusal(await world.trader.get(`${path}?${query}`))).toBe(invalid(field));
  });

  it('no state of a market once a market or a position is named', async () => {
    for (const scope of [`market_condition_id=${world.market}`, `position_pubkey=${position}`]) {
      expect((await world.trader.get(`${SETTLEMENTS}?${scope}&market_state=canceled`)).status).toBe(200);
    }
  });

  it.each(['states=open', 'states=', 'states=created,,done'])('?%s with the words that it may hold', async (query) => {
    const { error } = await world.trader.get(`${REQUESTS}?${query}`);
    expect(error?.details[0]?.['states']).toMatch(/^Must be a comma-separated list of: created, /);
  });
});

describe('an estimate is refused', () => {
  it.each([
    ['funds=100', 'market_condition_id'],
    ['market_condition_id=nowhere&funds=100', 'market_condition_id'],
    ['market_condition_id=MARKET', 'funds'],
    ['market_condition_id=MARKET&funds=4', 'funds'],
    ['market_condition_id=MARKET&funds=100&leverage=11', 'leverage'],
    ['market_condition_id=MARKET&funds=100&leverage=0', 'leverage'],
    ['market_condition_id=MARKET&funds=100&is_yes=no', 'is_yes'],
  ])('for %s', async (query, field) => {
    const path = `/margin/positions/estimate/?${query.replace('MARKET', world.market)}`;
    expect(refusal(await send(exchange.url, 'GET', path))).toBe(invalid(field));
  });
});

describe('the controls refuse', () => {
  it.each(['0', '1', '-0.5', '0.1234567', 'x'])('a reference price of %s', async (price) => {
    expect(refusal(await world.move(price))).toBe(invalid('price'));
  });

  it('a reference price of a market without one, unknown or settled', async () => {
    const book = await openMarket(exchange.url);
    const settled = await openMarket(exchange.url, { config: POLYMARKET });
    await control(exchange.url, `/markets/${settled}/resolve/`, { is_yes: true });
    expect(refusal(await world.move('0.5', book))).toBe(invalid('condition_id'));
    expect(refusal(await world.move('0.5', 'nowhere'))).toBe('404 not_found');
    expect(refusal(await world.move('0.5', settled))).toBe(invalid('price'));
  });

  it.each([
    [{ config: POLYMARKET, reference_price: '1' }, 'reference_price'],
    [{ config: { kind: 'orderbook' }, reference_price: '0.5' }, 'reference_price'],
    [{ config: { ...POLYMARKET, max_leverage_yes: '0.9' } }, 'config'],
    [{ config: { ...POLYMARKET, opening_fee: '1.1' } }, 'config'],
    [{ config: { ...POLYMARKET, price_decimals: 7 } }, 'config'],
    [{ config: { ...POLYMARKET, shares_decimals: -1 } }, 'config'],
  ])('a market with %j', async (fields, field) => {
    expect(refusal(await control(exchange.url, '/markets/', fields))).toBe(invalid(field));
  });
});
