import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { address } from '@solana/addresses';
import { describe, expect, it } from 'vitest';
import { WalletSignatures } from '../../../src/exchange/service/wallet-signatures.js';
import type { Micros } from '../../../src/shared/base/micros.js';
import { signedBytes } from '../../../src/shared/protocol/drafts/draft-message.js';
import { type DraftText, writeDraftText } from '../../../src/shared/protocol/drafts/draft-text.js';
import { MEMO_PROGRAM } from '../../../src/shared/protocol/drafts/solana-message.js';
import type { SigningRules } from '../../../src/shell/wallet/draft-signer.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';
import { serviceName } from './drafts.js';
import { READONLY_SIGNER, type Shape, transactionHex, WRITABLE } from './shapes.js';

const wallet = new Wallet(randomBytes(32));
const key = () => base58.encode(randomBytes(32));
const RULES: SigningRules = { serviceName, draftMessage: 'solana_tx', allowBlindSigning: false };

/** Hex of a transaction of any shape, paid by our wallet by default. */
const transaction = (shape: Partial<Shape> & Pick<Shape, 'instructions'>): string =>
  transactionHex({ payer: wallet.address, blockhash: key(), ...shape });

const draft: DraftText = {
  serviceName,
  marketConditionId: 'mkt-1',
  draftPubkey: key(),
  expires: 1_714_300_060,
  terms: {
    action: 'place-order',
    isYes: true,
    side: 'buy',
    type: 'limit',
    price: 420_000 as Micros,
    amount: 10_000_000 as Micros,
  },
};
const text = writeDraftText(draft);
const memo = { program: MEMO_PROGRAM, text };

/** `signed`, or the reason for the rejection. */
function outcome(message: string, rules: Partial<SigningRules> = {}, of: DraftText = draft): string {
  const { marketConditionId, draftPubkey, terms } = of;
  const stored = { intentId: 'i', marketConditionId, draftPubkey, message, terms };
  const result = wallet.draftSigner({ ...RULES, ...rules, loadDraft: () => stored }).sign('i');
  return result.ok ? 'signed' : result.reason;
}

describe('a transaction that is an honest draft', () => {
  it.each(['legacy', 0] as const)(
    'is signed in version %s, with or without the wallet named in the memo',
    (version) => {
      const named = [{ address: address(wallet.address), role: READONLY_SIGNER }] as const;
      expect(outcome(transaction({ version, instructions: [memo] }))).toBe('signed');
      expect(outcome(transaction({ version, instructions: [{ ...memo, accounts: named }] }))).toBe('signed');
      expect(outcome(transaction({ version, instructions: [memo] }).toUpperCase())).toBe('signed');
    },
  );

  it('is not taken for the hex text or for the whole transaction', () => {
    const message = transaction({ instructions: [memo] });
    const signatures = new WalletSignatures('solana_tx');
    for (const bytes of [Buffer.from(message, 'utf8'), Buffer.from(message, 'hex')]) {
      expect(signedBytes('solana_tx', message)).not.toEqual(bytes);
    }
    expect(signatures.signsDraft(wallet.address, 'no transaction', '00'.repeat(64))).toBe(false);
  });
});

const other = writeDraftText({ ...draft, terms: { ...draft.terms, amount: 11_000_000 } as DraftText['terms'] });
const stranger = address(key());
const SYSTEM = '11111111111111111111111111111111';
/** 2 = transfer, then lamports. */
const transfer = {
  program: SYSTEM,
  data: Buffer.from('0200000040420f0000000000', 'hex'),
  accounts: [
    { address: address(wallet.address), role: READONLY_SIGNER },
    { address: stranger, role: WRITABLE },
  ],
} as const;

describe('a transaction that calls a program which nobody can read', () => {
  const program = key();
  const call = { program, data: Buffer.from([1, 2, 3]), accounts: [{ address: stranger, role: WRITABLE }] } as const;
  const solanaPrograms = [program];
  const allowed = { solanaPrograms, allowBlindSigning: true };
  const message = transaction({ instructions: [call] });

  it('is signed only when the profile names the program and the operator allows blind signing', () => {
    expect(outcome(message)).toContain(`calls the program ${program}`);
    expect(outcome(message, { allowBlindSigning: true })).toContain(`calls the program ${program}`);
    expect(outcome(message, { solanaPrograms })).toContain('blind signing is not allowed');
    expect(outcome(message, allowed)).toBe('signed');
  });

  it.each<[string, Partial<Shape> & Pick<Shape, 'instructions'>, string]>([
    ['another payer', { payer: stranger, instructions: [call] }, 'is paid by'],
    [
      'another signer',
      { instructions: [{ ...call, accounts: [{ address: stranger, role: READONLY_SIGNER }] }] },
      'requires 2 signers',
    ],
    ['a program that was not named', { instructions: [call, transfer] }, `calls the program ${SYSTEM}`],
    ['two memos', { instructions: [call, memo, memo] }, 'carries 2 memos'],
    ['the memo of other terms', { instructions: [call, { ...memo, text: other }] }, 'amount: the draft says 11'],
    ['a lookup table', { instructions: [{ ...call, table: key() }] }, 'lookup table'],
  ])('is not signed with %s', (_, shape, reason) => {
    expect(outcome(transaction(shape), allowed)).toContain(reason);
  });

  it.each<[string, string[], string]>([
    ['a modest priority fee', ['02400d0300', '03204e000000000000'], 'signed'],
    ['a priority fee without a limit of units', ['0340420f0000000000'], 'priority fee of 1400000 lamports'],
    ['a ruinous priority fee', ['02400d0300', '03ffffffffffffffff'], 'priority fee of'],
    ['a price that was set twice', ['0300000000000000ff', '03204e000000000000', '02ffffffff'], 'priority fee of'],
    ['a call of the budget that is cut', ['03204e'], 'an unreadable call of Compute Budget'],
    ['another call of the budget', ['0100000400'], 'an unreadable call of Compute Budget'],
  ])('is judged by what %s costs', (_, calls, expected) => {
    const budget = 'ComputeBudget111111111111111111111111111111';
    const rules = { ...allowed, solanaPrograms: [...solanaPrograms, budget] };
    const asked = calls.map((data) => ({ program: budget, data: Buffer.from(data, 'hex') }));
    expect(outcome(transaction({ instructions: [...asked, call] }), rules)).toContain(expected);
    expect(outcome(transaction({ instructions: [...asked, call] }), allowed)).toContain(`calls the program ${budget}`);
  });

  it('may carry a memo of its own, ours, or a lookup table that is allowed', () => {
    const own = transaction({ instructions: [call, { ...memo, text: 'order 17' }] });
    expect(outcome(own, allowed)).toBe('signed');
    expect(outcome(transaction({ instructions: [memo, call] }), allowed)).toBe('signed');
    const looked = transaction({ instructions: [{ ...call, table: key() }] });
    expect(outcome(looked, { ...allowed, solanaLookupTables: true })).toBe('signed');
    expect(outcome(looked, { solanaLookupTables: true })).not.toBe('signed');
  });
});
