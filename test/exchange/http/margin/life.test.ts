import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningExchange } from '../../../../src/exchange/exchange.js';
import { type Answered, control, send } from '../harness.js';
import {
  DAY_S,
  HYPERLIQUID,
  MarginWorld,
  POSITIONS,
  REQUESTS,
  SETTLEMENTS,
  STEP_S,
  startMarginExchange,
} from './market.js';

let exchange: RunningExchange;
let world: MarginWorld;
const get = (path: string): Promise<Answered> => world.trader.get(path);

beforeAll(async () => {
  exchange = await startMarginExchange();
});
afterAll(() => exchange.close());

describe('a position over HTTP', () => {
  it('goes from estimate to claimed money, every state in its time', async () => {
    world = await MarginWorld.open(exchange.url);
    const estimate = await send(
      exchange.url,
      'GET',
      `/margin/positions/estimate/?market_condition_id=${world.market}&funds=100&leverage=2.5`,
    );
    expect(estimate.row).toMatchObject({ total_shares: '625', fee_amount: '1', user_funds_needed: '101' });

    const draft = await world.draft({ take_profit_price: '0.9', stop_loss_price: null });
    expect(draft.status).toBe(201);
    const pubkey = String(draft.row['pubkey']);
    const detail = `${REQUESTS}${pubkey}/`;
    expect(draft.headers.get('location')).toBe(detail);
    expect(draft.row).toEqual({
      pubkey,
      type: 'market',
      state: 'created',
      message: draft.row['message'],
      is_yes: true,
      leverage: '2.5',
      market: {
        title: 'Will it rain?',
        condition_id: world.market,
        logo: null,
        last_trade_price: '0',
        event: { title: 'Will it rain?', condition_id: expect.any(String), logo: null },
      },
      funds: '100',
      price: null,
      shares: null,
      funding_txid: null,
      refund_txid: null,
      order_state: null,
      take_profit_price: '0.9',
      stop_loss_price: null,
      created: draft.row['created'],
    });
    expect(draft.row['message']).toMatch(
      new RegExp(
        `^SVC draft v1 \\| open-margin-position \\| Market: ${world.market} \\| ` +
          `Outcome: YES, Type: market, Leverage: 2.5, Funds: 100 \\| Draft: ${pubkey} \\| Expires: \\d+$`,
      ),
    );

    const submitted = await world.trader.submit(REQUESTS, draft);
    const states = [submitted.row['state']];
    for (let step = 0; step < 3; step++) {
      await world.forward(STEP_S);
      const { row } = await get(detail);
      states.push(row['state']);
    }
    expect(states).toEqual(['funding_processing', 'processing', 'order_placed', 'completed']);
    expect((await get(`${REQUESTS}?states=COMPLETED,failed&leverage=2.5&is_yes=true`)).rows).toHaveLength(1);

    const { rows } = await get(`${POSITIONS}?market_condition_id=${world.market}&is_closed=false`);
    const position = String(rows[0]?.['pubkey']);
    const path = `${POSITIONS}${position}/`;
    const { row } = await get(path);
    expect(row).toEqual({
      pubkey: position,
      position_request_pubkey: pubkey,
      is_yes: true,
      leverage: '2.5',
      total_shares: '625',
      market: {
        title: 'Will it rain?',
        condition_id: world.market,
        logo: null,
        last_trade_price: '0.4',
        event: { title: 'Will it rain?', condition_id: expect.any(String), logo: null },
      },
      avg_entry_price: '0.4',
      closing_price: null,
      unrealized_pnl: '0',
      realized_pnl: '0',
      user_liquidity: '100',
      total_liquidity: '250',
      liquidation_price: expect.stringMatching(/^0\.24/),
      is_closed: false,
      is_liquidated: false,
      is_claimed: false,
      created: expect.any(Number),
      tp_sl: {
        take_profit_price: '0.9',
        stop_loss_price: null,
        state: 'active',
        trigger_type: null,
        triggered_price: null,
        triggered_at: null,
      },
    });

    expect((await world.trader.post(`${path}tp-sl/`, { stop_loss_price: '0.3' })).row).toMatchObject({
      take_profit_price: '0.9',
      stop_loss_price: '0.3',
      state: 'active',
    });
    expect((await world.delete(`${path}tp-sl/`)).row).toMatchObject({
      take_profit_price: '0.9',
      stop_loss_price: '0.3',
      state: 'cancelled',
    });

    await world.forward(73 * DAY_S);
    expect((await world.move('0.5')).status).toBe(200);
    expect((await get(path)).row['unrealized_pnl']).toBe('62.5');
    expect((await world.delete(`${path}?price=0.6`)).row).toEqual({
      close_type: 'order',
      position_pubkey: position,
      is_closed: false,
    });
    expect((await world.delete(path)).row).toEqual({
      close_type: 'order',
      position_pubkey: position,
      is_closed: true,
    });
    expect((await world.delete(path)).row).toEqual({
      close_type: 'zero',
      position_pubkey: position,
      is_closed: true,
    });
    const closed = (await get(path)).row;
    expect(closed).toMatchObject({ closing_price: '0.5', unrealized_pnl: null, is_closed: true, is_claimed: false });
    // 62.5 less 6.25 of closing fee and 3 of interest; the clock of the machine adds some ms of it.
    expect(Number(closed['realized_pnl'])).toBeCloseTo(53.25, 2);

    const settlements = `${SETTLEMENTS}?position_pubkey=${position}`;
    const settled: unknown[] = [(await get(settlements)).rows[0]?.['state']];
    for (let step = 0; step < 2; step++) {
      await world.forward(STEP_S);
      settled.push((await get(settlements)).rows[0]?.['state']);
    }
    expect(await world.trader.post(`${path}settlements/`)).toMatchObject({
      status: 200,
      row: { position_pubkey: position, state: 'claim_pending' },
    });
    settled.push((await get(`${SETTLEMENTS}?states=claim_pending`)).rows[0]?.['state']);
    await world.forward(STEP_S);
    const last = (await get(settlements)).rows[0] ?? {};
    settled.push(last['state']);
    expect(settled).toEqual(['created', 'settlement_pending', 'claimable', 'claim_pending', 'done']);
    expect(last['position']).toEqual((await get(path)).row);
    expect((last['position'] as Record<string, unknown>)['is_claimed']).toBe(true);
    expect(Number(await world.funds())).toBeCloseTo(10_000 + Number(last['total_pnl']), 6);
    expect((await get('/account/pnl/')).row).toMatchObject({
      margin_position_settlements_pnl: last['total_pnl'],
      margin_positions_unrealized_pnl: '0',
      total_pnl: last['total_pnl'],
    });
  });

  it('is liquidated, and everybody sees it', async () => {
    world = await MarginWorld.open(exchange.url);
    const position = await world.position();
    await world.move('0.24');
    expect((await get(`${POSITIONS}${position}/`)).row).toMatchObject({ is_closed: true, is_liquidated: true });
    const activity = `/markets/${world.market}/margin-activity/`;
    const { rows, meta } = await send(exchange.url, 'GET', activity);
    expect(meta).toEqual({ limit: 50, next_cursor: null });
    expect(rows[0]).toEqual({
      activity_type: 'liquidated',
      shares: '625',
      price: '0.24',
      leverage: '2.5',
      is_yes: true,
      user: { username: expect.stringMatching(/^trader-/), profile_image: null, twitter_username: null },
      market: {
        title: 'Will it rain?',
        condition_id: world.market,
        logo: null,
        last_trade_price: '0.24',
        event: { title: 'Will it rain?', condition_id: expect.any(String), logo: null },
      },
      realized_pnl: '-100',
      created: expect.any(Number),
    });
    expect((await send(exchange.url, 'GET', `${activity}?activity_type=opened`)).rows).toHaveLength(1);
    const price = await send(exchange.url, 'GET', `/markets/${world.market}/price/?is_yes=false`);
    expect(price.row).toMatchObject({ price: '0.76', price_kind: 'mid' });
  });

  it('is cancelled before it is funded, as `cancelled`', async () => {
    world = await MarginWorld.open(exchange.url);
    const pubkey = await world.request({ type: 'limit', funds: undefined, price: '0.3', shares: '100' });
    const path = `${REQUESTS}${pubkey}/`;
    expect((await world.delete(path)).row).toMatchObject({ state: 'cancelled', price: '0.3', shares: '100' });
    await world.forward(STEP_S);
    expect((await get(path)).row).toMatchObject({ state: 'cancelled', refund_txid: null });
    expect(await world.funds()).toBe('10000');
    const draft = await world.draft();
    const gone = await world.delete(`${REQUESTS}${String(draft.row['pubkey'])}/`);
    expect(gone.row).toMatchObject({ state: 'cancelled', message: draft.row['message'] });
  });

  it('on the other backend opens, closes and settles alike', async () => {
    world = await MarginWorld.open(exchange.url, HYPERLIQUID);
    const position = await world.position({ funds: '1', leverage: 3, is_yes: false });
    await control(exchange.url, `/markets/${world.market}/resolve/`, { is_yes: false });
    expect((await get(`${POSITIONS}${position}/`)).row).toMatchObject({ closing_price: '1', realized_pnl: '2' });
    await world.forward(2 * STEP_S);
    expect((await world.trader.post(`${POSITIONS}${position}/settlements/`)).row['state']).toBe('claim_pending');
    await world.forward(STEP_S);
    expect(await world.funds()).toBe('10002');
  });
});

describe('the lists of margin over HTTP', () => {
  it('go on where a cursor says, either way', async () => {
    world = await MarginWorld.open(exchange.url);
    for (let number = 0; number < 5; number++) await world.draft({ funds: String(10 + number) });
    for (const [sort, expected] of [
      ['-created', ['14', '13', '12', '11', '10']],
      ['created', ['10', '11', '12', '13', '14']],
    ] as const) {
      const seen: unknown[] = [];
      for (let cursor = ''; ; ) {
        const page = await get(`${REQUESTS}?sort=${sort}&limit=2${cursor}`);
        seen.push(...page.rows.map((row) => row['funds']));
        const { next_cursor } = page.meta as { next_cursor: string | null };
        if (next_cursor === null) break;
        const place: unknown = JSON.parse(Buffer.from(next_cursor, 'base64url').toString());
        expect(place).toEqual({ pubkey: page.rows[1]?.['pubkey'], sort_value: expect.any(Number) });
        cursor = `&cursor=${next_cursor}`;
      }
      expect(seen).toEqual(expected);
    }
  });
});

describe('a restart', () => {
  it('finds requests, positions, settlements and prices as they were', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'twinbook-margin-'));
    try {
      let running = await startMarginExchange({ dataDir });
      world = await MarginWorld.open(running.url);
      const closed = await world.position();
      await world.delete(`${POSITIONS}${closed}/`);
      await world.position({ is_yes: false, stop_loss_price: '0.3' });
      await world.request({ type: 'limit', funds: undefined, price: '0.1', shares: '100' });
      await world.move('0.45');
      const paths = [REQUESTS, POSITIONS, SETTLEMENTS, `/markets/${world.market}/price/`, '/account/pnl/'];
      const read = async () => Promise.all(paths.map(async (path) => (await get(path)).data));
      const before = await read();
      await running.close();
      running = await startMarginExchange({ dataDir });
      world.trader.base = running.url;
      expect(await read()).toEqual(before);
      await running.close();
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });
});
