/** Solana transactions as drafts. Only the canonical encoding is accepted, so that wallets sign the checked bytes. */

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

/** The codecs are created only once, because the creation of a codec costs as much as its use. */
const envelopes = getTransactionCodec();
const messages = getCompiledTransactionMessageCodec();

/** Address of the Memo program, which only writes a text into the chain's log. */
export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/** Maximum size of a transaction in bytes: it must fit into one packet. */
const LONGEST_TRANSACTION_BYTES = 1232;

/** Number with which the Solana package marks a signing account that has read-only access. */
const READONLY_SIGNER = 2;

interface MemoTransaction {
  /** Wallet that signs the transaction. The wallet also pays the fee unless a co-signer pays. */
  readonly wallet: string;
  readonly cosigners?: DraftCosigners | undefined;
  readonly text: string;
  readonly blockhash: string;
  readonly version: Transaction['version'];
}

/** Instruction of a transaction, which calls a program on the chain. Keys are base58 of 32 bytes. */
export interface TransactionInstruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

/** Content of a transaction that is visible from its bytes, without the chain's state. Accounts are base58. */
export interface Transaction {
  readonly version: 'legacy' | 0;
  readonly feePayer: string;
  /** Keys of the required signers, the fee payer first. */
  readonly signers: readonly string[];
  /** Keys of all accounts that the transaction names directly, signers first. */
  readonly accounts: readonly string[];
  /** Calls of programs. Accounts from lookup tables are unknown, and are not listed. */
  readonly instructions: readonly TransactionInstruction[];
  readonly lookupTables: readonly string[];
  /** Keys of the signers whose signatures the transaction already contains. */
  readonly filledSlots: readonly string[];
  /** Bytes of the transaction that a wallet signs. */
  readonly messageBytes: Uint8Array;
}

/** A parsed transaction, or the reason why it cannot be parsed. */
type ReadTransaction =
  | { readonly ok: true; readonly transaction: Transaction }
  | { readonly ok: false; readonly problem: string };

/** Type of a blockhash that the Solana package has checked. Here, the draft's pubkey serves as blockhash, unchecked. */
type Blockhash = Parameters<typeof setTransactionMessageLifetimeUsingBlockhash>[0]['blockhash'];

/** Returns the transaction in lowercase hex with empty signatures. The memo names all signers except the fee payer. */
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
  const dated = setTransactionMessageLifetimeUsingBlockhash(lifetime, paid);
  const message = appendTransactionMessageInstruction(memo, dated);
  return copyBytes(envelopes.encode(compileTransaction(message))).toString('hex');
}

/** Parses the hex of exactly one transaction, legacy or version 0, in its canonical encoding. */
export function readTransaction(hexText: string): ReadTransaction {
  if (!/^(?:[0-9a-fA-F]{2})+$/.test(hexText)) return problem('the draft is not hexadecimal text');
  const bytes = Buffer.from(hexText, 'hex');
  if (bytes.length > LONGEST_TRANSACTION_BYTES) return problem('the draft is longer than a transaction can be');
  try {
    return readBytes(bytes);
  } catch {
    // The Solana package throws for truncated bytes and for invalid values.
    return problem('the draft is not a Solana transaction');
  }
}

function readBytes(bytes: Buffer): ReadTransaction {
  const envelope = envelopes.decode(bytes);
  const message = messages.decode(envelope.messageBytes);
  if (message.version !== 'legacy' && message.version !== 0) return problem('the transaction has an unknown version');
  if (!isCanonical(bytes, envelope, message)) return problem('the transaction is not in its canonical encoding');
  if (!isSound(message)) return problem('the parts of the transaction contradict each other');
  return { ok: true, transaction: makeTransaction(envelope, message) };
}

type Envelope = ReturnType<typeof envelopes.decode>;
type CompiledMessage = Exclude<ReturnType<typeof messages.decode>, { version: 1 }>;

/** True if the decoded values encode to the original bytes. Decoders may ignore trailing bytes and overlong numbers. */
const isCanonical = (bytes: Buffer, envelope: Envelope, message: CompiledMessage): boolean =>
  bytes.equals(copyBytes(envelopes.encode(envelope))) &&
  copyBytes(envelope.messageBytes).equals(copyBytes(messages.encode(message)));

const listLookups = (message: CompiledMessage) =>
  message.version === 'legacy' ? [] : (message.addressTableLookups ?? []);

/** Returns true if a message obeys the chain's rules (`sanitize` of the Solana SDK) and lists no account twice. */
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
    feePayer: must(accounts[0], 'the fee payer of a valid message'),
    signers: accounts.slice(0, header.numSignerAccounts),
    accounts,
    instructions: message.instructions.map(({ programAddressIndex, accountIndices = [], data = [] }) => ({
      program: must(accounts[programAddressIndex], 'the program of a valid message'),
      accounts: accountIndices.flatMap((index) => accounts[index] ?? []),
      data: copyBytes(data),
    })),
    lookupTables: listLookups(message).map(({ lookupTableAddress }) => lookupTableAddress),
    filledSlots: Object.entries(envelope.signatures).flatMap(([key, signature]) => (signature === null ? [] : [key])),
    messageBytes: copyBytes(envelope.messageBytes),
  };
}

/** Returns the memo of a transaction as text; null without a memo, with several memos, or if the memo is not UTF-8. */
export function memoText({ instructions }: Transaction): string | null {
  const [memo, ...more] = instructions.filter(({ program }) => program === MEMO_PROGRAM);
  return memo === undefined || more.length > 0 || !isUtf8(memo.data) ? null : Buffer.from(memo.data).toString('utf8');
}

/** Returns the memo of a transaction in hex; null for a text that is not a transaction or has no single memo. */
export function readMemoText(hexText: string): string | null {
  const read = readTransaction(hexText);
  return read.ok ? memoText(read.transaction) : null;
}

/** Copies the bytes, because the Solana package returns read-only views. */
const copyBytes = (bytes: ArrayLike<number>): Buffer => Buffer.from(bytes);

const problem = (text: string): ReadTransaction => ({ ok: false, problem: text });
