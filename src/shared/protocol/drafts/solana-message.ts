/** Solana transactions as drafts. A transaction has exactly one spelling: the judged bytes are the signed bytes. */

import { isUtf8 } from 'node:buffer';
import { address } from '@solana/addresses';
import {
  appendTransactionMessageInstruction,
  createTransactionMessage,
  getCompiledTransactionMessageCodec,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/transaction-messages';
import { compileTransaction, getTransactionCodec } from '@solana/transactions';
import { must } from '../../base/errors.js';
import type { DraftCosigners } from '../profile.js';

/** Created once: creation costs as much as a use. */
const envelopes = getTransactionCodec();
const messages = getCompiledTransactionMessageCodec();

/** Program that only writes a text into the chain's log. */
export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/** Maximum size of a transaction, which must fit into one packet. */
export const LONGEST_TRANSACTION_BYTES = 1232;

/** The package's number for a read-only signing account. */
const READONLY_SIGNER = 2;

/** A transaction whose only instruction writes a text into the chain's log. Keys are base58 of 32 bytes. */
interface MemoTransaction {
  /** Signs; pays the fee too, unless a co-signer does. */
  readonly wallet: string;
  readonly cosigners?: DraftCosigners | undefined;
  readonly text: string;
  readonly blockhash: string;
  readonly version: Transaction['version'];
}

/** One call of a program by a transaction. Keys are base58 of 32 bytes. */
export interface TransactionInstruction {
  readonly program: string;
  /** Keys of the accounts, in the instruction's order. */
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

/** Effects of a transaction, as far as its bytes show. Accounts are base58. */
export interface Transaction {
  /** The two formats in use. */
  readonly version: 'legacy' | 0;
  readonly feePayer: string;
  /** Required signers, the fee payer first. */
  readonly signers: readonly string[];
  /** Keys of all accounts that the transaction names directly, signers first. */
  readonly accounts: readonly string[];
  /** Accounts from a lookup table are unknown and not listed. */
  readonly instructions: readonly TransactionInstruction[];
  readonly lookupTables: readonly string[];
  /** Signers whose slots are already filled. */
  readonly filledSlots: readonly string[];
  /** The bytes that a wallet signs. */
  readonly messageBytes: Uint8Array;
}

/** A parsed transaction, or one sentence with the reason for a failure. */
type ReadTransaction =
  | { readonly ok: true; readonly transaction: Transaction }
  | { readonly ok: false; readonly problem: string };

/** The package brands checked values; the caller, who made the blockhash, checks it. */
type Blockhash = Parameters<typeof setTransactionMessageLifetimeUsingBlockhash>[0]['blockhash'];

/** Lowercase hex of the transaction, its signature slots zeroed. The memo names the signers beside the fee payer. */
export function writeMemoTransaction({ wallet, cosigners, text, blockhash, version }: MemoTransaction): string {
  const payer = address(cosigners?.fee_payer ?? wallet);
  const others = [wallet, ...(cosigners?.keys ?? [])].map((key) => address(key)).filter((key) => key !== payer);
  const memo = {
    programAddress: address(MEMO_PROGRAM),
    data: Buffer.from(text, 'utf8'),
    ...(others.length === 0
      ? {}
      : { accounts: others.map((key) => ({ address: key, role: READONLY_SIGNER }) as const) }),
  };
  const lifetime = { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n };
  const paid = setTransactionMessageFeePayer(payer, createTransactionMessage({ version }));
  const message = appendTransactionMessageInstruction(
    memo,
    setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
  );
  return copyBytes(envelopes.encode(compileTransaction(message))).toString('hex');
}

/** Reads the hex of exactly one transaction, legacy or version 0, in its only spelling; else returns the problem. */
export function readTransaction(hexText: string): ReadTransaction {
  if (!/^(?:[0-9a-fA-F]{2})+$/.test(hexText)) return problem('the draft is not the hex of bytes');
  const bytes = Buffer.from(hexText, 'hex');
  if (bytes.length > LONGEST_TRANSACTION_BYTES) return problem('the draft is longer than any transaction');
  try {
    return readBytes(bytes);
  } catch {
    // The package throws for truncated bytes, unknown names and numbers out of range.
    return problem('the draft is not a Solana transaction');
  }
}

function readBytes(bytes: Buffer): ReadTransaction {
  const envelope = envelopes.decode(bytes);
  const message = messages.decode(envelope.messageBytes);
  if (message.version !== 'legacy' && message.version !== 0) return problem('the transaction has an unknown version');
  if (!isCanonical(bytes, envelope, message)) return problem('the transaction is not spelled the one way there is');
  if (!isSound(message)) return problem('the transaction contradicts itself');
  return { ok: true, transaction: makeTransaction(envelope, message) };
}

type Envelope = ReturnType<typeof envelopes.decode>;
type AnyMessage = ReturnType<typeof messages.decode>;
type CompiledMessage = Exclude<AnyMessage, { version: 1 }>;

/** A decoder may ignore trailing bytes and over-long numbers; an encoder writes neither. */
const isCanonical = (bytes: Buffer, envelope: Envelope, message: CompiledMessage): boolean =>
  bytes.equals(copyBytes(envelopes.encode(envelope))) &&
  copyBytes(envelope.messageBytes).equals(copyBytes(messages.encode(message)));

const listLookups = (message: CompiledMessage) =>
  message.version === 'legacy' ? [] : (message.addressTableLookups ?? []);

/** The chain's own rules for a message (`sanitize` of the Solana SDK), and no duplicate account. */
function isSound(message: CompiledMessage): boolean {
  const { staticAccounts, header, instructions } = message;
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
  const named = staticAccounts.length;
  const looked = listLookups(message).map((table) => table.readonlyIndexes.length + table.writableIndexes.length);
  const known = looked.reduce((sum, count) => sum + count, named);
  return (
    numSignerAccounts + numReadonlyNonSignerAccounts <= named &&
    numReadonlySignerAccounts < numSignerAccounts &&
    new Set(staticAccounts).size === named &&
    looked.every((count) => count > 0) &&
    instructions.every(({ programAddressIndex: program }) => program > 0 && program < named) &&
    instructions.every(({ accountIndices = [] }) => accountIndices.every((index) => index < known))
  );
}

function makeTransaction(envelope: Envelope, message: CompiledMessage): Transaction {
  const { staticAccounts: accounts, header } = message;
  return {
    version: message.version,
    feePayer: must(accounts[0], 'the fee payer of a sound message'),
    signers: accounts.slice(0, header.numSignerAccounts),
    accounts,
    instructions: message.instructions.map(({ programAddressIndex, accountIndices = [], data = [] }) => ({
      program: must(accounts[programAddressIndex], 'the program of a sound message'),
      accounts: accountIndices.flatMap((index) => accounts[index] ?? []),
      data: copyBytes(data),
    })),
    lookupTables: listLookups(message).map(({ lookupTableAddress }) => lookupTableAddress),
    filledSlots: Object.entries(envelope.signatures).flatMap(([key, signature]) => (signature === null ? [] : [key])),
    messageBytes: copyBytes(envelope.messageBytes),
  };
}

/** Returns hex of the transaction with the signatures (by signer) in their slots. Throws for invalid hex. */
export function fillSlots(hexText: string, signatures: ReadonlyMap<string, Uint8Array>): string {
  const envelope = envelopes.decode(Buffer.from(hexText, 'hex'));
  const slots = Object.entries(envelope.signatures).map(([key, empty]) => [key, signatures.get(key) ?? empty]);
  // The package brands checked signatures; these are the caller's own.
  const filled = Object.fromEntries(slots) as typeof envelope.signatures;
  return copyBytes(envelopes.encode({ ...envelope, signatures: filled })).toString('hex');
}

/** The only memo of a transaction as text; null for none, for several, or for bytes that are not UTF-8. */
export function memoText({ instructions }: Transaction): string | null {
  const [memo, ...more] = instructions.filter(({ program }) => program === MEMO_PROGRAM);
  return memo === undefined || more.length > 0 || !isUtf8(memo.data) ? null : Buffer.from(memo.data).toString('utf8');
}

/** Memo of a message that is a transaction; else null. */
export function readMemoText(hexText: string): string | null {
  const read = readTransaction(hexText);
  return read.ok ? memoText(read.transaction) : null;
}

/** The package's arrays are read-only views. */
const copyBytes = (bytes: ArrayLike<number>): Buffer => Buffer.from(bytes);

const problem = (text: string): ReadTransaction => ({ ok: false, problem: text });
