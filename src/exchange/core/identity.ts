import { assert, must } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import { isPublicKey } from '../../shared/protocol/profile.js';
import { challengeText } from '../../shared/protocol/signing.js';
import { badSignature, invalid, type KeyRequest, ok, type Result, refuse, type Wire } from './contract.js';
import { type Account, type CoreContext, seconds } from './core-context.js';
import { text } from './money.js';
import type { Archived } from './records/archive.js';

interface AccountRecord extends Account {
  readonly slot: number;
  readonly joinedMs: number;
  custodial: boolean;
}

/** An active API key. A revoked key moves to the archive without its secret. */
export interface ApiKey {
  readonly id: number;
  readonly apiKey: string;
  readonly secret: string;
  readonly account: number;
  readonly createdMs: number;
}

/** A nonce that a wallet must sign before it expires. */
export interface Challenge {
  readonly nonce: string;
  readonly wallet: string;
  readonly expiresMs: number;
}

/** Maximum number of open challenges; the oldest is dropped first. One IP address gets at most 100 per 10 min. */
const MAX_CHALLENGES = 10_000;

/** Accounts, API keys and open challenges. Callers verify the signatures of wallets. */
export class Identity {
  readonly #context: CoreContext;
  readonly #accounts: AccountRecord[] = [];
  readonly #byWallet = new Map<string, number>();
  readonly #byName = new Map<string, number>();
  readonly #keys = new Map<string, ApiKey>();
  #lastKeyId = 0;
  /** Open challenges by nonce, in order of creation. The oldest challenge expires first. */
  readonly #challenges = new Map<string, Challenge>();

  constructor(context: CoreContext) {
    this.#context = context;
  }

  challenge(wallet: string, nonce: string): Result<Wire<'authChallenge'>> {
    const { settings, nowMs } = this.#context;
    if (!isPublicKey(wallet)) return invalid('wallet_address', 'Must be the base58 of a 32-byte public key.');
    for (const old of this.#challenges.values()) {
      if (old.expiresMs > nowMs && this.#challenges.size < MAX_CHALLENGES) break;
      this.#challenges.delete(old.nonce);
    }
    this.#challenges.set(nonce, { nonce, wallet, expiresMs: nowMs + settings.challengeLifetimeMs });
    const message = challengeText(settings.serviceName, wallet, nonce);
    return ok({ nonce, message, expires_in_seconds: seconds(settings.challengeLifetimeMs) });
  }

  /** Creates an API key; the wallet's first key also creates its account. The caller makes `apiKey` and `secret`. */
  createKey(request: KeyRequest, signatureValid: boolean, apiKey: string, secret: string): Result<Wire<'credential'>> {
    const { settings, nowMs } = this.#context;
    const { wallet_address: wallet, message, nonce } = request;
    if (!isPublicKey(wallet)) return invalid('wallet_address', 'Must be the base58 of a 32-byte public key.');
    const challenge = this.#challenges.get(nonce);
    if (challenge === undefined || challenge.wallet !== wallet || challenge.expiresMs <= nowMs)
      return invalid('nonce', 'Unknown, used or expired nonce. Ask for a new challenge.');
    if (message !== challengeText(settings.serviceName, wallet, nonce))
      return invalid('message', 'Must be the message of the challenge, unchanged.');
    if (!signatureValid) return badSignature();
    assert(
      !this.#keys.has(apiKey) && this.#context.archive.key.byPubkey(apiKey) === null,
      'a new API key must differ from all earlier keys',
    );
    this.#challenges.delete(nonce);
    let account = this.#byWallet.get(wallet);
    if (account === undefined) {
      account = this.#open(wallet, `trader-${wallet.slice(0, 6)}`, false);
      this.#bring(account, settings.startingFunds);
    }
    this.#lastKeyId += 1;
    this.#keys.set(apiKey, { id: this.#lastKeyId, apiKey, secret, account, createdMs: nowMs });
    return ok({ api_key: apiKey, secret });
  }

  /** Returns or creates an internal account, which has no wallet. An unlimited account's currency may be negative. */
  openInternal(name: string, { unlimited, funds }: { readonly unlimited: boolean; readonly funds?: Micros }): number {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const slot = this.#open(null, name, unlimited);
    this.#bring(slot, funds ?? 0);
    return slot;
  }

  #open(wallet: string | null, name: string, unlimited: boolean): number {
    const slot = this.#context.funds.open(unlimited);
    this.#keep({ slot, wallet, name, joinedMs: this.#context.nowMs, custodial: false });
    return slot;
  }

  #keep(account: AccountRecord): void {
    assert(account.slot === this.#accounts.length, 'accounts and funds must have the same length');
    this.#accounts.push(account);
    if (account.wallet !== null) this.#byWallet.set(account.wallet, account.slot);
    else this.#byName.set(account.name, account.slot);
  }

  #bring(slot: number, funds: number): void {
    this.#context.funds.add(slot, funds);
    this.#context.deposited += funds;
  }

  credential(apiKey: string): { readonly account: number; readonly secret: string } | null {
    return this.#keys.get(apiKey) ?? null;
  }

  account(slot: number): AccountRecord {
    return must(this.#accounts[slot], `account ${slot}`);
  }

  row(slot: number): Wire<'accountSummary'> {
    const { name, joinedMs } = this.account(slot);
    return { username: name, twitter_username: null, joined_at: seconds(joinedMs) };
  }

  /** Returns all API keys of an account, including revoked keys, in order of creation. */
  keys(account: number): readonly Wire<'apiKeyRow'>[] {
    const live = [...this.#keys.values()].filter((key) => key.account === account);
    const revoked = this.#context.archive.key.list({ account, limit: Number.MAX_SAFE_INTEGER });
    return [
      ...live.map((key) => ({ id: key.id, row: keyRow(key.apiKey, key.createdMs, null) })),
      ...revoked.map((row) => ({ id: row.id, row: revokedRow(row) })),
    ]
      .sort((a, b) => a.id - b.id)
      .map(({ row }) => row);
  }

  /** Revokes an API key. A key that was revoked before keeps its revocation time. */
  revoke(account: number, keyId: string): Result<Wire<'apiKeyRow'>> {
    const key = this.#keys.get(keyId);
    if (key === undefined) {
      const gone = this.#context.archive.key.byPubkey(keyId);
      return gone?.account === account ? ok(revokedRow(gone)) : refuse('not_found');
    }
    if (key.account !== account) return refuse('not_found');
    this.#keys.delete(keyId);
    const { id, createdMs } = key;
    const record = keyRow(keyId, createdMs, this.#context.nowMs);
    const facets = { market: -1, state: 'revoked', isYes: null, side: null };
    this.#context.archive.key.put({ id, account, pubkey: keyId, ...facets, record });
    return ok(record);
  }

  deposit(wallet: string, funds: number) {
    const slot = this.#byWallet.get(wallet);
    if (slot === undefined) return refuse('not_found');
    if (!(funds > 0) || !Number.isSafeInteger(this.#context.funds.total(slot) + funds))
      return invalid('funds', 'Must be a positive amount of currency.');
    this.#bring(slot, funds);
    return ok(this.#fundsRow(slot));
  }

  setCustodial(wallet: string, custodial: boolean) {
    const slot = this.#byWallet.get(wallet);
    if (slot === undefined) return refuse('not_found');
    this.account(slot).custodial = custodial;
    return ok(this.#fundsRow(slot));
  }

  fundsOfWallet(wallet: string) {
    const slot = this.#byWallet.get(wallet);
    return slot === undefined ? refuse('not_found') : ok(this.#fundsRow(slot));
  }

  /** Answer of the control calls under `/paper/accounts/{wallet}/`. */
  #fundsRow(slot: number) {
    const { total, locked, available } = this.#context.funds.read(slot);
    return {
      funds: { total: text(total), locked: text(locked), available: text(available) },
      custodial: this.account(slot).custodial,
    };
  }

  dump() {
    return {
      accounts: this.#accounts.map((account) => ({ ...account })),
      lastKeyId: this.#lastKeyId,
      keys: [...this.#keys.values()],
      challenges: [...this.#challenges.values()],
    };
  }

  load(dump: ReturnType<Identity['dump']>): void {
    for (const account of dump.accounts) this.#keep({ ...account });
    this.#lastKeyId = dump.lastKeyId;
    const live = dump.keys.map(({ id }) => id);
    this.#context.archive.key.rewind(dump.lastKeyId, live);
    for (const key of dump.keys) this.#keys.set(key.apiKey, key);
    for (const challenge of dump.challenges) this.#challenges.set(challenge.nonce, challenge);
  }
}

// The cast is right: only `revoke` archives API keys, so the archived row has this type.
const revokedRow = ({ record }: Archived): Wire<'apiKeyRow'> => record as Wire<'apiKeyRow'>;

const keyRow = (apiKey: string, createdMs: number, revokedMs: number | null): Wire<'apiKeyRow'> => ({
  key_id: apiKey,
  created: seconds(createdMs),
  revoked_at: revokedMs === null ? null : seconds(revokedMs),
});
