/** The client that a session uses now, and what puts a new one in its place. */

import type { Credentials } from '../wallet/credentials.js';
import { ensureTakenKey, type KeyMaking } from './accepted-credentials.js';
import type { ServiceClient } from './client.js';

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
 * @param making null in a fleet: there a key is revoked so that a trader which another one has replaced does nothing more
 */
export function makeReplaceable(
  first: ServiceClient,
  all: readonly Credentials[],
  make: (credentials: readonly Credentials[]) => ServiceClient,
  making: KeyMaking | null,
): ReplaceableClient {
  let keys = all;
  let current = first;
  const freshClient = async () => {
    const before = current;
    // First, so that what the core asks when the old one gives up finds the new one.
    const fresh = make(keys);
    current = fresh;
    await before.close();
    if (making !== null) keys = await ensureTakenKey(fresh, keys, making);
    return fresh;
  };
  return { client: () => current, freshClient };
}
