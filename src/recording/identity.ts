/** Ids of recorded markets: the same recording must be the same market after every restart. */

import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';

/** Base58 of the SHA-256 of the venue and its own name of the market or event. */
export const deriveConditionId = (venue: string, name: string): string =>
  base58.encode(createHash('sha256').update(`${venue}:${name}`).digest());
