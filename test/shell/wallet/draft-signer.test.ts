import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Micros } from '../../../src/shared/base/micros.js';
import type { DraftTerms } from '../../../src/shared/protocol/drafts/draft-text.js';
import type { StoredDraft } from '../../../src/shell/wallet/draft-signer.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';
import { serviceName } from './drafts.js';

const wallet = new Wallet(randomBytes(32));

describe('the draft signer', () => {
  const stored: StoredDraft = {
    intentId: 'i-1',
    marketConditionId: 'mkt-1',
    draftPubkey: 'Dr1ft',
    terms: {
      action: 'place-order',
      isYes: true,
      side: 'buy',
      type: 'limit',
      price: 420_000 as Micros,
      amount: 10_000_000 as Micros,
    },
    message:
      'SVC draft v1 | place-order | Market: mkt-1 | Outcome: YES, Side: buy, Type: limit, Price: 0.42, Amount: 10 | Draft: Dr1ft | Expires: 1714300060',
  };
  const rules = { service_name: serviceName, draft_message: 'utf8', allowBlindSigning: false } as const;
  const signerOf = (change: Partial<StoredDraft>) =>
    wallet.draftSigner({ ...rules, loadDraft: () => ({ ...stored, ...change }) });
  const reasonOf = (change: Partial<StoredDraft>) => {
    const result = signerOf(change).sign('i-1');
    return result.ok ? 'signed' : result.reason;
  };

  it('names what differs, and both values', () => {
    expect(reasonOf({ message: stored.message.replace('SVC', 'Worm') })).toBe(
      'service: the draft says Worm, the venue profile says SVC',
    );
    expect(reasonOf({ terms: { ...stored.terms, amount: 10_000_001 as Micros } as DraftTerms })).toBe(
      'amount: the draft says 10, the intent says 10.000001',
    );
  });

  it('signs the same draft always with the same signature', () => {
    const signer = signerOf({});
    const first = signer.sign('i-1');
    expect(first).toMatchObject({ ok: true, signature: expect.stringMatching(/^[0-9a-f]{128}$/) });
    expect(signer.sign('i-1')).toEqual(first);
  });

  it('compares both sides of a redeem', () => {
    const redeem = 'SVC draft v1 | redeem-shares | Market: mkt-1 | Yes: 12, No: 0 | Draft: Dr1ft | Expires: 1714300060';
    const of = (yes: number, no: number) =>
      reasonOf({ message: redeem, terms: { action: 'redeem-shares', yes: yes as Micros, no: no as Micros } });
    expect(of(12_000_000, 0)).toBe('signed');
    expect(of(12_000_000, 1)).toBe('no: the draft says 0, the intent says 0.000001');
    expect(of(0, 12_000_000)).toBe('yes: the draft says 12, the intent says 0');
  });
});
