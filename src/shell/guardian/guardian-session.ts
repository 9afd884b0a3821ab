/**
 * The guardian's own access to the exchange: its own API key, so that a revoked key leaves the other, its own share of
 * the request budget, and the wallet's key in memory from the start. An alarm needs no disk.
 */

import { existsSync } from 'node:fs';
import { TwinbookError } from '../../shared/base/errors.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import { acceptedCredentials, ensureTakenKey } from '../client/accepted-credentials.js';
import { type Credentials, ServiceClient } from '../client/client.js';
import { loadCredentials, openKeyFile, saveCredentials, walletPassphrase } from '../wallet/key-file.js';
import type { Wallet } from '../wallet/wallet.js';

/** A slower exchange is asked again in the next round: the guardian has only seconds. */
const TIMEOUT_MS = 5_000;

export interface AccessSettings {
  readonly profile: VenueProfile;
  readonly walletFile: string;
  readonly credentialsFile: string;
  readonly isPaper: boolean;
  /** In a fleet a revoked key stops a replaced trader, and its guardian too. */
  readonly isFenced: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Access = Pick<GuardianSession, 'client' | 'wallet'>;

export class GuardianSession {
  readonly #settings: AccessSettings;
  readonly wallet: Wallet;
  readonly client: ServiceClient;
  #stored: Credentials | null;

  /** Opens wallet and credentials. Throws `file_unreadable`, `key_insecure` or `key_invalid`. */
  constructor(settings: AccessSettings) {
    const { walletFile, credentialsFile, profile } = settings;
    if (!existsSync(walletFile)) {
      const hint = 'Against the paper profile the trader makes one at its first start; else `twinbook keys create`.';
      throw new TwinbookError('file_unreadable', `there is no wallet file ${walletFile}`, hint);
    }
    this.#settings = settings;
    this.wallet = openKeyFile({ path: walletFile, passphrase: walletPassphrase(settings.env) });
    // The trader's variables for credentials are ignored: two processes with one key could lose both at once.
    this.#stored = loadCredentials(credentialsFile, this.#owner, {});
    // The next round begins when it is due, whatever an answer says: rounds keep this client's requests few.
    const signed = this.#stored === null ? {} : { credentials: this.#stored };
    this.client = new ServiceClient({ profile, timeoutMs: TIMEOUT_MS, isPaced: false, ...signed });
  }

  /** A client that the exchange answers. Throws `venue_unreachable`, or `venue_refused` when our key is rejected. */
  async check(): Promise<Access> {
    const { isPaper } = this.#settings;
    const asked = { stored: this.#stored, mayReplace: isPaper, keep: (made: Credentials) => this.#keep(made) };
    await acceptedCredentials(this.client, this.wallet, asked);
    return this;
  }

  /** The same without a check, unless there is no key yet. */
  async open(): Promise<Access> {
    return this.#stored === null ? this.check() : this;
  }

  /** Creates a new key if the exchange rejects ours, so that everything can be canceled. Never throws. */
  async ensureTaken(warn: (text: string) => void): Promise<void> {
    if (this.#settings.isFenced) return;
    const keep = (made: Credentials) => this.#keep(made);
    this.#stored = await ensureTakenKey(this.client, this.#stored, { wallet: this.wallet, keep, warn });
  }

  #keep(made: Credentials): void {
    this.#stored = made;
    saveCredentials(this.#settings.credentialsFile, this.#owner, made);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  get #owner() {
    return { baseUrl: this.#settings.profile.base_url, wallet: this.wallet.address };
  }
}
