/** Credentials: `client.keys`. `client.bootstrap(wallet)` makes the first two calls for you. */

import type { DataOf } from '../../../shared/protocol/endpoints.js';
import type { CallOptions } from '../contract.js';
import type { TypedCalls } from '../typed-call.js';

/** The calls under `keys.`: challenges, and the API keys of the caller. */
export class KeyCalls {
  readonly #calls: TypedCalls;

  constructor(calls: TypedCalls) {
    this.#calls = calls;
  }

  /**
   * Asks for the text that proves control of a wallet. Sign it with `wallet.signChallenge` and pass it on unchanged.
   * @param walletAddress base58 of the wallet's public key
   */
  challenge(walletAddress: string, options?: CallOptions): Promise<DataOf<'keys.challenge'>> {
    return this.#calls.ask('keys.challenge', { body: { wallet_address: walletAddress } }, options);
  }

  /**
   * Creates an API key. The answer holds its secret, this once and never again.
   * @param proof the challenge's own `message` and `nonce`, and the wallet's signature in hex
   */
  create(
    proof: {
      readonly wallet_address: string;
      readonly message: string;
      readonly nonce: string;
      readonly signature: string;
    },
    options?: CallOptions,
  ): Promise<DataOf<'keys.create'>> {
    return this.#calls.ask('keys.create', { body: proof }, options);
  }

  /** All keys of the account, revoked ones too. Times in Unix seconds. */
  list(options?: CallOptions): Promise<DataOf<'keys.list'>> {
    return this.#calls.ask('keys.list', {}, options);
  }

  /** Revokes a key: requests under it are not believed any more. Refused with `not_found`. */
  revoke(keyId: string, options?: CallOptions): Promise<DataOf<'keys.revoke'>> {
    return this.#calls.ask('keys.revoke', { params: { key_id: keyId } }, options);
  }
}
