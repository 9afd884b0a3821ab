import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { address } from '@solana/addresses';
import { describe, expect, it } from 'vitest';
import type { Micros } from '../../../src/shared/base/micros.js';
import { writeDraftText } from '../../../src/shared/protocol/drafts/draft-text.js';
import { MEMO_PROGRAM } from '../../../src/shared/protocol/drafts/solana-message.js';
import type { signingRules } from '../../../src/shell/wallet/draft-signer.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';
import { serviceName } from './drafts.js';
import { READONLY_SIGNER, type Shape, transactionHex, WRITABLE } from './shapes.js';

type SigningRules = ReturnType<typeof signingRules>;

const wallet = new Wallet(randomBytes(32));
const key = () => base58.encode(randomBytes(32));
const RULES: SigningRules = { service_name: serviceName, draft_message: 'solana_tx', allowBlindSigning: false };

/** Hex of a transaction paid by our wallet. */
const transaction = (...instructions: Shape['instructions']): string =>
  transactionHex({ payer: wallet.address, blockhash: key(), instructions });

const terms = { action: 'merge-shares', amount: 10_000_000 as Micros } as const;
const draft = { serviceName, marketConditionId: 'mkt-1', draftPubkey: key(), expires: 1_714_300_060, terms };
const memo = { program: MEMO_PROGRAM, text: writeDraftText(draft) };

/** `signed`, or the reason for the rejection. */
function outcome(message: string, rules: Partial<SigningRules> = {}): string {
  const stored = { intentId: 'i', ...draft, message };
  const result = wallet.draftSigner({ ...RULES, ...rules, loadDraft: () => stored }).sign('i');
  return result.ok ? 'signed' : result.reason;
}

const stranger = address(key());

describe('a transaction that calls a program which nobody can read', () => {
  const program = key();
  const call = { program, data: Buffer.from([1, 2, 3]), accounts: [{ address: stranger, role: WRITABLE }] } as const;
  const solana_programs = [program];
  const allowed = { solana_programs, allowBlindSigning: true };
  const message = transaction(call);

  it('is signed only when the profile names the program and the operator allows blind signing', () => {
    expect(outcome(message)).toContain(`calls the program ${program}`);
    expect(outcome(message, { allowBlindSigning: true })).toContain(`calls the program ${program}`);
    expect(outcome(message, { solana_programs })).toContain('blind signing is not allowed');
    expect(outcome(message, allowed)).toBe('signed');
  });

  const cosigned = { ...call, accounts: [{ address: stranger, role: READONLY_SIGNER }] };
  it.each<[string, Shape['instructions'], string]>([
    ['another signer', [cosigned], 'requires 2 signers'],
    ['two memos', [call, memo, memo], 'carries 2 memos'],
  ])('is not signed with %s', (_, calls, reason) => expect(outcome(transaction(...calls), allowed)).toContain(reason));

  it.each<[string, string[], string]>([
    ['a modest priority fee', ['02400d0300', '03204e000000000000'], 'signed'],
    ['a priority fee without a limit of units', ['0340420f0000000000'], 'priority fee of 1400000 lamports'],
    ['a ruinous priority fee', ['02400d0300', '03ffffffffffffffff'], 'priority fee of'],
    ['a price that was set twice', ['0300000000000000ff', '03204e000000000000', '02ffffffff'], 'priority fee of'],
    ['a call of the budget that is cut', ['03204e'], 'an unreadable call of Compute Budget'],
    ['another call of the budget', ['0100000400'], 'an unreadable call of Compute Budget'],
  ])('is judged by what %s costs', (_, calls, expected) => {
    const budget = 'ComputeBudget111111111111111111111111111111';
    const rules = { ...allowed, solana_programs: [...solana_programs, budget] };
    const asked = calls.map((data) => ({ program: budget, data: Buffer.from(data, 'hex') }));
    expect(outcome(transaction(...asked, call), rules)).toContain(expected);
    expect(outcome(transaction(...asked, call), allowed)).toContain(`calls the program ${budget}`);
  });

  it('may carry a memo of its own, ours, or a lookup table that is allowed', () => {
    expect(outcome(transaction(call, { ...memo, text: 'order 17' }), allowed)).toBe('signed');
    expect(outcome(transaction(memo, call), allowed)).toBe('signed');
    const looked = transaction({ ...call, table: key() });
    expect(outcome(looked, { ...allowed, solana_lookup_tables: true })).toBe('signed');
    expect(outcome(looked, { solana_lookup_tables: true })).not.toBe('signed');
  });
});
