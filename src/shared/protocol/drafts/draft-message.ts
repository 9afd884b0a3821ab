/**
 * Converts the readable draft to the wire's `message` and to the signed bytes. The venue's `draft_message` decides:
 *
 * - `utf8`: the readable text itself; its UTF-8 bytes are signed.
 * - `solana_tx`: hex of a Solana transaction whose memo is the readable text; only its message bytes are signed.
 * - `opaque`: an unreadable text; its UTF-8 bytes are signed.
 */

import { createHash } from 'node:crypto';
import type { DraftCosigners, VenueProfile } from '../profile.js';
import { type DraftText, readDraftText, writeDraftText } from './draft-text.js';
import { readMemoText, readTransaction, writeMemoTransaction } from './solana-message.js';

/** The kinds of `message` that a draft may carry: `utf8`, `solana_tx` or `opaque`. */
export type DraftMessage = VenueProfile['draft_message'];

/**
 * The `message` of a draft for the caller's wallet (base58 of 32 bytes). The same draft always gives the same message.
 * In a `solana_tx` message the draft's pubkey decides between legacy and version 0, and replaces the blockhash.
 */
export function writeDraftMessage(
  kind: DraftMessage,
  draft: DraftText,
  wallet: string,
  cosigners?: DraftCosigners,
): string {
  const text = writeDraftText(draft);
  switch (kind) {
    case 'utf8':
      return text;
    case 'solana_tx': {
      const version = draft.draftPubkey.charCodeAt(draft.draftPubkey.length - 1) % 2 === 0 ? 0 : 'legacy';
      return writeMemoTransaction({ wallet, cosigners, text, blockhash: draft.draftPubkey, version });
    }
    case 'opaque':
      return createHash('sha256').update(text, 'utf8').digest('base64url');
  }
}

/** The bytes that a wallet signs to agree to a message; null for a `solana_tx` that is no transaction. */
export function signedBytes(kind: DraftMessage, message: string): Uint8Array | null {
  if (kind !== 'solana_tx') return Buffer.from(message, 'utf8');
  const read = readTransaction(message);
  return read.ok ? read.transaction.messageBytes : null;
}

/** The draft that a message spells; null when it spells none, or is unreadable. */
export function readDraftMessage(kind: DraftMessage, message: string): DraftText | null {
  if (kind === 'opaque') return null;
  const text = kind === 'utf8' ? message : readMemoText(message);
  return text === null ? null : readDraftText(text);
}
