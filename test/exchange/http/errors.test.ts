import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningExchange } from '../../../src/exchange/exchange.js';
import { SERVICE_ERRORS, type ServiceErrorSlug } from '../../../src/shared/protocol/errors.js';
import { type Answered, control, openMarket, send, sendJson, startTestExchange, TestTrader } from './harness.js';

let exchange: RunningExchange;
let base: string;
let trader: TestTrader;
let other: TestTrader;
let market: string;

beforeAll(async () => {
  exchange = await startTestExchange({ landingMs: 1000 });
  base = exchange.url;
  trader = await TestTrader.join(base);
  other = await TestTrader.join(base);
  market = await openMarket(base);
  await trader.complete('/share-splits/', { market_condition_id: market, amount: '10' });
  await advance(2);
});
afterAll(() => exchange.close());

async function advance(seconds: number): Promise<void> {
  await control(base, '/clock/', { advance_s: seconds });
  for (const someone of [trader, other]) someone.clockShiftS += seconds;
}

/** The slug with the status, code and null data of the table. */
function refused(answer: Answered, slug: ServiceErrorSlug, field?: string): void {
  const { status, code } = SERVICE_ERRORS[slug];
  expect(answer.error).toMatchObject({ slug, code });
  expect(answer).toMatchObject({ status, data: null, meta: null });
  if (field !== undefined) expect(answer.error?.details.map((row) => Object.keys(row)[0])).toContain(field);
}

const order = (fields: object = {}) => ({
  market_condition_id: market,
  is_yes: true,
  side: 'buy',
  order_type: 'limit',
  price: '0.5',
  amount: '10',
  ...fields,
});
const amount = (text: string) => ({ market_condition_id: market, amount: text });

describe('order drafts', () => {
  const cases: [string, object, string][] = [
    ['a price off the tick', { price: '0.1234567' }, 'price'],
    ['a price of nothing', { price: '0' }, 'price'],
    ['a price above one', { price: '1.5' }, 'price'],
    ['a price as a number', { price: 0.5 }, 'price'],
    ['no price', { price: undefined }, 'price'],
    ['a negative amount', { amount: '-1' }, 'amount'],
    ['an amount with an exponent', { amount: '1e3' }, 'amount'],
    ['an unknown side', { side: 'hold' }, 'side'],
    ['an outcome as text', { is_yes: 'true' }, 'is_yes'],
    ['an unknown market', { market_condition_id: 'nowhere' }, 'market_condition_id'],
    ['funds on a limit order', { funds: '5' }, 'funds'],
  ];
  it.each(cases)('name the field of %s', async (_what, fields, field) => {
    refused(await trader.post('/orders/', order(fields)), 'invalid_request_params', field);
  });

  it('need funds and shares', async () => {
    refused(await trader.post('/orders/', order({ amount: '50000' })), 'order_insufficient_funds');
    const sell = order({ side: 'sell', amount: '11' });
    refused(await trader.post('/orders/', sell), 'order_insufficient_shares');
  });

  it('need an open market', async () => {
    const closed = await openMarket(base);
    await control(base, `/markets/${closed}/state/`, { state: 'waiting_to_resolve' });
    refused(await trader.post('/orders/', order({ market_condition_id: closed })), 'order_market_not_open');
  });

  it('need the signing service', async () => {
    await control(base, '/signing-service/', { available: false });
    refused(await trader.post('/orders/', order()), 'gringotts_unavailable');
    refused(await trader.post('/share-merges/', amount('1')), 'gringotts_unavailable');
    await control(base, '/signing-service/', { available: true });
    expect((await trader.post('/orders/', order({ price: '0.01' }))).status).toBe(201);
  });
});

describe('submits', () => {
  it('want a signature that fits and verifies', async () => {
    const draft = await trader.post('/orders/', order({ price: '0.01' }));
    const path = `/orders/${String(draft.row['pubkey'])}/submit/`;
    for (const signature of [undefined, '', 'a'.repeat(129), `0x${'a'.repeat(129)}`, 'zz', 'ab'.repeat(64), 7, null]) {
      refused(await trader.post(path, { signature }), 'invalid_request_params', 'signature');
    }
    const another = other.sign(String(draft.row['message']));
    refused(await trader.post(path, { signature: another }), 'invalid_request_params', 'signature');
    expect((await trader.submit('/orders/', draft)).row['status']).toBe('open');
    refused(await trader.submit('/orders/', draft), 'invalid_program_call_status');
  });

  it('know nothing of what belongs to others', async () => {
    const draft = await trader.post('/orders/', order({ price: '0.01' }));
    refused(await other.submit('/orders/', draft), 'not_found');
    refused(await other.get(`/orders/${String(draft.row['pubkey'])}/`), 'not_found');
    refused(await other.post(`/orders/${String(draft.row['pubkey'])}/cancel/`), 'not_found');
    const merge = await trader.post('/share-merges/', amount('1'));
    refused(await other.submit('/share-merges/', merge), 'share_conversion_not_found');
    refused(await other.get(`/share-merges/${String(merge.row['pubkey'])}/`), 'not_found');
    await advance(61);
  });

  it('come too late for an expired draft', async () => {
    const drafts: [string, Answered][] = [];
    for (const [path, body] of [
      ['/orders/', order({ price: '0.01' })],
      ['/share-merges/', amount('1')],
      ['/share-splits/', amount('1')],
    ] as const) {
      drafts.push([path, await trader.post(path, body)]);
    }
    await advance(61);
    for (const [path, draft] of drafts) {
      refused(await trader.submit(path, draft), 'program_call_has_expired');
      const state = (await trader.get(`${path}${String(draft.row['pubkey'])}/`)).row;
      expect(state['status'] ?? state['state']).toBe('expired');
    }
  });

  it('of a finished conversion meet its state', async () => {
    const draft = await trader.post('/share-merges/', amount('1'));
    expect((await trader.submit('/share-merges/', draft)).row['state']).toBe('in_process');
    refused(await trader.submit('/share-merges/', draft), 'share_conversion_invalid_state');
    refused(await trader.post('/share-merges/', amount('1')), 'share_merge_in_progress');
    await advance(2);
  });
});

describe('cancels', () => {
  it('refuse an order that no longer rests', async () => {
    const { row } = await trader.order(market, true, 'buy', '0.01', '1');
    const pubkey = String(row['pubkey']);
    expect((await trader.cancel(pubkey)).row['status']).toBe('canceled');
    refused(await trader.post(`/orders/${pubkey}/cancel/`), 'order_not_cancelable');
    refused(await trader.post('/orders/unknown/cancel/'), 'not_found');
  });
});

describe('conversions', () => {
  it('refuse amounts that are no lots, and more than there is', async () => {
    for (const text of ['0', '-1', '0.0000001']) {
      refused(await trader.post('/share-merges/', amount(text)), 'share_conversion_invalid_amount');
    }
    refused(await trader.post('/share-merges/', amount('1e2')), 'invalid_request_params', 'amount');
    refused(await trader.post('/share-merges/', amount('1000')), 'share_merge_insufficient_shares');
    refused(await trader.post('/share-splits/', amount('10000000')), 'share_split_insufficient_funds');
    const nowhere = { market_condition_id: 'nowhere', amount: '1' };
    refused(await trader.post('/share-merges/', nowhere), 'invalid_request_params', 'market_condition_id');
  });

  it('allow one open split of a market and account', async () => {
    const draft = await trader.post('/share-splits/', amount('2'));
    expect(await trader.post('/share-splits/', amount('2'))).toMatchObject({ status: 201, data: draft.data });
    refused(await trader.post('/share-splits/', amount('3')), 'share_split_in_progress');
    await advance(61);
  });

  it('depend on the state of the market', async () => {
    const special = await openMarket(base);
    const body = { market_condition_id: special, amount: '1' };
    await trader.complete('/share-splits/', { ...body, amount: '5' });
    await advance(2);
    const state = (fields: object) => control(base, `/markets/${special}/state/`, fields);
    await state({ paused: true });
    refused(await trader.post('/share-merges/', body), 'share_conversion_market_paused');
    await state({ paused: false, unbacked_collateral: true });
    refused(await trader.post('/share-merges/', body), 'share_merge_market_has_unbacked_collateral');
    await state({ unbacked_collateral: false, state: 'interrupted' });
    refused(await trader.post('/share-merges/', body), 'share_conversion_market_not_open');
  });

  it('are for order books and for wallets of their owners', async () => {
    const rates = { max_leverage_yes: '5', max_leverage_no: '5', opening_fee: '0.01', closing_fee: '0.01' };
    const pool = await openMarket(base, { config: { kind: 'hyperliquid', annual_fee_rate: '0.1', ...rates } });
    const body = { market_condition_id: pool, amount: '1' };
    refused(await trader.post('/share-splits/', body), 'share_conversion_market_not_eligible');
    await control(base, `/accounts/${other.wallet}/`, { custodial: true });
    refused(await other.post('/share-splits/', amount('1')), 'custodial_user_trading_not_allowed');
  });
});

describe('what is not there', () => {
  it.each([
    ['GET', '/markets/unknown/'],
    ['GET', '/markets/unknown/book/'],
    ['GET', '/events/unknown/'],
    ['GET', '/markets'],
    ['GET', `/markets/${'a'.repeat(300)}/`],
    ['POST', '/paper/unknown/'],
  ])('is not_found: %s %s', async (method, path) => {
    refused(await send(base, method, path), 'not_found');
  });

  it.each([
    ['POST', '/markets/', 'GET'],
    ['DELETE', '/orders/', 'GET, POST'],
    ['PUT', '/orders/abc/', 'GET'],
    ['GET', '/paper/clock/', 'POST'],
  ])('is method_not_allowed: %s %s', async (method, path, allowed) => {
    const answer = await send(base, method, path);
    refused(answer, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe(allowed);
  });
});

describe('parameters', () => {
  it.each([
    ['/markets/?limit=0', 'limit'],
    ['/markets/?limit=101', 'limit'],
    ['/markets/?limit=ten', 'limit'],
    ['/markets/?limit=', 'limit'],
    ['/markets/?limit=5&limit=6', 'limit'],
    ['/markets/?cursor=%00', 'cursor'],
    ['/markets/?cursor=eyJvIjoxfQ', 'cursor'],
    ['/markets/?sort=trending&cursor=eyJiZWZvcmVfaWQiOjF9', 'cursor'],
    ['/events/?state=sideways', 'state'],
    ['/events/?category=Politics', 'category'],
    ['/events/?league=nba', 'league'],
    ['/events/?sort=best', 'sort'],
  ])('out of range or malformed are refused: %s', async (path, field) => {
    refused(await send(base, 'GET', path), 'invalid_request_params', field);
  });

  it('of the book and of own lists are as strict', async () => {
    for (const query of ['depth=0', 'depth=101', 'is_yes=1', 'is_yes=TRUE']) {
      const answer = await send(base, 'GET', `/markets/${market}/book/?${query}`);
      refused(answer, 'invalid_request_params', query.split('=')[0]);
    }
    for (const query of ['status=done', 'side=BUY', 'is_yes=yes', 'cursor=x', 'limit=101']) {
      refused(await trader.get(`/orders/?${query}`), 'invalid_request_params', query.split('=')[0]);
    }
    refused(await trader.get('/share-splits/?state=DONE'), 'invalid_request_params', 'state');
    refused(await trader.get('/account/assets/?limit=201'), 'invalid_request_params', 'limit');
    expect((await trader.get('/account/assets/?limit=200')).status).toBe(200);
  });

  it('that nobody knows are ignored', async () => {
    expect((await send(base, 'GET', '/markets/?colour=blue&colour=red&__proto__=1')).status).toBe(200);
  });

  it('say what was wrong in words', async () => {
    const { error } = await send(base, 'GET', '/markets/?limit=101');
    expect(error).toMatchObject({
      message: 'Validation Error',
      details: [{ limit: 'Ensure this value is less than or equal to 100.' }],
    });
    const missing = await trader.post('/orders/', {});
    expect(missing.error?.details).toContainEqual({ market_condition_id: 'This field is required.' });
    const number = await sendJson(base, 'POST', '/auth/keys/challenge/', { wallet_address: 5 });
    expect(number.error?.details).toEqual([{ wallet_address: 'A string is required.' }]);
  });
});
