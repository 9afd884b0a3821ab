import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ExchangeOptions,
  PAPER_DEFAULTS,
  type RunningExchange,
  startExchange,
} from '../../../src/exchange/exchange.js';
import { parseDecimal } from '../../../src/shared/base/decimal.js';
import { must } from '../../../src/shared/base/errors.js';
import type { DraftTerms } from '../../../src/shared/protocol/drafts/draft-text.js';
import type { DataOf, EndpointName } from '../../../src/shared/protocol/endpoints.js';
import { ServiceClient } from '../../../src/shell/client/client.js';
import type { ClientAnswer, ClientNotice, ClientOptions } from '../../../src/shell/client/contract.js';
import type { StoredDraft } from '../../../src/shell/wallet/drafts.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';
import { profile } from './hostile-server.js';

const money = (text: string) => must(parseDecimal(text), text);

let exchange: RunningExchange;
let client: ServiceClient;
let wallet: Wallet;
let notices: ClientNotice[] = [];

/** An exchange without a crowd, and a client with credentials of it. */
async function start(options: Partial<ExchangeOptions> = {}, client_: Partial<ClientOptions> = {}): Promise<void> {
  const settings = { port: 0, profile, controls: true, crowd: false, landingMs: 1_000 };
  exchange = await startExchange({ ...PAPER_DEFAULTS, ...settings, ...options });
  const onNotice = (notice: ClientNotice) => notices.push(notice);
  client = new ServiceClient({ profile, baseUrl: exchange.url, onNotice, ...client_ });
  wallet = new Wallet(randomBytes(32));
  await client.bootstrap(wallet);
}

beforeEach(() => {
  notices = [];
});
afterEach(async () => {
  await client.close();
  await exchange.close();
});

async function control(path: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${exchange.url}/paper${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  return response.json();
}

async function openMarket(): Promise<string> {
  const made = await control('/markets/', { title: 'Will it rain?', config: { kind: 'orderbook' } });
  // The shape is the interface's; a wrong one fails the calls that follow.
  return (made as { data: { condition_id: string } }).data.condition_id;
}

/** Resolves when so many of them have. */
function firstOf(calls: readonly Promise<unknown>[], count: number): Promise<void> {
  let done = 0;
  return new Promise((resolve) => {
    for (const call of calls)
      void call.then(() => {
        done += 1;
        if (done === count) resolve();
      });
  });
}

function dataOf<N extends EndpointName>({ outcome }: ClientAnswer<N>): DataOf<N> {
  if (outcome.kind !== 'answered') throw new Error(JSON.stringify(outcome));
  return outcome.data;
}

/** Signs a draft as the trader does: stored first, then by intent id, against terms that we wrote. */
function sign(draft: { pubkey: string; message: string }, marketConditionId: string, terms: DraftTerms): string {
  const stored: StoredDraft = {
    intentId: 'i',
    marketConditionId,
    draftPubkey: draft.pubkey,
    message: draft.message,
    terms,
  };
  const loadDraft = () => stored;
  const policy = { serviceName: 'SVC', draftMessage: 'utf8', allowBlindSigning: false, loadDraft } as const;
  const result = wallet.draftSigner(policy).sign('i');
  if (!result.ok) throw new Error(result.reason);
  return result.signature;
}

const orderBody = (market: string, price: string, amount: string) =>
  ({ market_condition_id: market, is_yes: true, side: 'buy', order_type: 'limit', price, amount }) as const;

async function placeOrder(market: string, price: string, amount: string) {
  const draft = dataOf(await client.call('orders.create', { body: orderBody(market, price, amount) }));
  const terms = { isYes: true, side: 'buy', type: 'limit', price: money(price), amount: money(amount) } as const;
  const signature = sign(draft, market, { action: 'place-order', ...terms });
  return dataOf(await client.call('orders.submit', { params: { pubkey: draft.pubkey }, body: { signature } }));
}

describe('against the paper exchange', () => {
  it('places, reads, lists and cancels an order, and merges and splits shares', async () => {
    await start();
    const market = await openMarket();
    const order = await placeOrder(market, '0.42', '10');
    const pubkey = order.pubkey ?? '';
    expect(order).toMatchObject({ status: 'open', price: 420_000, remaining_amount: 10_000_000 });
    expect(dataOf(await client.call('orders.detail', { params: { pubkey } }))).toEqual(order);
    const listed = await client.call('orders.list', { query: { status: ['open'], limit: 1 } });
    expect(dataOf(listed)).toEqual([order]);
    const book = dataOf(await client.call('markets.book', { params: { condition_id: market }, query: { depth: 5 } }));
    expect(book.bid).toEqual([{ price: 420_000, total_amount: 10_000_000 }]);

    const cancel = dataOf(await client.call('orders.cancel', { params: { pubkey } }, { lane: 'cancel' }));
    const signature = sign(cancel, market, { action: 'cancel-order', orderPubkey: pubkey });
    const canceled = await client.call('orders.cancelSubmit', { params: { pubkey }, body: { signature } });
    expect(dataOf(canceled)).toMatchObject({ status: 'canceled' });

    const body = { market_condition_id: market, amount: '5' };
    const split = dataOf(await client.call('splits.create', { body }));
    const splitTerms = { action: 'split-shares', amount: money('5') } as const;
    const submitted = { params: { pubkey: split.pubkey }, body: { signature: sign(split, market, splitTerms) } };
    expect(dataOf(await client.call('splits.submit', submitted))).toMatchObject({ state: 'in_process' });
    await control('/clock/', { advance_s: 2 });
    expect(dataOf(await client.call('account.assets', { query: { market_condition_id: market } }))).toHaveLength(2);
    const merge = dataOf(await client.call('merges.create', { body }));
    const mergeTerms = { action: 'merge-shares', amount: money('5') } as const;
    const merged = { params: { pubkey: merge.pubkey }, body: { signature: sign(merge, market, mergeTerms) } };
    expect(dataOf(await client.call('merges.submit', merged))).toMatchObject({ state: 'in_process' });
  });

  it('redeems what the resolution left, signing exactly the shares that it holds', async () => {
    await start();
    const market = await openMarket();
    const split = dataOf(await client.call('splits.create', { body: { market_condition_id: market, amount: '5' } }));
    const signature = sign(split, market, { action: 'split-shares', amount: money('5') });
    await client.call('splits.submit', { params: { pubkey: split.pubkey }, body: { signature } });
    await control('/clock/', { advance_s: 2 });
    await control(`/markets/${market}/resolve/`, { is_yes: true });
    const redeem = dataOf(await client.call('redeems.create', { body: { market_condition_id: market } }));
    const wrong = { action: 'redeem-shares', yes: money('5'), no: money('4') } as const;
    expect(() => sign(redeem, market, wrong)).toThrow('no: the draft says 5, the intent says 4');
    const signed = sign(redeem, market, { action: 'redeem-shares', yes: money('5'), no: money('5') });
    const done = await client.call('redeems.submit', {
      params: { pubkey: redeem.pubkey },
      body: { signature: signed },
    });
    expect(dataOf(done)).toMatchObject({ state: 'completed', onchain_funds: 5_000_000 });
  });

  it('reports refusals with slug and field', async () => {
    await start();
    const market = await openMarket();
    const { outcome } = await client.call('orders.create', { body: orderBody(market, '0.42', '1000000') });
    expect(outcome.kind).toBe('refused');
    const unheard = await client.call('orders.detail', { params: { pubkey: '../x?y=1' } });
    expect(unheard.outcome).toMatchObject({ kind: 'refused', status: 404, slug: 'not_found' });
    const field = await client.call('orders.create', { body: orderBody('nowhere', '0.42', '1') });
    expect(field.outcome).toMatchObject({
      slug: 'invalid_request_params',
      details: [{ market_condition_id: expect.any(String) }],
    });
    await control('/signing-service/', { available: false });
    const busy = await client.call('orders.create', { body: orderBody(market, '0.42', '1') });
    expect(busy.outcome).toMatchObject({ kind: 'refused', status: 503, slug: 'gringotts_unavailable' });
  });

  it('follows the exchange’s clock when it jumps by five minutes: reads go through, writes are refused once', async () => {
    await start();
    const market = await openMarket();
    await control('/clock/', { advance_s: 300 });
    expect(dataOf(await client.call('orders.list', { query: {} }))).toEqual([]);
    expect(notices).toMatchObject([{ kind: 'clock_offset' }]);
    expect(await placeOrder(market, '0.42', '10')).toMatchObject({ status: 'open' });
    await control('/clock/', { advance_s: 300 });
    const { outcome } = await client.call('orders.create', { body: orderBody(market, '0.42', '10') });
    expect(outcome).toMatchObject({ kind: 'refused', slug: 'authentication_failed' });
    expect(await placeOrder(market, '0.42', '10')).toMatchObject({ status: 'open' });
    expect(notices).toHaveLength(2);
    expect(Math.abs((client.clockOffset?.offsetMs ?? 0) - 600_000)).toBeLessThan(1_500);
  });

  it('never overdraws the exchange’s budget, and knows what remains of it', async () => {
    const tight = {
      ...profile,
      rate_limits: { public_per_minute: 20, signed_per_minute: 20, bootstrap_per_minute: 5 },
    };
    await start({ profile: tight }, { profile: tight });
    const reads = Array.from({ length: 30 }, () => client.call('orders.list', { query: {} }));
    // The first twenty have a place at once; the others wait for one until the client is closed.
    await Promise.all(reads.slice(0, 20));
    await client.close();
    const outcomes = (await Promise.all(reads)).map(({ outcome, budget }) => ({ kind: outcome.kind, budget }));
    expect(outcomes.filter(({ kind }) => kind === 'answered')).toHaveLength(20);
    expect(outcomes.filter(({ kind }) => kind === 'unknown')).toHaveLength(10);
    const remaining = outcomes.flatMap(({ budget }) => (budget === null ? [] : [budget.remaining]));
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(notices).toEqual([]);
  });

  it('slows down when the exchange throttles all the same', async () => {
    const tight = { ...profile, rate_limits: { public_per_minute: 3, signed_per_minute: 3, bootstrap_per_minute: 5 } };
    await start({ profile: tight }, { budgets: { signed: 1_000 } });
    const other = new ServiceClient({ profile, baseUrl: exchange.url, budgets: { public: 1_000 } });
    for (let n = 0; n < 3; n++) await other.call('markets.list', {});
    const first = await client.call('markets.list', {}, { lane: 'quiet', latestMs: Date.now() + 2_000 });
    expect(first.outcome).toMatchObject({ kind: 'refused', slug: 'throttled', status: 429 });
    expect(notices).toMatchObject([{ kind: 'throttled', scope: 'public' }]);
    const second = await client.call('markets.list', {}, { lane: 'quiet', latestMs: Date.now() + 50 });
    expect(second.outcome).toMatchObject({ kind: 'unknown', sent: false });
    await other.close();
  });

  it('comes back after the exchange was gone, with unknown outcomes in between', async () => {
    await start();
    const { port } = exchange;
    expect(dataOf(await client.call('markets.list', {}))).toEqual([]);
    await exchange.close();
    const gone = await client.call('markets.list', {});
    expect(gone.outcome).toMatchObject({ kind: 'unknown', sent: false, reason: 'connection refused' });
    exchange = await startExchange({ ...PAPER_DEFAULTS, port, profile, crowd: false });
    expect(dataOf(await client.call('markets.list', {}))).toEqual([]);
  });

  it('never overdraws a small budget, with everything asked for at once', async () => {
    const small = { ...profile, rate_limits: { public_per_minute: 7, signed_per_minute: 11, bootstrap_per_minute: 5 } };
    await start({ profile: small }, { profile: small });
    const market = await openMarket();
    const calls = [...Array(30)].flatMap(() => [
      client.call('markets.book', { params: { condition_id: market } }),
      client.call('orders.list', {}),
      client.call('orders.create', { body: orderBody(market, '0.42', '1') }, { lane: 'draft' }),
    ]);
    // As many as have a place come back, however long that takes; the others wait for one until the client is closed.
    await firstOf(calls, 7 + 11);
    await client.close();
    const outcomes = (await Promise.all(calls)).map(({ outcome }) => outcome);
    expect(outcomes.filter(({ kind }) => kind === 'answered')).toHaveLength(7 + 11);
    expect(outcomes.filter((outcome) => outcome.kind === 'unknown' && !outcome.sent)).toHaveLength(90 - 18);
    expect(notices.filter(({ kind }) => kind === 'throttled')).toEqual([]);
  });
});
