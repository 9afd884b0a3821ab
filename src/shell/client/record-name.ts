/**
 * Whether an answer is about what was asked for. A venue, or a cache before it, that answers another record's row would
 * have us take an order for placed that never was, or quote one market by another's book.
 */

import type { Declaration } from '../../shared/protocol/endpoints.js';
import { draft } from '../../shared/protocol/records.js';
import type { CallParts } from './message.js';

/** Under which fields a record repeats the path parameter that it was asked for by. */
const REPEATED: Readonly<Record<string, readonly string[]>> = {
  pubkey: ['pubkey', 'position_pubkey'],
  condition_id: ['condition_id', 'market'],
  key_id: ['key_id'],
};

/** Which field of the answer differs from the call, as a sentence; null when none does or the record repeats none. */
export function otherThanAsked(declaration: Declaration, asked: CallParts, data: unknown): string | null {
  // The draft of a cancel may have a pubkey of its own; the signer compares what it says.
  if (typeof data !== 'object' || data === null || declaration.data === draft) return null;
  const answered = new Map<string, unknown>(Object.entries(data));
  for (const [name, wanted] of Object.entries(asked.params ?? {})) {
    for (const field of REPEATED[name] ?? []) {
      const found = answered.get(field);
      if (typeof found === 'string' && found !== wanted) return `data.${field} is not the one that was asked for`;
    }
  }
  return null;
}
