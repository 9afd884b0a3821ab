/** Rules of the signer for a draft, and its conclusions. */

import type { DraftMessage } from '../../shared/protocol/drafts/draft-message.js';
import type { DraftTerms, DraftText } from '../../shared/protocol/drafts/draft-text.js';
import type { DraftCosigners, VenueProfile } from '../../shared/protocol/profile.js';

/** Permissions of the venue profile and the operator. */
export interface SigningRules {
  /** As in the venue profile. */
  readonly serviceName: string;
  /** As in the venue profile: format of a draft's `message`. */
  readonly draftMessage: DraftMessage;
  /** Allows unreadable content: drafts of an `opaque` profile, and transactions that call `solanaPrograms`. */
  readonly allowBlindSigning: boolean;
  /** Programs that a transaction may call beside Memo; absent: none. */
  readonly solanaPrograms?: readonly string[];
  /** Whether such a transaction may take accounts out of lookup tables; absent: no. */
  readonly solanaLookupTables?: boolean;
  /** Required signers of a transaction beside our wallet, and its payer; absent: our wallet signs and pays alone. */
  readonly draftCosigners?: DraftCosigners;
}

/** The rules that a profile and the operator's word about blind signing make. */
export const signingRules = (profile: VenueProfile, allowBlindSigning: boolean): SigningRules => ({
  serviceName: profile.service_name,
  draftMessage: profile.draft_message,
  allowBlindSigning,
  solanaPrograms: profile.solana_programs ?? [],
  solanaLookupTables: profile.solana_lookup_tables ?? false,
  ...(profile.draft_cosigners === undefined ? {} : { draftCosigners: profile.draft_cosigners }),
});

/** A signature over a challenge gives API credentials for this wallet: such a text is no draft, of any service. */
export const isCredentialChallenge = (text: string): boolean => /API credential/i.test(text);

export type JudgedMessage =
  | {
      readonly ok: true;
      /** Bytes to sign. */
      readonly bytes: Uint8Array;
      /** Its text for the comparison with the intent; null when it is unreadable and was allowed nonetheless. */
      readonly draft: DraftText | null;
    }
  | { readonly ok: false; readonly reason: string };

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
