/** Converts a draft to its `message` and to the bytes that the wallet signs. */

import { createHash } from 'node:crypto';
import type { DraftCosigners, VenueProfile } from '../profile.js';
import { type DraftText, readDraftText, writeDraftText } from './draft-text.js';
import { readMemoText, readTransaction, writeMemoTransaction } from './solana-message.js';

/**
 * Format of a draft's `message`. `utf8`: readable text. `opaque`: unreadable text. The UTF-8 bytes of texts are signed.
 * `solana_tx`: a Solana transaction in hex, with the readable text as memo; the transaction's message bytes are signed.
 */
export type DraftMessage = VenueProfile['draft_message'];

/**
 * Returns the `message` of a draft for the caller's wallet (base58 of 32 bytes). Equal drafts have equal messages. In a
 * `solana_tx` message, the draft's pubkey determines the version (legacy or 0) and replaces the blockhash.
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

/** Returns the bytes of a message that the wallet signs; null for a `solana_tx` message that is not a transaction. */
export function signedBytes(kind: DraftMessage, message: string): Uint8Array | null {
  if (kind !== 'solana_tx') return Buffer.from(message, 'utf8');
  const read = readTransaction(message);
  return read.ok ? read.transaction.messageBytes : null;
}

/** Returns the draft that a message contains; null if the message is unreadable or contains no draft. */
export function readDraftMessage(kind: DraftMessage, message: string): DraftText | null {
  if (kind === 'opaque') return null;
  const text = kind === 'utf8' ? message : readMemoText(message);
  return text === null ? null : readDraftText(text);
}
