/**
 * Whether an answer is about what was asked for. A venue, or a cache before it, that answers another record's row would
 * have us take an order for placed that never was, or quote one market by another's book or trades, or YES by prices of NO.
 */

import type { Declaration } from '../../shared/protocol/endpoints.js';
import { draft } from '../../shared/protocol/records.js';
import type { CallParts } from './message.js';

/** Under which fields a record, or a row of a list, repeats the parameter that it was asked for by. */
const REPEATED: Readonly<Record<string, readonly string[]>> = {
  pubkey: ['pubkey', 'position_pubkey'],
  condition_id: ['condition_id', 'market', 'market_condition_id'],
  key_id: ['key_id'],
  // Of two that contradict each other nobody knows which is right: prices of NO, or prices of YES under a wrong name.
  is_yes: ['is_yes'],
};

/** Which field of the answer differs from the call, as a sentence; null when none does or nothing in it repeats the call. */
export function otherThanAsked(declaration: Declaration, asked: CallParts, data: unknown): string | null {
  // The draft of a cancel may have a pubkey of its own; the signer compares what it says.
  if (declaration.data === draft) return null;
  const rows: readonly unknown[] = Array.isArray(data) ? data : [data];
  for (const [name, wanted] of Object.entries({ ...asked.query, ...(asked.params ?? {}) })) {
    for (const field of REPEATED[name] ?? []) {
      if (rows.some((row) => isOther(row, field, wanted))) return `data.${field} is not the one that was asked for`;
    }
  }
  return null;
}

function isOther(row: unknown, field: string, wanted: unknown): boolean {
  if (typeof row !== 'object' || row === null) return false;
  const found: unknown = Reflect.get(row, field);
  return typeof found === typeof wanted && found !== wanted;
}
