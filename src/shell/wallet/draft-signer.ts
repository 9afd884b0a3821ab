/**
 * Signs drafts by intent id. It takes no bytes from its caller: it loads the committed row of the ledger, reads the
 * draft, and signs only a text that matches the intent exactly. It refuses everything that it does not understand.
 */

import { formatDecimal } from '../../shared/base/decimal.js';
import type { Micros } from '../../shared/base/micros.js';
import { type DraftText, writeDraftText } from '../../shared/protocol/drafts/draft-text.js';
import { judgeMessage } from './draft-judge.js';
import type { SigningPolicy, SignResult, StoredDraft } from './drafts.js';

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

const refuse = (reason: string): SignResult => ({ ok: false, reason });

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
    // The only numbers among the terms are Micros.
    fields.set(name, typeof value === 'number' ? formatDecimal(value as Micros) : String(value));
  }
  return fields;
}
