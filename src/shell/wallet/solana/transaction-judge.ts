/**
 * Judges a transaction. One that only writes a memo can do nothing but say something, so what it says is compared with
 * what was meant, like a readable text. What any other program does with our signature cannot be seen in the bytes: such
 * a transaction is signed only when the venue profile names the program and the operator allows blind signing.
 */

import { readDraftText } from '../../../shared/protocol/drafts/draft-text.js';
import { MEMO_PROGRAM, memoText, type Transaction } from '../../../shared/protocol/drafts/solana-message.js';
import { isCredentialChallenge, type JudgedMessage, type SigningRules } from '../signing-rules.js';
import { objectionToPayments } from './transaction-payments.js';

/** In this order: who signs, which programs run, what they are paid, and what the memo says. */
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
  // A memo beside other programs may be anything; one that reads as a draft must still be ours.
  const draft = readDraftText(memoText(transaction) ?? '');
  if (draft === null && !isBlind) return { ok: false, reason: 'the memo of the transaction is not a readable draft' };
  return { ok: true, bytes: messageBytes, draft };
}

/** Only the payer has a place of its own; how the other signers are sorted depends on their keys, and means nothing. */
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
  // A memo needs no account but its signers', who are judged by then.
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
