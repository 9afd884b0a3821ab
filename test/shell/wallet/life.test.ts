/** A whole life at the paper exchange, over HTTP, with each venue profile and each kind of draft message. */

import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PAPER_DEFAULTS, type RunningExchange, startExchange } from '../../../src/exchange/exchange.js';
import type { Micros } from '../../../src/shared/base/micros.js';
import type { DraftTerms } from '../../../src/shared/protocol/drafts/draft-text.js';
import { readTransaction } from '../../../src/shared/protocol/drafts/solana-message.js';
import type { VenueProfile } from '../../../src/shared/protocol/profile.js';
import type { Outcome } from '../../../src/shared/protocol/seam.js';
import { ServiceClient } from '../../../src/shell/client/client.js';
import { readProfile } from '../../../src/shell/config/config.js';
import { venueFile } from '../../../src/shell/config/shipped.js';
import { signingRules } from '../../../src/shell/wallet/draft-signer.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';

const [paper, worm] = [readProfile(venueFile('paper'), '/'), readProfile(venueFile('worm'), '/')];
const m = (units: number) => (units * 1_000_000) as Micros;

const isTransaction = (message: string) => readTransaction(message).ok;
const isReadable = (message: string) => /^SVC draft v1 \| /.test(message);
const VENUES: readonly (readonly [string, VenueProfile, (message: string) => boolean])[] = [
  ['the paper profile', paper, isReadable],
  ['the worm profile', worm, isTransaction],
  ['transactions of the paper profile', { ...paper, draft_message: 'solana_tx' }, isTransaction],
  ['opaque drafts', { ...paper, draft_message: 'opaque' }, (message) => /^[\w-]{43}$/.test(message)],
];

describe.each(VENUES)('under %s', (_, profile, isMessage) => {
  let exchange: RunningExchange;
  let client: ServiceClient;
  let wallet: Wallet;

  beforeEach(async () => {
    exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0, controls: true, crowd: false, landingMs: 0 });
    client = new ServiceClient({ profile, baseUrl: exchange.url });
    wallet = new Wallet(randomBytes(32));
    await client.bootstrap(wallet);
  });
  afterEach(async () => {
    await client.close();
    await exchange.close();
  });

  async function control(path: string, body: object): Promise<{ condition_id: string }> {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${exchange.url}/paper${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return ((await answer.json()) as { data: { condition_id: string } }).data;
  }

  /** The signature for a draft, by a signer that knows the intent. */
  function signed(market: string, draft: { pubkey: string; message: string | null }, terms: DraftTerms) {
    const message = draft.message ?? '';
    expect(isMessage(message), message).toBe(true);
    const stored = { intentId: 'i', marketConditionId: market, draftPubkey: draft.pubkey, message, terms };
    const rules = signingRules(profile, profile.draft_message === 'opaque');
    const result = wallet.draftSigner({ ...rules, loadDraft: () => stored }).sign('i');
    if (!result.ok) throw new Error(result.reason);
    return { params: { pubkey: draft.pubkey }, body: { signature: result.signature } };
  }

  function data<T>({ outcome }: { readonly outcome: Outcome & { readonly data?: T } }): T {
    if (outcome.kind !== 'answered') throw new Error(JSON.stringify(outcome));
    // An answered outcome has the record of its endpoint.
    return outcome.data as T;
  }

  it('splits, orders, cancels, merges and redeems are drafted, signed and done', async () => {
    const { condition_id: market } = await control('/markets/', { title: 'Rain?', config: { kind: 'orderbook' } });
    const options = { pollMs: 1, allowBlindSigning: profile.draft_message === 'opaque' };
    const sets = { market_condition_id: market, amount: '10' };
    // The next split gets this same draft.
    const { message } = await client.splits.create(sets);
    expect(isMessage(message), message).toBe(true);
    expect(await client.split(wallet, sets, options)).toMatchObject({ state: 'done', onchain_amount: m(10) });
    const limit = { ...sets, is_yes: true, side: 'sell', order_type: 'limit', price: '0.6', amount: '4' } as const;
    const order = await client.place(wallet, limit, options);
    expect(order).toMatchObject({ status: 'open', price: 600_000, remaining_amount: m(4) });
    expect(await client.cancel(wallet, order.pubkey ?? '', options)).toMatchObject({ status: 'canceled' });
    const merged = await client.merge(wallet, { ...sets, amount: '3' }, options);
    expect(merged).toMatchObject({ state: 'done', onchain_amount: m(3) });
    await control(`/markets/${market}/resolve/`, { is_yes: true });
    const redeemed = await client.redeem(wallet, market, options);
    expect(redeemed).toMatchObject({ state: 'completed', onchain_funds: m(7) });
  });

  it('margin positions are asked for, signed and on their way', async () => {
    const rates = { opening_fee: '0.01', closing_fee: '0.01', annual_fee_rate: '0.1' };
    const leverages = { max_leverage_yes: '5', max_leverage_no: '5', price_decimals: 2, shares_decimals: 2 };
    const config = { kind: 'polymarket', ...leverages, ...rates };
    const { condition_id: market } = await control('/markets/', { title: 'Rain?', margin_enabled: true, config });
    const position = { market_condition_id: market, is_yes: false, leverage: 2.5 } as const;
    const asked = { action: 'open-margin-position', isYes: false, leverage: m(2.5) } as const;

    const now = data(await client.call('requests.create', { body: { ...position, type: 'market', funds: '100' } }));
    const buying = signed(market, now, { ...asked, type: 'market', funds: m(100) });
    expect(data(await client.call('requests.submit', buying))).toMatchObject({ state: 'funding_processing' });

    const limit = { ...position, type: 'limit', price: '0.4', shares: '50' } as const;
    const later = data(await client.call('requests.create', { body: limit }));
    const waiting = signed(market, later, { ...asked, type: 'limit', price: m(0.4), shares: m(50) });
    expect(data(await client.call('requests.submit', waiting))).toMatchObject({ state: 'funding_processing' });
  });

  it('a signature over another draft is refused, and the draft waits on', async () => {
    const { condition_id: market } = await control('/markets/', { title: 'Rain?', config: { kind: 'orderbook' } });
    const terms = {
      market_condition_id: market,
      is_yes: true,
      side: 'buy',
      order_type: 'limit',
      price: '0.5',
    } as const;
    const draft = async (amount: string) => data(await client.call('orders.create', { body: { ...terms, amount } }));
    const [first, second] = [await draft('2'), await draft('3')];
    const buying = {
      action: 'place-order',
      isYes: true,
      side: 'buy',
      type: 'limit',
      price: 500_000 as Micros,
    } as const;
    const { body } = signed(market, second, { ...buying, amount: m(3) });
    const { outcome } = await client.call('orders.submit', { params: { pubkey: first.pubkey }, body });
    expect(outcome).toMatchObject({ kind: 'refused', slug: 'invalid_request_params' });
    const right = signed(market, first, { ...buying, amount: m(2) });
    expect(data(await client.call('orders.submit', right))).toMatchObject({ status: 'open' });
  });

  it('headers and challenge carry the names of the venue, and no others', async () => {
    const { service_name: service, header_prefix: prefix } = profile;
    const asked = await fetch(`${exchange.url}/auth/keys/challenge/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ wallet_address: wallet.address }),
    });
    const { data: challenge } = (await asked.json()) as { data: { message: string } };
    expect(challenge.message).toMatch(new RegExp(`^Create ${service} API credential \\| Wallet: ${wallet.address} `));
    const slugWith = async (name: string) => {
      const headers = { [`${name}-API-KEY`]: 'k', [`${name}-TIMESTAMP`]: '1', [`${name}-SIGNATURE`]: 's' };
      const answer = await fetch(`${exchange.url}/orders/`, { headers });
      return ((await answer.json()) as { error: { slug: string } }).error.slug;
    };
    expect(await slugWith(prefix)).toBe('authentication_failed');
    expect(await slugWith(prefix === 'SVC' ? 'WORM' : 'SVC')).toBe('not_authenticated');
  });
});
