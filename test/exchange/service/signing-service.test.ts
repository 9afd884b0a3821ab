import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { WalletSignatures } from '../../../src/exchange/service/wallet-signatures.js';
import type { Micros } from '../../../src/shared/base/micros.js';
import { writeDraftMessage } from '../../../src/shared/protocol/drafts/draft-message.js';
import type { DraftText } from '../../../src/shared/protocol/drafts/draft-text.js';
import { readTransaction, type Transaction } from '../../../src/shared/protocol/drafts/solana-message.js';
import type { DraftCosigners } from '../../../src/shared/protocol/profile.js';
import { readProfile } from '../../../src/shell/config/config.js';
import { venueFile } from '../../../src/shell/config/shipped.js';
import { signingRules } from '../../../src/shell/wallet/draft-signer.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';
import { PAPER_COSIGNERS } from '../cosigners.js';

const profile = readProfile(venueFile('worm'), '/');
const signatures = new WalletSignatures('solana_tx');
const wallet = new Wallet(randomBytes(32));
const stranger = base58.encode(randomBytes(32));
const [FIRST = '', SECOND = ''] = PAPER_COSIGNERS;

const draft: DraftText = {
  serviceName: 'Worm',
  marketConditionId: 'mkt-1',
  draftPubkey: stranger,
  expires: 1_714_300_060,
  terms: { action: 'merge-shares', amount: 10_000_000 as Micros },
};

function transactionOf(hex: string): Transaction {
  const read = readTransaction(hex);
  if (!read.ok) throw new Error(read.problem);
  return read.transaction;
}

/** The draft with these co-signers, and our wallet's signature over it by the rules of a profile with them. */
function signedDraft(draft_cosigners: DraftCosigners) {
  const message = writeDraftMessage('solana_tx', draft, wallet.address, draft_cosigners);
  const stored = { intentId: 'i', ...draft, message };
  const rules = signingRules({ ...profile, draft_cosigners: { ...draft_cosigners } }, false);
  const signed = wallet.draftSigner({ ...rules, loadDraft: () => stored }).sign('i');
  if (!signed.ok) throw new Error(signed.reason);
  return { message, signature: signed.signature };
}

describe('drafts with co-signers', () => {
  it.each<[string, DraftCosigners]>([
    ['one who pays', { keys: [FIRST], fee_payer: FIRST }],
    ['two, of whom the second pays', { keys: [FIRST, SECOND], fee_payer: SECOND }],
    ['four, none of whom pays', { keys: [...PAPER_COSIGNERS] }],
  ])('leave all slots empty, and need only the signature of the wallet: %s', (_, cosigners) => {
    const { message, signature } = signedDraft(cosigners);
    const { signers, feePayer, filledSlots } = transactionOf(message);
    expect(feePayer).toBe(cosigners.fee_payer ?? wallet.address);
    expect([...signers].sort()).toEqual([wallet.address, ...cosigners.keys].sort());
    expect(filledSlots).toEqual([]);
    expect(signatures.signsDraft(wallet.address, message, signature)).toBe(true);
  });

  it('refuse a signature that is not of our wallet, or that is over other bytes', () => {
    const { message, signature } = signedDraft({ keys: [FIRST], fee_payer: FIRST });
    expect(signatures.signsDraft(wallet.address, message, signedDraft({ keys: [FIRST] }).signature)).toBe(false);
    expect(signatures.signsDraft(stranger, message, signature)).toBe(false);
    expect(signatures.signsDraft(FIRST, message, signature)).toBe(false);
    expect(signatures.signsDraft(wallet.address, 'no transaction', signature)).toBe(false);
  });
});
