import { channel } from 'node:diagnostics_channel';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningExchange } from '../../../src/exchange/exchange.js';
import { ANSWERS_CHANNEL, type PublishedAnswer } from '../../../src/exchange/http/answers-channel.js';
import { ENDPOINTS } from '../../../src/shared/protocol/endpoints.js';
import { control, openMarket, send, startTestExchange, TestTrader } from '../http/harness.js';

/**
 * One walk through every call of the service, so that the success of each is held against the document in every run (by
 * test/support/answers/, as everywhere): with rows in the lists and something in every field that can hold something.
 */

const succeeded = new Set<string>();
const note = (message: unknown) => {
  const { method, path, status } = message as PublishedAnswer;
  if (status < 300) succeeded.add(`${method} ${path}`);
};

let exchange: RunningExchange;
let maker: TestTrader;
let taker: TestTrader;

beforeAll(async () => {
  channel(ANSWERS_CHANNEL).subscribe(note);
  exchange = await startTestExchange();
  maker = await TestTrader.join(exchange.url);
  taker = await TestTrader.join(exchange.url);
});
afterAll(() => {
  channel(ANSWERS_CHANNEL).unsubscribe(note);
  return exchange.close();
});

const read = (path: string) => send(exchange.url, 'GET', path);

async function advance(seconds: number): Promise<void> {
  await control(exchange.url, '/clock/', { advance_s: seconds });
  for (const trader of [maker, taker]) trader.clockShiftS += seconds;
}

async function publicCalls(market: string, event: string): Promise<void> {
  const now = maker.nowS();
  for (const path of [
    ...['/events/', `/events/${event}/`, '/markets/', `/markets/${market}/`, `/markets/${market}/book/`],
    ...[`/markets/${market}/trades/`, `/markets/${market}/stats/`, `/markets/${market}/price/?is_yes=false`],
    ...[`/markets/${market}/candles/?interval=5m&start_time=${now - 3600}&end_time=${now + 300}`, '/sports/'],
    ...['/search/?q=rain', '/search/?leveraged=true', '/search/?result_type=event&sort=total_volume'],
  ]) {
    expect([path, (await read(path)).status]).toEqual([path, 200]);
  }
}

async function orders(market: string): Promise<void> {
  const resting = await maker.order(market, true, 'buy', '0.4', '10');
  await maker.order(market, true, 'sell', '0.6', '5');
  await taker.order(market, true, 'sell', '0.4', '4');
  const funds = { market_condition_id: market, is_yes: true, side: 'buy', order_type: 'market', funds: '2' };
  await taker.complete('/orders/', funds);
  expect((await maker.get(`/orders/${String(resting.row['pubkey'])}/`)).row['status']).toBe('partially_filled');
  expect((await maker.cancel(String(resting.row['pubkey']))).row['status']).toBe('partially_filled_canceled');
  for (const path of ['/orders/', '/trades/', '/account/', '/account/assets/', '/account/pnl/']) {
    expect([path, (await maker.get(path)).status]).toEqual([path, 200]);
  }
}

/** Shares for both, then some back, to the end. */
async function conversions(market: string): Promise<void> {
  for (const path of ['/share-splits/', '/share-merges/']) {
    for (const trader of [maker, taker]) {
      const body = { market_condition_id: market, amount: path === '/share-splits/' ? '20' : '3' };
      const { row } = await trader.complete(path, body);
      await advance(1);
      expect((await trader.get(`${path}${String(row['pubkey'])}/`)).row['state']).toBe('done');
    }
    expect((await maker.get(path)).rows).toHaveLength(1);
  }
}

async function redeem(market: string): Promise<void> {
  await control(exchange.url, `/markets/${market}/resolve/`, { is_yes: true });
  const { row } = await maker.complete('/redeems/', { market_condition_id: market });
  expect((await maker.get(`/redeems/${String(row['pubkey'])}/`)).row['state']).toBe('completed');
  expect((await maker.get('/redeems/')).rows).toHaveLength(1);
}

const MARGIN = { max_leverage_yes: '5', max_leverage_no: '5', opening_fee: '0.01', closing_fee: '0.01' };
const POLYMARKET = { kind: 'polymarket', ...MARGIN, annual_fee_rate: '0.1', price_decimals: 3, shares_decimals: 2 };

async function margin(): Promise<void> {
  const market = await openMarket(exchange.url, { title: 'Margin?', margin_enabled: true, config: POLYMARKET });
  const requests = '/margin/positions/requests/';
  const asked = { type: 'market', market_condition_id: market, leverage: 2, funds: '100' };
  await read(`/margin/positions/estimate/?market_condition_id=${market}&funds=100&leverage=2`);
  const draft = await maker.post(requests, { ...asked, take_profit_price: '0.9' });
  const request = String(draft.row['pubkey']);
  expect((await maker.submit(requests, draft)).row['state']).toBe('funding_processing');
  const dropped = await maker.post(requests, { ...asked, is_yes: false });
  expect((await maker.call('DELETE', `${requests}${String(dropped.row['pubkey'])}/`)).row['state']).toBe('cancelled');
  await advance(5);
  expect((await maker.get(`${requests}${request}/`)).row['state']).toBe('completed');
  expect((await maker.get(requests)).rows).toHaveLength(2);

  const [position] = (await maker.get('/margin/positions/')).rows;
  const path = `/margin/positions/${String(position?.['pubkey'])}/`;
  await maker.post(`${path}tp-sl/`, { take_profit_price: '0.8', stop_loss_price: '0.2' });
  expect((await maker.call('DELETE', `${path}tp-sl/`)).row['state']).toBe('cancelled');
  expect((await maker.get(path)).row['is_closed']).toBe(false);
  expect((await maker.call('DELETE', path)).row['close_type']).toBe('order');
  await advance(5);
  expect((await maker.post(`${path}settlements/`)).row['state']).toBe('claim_pending');
  await advance(5);
  expect((await maker.get('/margin/positions/settlements/')).rows[0]?.['state']).toBe('done');
  expect((await read(`/markets/${market}/margin-activity/`)).rows).not.toEqual([]);
}

it('every call succeeds once, as the document says', async () => {
  const market = await openMarket(exchange.url, { sport: 'tennis', league: 'atp', description: 'Wimbledon' });
  const event = (await read(`/markets/${market}/`)).row['event'] as { readonly condition_id: string };
  await conversions(market);
  await orders(market);
  await margin();
  await publicCalls(market, event.condition_id);
  await redeem(market);
  const keys = await maker.get('/auth/keys/');
  await maker.call('DELETE', `/auth/keys/${String(keys.rows[0]?.['key_id'])}/`);
  const wanted = Object.values(ENDPOINTS).map(({ method, path }) => `${method} ${path}`);
  expect(wanted.filter((call) => !succeeded.has(call))).toEqual([]);
});
