import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { address } from '@solana/addresses';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WalletSignatures } from '../../../src/exchange/service/wallet-signatures.js';
import type { Micros } from '../../../src/shared/base/micros.js';
import { signedBytes, writeDraftMessage } from '../../../src/shared/protocol/drafts/draft-message.js';
import { type DraftText, writeDraftText } from '../../../src/shared/protocol/drafts/draft-text.js';
import { MEMO_PROGRAM, readTransaction } from '../../../src/shared/protocol/drafts/solana-message.js';
import type { SigningRules } from '../../../src/shell/wallet/signing-rules.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';
import { times } from '../../support/effort.js';
import { honest, serviceName, verifies } from './drafts.js';
import { READONLY, READONLY_SIGNER, type Shape, transactionHex, WRITABLE } from './shapes.js';

const wallet = new Wallet(randomBytes(32));
const key = () => base58.encode(randomBytes(32));
const RULES: SigningRules = { serviceName, draftMessage: 'solana_tx', allowBlindSigning: false };

/** Hex of a transaction of any shape, paid by our wallet unless told otherwise. */
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

/** `signed`, or the reason why not. */
function outcome(message: string, rules: Partial<SigningRules> = {}, of: DraftText = draft): string {
  const { marketConditionId, draftPubkey, terms } = of;
  const stored = { intentId: 'i', marketConditionId, draftPubkey, message, terms };
  const result = wallet.draftSigner({ ...RULES, ...rules, loadDraft: () => stored }).sign('i');
  return result.ok ? 'signed' : result.reason;
}

describe('a transaction that is an honest draft', () => {
  it('is signed over its message bytes, whatever its terms, and the exchange takes the signature', () => {
    const signatures = new WalletSignatures('solana_tx');
    const versions = new Set<unknown>();
    fc.assert(
      fc.property(honest, ({ text: of, stored }) => {
        const message = writeDraftMessage('solana_tx', of, wallet.address);
        expect(message).toBe(writeDraftMessage('solana_tx', of, wallet.address));
        const signer = wallet.draftSigner({ ...RULES, loadDraft: () => ({ ...stored, message }) });
        const result = signer.sign(stored.intentId);
        if (!result.ok) throw new Error(result.reason);
        expect(result.signature).toMatch(/^[0-9a-f]{128}$/);
        // One signature slot of 64 bytes stands before the message.
        expect(message.slice(0, 130)).toBe(`01${'00'.repeat(64)}`);
        expect(verifies(Buffer.from(message.slice(130), 'hex'), result.signature, wallet.address)).toBe(true);
        expect(signatures.signsDraft(wallet.address, message, result.signature)).toBe(true);
        expect(signatures.signsDraft(base58.encode(randomBytes(32)), message, result.signature)).toBe(false);
        const read = readTransaction(message);
        versions.add(read.ok && read.transaction.version);
      }),
      { numRuns: times(100, 200) },
    );
    expect([...versions].sort()).toEqual([0, 'legacy']);
  });

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
const good = transaction({ instructions: [memo] });
const legacy = transaction({ version: 'legacy', instructions: [memo] });
const change = (hex: string, at: number, to: string) => hex.slice(0, 2 * at) + to + hex.slice(2 * at + 2);
const insert = (hex: string, at: number, more: string) => hex.slice(0, 2 * at) + more + hex.slice(2 * at);
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

/** Where the version byte of a version 0 message stands, behind one signature; the header is behind it. */
const VERSION_AT = 65;
const HEADER_AT = 66;
const KEYS_AT = 69;

describe('a hostile transaction', () => {
  it.each<[string, string, string]>([
    ['paid by another', transaction({ payer: stranger, instructions: [memo] }), `is paid by ${stranger}`],
    [
      'with another signer',
      transaction({ instructions: [{ ...memo, accounts: [{ address: stranger, role: READONLY_SIGNER }] }] }),
      'wants 2 signers',
    ],
    [
      'in which we are not the payer but a signer',
      transaction({
        payer: stranger,
        instructions: [{ ...memo, accounts: [{ address: address(wallet.address), role: READONLY_SIGNER }] }],
      }),
      `is paid by ${stranger}`,
    ],
    ['with a transfer behind the memo', transaction({ instructions: [memo, transfer] }), `calls the program ${SYSTEM}`],
    ['with a transfer before it', transaction({ instructions: [transfer, memo] }), `calls the program ${SYSTEM}`],
    ['that is a transfer alone', transaction({ instructions: [transfer] }), `calls the program ${SYSTEM}`],
    ['that calls a stranger', transaction({ instructions: [memo, { program: stranger }] }), `program ${stranger}`],
    ['without instructions', transaction({ instructions: [] }), 'carries no memo'],
    ['with two memos', transaction({ instructions: [memo, memo] }), 'carries 2 memos'],
    ['with an empty memo beside ours', transaction({ instructions: [memo, { ...memo, text: '' }] }), 'carries 2 memos'],
    [
      'with the memo of other terms',
      transaction({ instructions: [{ ...memo, text: other }] }),
      'amount: the draft says 11, the intent says 10',
    ],
    [
      'with the memo of another service',
      transaction({ instructions: [{ ...memo, text: text.replace('SVC', 'Worm') }] }),
      'service: the draft says Worm',
    ],
    [
      'with another draft of ours',
      transaction({ instructions: [{ ...memo, text: writeDraftText({ ...draft, draftPubkey: stranger }) }] }),
      `draft: the draft says ${stranger}`,
    ],
    ['with a line behind the memo', transaction({ instructions: [{ ...memo, text: `${text}\n` }] }), 'not a readable'],
    ['with a zero byte in the memo', transaction({ instructions: [{ ...memo, text: `${text}\0` }] }), 'not a readable'],
    [
      'with a memo that is not UTF-8',
      transaction({ instructions: [{ ...memo, data: Buffer.from([0x53, 0xff]) }] }),
      'is not text',
    ],
    [
      'that names an account for nothing',
      transaction({ instructions: [{ ...memo, accounts: [{ address: stranger, role: READONLY }] }] }),
      `names the account ${stranger}`,
    ],
    ['with a lookup table', transaction({ instructions: [{ ...memo, table: key() }] }), 'out of a lookup table'],
    ['with bytes behind its end', `${good}00`, 'not a Solana transaction|not spelled'],
    ['with another transaction behind its end', `${good}${good}`, 'not a Solana transaction|not spelled'],
    ['that ends early', good.slice(0, -2), 'not a Solana transaction|not spelled'],
    ['that ends within the keys', good.slice(0, 2 * KEYS_AT + 20), 'not a Solana transaction'],
    ['without signature slots', good.slice(130), 'not a Solana transaction|not spelled'],
    ['that is the bare message with no slot', `00${good.slice(130)}`, 'not a Solana transaction|not spelled'],
    ['that is signed already', change(good, 5, '01'), 'carries a signature already'],
    ['that is half a byte short', good.slice(0, -1), 'not the hex of bytes'],
    ['with 0x before it', `0x${good}`, 'not the hex of bytes'],
    ['in base64', Buffer.from(good, 'hex').toString('base64'), 'not the hex of bytes'],
    ['that is nothing', '', 'not the hex of bytes'],
    ['that is the text itself', text, 'not the hex of bytes'],
    [
      'that is the text in hex',
      Buffer.from(text).toString('hex'),
      'not a Solana transaction|not spelled|unknown version',
    ],
    ['of version 1', change(good, VERSION_AT, '81'), 'not a Solana transaction|not spelled|unknown version'],
    ['of version 127', change(good, VERSION_AT, 'ff'), 'not a Solana transaction|not spelled|unknown version'],
    ['of version 0 with junk behind', `${good}deadbeef`, 'not a Solana transaction|not spelled'],
    ['legacy with the version byte of 0', insert(legacy, VERSION_AT, '80'), 'not a Solana transaction|not spelled'],
    ['with a count in two bytes instead of one', `8100${good.slice(2)}`, 'unknown version'],
    ['with the key count in two bytes', change(good, KEYS_AT, '8200'), 'not spelled'],
    ['that needs no signer', change(good, HEADER_AT, '00'), 'not a Solana transaction|not spelled|contradicts'],
    ['that needs more signers than slots', change(good, HEADER_AT, '02'), 'not a Solana|not spelled|contradicts'],
    ['whose payer may not pay', change(good, HEADER_AT + 1, '01'), 'contradicts itself'],
    ['with more read-only accounts than accounts', change(good, HEADER_AT + 2, '02'), 'contradicts itself'],
    ['whose program is the payer', good.replace(/0101(00.{4}5356432064)/, '0100$1'), 'contradicts itself'],
    ['whose program is no account', good.replace(/0101(00.{4}5356432064)/, '0105$1'), 'contradicts itself'],
    [
      'longer than a packet',
      transaction({ instructions: [{ ...memo, text: 'x'.repeat(1200) }] }),
      'longer than any transaction',
    ],
    ['longer than anything', 'ab'.repeat(50_000), 'too long'],
  ])('%s is not signed', (_, message, reason) => {
    expect(outcome(message)).toMatch(new RegExp(reason));
    expect(outcome(message, { allowBlindSigning: true })).toMatch(new RegExp(reason));
  });

  it('is not signed when one byte of an honest one was changed, but for blockhash, expiry and a flag without effect', () => {
    // The last byte of the header: whether the memo program's account is read-only, which a program's always is.
    const free = (hex: string, at: number) => {
      const keys = hex === good ? KEYS_AT + 1 : KEYS_AT;
      const blockhash = at >= keys + 64 && at < keys + 96;
      const tail = hex.length / 2 - (hex === good ? 1 : 0);
      return blockhash || at === keys - 2 || (at >= tail - 10 && at < tail);
    };
    let refused = 0;
    fc.assert(
      fc.property(fc.constantFrom(good, legacy), fc.nat(), fc.integer({ min: 1, max: 255 }), (hex, place, by) => {
        const at = place % (hex.length / 2);
        const byte = (Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16) + by) % 256;
        fc.pre(!free(hex, at));
        expect(outcome(change(hex, at, byte.toString(16).padStart(2, '0')))).not.toBe('signed');
        refused++;
      }),
      { numRuns: times(500, 1_500) },
    );
    expect(refused).toBeGreaterThan(times(350, 1_000));
  });

  it('is not signed for any bytes at all', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1_300 }), (bytes) => {
        expect(outcome(Buffer.from(bytes).toString('hex'))).not.toBe('signed');
        expect(outcome(`01${'00'.repeat(64)}${Buffer.from(bytes).toString('hex')}`)).not.toBe('signed');
      }),
      { numRuns: times(150, 300) },
    );
  });
});

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
      'wants 2 signers',
    ],
    ['a program that was not named', { instructions: [call, transfer] }, `calls the program ${SYSTEM}`],
    ['two memos', { instructions: [call, memo, memo] }, 'carries 2 memos'],
    ['the memo of other terms', { instructions: [call, { ...memo, text: other }] }, 'amount: the draft says 11'],
    ['a lookup table', { instructions: [{ ...call, table: key() }] }, 'lookup table'],
  ])('is not signed with %s', (_, shape, reason) => {
    expect(outcome(transaction(shape), allowed)).toContain(reason);
  });

  it.each<[string, string, string]>([
    ['a transfer of System', SYSTEM, '0200000040420f0000000000'],
    ['an Assign of System', SYSTEM, `01000000${'07'.repeat(32)}`],
    ['a durable nonce of System', SYSTEM, '04000000'],
    ['an Approve of Token', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', '04ffffffffffffff7f'],
    ['a SetAuthority of Token-2022', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', `060201${'07'.repeat(32)}`],
  ])('is not signed with %s, though the profile names it and blind signing is allowed', (_, named, data) => {
    const rules = { ...allowed, solanaPrograms: [...solanaPrograms, named] };
    const giving = { program: named, data: Buffer.from(data, 'hex') };
    for (const instructions of [[giving, call], [call, giving], [giving, memo], [giving]]) {
      expect(outcome(transaction({ instructions }), rules)).toContain('which nobody can allow');
    }
  });

  it.each<[string, string[], string]>([
    ['a modest priority fee', ['02400d0300', '03204e000000000000'], 'signed'],
    ['a priority fee without a limit of units', ['0340420f0000000000'], 'priority fee of 1400000 lamports'],
    ['a ruinous priority fee', ['02400d0300', '03ffffffffffffffff'], 'priority fee of'],
    ['a price that was set twice', ['0300000000000000ff', '03204e000000000000', '02ffffffff'], 'priority fee of'],
    ['a call of the budget that is cut', ['03204e'], 'a priority that nobody can read'],
    ['another call of the budget', ['0100000400'], 'a priority that nobody can read'],
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
