/**
 * What of a draft's `message` may be signed at all, before anybody asks whether it is what an intent meant. Everything
 * that it does not understand it refuses.
 */

import type { DraftMessage } from '../protocol/draft-message.js';
import { readTransaction } from '../protocol/draft-message-solana.js';
import { type DraftText, readDraftText } from '../protocol/draft-text.js';
import type { VenueProfile } from '../protocol/profile.js';
import { judgeTransaction } from './transaction-judge.js';
import { spellsTransaction } from './transaction-shape.js';

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
}

/** The rules that a profile and the operator's word about blind signing make. */
export const signingRules = (profile: VenueProfile, allowBlindSigning: boolean): SigningRules => ({
  serviceName: profile.service_name,
  draftMessage: profile.draft_message,
  allowBlindSigning,
  solanaPrograms: profile.solana_programs ?? [],
  solanaLookupTables: profile.solana_lookup_tables ?? false,
});

export type JudgedMessage =
  | {
      readonly ok: true;
      /** What is to be signed. */
      readonly bytes: Uint8Array;
      /** What it says, to be compared with what was meant; null when it cannot be read and was allowed nonetheless. */
      readonly draft: DraftText | null;
    }
  | { readonly ok: false; readonly reason: string };

/** A readable draft has some 300 characters, a transaction at most 2464 in hex, an opaque draft a few thousand. */
const LONGEST_MESSAGE_CHARACTERS = 16_384;

/** Judges a message for the wallet of this address. */
export function judgeMessage(message: string, rules: SigningRules, wallet: string): JudgedMessage {
  if (message.length > LONGEST_MESSAGE_CHARACTERS) return refused('the draft is too long to be one');
  if (/API credential/i.test(message)) return refused('the draft is a credential challenge');
  if (rules.draftMessage === 'solana_tx') {
    const read = readTransaction(message);
    return read.ok ? judgeTransaction(read.transaction, rules, wallet) : refused(read.problem);
  }
  if (spellsTransaction(message)) return refused('the draft decodes as a transaction');
  const bytes = Buffer.from(message, 'utf8');
  if (rules.draftMessage === 'utf8') {
    const draft = readDraftText(message);
    return draft === null ? refused('the draft is not a readable draft') : { ok: true, bytes, draft };
  }
  if (rules.allowBlindSigning) return { ok: true, bytes, draft: null };
  return refused('nobody can read this venue’s drafts, and blind signing is not allowed');
}

const refused = (reason: string): JudgedMessage => ({ ok: false, reason });
