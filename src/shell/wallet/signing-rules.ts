/** What the signer goes by when it judges a draft, and what it concludes. */

import type { DraftMessage } from '../../shared/protocol/drafts/draft-message.js';
import type { DraftText } from '../../shared/protocol/drafts/draft-text.js';
import type { DraftCosigners, VenueProfile } from '../../shared/protocol/profile.js';

/** What the venue profile and the operator allow. */
export interface SigningRules {
  /** As in the venue profile. */
  readonly serviceName: string;
  /** As in the venue profile: what a draft's `message` is. */
  readonly draftMessage: DraftMessage;
  /** Allows what nobody can read: drafts of an `opaque` profile, and transactions that call `solanaPrograms`. */
  readonly allowBlindSigning: boolean;
  /** Programs that a transaction may call beside Memo; absent: none. */
  readonly solanaPrograms?: readonly string[];
  /** Whether such a transaction may take accounts out of lookup tables; absent: no. */
  readonly solanaLookupTables?: boolean;
  /** Who must sign a transaction beside our wallet, and who of them pays; absent: our wallet signs and pays alone. */
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

/** Whoever has a signature over a challenge gets API credentials for this wallet: such a text is no draft, of any service. */
export const isCredentialChallenge = (text: string): boolean => /API credential/i.test(text);

export type JudgedMessage =
  | {
      readonly ok: true;
      /** What is to be signed. */
      readonly bytes: Uint8Array;
      /** What it says, to be compared with what was meant; null when it cannot be read and was allowed nonetheless. */
      readonly draft: DraftText | null;
    }
  | { readonly ok: false; readonly reason: string };
