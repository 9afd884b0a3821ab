import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Micros } from '../../../src/shared/base/micros.js';
import type { DraftTerms } from '../../../src/shared/protocol/drafts/draft-text.js';
import { challengeText } from '../../../src/shared/protocol/signing.js';
import type { SigningPolicy, StoredDraft } from '../../../src/shell/wallet/draft-signer.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';
import { serviceName, verifies } from './drafts.js';

const wallet = new Wallet(randomBytes(32));

function signerOf(stored: StoredDraft | null, policy: Partial<SigningPolicy> = {}) {
  const loadDraft = (id: string) => (stored !== null && id === stored.intentId ? stored : null);
  return wallet.draftSigner({ serviceName, draftMessage: 'utf8', allowBlindSigning: false, loadDraft, ...policy });
}

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
  const reasonOf = (change: Partial<StoredDraft>, policy: Partial<SigningPolicy> = {}) => {
    const result = signerOf({ ...stored, ...change }, policy).sign('i-1');
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
    const signer = signerOf(stored);
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

  it('signs opaque drafts only when blind signing is allowed', () => {
    const message = 'f00dfeed';
    expect(reasonOf({ message }, { draftMessage: 'opaque' })).toContain('blind signing is not allowed');
    expect(reasonOf({ message }, { draftMessage: 'opaque', allowBlindSigning: true })).toBe('signed');
  });
});

describe('credential challenges', () => {
  const nonce = 'aB3-_x';
  const text = challengeText('SVC', wallet.address, nonce);

  it('are signed when they are exactly the template for this wallet', () => {
    const result = wallet.signChallenge(text, { serviceName: 'SVC', nonce });
    expect(result.ok && verifies(Buffer.from(text, 'utf8'), result.signature, wallet.address)).toBe(true);
  });
});
