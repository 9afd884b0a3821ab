/**
 * Signs drafts by intent id. It takes no bytes from its caller: it loads what the ledger committed, reads the text,
 * and signs only what says exactly what the intent says. Everything that it does not understand it refuses.
 */

import { formatDecimal } from '../base/decimal.js';
import type { Micros } from '../base/micros.js';
import { type DraftText, readDraftText, writeDraftText } from '../protocol/draft-text.js';
import type { Signer, SigningPolicy, SignResult, StoredDraft } from './drafts.js';
import { spellsTransaction } from './transaction-shape.js';

/** A readable draft has some 300 characters, an opaque one at most a few thousand. */
const LONGEST_MESSAGE_CHARACTERS = 16_384;

export class DraftSigner implements Signer {
  readonly #policy: SigningPolicy;
  readonly #signText: (text: string) => string;

  /** Made by `Wallet.draftSigner`, which alone can pass a `signText` that knows the key. */
  constructor(policy: SigningPolicy, signText: (text: string) => string) {
    this.#policy = policy;
    this.#signText = signText;
  }

  /** The same draft always yields the same signature. A refusal says what was found; it must pause the market. */
  sign(intentId: string): SignResult {
    const stored = this.#policy.loadDraft(intentId);
    if (stored === null) return { ok: false, reason: `no draft is stored for intent ${intentId}` };
    const reason = this.#objection(intentId, stored);
    return reason === null ? { ok: true, signature: this.#signText(stored.message) } : { ok: false, reason };
  }

  #objection(intentId: string, stored: StoredDraft): string | null {
    const { draftMessage, allowBlindSigning, serviceName } = this.#policy;
    if (stored.intentId !== intentId) return `the stored draft belongs to intent ${stored.intentId}`;
    if (stored.message.length > LONGEST_MESSAGE_CHARACTERS) return 'the draft is too long to be one';
    if (/API credential/i.test(stored.message)) return 'the draft is a credential challenge';
    if (draftMessage === 'solana_tx') return 'drafts that are Solana transactions are not supported yet';
    if (spellsTransaction(stored.message)) return 'the draft decodes as a transaction';
    if (draftMessage === 'opaque') {
      return allowBlindSigning ? null : 'nobody can read this venue’s drafts, and blind signing is not allowed';
    }
    const draft = readDraftText(stored.message);
    if (draft === null) return 'the draft is not a readable draft';
    return disagreement(draft, stored, serviceName);
  }
}

/** Null only when the draft is, byte for byte, the text of the intent's own terms. */
function disagreement(draft: DraftText, stored: StoredDraft, serviceName: string): string | null {
  const { marketConditionId, draftPubkey, terms, message } = stored;
  const ours: DraftText = { serviceName, marketConditionId, draftPubkey, expires: draft.expires, terms };
  if (writeDraftText(ours) === message) return null;
  const [theirFields, ourFields] = [fieldsOf(draft), fieldsOf(ours)];
  for (const [name, value] of ourFields) {
    const theirs = theirFields.get(name);
    if (theirs !== value) return `${name}: the draft says ${theirs ?? 'nothing'}, the intent says ${value}`;
  }
  return 'the draft says more than the intent';
}

function fieldsOf({ serviceName, marketConditionId, draftPubkey, terms }: DraftText): Map<string, string> {
  const fields = new Map([
    ['service', serviceName],
    ['market', marketConditionId],
    ['draft', draftPubkey],
  ]);
  for (const [name, value] of Object.entries(terms)) {
    // The only numbers among the terms are Micros.
    fields.set(name, typeof value === 'number' ? formatDecimal(value as Micros) : String(value));
  }
  return fields;
}
