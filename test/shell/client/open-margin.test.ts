import { describe, expect, it } from 'vitest';
import { must } from '../../../src/shared/base/errors.js';
import { parseDecimal } from '../../../src/shared/base/micros.js';
import { type DraftTerms, writeDraftText } from '../../../src/shared/protocol/drafts/draft-text.js';
import type { MarginInput } from '../../../src/shell/client/client.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';
import { client, serveEachTest, server } from './fixture.js';
import { answering, envelope, refusal } from './hostile-server.js';

serveEachTest();

const PUBKEY = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM1';
const QUICK = { pollMs: 1, withinMs: 2_000 };
const wallet = new Wallet(new Uint8Array(32).fill(7));
const money = (text: string) => must(parseDecimal(text), text);

const row = (state: string, message: string | null) => ({
  ...{ pubkey: PUBKEY, type: 'market', state, message, market: { condition_id: 'm', title: 'Rain?' } },
  ...{ is_yes: false, leverage: '2.5', funds: '100', price: null, shares: null },
});

/** A venue with these request drafts, whose request then has these states, one per read. */
function serving(terms: DraftTerms, states: string[]): void {
  const expires = Math.floor(Date.now() / 1_000) + 60;
  const message = writeDraftText({ serviceName: 'SVC', marketConditionId: 'm', draftPubkey: PUBKEY, expires, terms });
  server.answer = (response, asked, count) => {
    const isDraft = asked.method === 'POST' && !asked.url.endsWith('/submit/');
    const state = isDraft ? 'created' : (states.shift() ?? 'completed');
    answering(isDraft ? 201 : 200, envelope(row(state, message)))(response, asked, count);
  };
}

const asked: MarginInput = { market_condition_id: 'm', is_yes: false, leverage: 2.5, type: 'market', funds: '100' };
const head = { action: 'open-margin-position', isYes: false } as const;
const meant = { ...head, leverage: money('2.5'), type: 'market', funds: money('100') } as const;

describe('opening a margin position', () => {
  it('follows the request until its order stands', async () => {
    serving(meant, ['funding_processing', 'processing', 'order_placed']);
    expect(await client.openMargin(wallet, asked, QUICK)).toMatchObject({ state: 'order_placed', pubkey: PUBKEY });
    expect(server.asked.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET', 'GET']);
  });

  it('signs limit requests with the defaults that the interface names', async () => {
    const limit = { ...head, isYes: true, leverage: money('1'), price: money('0.4'), shares: money('10') } as const;
    serving({ ...limit, type: 'limit' }, ['completed']);
    const request = { market_condition_id: 'm', type: 'limit', price: '0.4', shares: '10' } as const;
    expect(await client.openMargin(wallet, request, QUICK)).toMatchObject({ state: 'completed' });
  });

  it.each(['failed', 'cancelled'])('tells that nothing came of one that %s', async (why) => {
    serving(meant, ['funding_processing', 'refund_processing', why]);
    await expect(client.openMargin(wallet, asked, QUICK)).rejects.toMatchObject({ name: 'NotDone', why });
  });

  it('does not sign another leverage than the one asked for', async () => {
    serving({ ...meant, leverage: money('25') }, []);
    const reason = 'leverage: the draft says 25, the intent says 2.5';
    await expect(client.openMargin(wallet, asked, QUICK)).rejects.toMatchObject({ why: 'not_signed', reason });
    expect(server.asked).toHaveLength(1);
  });

  it('has nothing to sign where the draft could not be made', async () => {
    server.answer = answering(201, envelope(row('failed', null)));
    await expect(client.openMargin(wallet, asked, QUICK)).rejects.toMatchObject({ name: 'NotDone', why: 'failed' });
  });

  it('hands on what the request was refused with', async () => {
    server.answer = answering(400, refusal('order_market_not_open'));
    await expect(client.openMargin(wallet, asked, QUICK)).rejects.toMatchObject({ slug: 'order_market_not_open' });
  });
});
