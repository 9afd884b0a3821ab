/** Pubkeys and condition ids: base58 of 32 bytes derived from seed, kind and number, so that a replay repeats them. */

import { hash } from 'node:crypto';
import { base58 } from '@scure/base';

/** Kind of a name; equal numbers of different kinds have different names. */
export type NameKind = 'order' | 'trade' | 'conversion' | 'redeem' | 'market' | 'event' | 'mint' | MarginName;
type MarginName = 'request' | 'position' | 'funding' | 'refund';

/** Name of this number: 32 bytes in base58, fixed for a seed. */
export function makeName(seed: number, kind: NameKind, id: number): string {
  const text = `twinbook/${seed}/${kind}/${id}`;
  let name = newer.get(text) ?? older.get(text);
  if (name !== undefined) return name;
  name = base58.encode(hash('sha256', text, 'buffer'));
  if (newer.size >= REMEMBERED) [older, newer] = [newer, new Map()];
  newer.set(text, name);
  return name;
}

/** Lists repeat the newest rows, and a hash costs more than the rest of a row. Up to twice this many are cached. */
const REMEMBERED = 20_000;
let newer = new Map<string, string>();
let older = new Map<string, string>();

/** True for base58 of 32 bytes. */
export function isWallet(text: string): boolean {
  if (text.length < 32 || text.length > 44 || !/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) return false;
  return base58.decode(text).length === 32;
}
