/**
 * The guardian's own way to the exchange: its own API key, so that revoking one leaves the other, with its own share of
 * the request budget; and the key of the wallet, which it holds in memory from the start. When the alarm comes it needs
 * no disk.
 */

import { existsSync } from 'node:fs';
import { TwinbookError } from '../../shared/base/errors.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import { acceptedCredentials, ensureTakenKey } from '../client/accepted-credentials.js';
import { ServiceClient } from '../client/client.js';
import { addCredentials, type Credentials, loadAllCredentials, saveCredentials } from '../wallet/credentials.js';
import { openKeyFile } from '../wallet/key-file.js';
import { walletPassphrase } from '../wallet/passphrase.js';
import type { Wallet } from '../wallet/wallet.js';

/** An exchange that takes longer is asked again in the next round: seconds are what the guardian has. */
const TIMEOUT_MS = 5_000;

export interface AccessSettings {
  readonly profile: VenueProfile;
  readonly walletFile: string;
  readonly credentialsFile: string;
  readonly isPaper: boolean;
  /** As many keys as the trader has: what rests under its budget must be canceled within ours. */
  readonly keys: number;
  /** Of a fleet: there keys are revoked so that a trader which another one has replaced does nothing more, nor its guardian. */
  readonly isFenced: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Access {
  readonly client: ServiceClient;
  readonly wallet: Wallet;
}

export class GuardianSession {
  readonly #settings: AccessSettings;
  readonly #wallet: Wallet;
  readonly #client: ServiceClient;
  #stored: readonly Credentials[];
  /** Why fewer keys are of use than are wanted, a sentence each; as of the newest check. */
  missing: readonly string[] = [];

  /** Opens wallet and credentials. Throws `file_unreadable`, `key_insecure` or `key_invalid`. */
  constructor(settings: AccessSettings) {
    const { walletFile, credentialsFile, profile } = settings;
    if (!existsSync(walletFile)) {
      const hint = 'Against the paper profile the trader makes one at its first start; else `twinbook keys create`.';
      throw new TwinbookError('file_unreadable', `there is no wallet file ${walletFile}`, hint);
    }
    this.#settings = settings;
    this.#wallet = openKeyFile({ path: walletFile, passphrase: walletPassphrase(settings.env) });
    // The trader's variables for credentials are not ours: two processes under one key would be one key to lose.
    this.#stored = loadAllCredentials(credentialsFile, this.#owner, {});
    // Whatever an answer says, the next round begins when it is due: rounds are what keeps this client's requests few.
    this.#client = new ServiceClient({ profile, timeoutMs: TIMEOUT_MS, isPaced: false, credentials: this.#stored });
  }

  /** A client that the exchange answers. Throws `venue_unreachable`, or `venue_refused` when it does not take our key. */
  async check(): Promise<Access> {
    const { isPaper, credentialsFile, keys } = this.#settings;
    const { missing } = await acceptedCredentials(this.#client, this.#wallet, {
      stored: this.#stored,
      wanted: keys,
      mayReplace: isPaper,
      mayMake: true,
      keep: (all) => {
        this.#stored = all;
        saveCredentials(credentialsFile, this.#owner, all);
      },
    });
    this.missing = missing;
    return this.#access;
  }

  /** The same without asking first, unless there is no key at all yet. */
  async open(): Promise<Access> {
    return this.#stored.length === 0 ? this.check() : this.#access;
  }

  /**
   * Everything is to be canceled, and the exchange refused it: where it refuses each of our keys, one more is made, for nobody else
   * may be there to cancel. Never throws.
   */
  async ensureTaken(warn: (text: string) => void): Promise<void> {
    const { isFenced, credentialsFile } = this.#settings;
    if (isFenced) return;
    const keep = (made: Credentials) => addCredentials(credentialsFile, this.#owner, made);
    this.#stored = await ensureTakenKey(this.#client, this.#stored, { wallet: this.#wallet, keep, warn });
  }

  get #access(): Access {
    return { client: this.#client, wallet: this.#wallet };
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  get #owner() {
    return { baseUrl: this.#settings.profile.base_url, wallet: this.#wallet.address };
  }
}
