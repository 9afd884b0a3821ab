import { expect, it } from 'vitest';
import { writeDraftText } from '../../src/shared/protocol/drafts/draft-text.js';
import type { StoredDraft } from '../../src/shell/wallet/draft-signer.js';
import { Wallet } from '../../src/shell/wallet/wallet.js';
import { PROFILE } from './setting.js';
import { keysOf, signerOf } from './trader-process.js';

it('the simulated wallet signs with the same bytes as the real one', () => {
  const seed = Uint8Array.from({ length: 32 }, (_, i) => 7 * i);
  const terms = { action: 'cancel-order', orderPubkey: 'P' } as const;
  const names = { marketConditionId: 'M', draftPubkey: 'P' };
  const message = writeDraftText({ serviceName: PROFILE.service_name, ...names, expires: 1_800_000_000, terms });
  const stored: StoredDraft = { intentId: 'I', ...names, message, terms };
  const policy = {
    service_name: PROFILE.service_name,
    draft_message: PROFILE.draft_message,
    allowBlindSigning: false,
    loadDraft: () => stored,
  };
  const real = new Wallet(seed).draftSigner(policy).sign('I');
  expect(real.ok).toBe(true);
  expect(signerOf(keysOf(seed), policy).sign('I')).toEqual(real);
});
