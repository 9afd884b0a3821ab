/** Credentials that the venue takes: the stored ones, or new ones where those may be made without asking. */

import { TwinbookError } from '../../shared/base/errors.js';
import type { Credentials } from '../wallet/credentials.js';
import type { Wallet } from '../wallet/wallet.js';
import type { ServiceClient } from './client.js';

/** What is known of the credentials before the venue is asked whether it accepts them. */
export interface StoredCredentials {
  /** What `client` was made with; null when there are none yet. */
  readonly stored: Credentials | null;
  /** Whether refused ones may be replaced: a paper exchange that was begun anew knows no keys. */
  readonly mayReplace: boolean;
}

/**
 * Asks the venue for one signed answer. New credentials are those that `client` then uses; store them. Throws
 * `venue_unreachable`, or `venue_refused` when a person must look at it.
 */
export async function acceptedCredentials(
  client: ServiceClient,
  wallet: Wallet,
  { stored, mayReplace }: StoredCredentials,
): Promise<Credentials> {
  if (stored === null) return client.bootstrap(wallet);
  const { outcome } = await client.call('keys.list', {});
  if (outcome.kind === 'answered') return stored;
  if (outcome.kind === 'unknown')
    throw new TwinbookError('venue_unreachable', outcome.reason, '`twinbook doctor` says whether it can be reached.');
  if (outcome.slug === 'authentication_failed' && mayReplace) return client.bootstrap(wallet);
  const hint = 'The key may have been revoked: `twinbook keys bootstrap` makes a new one.';
  throw new TwinbookError('venue_refused', `the exchange refuses our credentials: ${outcome.message}`, hint);
}
