/**
 * Judges a transaction. One that only writes a memo can do nothing but say something, so what it says is compared with
 * what was meant, like a readable text. What any other program does with our signature cannot be seen in the bytes: such
 * a transaction is signed only when the venue profile names the program and the operator allows blind signing.
 */

import { MEMO_PROGRAM, memoText, type Transaction } from '../protocol/draft-message-solana.js';
import { readDraftText } from '../protocol/draft-text.js';
import { isCredentialChallenge, type JudgedMessage, type SigningRules } from './signing-rules.js';
import { objectionToPayments } from './transaction-payments.js';

/** In this order: who signs, which programs run, what they are paid, and what the memo says. */
export function judgeTransaction(transaction: Transaction, rules: SigningRules, wallet: string): JudgedMessage {
  const { instructions, messageBytes } = transaction;
  const isBlind = instructions.some(({ program }) => program !== MEMO_PROGRAM);
  const reason =
    objectionToSigners(transaction, wallet) ??
    objectionToPrograms(transaction, rules) ??
    objectionToPayments(transaction) ??
    objectionToAccounts(transaction, rules, wallet, isBlind) ??
    objectionToMemo(transaction, isBlind);
  if (reason !== null) return { ok: false, reason };
  // A memo beside other programs may be anything; one that reads as a draft must still be ours.
  const draft = readDraftText(memoText(transaction) ?? '');
  if (draft === null && !isBlind) return { ok: false, reason: 'the memo of the transaction is not a readable draft' };
  return { ok: true, bytes: messageBytes, draft };
}

function objectionToSigners({ feePayer, signers, isSigned }: Transaction, wallet: string): string | null {
  if (feePayer !== wallet) return `the transaction is paid by ${feePayer}, not by our wallet`;
  if (signers.length > 1) return `the transaction wants ${signers.length} signers, not our wallet alone`;
  return isSigned ? 'the transaction carries a signature already' : null;
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
  { accounts, instructions, lookupTables }: Transaction,
  rules: SigningRules,
  wallet: string,
  isBlind: boolean,
): string | null {
  if (lookupTables.length > 0 && !(isBlind && rules.solanaLookupTables === true)) {
    return 'the transaction takes accounts out of a lookup table';
  }
  // A memo needs no account but its signer's.
  const named = isBlind ? [] : [...accounts, ...instructions.flatMap((instruction) => instruction.accounts)];
  const stranger = named.find((account) => account !== wallet && account !== MEMO_PROGRAM);
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
