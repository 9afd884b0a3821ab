/** Fills a core with history by calls: every order is drafted, and signed, filled, canceled or left to expire. */

import { base58 } from '@scure/base';
import type { CoreSettings, OrderRequest, Result } from '../../../src/exchange/core/contract.js';
import type { ExchangeCore } from '../../../src/exchange/core/core.js';
import { must } from '../../../src/shared/base/errors.js';
import type { Micros } from '../../../src/shared/base/micros.js';
import { Random } from '../../../src/shared/base/random.js';

export const HISTORY_SETTINGS: CoreSettings = {
  serviceName: 'SVC',
  draftLifetimeMs: 60_000,
  landingMs: 400,
  // Enough for all trades.
  startingFunds: 1_000_000_000_000_000 as Micros,
  challengeLifetimeMs: 600_000,
  seed: 7,
};

const ACCOUNTS = 8;
const MARKETS = 4;
/** Between two orders, ms. */
const STEP_MS = 700;

const walletOf = (number: number): string => base58.encode(new Uint8Array(32).fill(number + 1));
export const keyOf = (number: number) => ({ apiKey: `key_${number}`, secret: `secret_${number}` });

function accepted<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.fault)}`);
  return result.value;
}

export class History {
  readonly core: ExchangeCore;
  readonly #random = Random.fromSeed(1, 'history');
  readonly #accounts: readonly number[];
  readonly #markets: readonly string[];
  /** Number of drafted orders. */
  orders = 0;
  nowMs: number;

  /** Opens accounts and markets in an empty core. */
  constructor(core: ExchangeCore, startMs: number) {
    this.core = core;
    this.nowMs = startMs;
    this.#accounts = Array.from({ length: ACCOUNTS }, (_, number) => this.#open(number));
    this.#markets = Array.from(
      { length: MARKETS },
      () => accepted(core.at(startMs).markets.create({ config: { kind: 'orderbook' } })).condition_id,
    );
  }

  #open(number: number): number {
    const { apiKey, secret } = keyOf(number);
    const wallet = walletOf(number);
    const { message, nonce } = accepted(this.core.at(this.nowMs).identity.challenge(wallet, `nonce ${number}`));
    accepted(
      this.core.at(this.nowMs).identity.createKey({ wallet_address: wallet, message, nonce }, true, apiKey, secret),
    );
    return must(this.core.identity.credential(apiKey), 'a fresh key').account;
  }

  /** Duration of a history with this number of orders. */
  static lengthMs(orders: number): number {
    return orders * STEP_MS;
  }

  /** One to three orders: filled, canceled, partly filled and canceled, or never signed. */
  step(): void {
    const dice = this.#random.uniform();
    const market = this.#random.below(MARKETS);
    const maker = this.#random.below(ACCOUNTS);
    const taker = (maker + 1) % ACCOUNTS;
    const cents = 30 + this.#random.below(40);
    if (dice < 0.15) this.#draft(maker, market, true, cents, 3);
    else if (dice < 0.45) this.#cancel(maker, this.#place(maker, market, true, 5, 2));
    else {
      const rest = this.#place(maker, market, true, cents, dice < 0.5 ? 9 : 4);
      this.#place(taker, market, false, 100 - cents, 4);
      if (dice < 0.5) this.#cancel(maker, rest);
    }
  }

  /** Adds a resting order that no order will take. */
  rest(): void {
    const number = this.orders % ACCOUNTS;
    this.#place(number, number % MARKETS, true, 1 + (this.orders % 20), 1);
  }

  #draft(account: number, market: number, isYes: boolean, cents: number, amount: number): string {
    this.nowMs += STEP_MS;
    this.orders += 1;
    const request: OrderRequest = {
      market_condition_id: must(this.#markets[market], 'a market'),
      is_yes: isYes,
      side: 'buy',
      // Whole cents and shares.
      order_type: 'limit',
      price: (cents * 10_000) as Micros,
      amount: (amount * 1_000_000) as Micros,
    };
    return accepted(this.core.at(this.nowMs).orders.draft(this.#slot(account), request)).pubkey;
  }

  #place(account: number, market: number, isYes: boolean, cents: number, amount: number): string {
    const pubkey = this.#draft(account, market, isYes, cents, amount);
    accepted(this.core.at(this.nowMs).orders.submit(this.#slot(account), pubkey, true));
    return pubkey;
  }

  #cancel(account: number, pubkey: string): void {
    accepted(this.core.at(this.nowMs).orders.draftCancel(this.#slot(account), pubkey));
    accepted(this.core.at(this.nowMs).orders.submitCancel(this.#slot(account), pubkey, true));
  }

  #slot(account: number): number {
    return must(this.#accounts[account], 'an account');
  }
}
