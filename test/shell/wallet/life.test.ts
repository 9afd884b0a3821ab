/** A whole life at the paper exchange, over HTTP, with each venue profile and each kind of draft message. */

import { describe, expect, it } from 'vitest';
import type { Micros } from '../../../src/shared/base/micros.js';
import { readTransaction } from '../../../src/shared/protocol/drafts/solana-message.js';
import type { VenueProfile } from '../../../src/shared/protocol/profile.js';
import { readProfile } from '../../../src/shell/config/config.js';
import { venueFile } from '../../../src/shell/config/shipped.js';
import { startPaper } from '../client/paper.js';

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
  const options = { pollMs: 1, allowBlindSigning: profile.draft_message === 'opaque' };

  it('splits, orders, cancels, merges and redeems are drafted, signed and done', async () => {
    const { client, wallet, control, openMarket } = await startPaper({ profile, landingMs: 0 });
    const market = await openMarket();
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
    expect(await client.redeem(wallet, market, options)).toMatchObject({ state: 'completed', onchain_funds: m(7) });
  });

  it('margin positions are asked for, signed and on their way', async () => {
    const { client, wallet, control } = await startPaper({ profile, landingMs: 0 });
    const rates = { opening_fee: '0.01', closing_fee: '0.01', annual_fee_rate: '0.1' };
    const leverages = { max_leverage_yes: '5', max_leverage_no: '5', price_decimals: 2, shares_decimals: 2 };
    const config = { kind: 'polymarket', ...leverages, ...rates };
    const made = await control('/markets/', { title: 'Rain?', margin_enabled: true, config });
    const { condition_id: market } = (made as { data: { condition_id: string } }).data;
    const position = { market_condition_id: market, is_yes: false, leverage: 2.5 } as const;
    const now = await client.openMargin(wallet, { ...position, type: 'market', funds: '100' }, options);
    expect(now).toMatchObject({ state: 'completed' });
    const later = await client.openMargin(wallet, { ...position, type: 'limit', price: '0.4', shares: '50' }, options);
    expect(later).toMatchObject({ state: 'order_placed' });
  });

  it('headers and challenge carry the names of the venue, and no others', async () => {
    const { exchange, wallet } = await startPaper({ profile });
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
