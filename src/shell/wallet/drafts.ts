/** Input and results of the signer. The ledger maps its draft rows onto `StoredDraft`. */

import type { DraftTerms } from '../../shared/protocol/drafts/draft-text.js';
import type { SigningRules } from './signing-rules.js';

/** A draft as stored by the ledger, with the terms that its intent had before any request. */
export interface StoredDraft {
  readonly intentId: string;
  readonly marketConditionId: string;
  /** The draft's pubkey from the venue; for a cancel the order's pubkey. */
  readonly draftPubkey: string;
  /** The draft's `message`, unchanged. */
  readonly message: string;
  /** Our own terms, from the intent; never read from `message`. */
  readonly terms: DraftTerms;
}

/** A signature as 128 lowercase hex characters, or the reason for none. The reason never contains key bytes. */
export type SignResult =
  | { readonly ok: true; readonly signature: string }
  | { readonly ok: false; readonly reason: string };

/** Rules of the signer, and its source of drafts. */
export interface SigningPolicy extends SigningRules {
  /** Reads the committed draft of an intent; null when there is none. */
  readonly loadDraft: (intentId: string) => StoredDraft | null;
}
