/**
 * Decides whether a draft's `message` may be signed at all, before the comparison with its intent. Refuses everything
 * that it does not understand.
 */

import { readDraftText } from '../../shared/protocol/drafts/draft-text.js';
import { readTransaction } from '../../shared/protocol/drafts/solana-message.js';
import { isCredentialChallenge, type JudgedMessage, type SigningRules } from './signing-rules.js';
import { judgeTransaction } from './solana/transaction-judge.js';
import { spellsTransaction } from './solana/transaction-shape.js';

/** A readable draft has about 300 characters, a transaction at most 2464 in hex, an opaque draft a few thousand. */
const LONGEST_MESSAGE_CHARACTERS = 16_384;

/** Judges a message for the wallet of this address. */
export function judgeMessage(message: string, rules: SigningRules, wallet: string): JudgedMessage {
  const judged = judgeKind(message, rules, wallet);
  if (!judged.ok || judged.draft === null || judged.draft.serviceName === rules.serviceName) return judged;
  return refuse(`service: the draft says ${judged.draft.serviceName}, the venue profile says ${rules.serviceName}`);
}

function judgeKind(message: string, rules: SigningRules, wallet: string): JudgedMessage {
  if (message.length > LONGEST_MESSAGE_CHARACTERS) return refuse('the draft is too long to be one');
  if (isCredentialChallenge(message)) return refuse('the draft is a credential challenge');
  if (rules.draftMessage === 'solana_tx') {
    const read = readTransaction(message);
    return read.ok ? judgeTransaction(read.transaction, rules, wallet) : refuse(read.problem);
  }
  if (spellsTransaction(message)) return refuse('the draft decodes as a transaction');
  const bytes = Buffer.from(message, 'utf8');
  const draft = readDraftText(message);
  if (rules.draftMessage === 'utf8') {
    return draft === null ? refuse('the draft is not a readable draft') : { ok: true, bytes, draft };
  }
  // A readable text must be of this service: it may be the draft of another venue that knows this wallet.
  if (rules.allowBlindSigning) return { ok: true, bytes, draft };
  return refuse('nobody can read this venue’s drafts, and blind signing is not allowed');
}

const refuse = (reason: string): JudgedMessage => ({ ok: false, reason });
