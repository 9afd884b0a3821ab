/** Pubkeys and condition ids: base58 of 32 bytes that follow from seed, kind and number, so that a replay repeats them. */

import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';

export type NameKind = 'order' | 'trade' | 'conversion' | 'redeem' | 'market' | 'event' | 'mint' | MarginName;
type MarginName = 'request' | 'position' | 'funding' | 'refund';

export const nameOf = (seed: number, kind: NameKind, id: number): string =>
  base58.encode(createHash('sha256').update(`twinbook/${seed}/${kind}/${id}`).digest());

/** Whether a text is base58 of 32 bytes. */
export function isWallet(text: string): boolean {
  if (text.length < 32 || text.length > 44 || !/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) return false;
  return base58.decode(text).length === 32;
}
