import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningExchange } from '../../../src/exchange/exchange.js';
import { ENDPOINTS, type EndpointName } from '../../../src/shared/protocol/endpoints.js';
import { type Answered, control, openMarket, send, startTestExchange, TestTrader } from './harness.js';

let exchange: RunningExchange;
let base: string;
let maker: TestTrader;
let taker: TestTrader;
let market: string;

beforeAll(async () => {
  exchange = await startTestExchange({ landingMs: 1000 });
  base = exchange.url;
  maker = await TestTrader.join(base);
  taker = await TestTrader.join(base);
  market = await openMarket(base, { category: 'crypto', rules: ['It rains or it does not.'] });
});
afterAll(() => exchange.close());

/** The answer's data has the declared shape, the envelope is whole, and a page has its meta. */
function declared(name: EndpointName, answer: Answered): Answered {
  const declaration = ENDPOINTS[name];
  expect(answer.error).toBeNull();
  expect(answer.status).toBe(declaration.status);
  const parsed = declaration.data.safeParse(answer.data);
  expect(parsed.error?.issues ?? []).toEqual([]);
  const meta = 'page' in declaration ? { limit: expect.any(Number) } : {};
  expect(answer.meta).toMatchObject(meta);
  if (!('page' in declaration)) expect(answer.meta).toEqual({});
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return answer;
}

const split = (trader: TestTrader, amount: string) =>
  trader.complete('/share-splits/', { market_condition_id: market, amount });

/** Moves the exchange's clock past the landing of what was submitted. */
async function land(): Promise<void> {
  expect((await control(base, '/clock/', { advance_s: 2 })).status).toBe(200);
  for (const trader of [maker, taker]) trader.clockShiftS += 2;
}

describe('credentials', () => {
  it('are created by a signed challenge and listed without their secret', async () => {
    const listed = declared('keys.list', await maker.get('/auth/keys/'));
    expect(listed.rows).toMatchObject([{ key_id: maker.apiKey, revoked_at: null }]);
    expect(JSON.stringify(listed.data)).not.toContain(maker.secret);
  });

  it('stop working when they are revoked', async () => {
    const trader = await TestTrader.join(base);
    const revoked = declared('keys.revoke', await trader.call('DELETE', `/auth/keys/${trader.apiKey}/`));
    expect(revoked.row['revoked_at']).toEqual(expect.any(Number));
    expect(await trader.get('/auth/keys/')).toMatchObject({ status: 401, error: { message: 'Invalid API key' } });
  });

  it('belong to an account with the starting funds', async () => {
    declared('account.detail', await maker.get('/account/'));
    const { row } = await send(base, 'GET', `/paper/accounts/${maker.wallet}/`);
    expect(row).toMatchObject({ funds: { total: '10000', locked: '0', available: '10000' }, custodial: false });
  });
});

describe('reading markets', () => {
  it('shows lists and details in the declared shapes', async () => {
    declared('markets.list', await send(base, 'GET', '/markets/'));
    const detail = declared('markets.detail', await send(base, 'GET', `/markets/${market}/`));
    expect(detail.row).toMatchObject({ condition_id: market, state: 'open', category: 'crypto' });
    declared('events.list', await send(base, 'GET', '/events/'));
    const { event } = detail.row as { event: { condition_id: string } };
    const shown = declared('events.detail', await send(base, 'GET', `/events/${event.condition_id}/`));
    expect(shown.row['markets']).toMatchObject([{ condition_id: market }]);
    declared('markets.stats', await send(base, 'GET', `/markets/${market}/stats/`));
    declared('markets.price', await send(base, 'GET', `/markets/${market}/price/?is_yes=false`));
    declared('markets.trades', await send(base, 'GET', `/markets/${market}/trades/`));
  });

  it('shows the book anew after every change, from both sides and to any depth', async () => {
    const read = async (query: string) =>
      declared('markets.book', await send(base, 'GET', `/markets/${market}/book/${query}`)).row;
    expect(await read('')).toEqual({ market, is_yes: true, bid: [], ask: [] });
    const first = await maker.order(market, true, 'buy', '0.4', '10');
    await maker.order(market, true, 'buy', '0.3', '5');
    expect(await read('')).toMatchObject({ bid: [{ price: '0.4', total_amount: '10' }, { price: '0.3' }] });
    expect(await read('?depth=1')).toMatchObject({ bid: [{ price: '0.4', total_amount: '10' }], ask: [] });
    expect(await read('?is_yes=false')).toMatchObject({ bid: [], ask: [{ price: '0.6' }, { price: '0.7' }] });
    await maker.cancel(String(first.row['pubkey']));
    expect(await read('?depth=1')).toMatchObject({ bid: [{ price: '0.3', total_amount: '5' }] });
  });
});

describe('orders', () => {
  it('go from a draft to a fill, and every read of them agrees', async () => {
    const draft = await maker.post('/orders/', {
      market_condition_id: market,
      is_yes: true,
      side: 'BUY',
      order_type: 'Limit',
      price: '0.52',
      amount: '10',
    });
    declared('orders.create', draft);
    const path = `/orders/${String(draft.row['pubkey'])}/`;
    expect(draft.headers.get('location')).toBe(path);
    expect((await maker.get(path)).row['status']).toBe('waiting_to_sign');
    const submitted = declared('orders.submit', await maker.submit('/orders/', draft));
    expect(submitted.row).toMatchObject({ status: 'open', price: '0.52', remaining_amount: '10' });

    const taken = await taker.order(market, false, 'buy', '0.48', '4');
    expect(taken.row).toMatchObject({ status: 'filled', filled_amount: '4', outcome: { is_yes: false } });
    const seen = declared('orders.detail', await maker.get(path));
    expect(seen.row).toMatchObject({ status: 'partially_filled', filled_amount: '4', remaining_amount: '6' });
    const fills = declared('trades.list', await maker.get('/trades/'));
    expect(fills.rows[0]).toMatchObject({ amount: '4', price: '0.52', is_maker: true, fee: '0' });
    const publicTrades = await send(base, 'GET', `/markets/${market}/trades/`);
    expect(publicTrades.rows[0]).toMatchObject({ amount: '4', price: '0.48', is_yes: false, state: 'done' });
    const assets = declared('account.assets', await maker.get(`/account/assets/?market_condition_id=${market}`));
    expect(assets.rows[0]).toMatchObject({ amounts: { total: '4' }, position: { is_yes: true } });
  });

  it('are canceled by a draft and a signature of its own', async () => {
    const { row } = await maker.order(market, true, 'buy', '0.1', '10');
    const draft = declared('orders.cancel', await maker.post(`/orders/${String(row['pubkey'])}/cancel/`));
    expect(String(draft.row['message'])).toContain('cancel-order');
    const signature = maker.sign(String(draft.row['message']));
    const canceled = await maker.post(`/orders/${String(row['pubkey'])}/cancel/submit/`, {
      signature: `0x${signature}`,
    });
    declared('orders.cancelSubmit', canceled);
    expect(canceled.row['status']).toBe('canceled');
  });

  it('are listed by market, status, outcome and side', async () => {
    const list = async (query: string) => declared('orders.list', await maker.get(`/orders/?${query}`)).rows;
    const open = await list(`market_condition_id=${market}&status=OPEN,partially_filled&is_yes=true&side=buy`);
    expect(open.length).toBeGreaterThan(0);
    for (const row of open) expect(['open', 'partially_filled']).toContain(row['status']);
    expect(await list('side=sell')).toEqual([]);
    expect(await list('is_yes=false')).toEqual([]);
    expect(await list('market_condition_id=unknown')).toEqual([]);
  });

  it('of type market spend their funds at once and never rest', async () => {
    const terms = { market_condition_id: market, is_yes: false, side: 'buy', order_type: 'market', funds: '1' };
    const bought = await taker.complete('/orders/', terms);
    expect(bought.row).toMatchObject({ side: 'buy', funds: '1' });
    expect(Number(bought.row['filled_funds'])).toBeGreaterThan(0.9);
  });
});

describe('splits, merges and redeems', () => {
  it('split currency into sets and merge sets into currency, landing after a while', async () => {
    const started = declared('splits.submit', await split(taker, '20'));
    expect(started.row['state']).toBe('in_process');
    await land();
    const path = `/share-splits/${String(started.row['pubkey'])}/`;
    expect(declared('splits.detail', await taker.get(path)).row).toMatchObject({ state: 'done', onchain_amount: '20' });
    declared('splits.list', await taker.get('/share-splits/?state=done'));

    const draft = declared(
      'merges.create',
      await taker.post('/share-merges/', { market_condition_id: market, amount: '5' }),
    );
    expect(draft.headers.get('location')).toBe(`/share-merges/${String(draft.row['pubkey'])}/`);
    const repeated = await taker.post('/share-merges/', { market_condition_id: market, amount: '5' });
    expect(repeated.data).toEqual(draft.data);
    declared('merges.submit', await taker.submit('/share-merges/', draft));
    await land();
    const merged = await taker.get(`/share-merges/${String(draft.row['pubkey'])}/`);
    expect(declared('merges.detail', merged).row).toMatchObject({ state: 'done', onchain_amount: '5' });
    expect(declared('merges.list', await taker.get('/share-merges/')).rows).toHaveLength(1);
  });

  it('redeem what a resolved market pays', async () => {
    const resolving = await openMarket(base);
    await taker.complete('/share-splits/', { market_condition_id: resolving, amount: '3' });
    await land();
    expect((await control(base, `/markets/${resolving}/resolve/`, { is_yes: true })).row['state']).toBe('resolved');
    const draft = declared('redeems.create', await taker.post('/redeems/', { market_condition_id: resolving }));
    const redeemed = declared('redeems.submit', await taker.submit('/redeems/', draft));
    expect(redeemed.row).toMatchObject({ state: 'completed', onchain_funds: '3', yes_shares: '3', no_shares: '3' });
    declared('redeems.detail', await taker.get(`/redeems/${String(draft.row['pubkey'])}/`));
    expect(declared('redeems.list', await taker.get(`/redeems/?market_condition_id=${resolving}`)).rows).toHaveLength(
      1,
    );
  });
});
