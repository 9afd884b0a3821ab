/** Signs a draft if it matches the request: the same signer and the same comparison that the trader uses. */

import { readDraftMessage } from '../../../shared/protocol/drafts/draft-message.js';
import type { DraftTerms } from '../../../shared/protocol/drafts/draft-text.js';
import type { EndpointName } from '../../../shared/protocol/endpoints.js';
import type { VenueProfile } from '../../../shared/protocol/profile.js';
import { signingRules } from '../../wallet/signing-rules.js';
import type { Wallet } from '../../wallet/wallet.js';
import { NotDone } from '../errors.js';

/** Tolerance for the venue's clock and rounding in the latest expiry of a draft. */
const EXPIRY_SLACK_S = 60;
/** The signer looks drafts up by intent; here it has only one. */
const INTENT_ID = 'safe call';

/** A draft as the service returned it, with the requested terms. */
export interface DraftToSign {
  readonly pubkey: string;
  readonly message: string;
  readonly marketConditionId: string;
  /** Our own terms; never read out of `message`. */
  readonly terms: DraftTerms;
}

/** The signature, 128 hex characters. Throws NotDone for a draft that is not signed; it then never takes effect. */
export function signDraft(
  endpoint: EndpointName,
  draft: DraftToSign,
  wallet: Wallet,
  world: { readonly profile: VenueProfile; readonly venueNowMs: () => number },
  allowBlindSigning: boolean,
): string {
  const { pubkey: draftPubkey, message, marketConditionId, terms } = draft;
  const objection = objectionToExpiry(message, world.profile, world.venueNowMs());
  if (objection !== null) throw new NotDone(endpoint, 'not_signed', objection, draftPubkey);
  const stored = { intentId: INTENT_ID, marketConditionId, draftPubkey, message, terms };
  const policy = { ...signingRules(world.profile, allowBlindSigning), loadDraft: () => stored };
  const result = wallet.draftSigner(policy).sign(INTENT_ID);
  if (result.ok) return result.signature;
  throw new NotDone(endpoint, 'not_signed', result.reason, draftPubkey);
}

/** A draft that could be submitted long after its use is not signed. */
function objectionToExpiry(message: string, profile: VenueProfile, venueNowMs: number): string | null {
  const expires = readDraftMessage(profile.draft_message, message)?.expires;
  if (expires === undefined) return null;
  const leftS = expires - Math.floor(venueNowMs / 1_000);
  const mostS = 2 * profile.draft_lifetime_s + EXPIRY_SLACK_S;
  return leftS > mostS ? `the draft expires in ${leftS} s, at most ${mostS} s are believed` : null;
}
