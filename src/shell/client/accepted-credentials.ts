/** Credentials that the venue takes: the stored ones, or new ones where those may be made without asking, or where orders rest. */

import { TwinbookError } from '../../shared/base/errors.js';
import type { Credentials } from '../wallet/credentials.js';
import type { Wallet } from '../wallet/wallet.js';
import type { ServiceClient } from './client.js';
import { isKeyRefusal } from './key-ring.js';

/** What is known of the credentials before the venue is asked whether it accepts them. */
export interface StoredCredentials {
  /** Keys of the wallet, in the order in which they are used, all of them known to the client; none when there are none yet. */
  readonly stored: readonly Credentials[];
  /** So many of them are to be used, at least 1. */
  readonly wanted: number;
  /** Whether refused ones may be replaced: a paper exchange that was begun anew knows no keys. */
  readonly mayReplace: boolean;
  /** Whether missing ones may be made. */
  readonly mayMake: boolean;
  /** Told after each key that was made, with all that are to be stored: the venue shows a secret this once. */
  readonly keep: (all: readonly Credentials[]) => void;
}

/** The keys that are used, and what is wrong with the others. */
export interface AcceptedCredentials {
  /** At least one. */
  readonly keys: readonly Credentials[];
  /** Why fewer are used than are wanted, a sentence each. */
  readonly missing: readonly string[];
}

/**
 * Asks the venue for one signed answer under each key. The client then uses those that it takes. Throws `venue_unreachable`, or
 * `venue_refused` when a person must look at it, for there is no key left.
 */
export async function acceptedCredentials(
  client: ServiceClient,
  wallet: Wallet,
  { stored, wanted, mayReplace, mayMake, keep }: StoredCredentials,
): Promise<AcceptedCredentials> {
  const keys: Credentials[] = [];
  const refusals: { readonly key: Credentials; readonly why: string; readonly isReplaced: boolean }[] = [];
  for (const key of stored.slice(0, wanted)) {
    const { outcome } = await client.call('keys.list', {}, { apiKey: key.apiKey });
    if (outcome.kind === 'unknown')
      throw new TwinbookError('venue_unreachable', outcome.reason, '`twinbook doctor` says whether it can be reached.');
    if (outcome.kind === 'answered') keys.push(key);
    else {
      const isReplaced = mayReplace && outcome.slug === 'authentication_failed';
      refusals.push({ key, why: outcome.message, isReplaced });
    }
  }
  const standing = refusals.filter(({ isReplaced }) => !isReplaced);
  if (keys.length === 0 && standing[0] !== undefined) throw refuseAll(standing[0].why);
  const others = [...standing.map(({ key }) => key), ...stored.slice(wanted)];
  const missing = standing.map(({ key, why }) => `the exchange refuses the API key ${key.apiKey}: ${why}`);
  while (mayMake && keys.length + standing.length < wanted) {
    try {
      keys.push(await client.bootstrap(wallet));
    } catch (error) {
      // With one there is work to do; the venue may let others be made later.
      if (keys.length === 0 || !(error instanceof TwinbookError)) throw error;
      missing.push(`an API key could not be made: ${error.message}`);
      break;
    }
    keep([...keys, ...others]);
  }
  client.useKeys(keys, others);
  const unmade = wanted - keys.length - standing.length;
  if (unmade > 0 && !mayMake)
    missing.push(`${unmade} of ${wanted} API keys are not there: \`twinbook keys bootstrap --add\` makes one`);
  return { keys, missing };
}

function refuseAll(why: string): TwinbookError {
  const hint = 'The key may have been revoked: `twinbook keys bootstrap` makes a new one.';
  return new TwinbookError('venue_refused', `the exchange refuses our credentials: ${why}`, hint);
}

/** How another API key is made. */
export interface KeyMaking {
  readonly wallet: Wallet;
  /** Told when one was made, which is to be stored before those of this owner: the venue shows a secret this once. */
  readonly keep: (made: Credentials) => void;
  readonly warn: (text: string) => void;
}

/**
 * Everything is to be canceled, and whoever revoked our keys wants nothing to go on under them; but what rests can be canceled by
 * the wallet's owner alone. Makes a key and has the client use it, when each of these is refused; not where one of them is taken,
 * or nobody can tell. Never throws: canceling is tried with what there is.
 *
 * @param all known to the client, in the order in which they are used, at least one
 * @returns all that there are from then on
 */
export async function ensureTakenKey(
  client: ServiceClient,
  all: readonly Credentials[],
  { wallet, keep, warn }: KeyMaking,
): Promise<readonly Credentials[]> {
  let known = all;
  if (!(await areRefused(client, all))) return known;
  try {
    const made = await client.bootstrap(wallet);
    client.useKeys([made], all);
    known = [made, ...all];
    warn(`the exchange refuses our API key: made another with the wallet's, ${made.apiKey}, to cancel with`);
    keep(made);
  } catch (error) {
    warn(`another API key could not be made and kept: ${error instanceof Error ? error.message : String(error)}`);
  }
  return known;
}

async function areRefused(client: ServiceClient, all: readonly Credentials[]): Promise<boolean> {
  for (const { apiKey } of all) {
    // What there is to do wants this very read.
    const { outcome } = await client.call('orders.list', { query: { limit: 1 } }, { apiKey, lane: 'cancel' });
    if (!isKeyRefusal(outcome)) return false;
  }
  return all.length > 0;
}
