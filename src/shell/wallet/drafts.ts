/** Input and answers of the signer. The ledger maps its draft rows onto `StoredDraft`. */

import type { DraftTerms } from '../../shared/protocol/drafts/draft-text.js';
import type { SigningRules } from './signing-rules.js';

/** A draft as the ledger stored it, beside the terms that its intent had before anything was asked of the venue. */
export interface StoredDraft {
  readonly intentId: string;
  readonly marketConditionId: string;
  /** The draft's pubkey as the venue answered it; for a cancel the pubkey of the order. */
  readonly draftPubkey: string;
  /** The draft's `message`, unchanged. */
  readonly message: string;
  /** Our own terms, from the intent; never read out of `message`. */
  readonly terms: DraftTerms;
}

/** A signature as 128 lowercase hex characters, or why there is none. The reason never holds key bytes. */
export type SignResult =
  | { readonly ok: true; readonly signature: string }
  | { readonly ok: false; readonly reason: string };

/** Rules of the signer, and its source of drafts. */
export interface SigningPolicy extends SigningRules {
  /** Reads the committed draft of an intent; null when there is none. */
  readonly loadDraft: (intentId: string) => StoredDraft | null;
}
