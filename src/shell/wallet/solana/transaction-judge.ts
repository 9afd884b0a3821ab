/**
 * Judges a transaction. One that only writes a memo has no other effect, so its text is compared with
 * the intent, like a readable text. Another program's use of our signature is not visible in the bytes: such
 * a transaction is signed only when the venue profile names the program and the operator allows blind signing.
 */

import { readDraftText } from '../../../shared/protocol/drafts/draft-text.js';
import {
  MEMO_PROGRAM,
  memoText,
  type Transaction,
  type TransactionInstruction,
} from '../../../shared/protocol/drafts/solana-message.js';
import { isCredentialChallenge, type JudgedMessage, type SigningRules } from '../signing-rules.js';

/** In this order: signers, programs, their payments, and the memo. */
export function judgeTransaction(transaction: Transaction, rules: SigningRules, wallet: string): JudgedMessage {
  const { instructions, messageBytes } = transaction;
  const isBlind = instructions.some(({ program }) => program !== MEMO_PROGRAM);
  const reason =
    objectionToSigners(transaction, rules, wallet) ??
    objectionToPrograms(transaction, rules) ??
    objectionToPayments(transaction) ??
    objectionToAccounts(transaction, rules, isBlind) ??
    objectionToMemo(transaction, isBlind);
  if (reason !== null) return { ok: false, reason };
  // A memo beside other programs may be anything; one that reads as a draft must be ours.
  const draft = readDraftText(memoText(transaction) ?? '');
  if (draft === null && !isBlind) return { ok: false, reason: 'the memo of the transaction is not a readable draft' };
  return { ok: true, bytes: messageBytes, draft };
}

/** Only the payer has a fixed place; the order of other signers follows their keys. */
function objectionToSigners(
  { feePayer, signers, filledSlots }: Transaction,
  { draftCosigners }: SigningRules,
  wallet: string,
): string | null {
  const payer = draftCosigners?.fee_payer ?? wallet;
  const nameAccount = (key: string) => (key === wallet ? 'our wallet' : key);
  if (feePayer !== payer) return `the transaction is paid by ${nameAccount(feePayer)}, not by ${nameAccount(payer)}`;
  const due = new Set([wallet, ...(draftCosigners?.keys ?? [])]);
  const count = signers.length === 1 ? '1 signer' : `${signers.length} signers`;
  const strangers = signers.filter((key) => !due.has(key));
  if (strangers.length > 0) {
    return `the transaction wants ${count}; draft_cosigners of the venue profile does not name ${strangers.join(', ')}`;
  }
  const absent = [...due].filter((key) => !signers.includes(key));
  if (absent.length > 0) return `the transaction wants ${count}, without ${absent.map(nameAccount).join(', ')}`;
  return filledSlots.length === 0
    ? null
    : `the transaction carries a signature already, of ${filledSlots.map(nameAccount).join(', ')}`;
}

function objectionToPrograms({ instructions }: Transaction, rules: SigningRules): string | null {
  const others = instructions.map(({ program }) => program).filter((program) => program !== MEMO_PROGRAM);
  const unknown = others.find((program) => !(rules.solanaPrograms ?? []).includes(program));
  if (unknown !== undefined) {
    return `the transaction calls the program ${unknown}, which solana_programs of the venue profile does not name`;
  }
  const [unreadable] = others;
  if (unreadable === undefined || rules.allowBlindSigning) return null;
  return `nobody can read what the program ${unreadable} will do, and blind signing is not allowed`;
}

function objectionToAccounts(
  { accounts, signers, instructions, lookupTables }: Transaction,
  rules: SigningRules,
  isBlind: boolean,
): string | null {
  if (lookupTables.length > 0 && !(isBlind && rules.solanaLookupTables === true)) {
    return 'the transaction takes accounts out of a lookup table';
  }
  // A memo needs only its signers' accounts, which were judged before.
  const named = isBlind ? [] : [...accounts, ...instructions.flatMap((instruction) => instruction.accounts)];
  const stranger = named.find((account) => !signers.includes(account) && account !== MEMO_PROGRAM);
  return stranger === undefined ? null : `the transaction names the account ${stranger}, which a memo does not need`;
}

function objectionToMemo(transaction: Transaction, isBlind: boolean): string | null {
  const count = transaction.instructions.filter(({ program }) => program === MEMO_PROGRAM).length;
  if (count > 1) return `the transaction carries ${count} memos, not one`;
  if (count === 0) return isBlind ? null : 'the transaction carries no memo';
  const text = memoText(transaction);
  if (text === null) return 'the memo of the transaction is not text';
  return isCredentialChallenge(text) ? 'the memo of the transaction is a credential challenge' : null;
}

/**
 * No profile and no operator can allow top-level calls of Solana's own programs that give away the wallet's funds, now
 * or later. A venue's program calls them itself, within its purpose; a transaction that calls them
 * beside it asks for more. Transfers, `Assign` and durable nonces are calls of System, `Approve` and `SetAuthority` of
 * the token programs.
 */
const GIVES_AWAY: Readonly<Record<string, string>> = {
  '11111111111111111111111111111111': 'System',
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: 'Token',
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: 'Token-2022',
  Stake11111111111111111111111111111111111111: 'Stake',
  Vote111111111111111111111111111111111111111: 'Vote',
  BPFLoaderUpgradeab1e11111111111111111111111: 'the program loader',
  BPFLoader2111111111111111111111111111111111: 'a program loader',
  BPFLoader1111111111111111111111111111111111: 'a program loader',
  LoaderV411111111111111111111111111111111111: 'a program loader',
  // Create accounts whose rent the fee payer pays.
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: 'Associated Token Account',
  AddressLookupTab1e1111111111111111111111111: 'Address Lookup Table',
};

/** A program's name for a person; null for one that is unknown here. */
export function nameProgram(program: string): string | null {
  if (program === MEMO_PROGRAM) return 'Memo';
  return program === COMPUTE_BUDGET ? 'Compute Budget' : (GIVES_AWAY[program] ?? null);
}

/** Buys priority in a block: the fee payer, perhaps our wallet, pays for it. */
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;
/** Maximum compute units of a transaction, and the default without a value. */
const MOST_UNITS = 1_400_000n;
const MICROLAMPORTS_PER_LAMPORT = 1_000_000n;
/** 0.001 SOL, two hundred times the fee of a signature. */
const MOST_PRIORITY_FEE_LAMPORTS = 1_000_000n;

/** Why such a transaction is never signed; null for one without such calls. */
function objectionToPayments({ instructions }: Transaction): string | null {
  for (const { program } of instructions) {
    const name = GIVES_AWAY[program];
    if (name !== undefined) return `the transaction calls the program ${program} (${name}), which nobody can allow`;
  }
  return objectionToPriorityFee(instructions.filter(({ program }) => program === COMPUTE_BUDGET));
}

function objectionToPriorityFee(instructions: readonly TransactionInstruction[]): string | null {
  let [units, price] = [MOST_UNITS, 0n];
  for (const { data } of instructions) {
    const bytes = Buffer.from(data);
    const kind = bytes[0];
    if (kind === SET_UNIT_LIMIT && bytes.length === 5) units = BigInt(bytes.readUInt32LE(1));
    else if (kind === SET_UNIT_PRICE && bytes.length === 9) price = bytes.readBigUInt64LE(1);
    else return 'the transaction asks for a priority that nobody can read';
  }
  const lamports = (units * price) / MICROLAMPORTS_PER_LAMPORT;
  if (lamports <= MOST_PRIORITY_FEE_LAMPORTS) return null;
  return `the transaction pays a priority fee of ${lamports} lamports, at most ${MOST_PRIORITY_FEE_LAMPORTS} are paid`;
}
