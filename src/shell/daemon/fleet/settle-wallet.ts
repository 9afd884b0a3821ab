/**
 * After a wallet was taken over from a trader that did not release it: its resting orders are canceled, and no order is
 * placed before the last draft that it can have signed is over. It may be frozen between a signature and its sending, and a
 * venue knows no terms: only a draft's own expiry keeps a signed order from taking effect later.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../config/types.js';
import { cancelUntilNothingRests, type DirectCancel } from '../direct-cancel.js';
import { PATIENCE } from '../failed-start.js';
import type { Joined, Starting } from './join-fleet.js';

const LOOK_MS = 200;

/**
 * Returns at once when nothing must be settled. False when the operator stopped it before the proof. Rejects when the
 * fleet's database cannot be updated.
 */
export async function settleWallet(
  { member, isSettled }: Pick<Joined, 'member' | 'isSettled'>,
  venue: Pick<DirectCancel, 'client' | 'wallet' | 'profile'>,
  { config, say, isStopping }: Pick<Starting, 'say' | 'isStopping'> & { readonly config: Pick<Config, 'venue'> },
): Promise<boolean> {
  if (member === null || isSettled) return true;
  const { profile } = venue;
  const access = { ...venue, allowBlindSigning: config.venue.allowBlindSigning };
  const endMs = performance.now() + profile.draft_lifetime_s * 1000 + member.lease.rules.marginMs;
  say(
    `took over the wallet (term ${member.lease.term}): cancels what its trader before left, and waits ${profile.draft_lifetime_s} s until no draft of it can take effect`,
  );
  await cancelUntilNothingRests(access, PATIENCE);
  while (performance.now() < endMs && !isStopping()) await pause(LOOK_MS);
  while (!isStopping()) {
    const { verified } = await cancelUntilNothingRests(access, PATIENCE);
    if (!verified) continue;
    await member.settle();
    say('nothing rests that the trader before left');
    return true;
  }
  return false;
}
