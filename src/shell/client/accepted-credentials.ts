/** Finds credentials that the venue accepts: stored ones, or new ones if the caller permits or if orders are open. */

import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import { refusesKey } from '../../shared/protocol/errors.js';
import type { Outcome } from '../../shared/protocol/seam.js';
import type { Credentials } from '../wallet/key-file.js';
import type { Wallet } from '../wallet/wallet.js';
import type { ServiceClient } from './client.js';

interface StoredCredentials {
  /** Credentials with which the client already signs; null without credentials. */
  readonly stored: Credentials | null;
  /** Whether new credentials may replace refused ones. A new paper exchange does not know earlier API keys. */
  readonly mayReplace: boolean;
  /** Stores new credentials, because the venue shows an API secret only once. */
  readonly keep: (made: Credentials) => void;
}

/** Tests the stored credentials, or creates new ones. Throws `venue_unreachable`, or `venue_refused`. */
export async function acceptedCredentials(
  client: ServiceClient,
  wallet: Wallet,
  { stored, mayReplace, keep }: StoredCredentials,
): Promise<Credentials> {
  if (stored !== null) {
    const { outcome } = await client.call('keys.list', {});
    if (outcome.kind === 'unknown')
      throw new TwinbookError('venue_unreachable', outcome.reason, '`twinbook doctor` checks the connection.');
    if (outcome.kind === 'answered') return stored;
    if (!mayReplace || outcome.slug !== 'authentication_failed') {
      const hint = 'The key may have been revoked: `twinbook keys bootstrap` makes a new one.';
      throw new TwinbookError('venue_refused', `the exchange refuses our credentials: ${outcome.message}`, hint);
    }
  }
  const made = await client.bootstrap(wallet);
  keep(made);
  return made;
}

interface KeyMaking {
  readonly wallet: Wallet;
  /** Stores the new credentials, because the venue shows an API secret only once. */
  readonly keep: (made: Credentials) => void;
  readonly warn: (text: string) => void;
}

/** Replaces a refused API key, because open orders must be canceled. Returns the key in use. Never throws. */
export async function ensureTakenKey(
  client: ServiceClient,
  current: Credentials | null,
  { wallet, keep, warn }: KeyMaking,
): Promise<Credentials | null> {
  if (current === null) return null;
  // This read tests the key; the following cancels begin with the same read.
  const { outcome } = await client.call('orders.list', { query: { limit: 1 } }, { lane: 'cancel' });
  if (!isKeyRefusal(outcome)) return current;
  let used = current;
  try {
    used = await client.bootstrap(wallet);
    warn(`the exchange refuses our API key; the wallet created the key ${used.apiKey} to cancel orders`);
    keep(used);
  } catch (error) {
    warn(`another API key could not be created and stored: ${messageOf(error)}`);
  }
  return used;
}

/** Returns true if the venue rejected the API key, or does not permit the call with this key. */
export const isKeyRefusal = (outcome: Outcome): boolean => outcome.kind === 'refused' && refusesKey(outcome);
