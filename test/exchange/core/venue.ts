/** A small exchange for tests: named wallets with accounts, one market, and both steps of an order in one call. */

import { base58 } from '@scure/base';
import type {
  BookConfigSpec,
  CoreSettings,
  MarketSpec,
  MatchingSide,
  OrderRequest,
  Result,
} from '../../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../../src/exchange/core/core.js';
import type { Market } from '../../../src/exchange/core/market.js';
import { memoryArchive } from '../../../src/exchange/core/records/archive.js';
import { bookRow } from '../../../src/exchange/core/records/market-rows.js';
import { must } from '../../../src/shared/base/errors.js';
import { type Micros, parseDecimal } from '../../../src/shared/base/micros.js';

export const m = (text: string | number): Micros => must(parseDecimal(String(text)), `decimal ${text}`);

export const settings: CoreSettings = {
  serviceName: 'SVC',
  draftLifetimeMs: 60_000,
  landingMs: 400,
  startingFunds: m(10_000),
  challengeLifetimeMs: 600_000,
  seed: 1,
};

export const wallet = (number: number): string => base58.encode(new Uint8Array(32).fill(number));

/** The value of a result; throws if it is an error. */
export function accepted<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.fault)}`);
  return result.value;
}

/** The slug of an error with its field: `invalid_request_params price`; `ok` for a success. */
export function faultOf(result: Result<unknown>): string {
  if (result.ok) return 'ok';
  const field = Object.keys(result.fault.details?.[0] ?? {})[0];
  return field === undefined ? result.fault.slug : `${result.fault.slug} ${field}`;
}

/** `[is_yes, side, price, amount]`, e.g. `[true, 'buy', '0.42', '10']`. */
export type Limit = readonly [isYes: boolean, side: 'buy' | 'sell', price: string, amount: string];

/** A core with its clock, accounts of wallets and their money. */
export class Desk {
  readonly archive = memoryArchive();
  core: ExchangeCore;
  nowMs = 1_700_000_000_000;

  constructor(own: CoreSettings) {
    this.core = new ExchangeCore(own, undefined, this.archive);
  }

  get now(): ExchangeCore {
    return this.core.at(this.nowMs);
  }

  /** The first market. */
  get first(): Market {
    return this.core.catalog.market(0);
  }

  /** The account of wallet `number`, made by its first key. */
  account(number: number, key = `key-${number}`): number {
    const nonce = `nonce-${key}`;
    const { message } = accepted(this.now.identity.challenge(wallet(number), nonce));
    const request = { wallet_address: wallet(number), message, nonce };
    accepted(this.now.identity.createKey(request, true, key, `secret-${key}`));
    return must(this.core.identity.credential(key), 'a fresh key').account;
  }

  pass(ms: number): void {
    this.nowMs += ms;
    this.core.advance(this.nowMs);
  }

  /** `total locked` of an account's currency, as decimals. */
  funds(account: number): readonly [total: number, locked: number] {
    const { total, locked } = this.core.funds.read(account);
    return [total / 1e6, locked / 1e6];
  }
}

export class Venue extends Desk {
  readonly id: string;

  constructor(config: Omit<BookConfigSpec, 'kind'> = {}, spec: Omit<MarketSpec, 'config'> = {}, own = settings) {
    super(own);
    this.id = accepted(this.now.markets.create({ config: { kind: 'orderbook', ...config }, ...spec })).condition_id;
  }

  request(limit: Limit): OrderRequest {
    const [is_yes, side, price, amount] = limit;
    return { market_condition_id: this.id, is_yes, side, order_type: 'limit', price: m(price), amount: m(amount) };
  }

  draft(account: number, request: Limit | OrderRequest): string {
    return accepted(this.now.orders.draft(account, 'order_type' in request ? request : this.request(request))).pubkey;
  }

  /** Drafts and submits; returns the pubkey. */
  place(account: number, request: Limit | OrderRequest): string {
    const pubkey = this.draft(account, request);
    accepted(this.now.orders.submit(account, pubkey, true));
    return pubkey;
  }

  cancel(account: number, pubkey: string) {
    accepted(this.now.orders.draftCancel(account, pubkey));
    return accepted(this.now.orders.submitCancel(account, pubkey, true));
  }

  /** Gives an account complete sets by a landed split. */
  split(account: number, amount: string): void {
    const { pubkey } = accepted(this.now.conversions.draft('split', account, this.id, amount));
    accepted(this.now.conversions.submit('split', account, pubkey, true));
    this.pass(settings.landingMs);
  }

  order(account: number, pubkey: string) {
    return must(this.core.orders.row(account, pubkey), `order ${pubkey}`);
  }

  shares(account: number) {
    const { yes, yesLocked, no, noLocked } = this.first.shares.read(account);
    return { yes: yes / 1e6, yesLocked: yesLocked / 1e6, no: no / 1e6, noLocked: noLocked / 1e6 };
  }

  /** Book levels as `price:amount`, best first. */
  book(isYes = true): { readonly bid: readonly string[]; readonly ask: readonly string[] } {
    const { bid, ask } = bookRow(this.first, isYes, 100);
    const text = (level: { price: string; total_amount: string }) => `${level.price}:${level.total_amount}`;
    return { bid: bid.map(text), ask: ask.map(text) };
  }
}

/** Visible amount of a level in YES space, real and recorded together, in millionths. */
export const levelAmount = ({ orderbook }: Market, side: MatchingSide, price: number): number =>
  orderbook?.book.displayedAmount(side, price / orderbook.tick) ?? 0;
