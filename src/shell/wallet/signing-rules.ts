/** The signer's rules for a draft, and its results. */

import type { DraftMessage } from '../../shared/protocol/drafts/draft-message.js';
import type { DraftTerms, DraftText } from '../../shared/protocol/drafts/draft-text.js';
import type { DraftCosigners, VenueProfile } from '../../shared/protocol/profile.js';

export interface SigningRules {
  readonly serviceName: string;
  /** As in the venue profile: format of a draft's `message`. */
  readonly draftMessage: DraftMessage;
  /** Allows unreadable content: drafts of an `opaque` profile, and transactions that call `solanaPrograms`. */
  readonly allowBlindSigning: boolean;
  /** Programs that a transaction may call besides Memo; absent: none. */
  readonly solanaPrograms?: readonly string[];
  /** Whether such a transaction may use accounts from lookup tables; absent: no. */
  readonly solanaLookupTables?: boolean;
  /** Required signers of a transaction beside our wallet, and its payer; absent: our wallet signs and pays alone. */
  readonly draftCosigners?: DraftCosigners;
}

/** Rules of a profile, with the operator's choice on blind signing. */
export const signingRules = (profile: VenueProfile, allowBlindSigning: boolean): SigningRules => ({
  serviceName: profile.service_name,
  draftMessage: profile.draft_message,
  allowBlindSigning,
  solanaPrograms: profile.solana_programs ?? [],
  solanaLookupTables: profile.solana_lookup_tables ?? false,
  ...(profile.draft_cosigners === undefined ? {} : { draftCosigners: profile.draft_cosigners }),
});

/** A signature over a challenge gives API credentials for this wallet: such a text is no draft of any service. */
export const isCredentialChallenge = (text: string): boolean => /API credential/i.test(text);

export type JudgedMessage =
  | {
      readonly ok: true;
      readonly bytes: Uint8Array;
      /** Text for the comparison with the intent; null for an unreadable draft that was allowed. */
      readonly draft: DraftText | null;
    }
  | { readonly ok: false; readonly reason: string };

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

export interface SigningPolicy extends SigningRules {
  /** Reads the committed draft of an intent; null when there is none. */
  readonly loadDraft: (intentId: string) => StoredDraft | null;
}
