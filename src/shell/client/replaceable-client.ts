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
   * refuses the key, another is made.
   */
  freshClient(): Promise<ServiceClient>;
}

/**
 * Begins with this client.
 *
 * @param used what the first one signs with
 * @param making null in a fleet: there a key is revoked so that a trader which another one has replaced does nothing more
 */
export function makeReplaceable(
  first: ServiceClient,
  used: Credentials,
  make: (credentials: Credentials) => ServiceClient,
  making: KeyMaking | null,
): ReplaceableClient {
  let credentials = used;
  let current = first;
  const freshClient = async () => {
    const before = current;
    // First, so that what the core asks when the old one gives up finds the new one.
    const fresh = make(credentials);
    current = fresh;
    await before.close();
    if (making !== null) credentials = (await ensureTakenKey(fresh, credentials, making)) ?? credentials;
    return fresh;
  };
  return { client: () => current, freshClient };
}
