/** Finds API credentials that the venue accepts; creates new ones if permitted, or if orders must be canceled. */

import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import { refusesKey } from '../../shared/protocol/errors.js';
import type { Outcome } from '../../shared/protocol/seam.js';
import { type Credentials, loadCredentials, saveCredentials } from '../wallet/key-file.js';
import type { Wallet } from '../wallet/wallet.js';
import type { ServiceClient } from './client.js';
import { ServiceRefused } from './contract.js';

/** API key of a wallet at a venue, from the environment or a credentials file. New credentials are stored at once. */
export class ApiKey {
  readonly #path: string;
  readonly #baseUrl: string;
  readonly #wallet: Wallet;
  #held: Credentials | null;

  /** Throws the errors of `loadCredentials`. */
  constructor(path: string, baseUrl: string, wallet: Wallet, env: Parameters<typeof loadCredentials>[2]) {
    this.#path = path;
    this.#baseUrl = baseUrl;
    this.#wallet = wallet;
    this.#held = loadCredentials(path, { baseUrl, wallet: wallet.address }, env);
  }

  /** The credentials as constructor option of `ServiceClient`; empty without credentials. */
  get option(): { readonly credentials?: Credentials } {
    return this.#held === null ? {} : { credentials: this.#held };
  }

  /**
   * Tests the stored credentials, or creates credentials. Throws `venue_unreachable`, or `venue_refused`.
   * @param mayReplace whether to replace refused credentials; a new paper exchange refuses all earlier keys
   */
  async accept(client: ServiceClient, mayReplace: boolean): Promise<void> {
    if (this.#held !== null) {
      const { outcome } = await client.call('keys.list', {});
      if (outcome.kind === 'unknown' || (outcome.kind === 'refused' && PASSING.includes(outcome.slug)))
        throw unreachable(outcome.kind === 'unknown' ? outcome.reason : outcome.message);
      if (outcome.kind === 'answered') return;
      if (!mayReplace || outcome.slug !== 'authentication_failed') {
        const hint = 'The key may have been revoked: `twinbook keys bootstrap` makes a new one.';
        throw new TwinbookError('venue_refused', `the exchange refuses our credentials: ${outcome.message}`, hint);
      }
    }
    try {
      this.#store(await client.bootstrap(this.#wallet));
    } catch (error) {
      throw error instanceof ServiceRefused && PASSING.includes(error.slug) ? unreachable(error.message) : error;
    }
  }

  /** Replaces a key that the venue refuses, so that orders can be canceled. Never throws; on failure the key stays. */
  async replaceRefused(client: ServiceClient, warn: (text: string) => void): Promise<void> {
    if (this.#held === null) return;
    // This read of the orders tests the key. The later cancels also begin with a read of the orders.
    const { outcome } = await client.call('orders.list', { query: { limit: 1 } }, { lane: 'cancel' });
    if (!isKeyRefusal(outcome)) return;
    try {
      const made = await client.bootstrap(this.#wallet);
      warn(`the exchange refuses our API key; the wallet created the key ${made.apiKey} to cancel orders`);
      this.#store(made);
    } catch (error) {
      warn(`another API key could not be created and stored: ${messageOf(error)}`);
    }
  }

  #store(made: Credentials): void {
    this.#held = made;
    saveCredentials(this.#path, { baseUrl: this.#baseUrl, wallet: this.#wallet.address }, made);
  }
}

/** Refusals that say nothing about the key or the wallet: the venue answers otherwise later. */
const PASSING = ['throttled', 'gringotts_unavailable'];

const unreachable = (reason: string): TwinbookError =>
  new TwinbookError('venue_unreachable', reason, '`twinbook doctor` checks the connection.');

/** Returns true if the venue rejected the API key, or does not permit the call with this key. */
export const isKeyRefusal = (outcome: Outcome): boolean => outcome.kind === 'refused' && refusesKey(outcome);
