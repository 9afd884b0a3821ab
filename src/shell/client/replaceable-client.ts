/**
 * The client that a session uses now, and what puts a new one in its place. Where the exchange takes none of its API keys any more
 * and everything is to be canceled, one more is made: whoever revoked them wants nothing to go on under them, and what rests can be
 * canceled by the wallet's owner alone.
 */

import type { Credentials } from '../wallet/credentials.js';
import type { Wallet } from '../wallet/wallet.js';
import type { ServiceClient } from './client.js';
import { isKeyRefusal } from './key-ring.js';

/** What a session asks through. */
export interface ReplaceableClient {
  /** The one that is used now. */
  client(): ServiceClient;
  /**
   * Another client, which knows of no pause and no limit that the one before it was told; that one is closed, which drops and
   * cuts all that it was doing. Asked for when everything is to be canceled and that does not come about: where the exchange
   * refuses every key, one more is made.
   */
  freshClient(): Promise<ServiceClient>;
}

/**
 * Begins with this client.
 *
 * @param all its keys, at least one
 */
export function makeReplaceable(
  first: ServiceClient,
  all: readonly Credentials[],
  make: (credentials: readonly Credentials[]) => ServiceClient,
  settings: KeySettings,
): ReplaceableClient {
  const keys = new SessionKeys(all, settings);
  let current = first;
  const freshClient = async () => {
    const before = current;
    // First, so that what the core asks when the old one gives up finds the new one.
    const fresh = make(keys.all);
    current = fresh;
    await before.close();
    await keys.ensureTaken(fresh);
    return fresh;
  };
  return { client: () => current, freshClient };
}

/** How another API key is made. */
export interface KeySettings {
  readonly wallet: Wallet;
  /** Of a fleet: there a key is revoked so that a trader which another one has replaced does nothing more. */
  readonly isFenced: boolean;
  /** Told when one was made, with all that are to be stored: the venue shows a secret this once. */
  readonly keep: (all: readonly Credentials[]) => void;
  readonly warn: (text: string) => void;
}

class SessionKeys {
  readonly #settings: KeySettings;
  #all: readonly Credentials[];

  /** @param all those that the session began with, at least one */
  constructor(all: readonly Credentials[], settings: KeySettings) {
    this.#all = all;
    this.#settings = settings;
  }

  /** In the order in which they are used. */
  get all(): readonly Credentials[] {
    return this.#all;
  }

  /**
   * Makes a key and has the client use it, when each of the client's is refused; not where one of them is taken, or nobody can tell.
   * Never throws: canceling is tried with what there is.
   */
  async ensureTaken(client: ServiceClient): Promise<void> {
    const { wallet, isFenced, keep, warn } = this.#settings;
    if (isFenced || !(await this.#areRefused(client))) return;
    try {
      const made = await client.bootstrap(wallet);
      client.useKeys([made], this.#all);
      this.#all = [made, ...this.#all];
      warn(`the exchange refuses our API key: made another with the wallet's, ${made.apiKey}, to cancel with`);
      keep(this.#all);
    } catch (error) {
      warn(`another API key could not be made and kept: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #areRefused(client: ServiceClient): Promise<boolean> {
    for (const { apiKey } of this.#all) {
      // What there is to do wants this very read.
      const { outcome } = await client.call('orders.list', { query: { limit: 1 } }, { apiKey, lane: 'cancel' });
      if (!isKeyRefusal(outcome)) return false;
    }
    return true;
  }
}
