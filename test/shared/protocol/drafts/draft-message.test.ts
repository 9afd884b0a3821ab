import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import type { Micros } from '../../../../src/shared/base/micros.js';
import {
  readDraftMessage,
  signedBytes,
  writeDraftMessage,
} from '../../../../src/shared/protocol/drafts/draft-message.js';
import { type DraftText, writeDraftText } from '../../../../src/shared/protocol/drafts/draft-text.js';
import { readTransaction } from '../../../../src/shared/protocol/drafts/solana-message.js';

const wallet = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const draft: DraftText = {
  serviceName: 'SVC',
  marketConditionId: 'mkt-1',
  draftPubkey: '7n9G9WfQ2V7d6hM3XK8pQ4LwR2eY6aT1uJ5cB8mN3qPz',
  expires: 1_714_300_060,
  terms: { action: 'merge-shares', amount: 10_000_000 as Micros },
};
const text = writeDraftText(draft);

/** The transaction in parts, in the order of the chain's documentation. */
const TRANSACTION = [
  '01', // one signature slot
  '00'.repeat(64), // empty
  '80', // version 0
  '010001', // one signer, who pays; no read-only signer; one read-only account
  '02', // accounts
  '321cfa5add185e8893a5fd88013ec4d7e122ded46354cadff50d956395e75b60', // the wallet
  '054a535a992921064d24e87160da387c7c35b5ddbc92bb81e41fa8404105448d', // the Memo program
  Buffer.from(base58.decode(draft.draftPubkey)).toString('hex'), // in place of a blockhash
  '01', // one instruction
  '0100', // program: the second account; no accounts
  '8401', // 132 bytes, as a compact length
  Buffer.from(text).toString('hex'),
  '00', // no lookup tables
].join('');

describe('the message of a draft', () => {
  it('is the text itself as utf8', () => {
    expect(writeDraftMessage('utf8', draft, wallet)).toBe(text);
    expect(signedBytes('utf8', text)).toEqual(Buffer.from(text));
    expect(readDraftMessage('utf8', text)).toEqual(draft);
  });

  it('is a transaction with the text as memo as solana_tx', () => {
    const message = writeDraftMessage('solana_tx', draft, wallet);
    expect(message).toBe(TRANSACTION);
    expect(signedBytes('solana_tx', message)).toEqual(Buffer.from(message.slice(130), 'hex'));
    expect(readDraftMessage('solana_tx', message)).toEqual(draft);
    const read = readTransaction(message);
    expect(read.ok && read.transaction.feePayer).toBe(wallet);
  });

  it('says nothing as opaque, but is always the same and never that of another draft', () => {
    const message = writeDraftMessage('opaque', draft, wallet);
    expect(message).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(writeDraftMessage('opaque', draft, wallet)).toBe(message);
    expect(writeDraftMessage('opaque', { ...draft, expires: draft.expires + 1 }, wallet)).not.toBe(message);
    expect(signedBytes('opaque', message)).toEqual(Buffer.from(message));
    expect(readDraftMessage('opaque', message)).toBeNull();
  });

  it('of one kind is not read as another', () => {
    expect(readDraftMessage('solana_tx', text)).toBeNull();
    expect(signedBytes('solana_tx', text)).toBeNull();
    expect(readDraftMessage('utf8', writeDraftMessage('solana_tx', draft, wallet))).toBeNull();
  });
});
