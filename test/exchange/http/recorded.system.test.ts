import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { control, send, startTestExchange, TestTrader } from './harness.js';

const EVENTS = resolve(import.meta.dirname, '../../../../shared/data/kalshi-gold15m/events');
const isThere = existsSync(EVENTS);

describe.skipIf(!isThere)('an exchange that replays real markets (needs ../shared/data)', () => {
  it('opens the market, shows its book, takes orders in it, and resolves it at its end', async () => {
    const window = join(EVENTS, readdirSync(EVENTS).sort()[0] ?? '');
    // The crowd does not trade recorded markets, though it is on.
    const exchange = await startTestExchange({ marketData: [window], speed: 1, crowd: true });
    const trader = await TestTrader.join(exchange.url);
    const { rows } = await send(exchange.url, 'GET', '/markets/');
    expect(rows.map((row) => row['state'])).toEqual(['open']);
    const market = String(rows[0]?.['condition_id']);
    await move(exchange.url, trader, 60);
    const { row: book } = await send(exchange.url, 'GET', `/markets/${market}/book/`);
    const bid = (book['bid'] as { price: string }[])[0];
    expect(bid).toBeDefined();
    const order = await trader.order(market, true, 'buy', bid?.price ?? '', '1');
    expect(order.row['status']).toBe('open');

    // Plays to the end, as fast as the data can be read.
    const state = async () => (await send(exchange.url, 'GET', `/markets/${market}/`)).row['state'];
    while ((await state()) === 'open') {
      await move(exchange.url, trader, 60);
      await pause(5);
    }
    expect(await state()).toBe('resolved');
    const { row } = await trader.get(`/orders/${String(order.row['pubkey'])}/`);
    expect(['filled', 'canceled', 'partially_filled_canceled']).toContain(row['status']);
    await exchange.close();
  });
});

async function move(base: string, trader: TestTrader, seconds: number): Promise<void> {
  expect((await control(base, '/clock/', { advance_s: seconds })).status).toBe(200);
  trader.clockShiftS += seconds;
}
