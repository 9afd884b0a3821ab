/**
 * Signs drafts by intent id. It takes no bytes from its caller: it loads the committed row of the ledger, reads the
 * draft, and signs only a text that matches the intent exactly. It refuses everything that it does not understand.
 */

import { formatDecimal, type Micros } from '../../shared/base/micros.js';
import { type DraftText, readDraftText, writeDraftText } from '../../shared/protocol/drafts/draft-text.js';
import { readTransaction } from '../../shared/protocol/drafts/solana-message.js';
import {
  isCredentialChallenge,
  type JudgedMessage,
  type SigningPolicy,
  type SigningRules,
  type SignResult,
  type StoredDraft,
} from './signing-rules.js';
import { judgeTransaction } from './solana/transaction-judge.js';
import { spellsTransaction } from './solana/transaction-shape.js';

/** Signs stored drafts by intent id. Synchronous. */
export class DraftSigner {
  readonly #policy: SigningPolicy;
  readonly #wallet: string;
  readonly #signBytes: (bytes: Uint8Array) => string;

  /** Made by `Wallet.draftSigner`, which alone can pass a `signBytes` that knows the key of the address `wallet`. */
  constructor(policy: SigningPolicy, wallet: string, signBytes: (bytes: Uint8Array) => string) {
    this.#policy = policy;
    this.#wallet = wallet;
    this.#signBytes = signBytes;
  }

  /** The same draft always yields the same signature. A refusal names its cause; it must pause the market. */
  sign(intentId: string): SignResult {
    const stored = this.#policy.loadDraft(intentId);
    if (stored === null) return refuse(`no draft is stored for intent ${intentId}`);
    if (stored.intentId !== intentId) return refuse(`the stored draft belongs to intent ${stored.intentId}`);
    const judged = judgeMessage(stored.message, this.#policy, this.#wallet);
    if (!judged.ok) return judged;
    const reason = judged.draft === null ? null : disagreement(judged.draft, stored, this.#policy.serviceName);
    return reason === null ? { ok: true, signature: this.#signBytes(judged.bytes) } : refuse(reason);
  }
}

const refuse = (reason: string) => ({ ok: false, reason }) as const;

/** Null only when the draft equals, byte for byte, the text of the intent's own terms. */
function disagreement(draft: DraftText, stored: StoredDraft, serviceName: string): string | null {
  const { marketConditionId, draftPubkey, terms } = stored;
  const ours: DraftText = { serviceName, marketConditionId, draftPubkey, expires: draft.expires, terms };
  // A draft has only one spelling: its parsed terms, written again, give the same text.
  if (writeDraftText(ours) === writeDraftText(draft)) return null;
  const [theirFields, ourFields] = [readFields(draft), readFields(ours)];
  for (const [name, value] of ourFields) {
    const theirs = theirFields.get(name);
    if (theirs !== value) return `${name}: the draft says ${theirs ?? 'nothing'}, the intent says ${value}`;
  }
  return 'the draft says more than the intent';
}

function readFields({ serviceName, marketConditionId, draftPubkey, terms }: DraftText): Map<string, string> {
  const fields = new Map([
    ['service', serviceName],
    ['market', marketConditionId],
    ['draft', draftPubkey],
  ]);
  for (const [name, value] of Object.entries(terms)) {
    // The only numbers among the terms are micros.
    fields.set(name, typeof value === 'number' ? formatDecimal(value as Micros) : String(value));
  }
  return fields;
}

/** A readable draft has about 300 characters, a transaction at most 2464 in hex, an opaque draft a few thousand. */
const LONGEST_MESSAGE_CHARACTERS = 16_384;

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
