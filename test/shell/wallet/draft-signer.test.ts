import { randomBytes } from 'node:crypto';
import { base58, base64, hex } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Micros } from '../../../src/shared/base/micros.js';
import { type DraftTerms, type DraftText, writeDraftText } from '../../../src/shared/protocol/drafts/draft-text.js';
import { challengeText } from '../../../src/shared/protocol/signing.js';
import type { SigningPolicy, StoredDraft } from '../../../src/shell/wallet/drafts.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';
import { honest, market, pubkey, serviceName, terms, verifies } from './drafts.js';

const wallet = new Wallet(randomBytes(32));

function signerOf(stored: StoredDraft | null, policy: Partial<SigningPolicy> = {}) {
  const loadDraft = (id: string) => (stored !== null && id === stored.intentId ? stored : null);
  return wallet.draftSigner({ serviceName, draftMessage: 'utf8', allowBlindSigning: false, loadDraft, ...policy });
}

/** A change of the text that a hostile or broken venue could make, beside unchanged stored terms. */
const mutation: fc.Arbitrary<(text: DraftText) => string> = fc.oneof(
  fc.tuple(fc.nat(), fc.nat({ max: 255 })).map(([at, code]) => (text: DraftText) => {
    const line = writeDraftText(text);
    const place = at % line.length;
    return line.slice(0, place) + String.fromCharCode(code) + line.slice(place + 1);
  }),
  terms.map((other) => (text: DraftText) => writeDraftText({ ...text, terms: other })),
  market.map((other) => (text: DraftText) => writeDraftText({ ...text, marketConditionId: other })),
  pubkey.map((other) => (text: DraftText) => writeDraftText({ ...text, draftPubkey: other })),
  fc
    .constantFrom('Worm', 'svc', 'SVC ', ' SVC')
    .map((other) => (text: DraftText) => writeDraftText({ ...text, serviceName: other })),
  fc
    .constantFrom(' ', '\n', '\u0000', '\u200b', '\ufeff', '0', ' | Amount: 5')
    .map((extra) => (text: DraftText) => `${writeDraftText(text)}${extra}`),
  fc.constantFrom(' ', '\n', '\ufeff', '0x').map((extra) => (text: DraftText) => `${extra}${writeDraftText(text)}`),
  fc
    .constantFrom('hex', 'base64')
    .map((form) => (text: DraftText) => Buffer.from(writeDraftText(text)).toString(form === 'hex' ? 'hex' : 'base64')),
  fc.string().map((other) => () => other),
  fc.constant((text: DraftText) => writeDraftText(text).replace(/: (\d+)/, ': 0$1')),
  fc.constant((text: DraftText) => writeDraftText(text).replace(/, /, ',  ')),
  fc.constant((text: DraftText) => writeDraftText(text).toUpperCase()),
);

describe('the draft signer', () => {
  it('signs every honest draft, always with the same signature, and node:crypto verifies it', () => {
    fc.assert(
      fc.property(honest, ({ stored }) => {
        const signer = signerOf(stored);
        const first = signer.sign(stored.intentId);
        if (!first.ok) throw new Error(first.reason);
        expect(first.signature).toMatch(/^[0-9a-f]{128}$/);
        expect(signer.sign(stored.intentId)).toEqual(first);
        expect(verifies(Buffer.from(stored.message, 'utf8'), first.signature, wallet.address)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('signs no draft whose text says anything but what the intent says', () => {
    let refused = 0;
    fc.assert(
      fc.property(honest, mutation, ({ text, stored }, mutate) => {
        const message = mutate(text);
        // Another expiry is the venue's to choose: it changes nothing that we agree to.
        const sameButExpiry = message.replace(/\d+$/, '') === stored.message.replace(/\d+$/, '');
        fc.pre(!(sameButExpiry && /Expires: (0|[1-9]\d{0,11})$/.test(message)));
        const result = signerOf({ ...stored, message }).sign(stored.intentId);
        expect(result).toMatchObject({ ok: false, reason: expect.any(String) });
        refused++;
      }),
      { numRuns: 2_000 },
    );
    expect(refused).toBeGreaterThan(1_500);
  });

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
  const orderTerms = stored.terms as Extract<DraftTerms, { type: 'limit' }>;

  it.each([
    [
      'service',
      { message: stored.message.replace('SVC', 'Worm') },
      'service: the draft says Worm, the venue profile says SVC',
    ],
    ['market', { marketConditionId: 'mkt-2' }, 'market: the draft says mkt-1, the intent says mkt-2'],
    ['draft', { draftPubkey: 'other' }, 'draft: the draft says Dr1ft, the intent says other'],
    ['outcome', { terms: { ...orderTerms, isYes: false } }, 'isYes: the draft says true, the intent says false'],
    ['side', { terms: { ...orderTerms, side: 'sell' as const } }, 'side: the draft says buy, the intent says sell'],
    [
      'price',
      { terms: { ...orderTerms, price: 410_000 as Micros } },
      'price: the draft says 0.42, the intent says 0.41',
    ],
    [
      'amount',
      { terms: { ...orderTerms, amount: 10_000_001 as Micros } },
      'amount: the draft says 10, the intent says 10.000001',
    ],
    [
      'action',
      { terms: { action: 'merge-shares' as const, amount: 10_000_000 as Micros } },
      'action: the draft says place-order, the intent says merge-shares',
    ],
  ])('names the %s that differs', (_, change, reason) => {
    expect(reasonOf(change)).toBe(reason);
  });

  it('compares both sides of a redeem', () => {
    const redeem = 'SVC draft v1 | redeem-shares | Market: mkt-1 | Yes: 12, No: 0 | Draft: Dr1ft | Expires: 1714300060';
    const of = (yes: number, no: number) =>
      reasonOf({ message: redeem, terms: { action: 'redeem-shares', yes: yes as Micros, no: no as Micros } });
    expect(of(12_000_000, 0)).toBe('signed');
    expect(of(12_000_000, 1)).toBe('no: the draft says 0, the intent says 0.000001');
    expect(of(0, 12_000_000)).toBe('yes: the draft says 12, the intent says 0');
  });

  it('signs nothing for an intent without a stored draft, or with the draft of another', () => {
    expect(signerOf(null).sign('i-1')).toEqual({ ok: false, reason: 'no draft is stored for intent i-1' });
    const loadDraft = () => ({ ...stored, intentId: 'i-2' });
    expect(signerOf(null, { loadDraft }).sign('i-1')).toMatchObject({ ok: false });
  });

  it('signs no credential challenge, whatever the profile', () => {
    const message = challengeText('SVC', wallet.address, 'nonce1');
    for (const draftMessage of ['utf8', 'solana_tx', 'opaque'] as const) {
      expect(reasonOf({ message }, { draftMessage, allowBlindSigning: true })).toBe(
        'the draft is a credential challenge',
      );
    }
  });

  it('signs no transaction, in any spelling, even where blind signing is allowed', () => {
    const owner = base58.decode(wallet.address);
    const message = Uint8Array.from([
      1,
      0,
      1,
      2,
      ...owner,
      ...new Uint8Array(32),
      ...randomBytes(32),
      1,
      1,
      1,
      0,
      2,
      7,
      7,
    ]);
    const versioned = Uint8Array.from([0x80, ...message, 0]);
    const full = Uint8Array.from([1, ...new Uint8Array(64), ...message]);
    for (const bytes of [message, versioned, full]) {
      const spellings = [
        hex.encode(bytes),
        `0x${hex.encode(bytes).toUpperCase()}`,
        base64.encode(bytes),
        base64.encode(bytes).replace(/=+$/, ''),
        Buffer.from(bytes).toString('base64url'),
        base58.encode(bytes),
        ` ${base58.encode(bytes)}\n`,
      ];
      for (const spelling of spellings) {
        expect(reasonOf({ message: spelling }, { draftMessage: 'opaque', allowBlindSigning: true })).toBe(
          'the draft decodes as a transaction',
        );
      }
    }
  });

  it('signs opaque drafts only when blind signing is allowed', () => {
    const message = 'f00dfeed';
    expect(reasonOf({ message }, { draftMessage: 'opaque' })).toContain('blind signing is not allowed');
    expect(reasonOf({ message }, { draftMessage: 'opaque', allowBlindSigning: true })).toBe('signed');
  });

  it('refuses a message too long to be a draft', () => {
    const policy = { draftMessage: 'opaque', allowBlindSigning: true } as const;
    expect(reasonOf({ message: 'x'.repeat(20_000) }, policy)).toContain('too long');
  });
});

describe('credential challenges', () => {
  const nonce = 'aB3-_x';
  const text = challengeText('SVC', wallet.address, nonce);

  it('are signed when they are exactly the template for this wallet', () => {
    const result = wallet.signChallenge(text, { serviceName: 'SVC', nonce });
    expect(result.ok && verifies(Buffer.from(text, 'utf8'), result.signature, wallet.address)).toBe(true);
  });

  it.each([
    ['another service', text, { serviceName: 'Worm', nonce }],
    ['another nonce', text, { serviceName: 'SVC', nonce: 'other' }],
    ['another wallet', challengeText('SVC', base58.encode(randomBytes(32)), nonce), { serviceName: 'SVC', nonce }],
    ['a line more', `${text}\n`, { serviceName: 'SVC', nonce }],
    ['a draft', 'SVC draft v1 | merge-shares', { serviceName: 'SVC', nonce }],
    ['a nonce that goes on', challengeText('SVC', wallet.address, 'a | b'), { serviceName: 'SVC', nonce: 'a | b' }],
    ['an empty nonce', challengeText('SVC', wallet.address, ''), { serviceName: 'SVC', nonce: '' }],
  ])('are refused: %s', (_, challenge, expectation) => {
    expect(wallet.signChallenge(challenge, expectation).ok).toBe(false);
  });
});
