/**
 * The service as a library: `import { ServiceClient } from 'twinbook/client'`.
 *
 * Every call of the interface is a method at the call's own name: `orders.create` is `client.orders.create`. A method
 * resolves to the record, with money, prices and amounts as `Micros` (integers in millionths) where they are calculated
 * with and as decimal text where they inform; what is sent is decimal text, as the interface spells it. It rejects with
 * ServiceRefused or OutcomeUnknown (errors.ts), with nothing else but for TwinbookError on what cannot be sent at all.
 * `all…` walks a list. The verbs on the client itself (`place`, `cancel` …) carry a draft through signature, submit and
 * landing.
 *
 * Underneath, `call` and `perform` never throw and classify every outcome: see caller.ts.
 */

import type { ConversionRow, OrderRow, PositionRow, RedeemRow, RequestRow } from '../../shared/protocol/records.js';
import type { Wallet } from '../wallet/wallet.js';
import { HttpCaller } from './caller.js';
import { AccountCalls } from './calls/account.js';
import { EventCalls, SearchCalls, SportCalls } from './calls/catalog.js';
import { type ConversionInput, MergeCalls, RedeemCalls, SplitCalls } from './calls/conversions.js';
import { KeyCalls } from './calls/keys.js';
import { type MarginInput, PositionCalls, RequestCalls, SettlementCalls } from './calls/margin.js';
import { MarketCalls } from './calls/markets.js';
import { OrderCalls, type OrderInput, TradeCalls } from './calls/orders.js';
import type { ClientOptions } from './contract.js';
import type { CloseInput } from './safe/close-margin.js';
import type { Sender } from './transport.js';
import { TypedCalls } from './typed-call.js';
import { WorkflowCalls, type WorkflowOptions } from './workflow/workflow-calls.js';

/** The whole service as typed calls; safe to share, closed with `close()`. */
export class ServiceClient extends HttpCaller {
  readonly keys: KeyCalls;
  readonly events: EventCalls;
  readonly markets: MarketCalls;
  readonly sports: SportCalls;
  readonly search: SearchCalls;
  readonly orders: OrderCalls;
  readonly trades: TradeCalls;
  readonly merges: MergeCalls;
  readonly splits: SplitCalls;
  readonly redeems: RedeemCalls;
  readonly account: AccountCalls;
  readonly positions: PositionCalls;
  readonly settlements: SettlementCalls;
  readonly requests: RequestCalls;
  readonly #safe: WorkflowCalls;

  /**
   * Throws TwinbookError config_invalid for a base address that is neither HTTPS nor loopback. `transport` is for a world
   * without a network, such as a simulation.
   */
  constructor(options: ClientOptions, transport?: Sender) {
    super(options, transport);
    const calls = new TypedCalls(this);
    this.keys = new KeyCalls(calls);
    this.events = new EventCalls(calls);
    this.markets = new MarketCalls(calls);
    this.sports = new SportCalls(calls);
    this.search = new SearchCalls(calls);
    this.orders = new OrderCalls(calls);
    this.trades = new TradeCalls(calls);
    this.merges = new MergeCalls(calls);
    this.splits = new SplitCalls(calls);
    this.redeems = new RedeemCalls(calls);
    this.account = new AccountCalls(calls);
    this.positions = new PositionCalls(calls);
    this.settlements = new SettlementCalls(calls);
    this.requests = new RequestCalls(calls);
    this.#safe = new WorkflowCalls(this, this.profile, {
      venueNowMs: () => this.venueNowMs(),
      nowMs: () => this.nowMs(),
      monotonicMs: () => this.monotonicMs(),
      pause: (ms) => this.pause(ms),
    });
  }

  /**
   * Places an order: drafts it, signs it if the draft says exactly this order, submits it, and finds out what became of
   * it. Resolves to an order that is in the book or was. Rejects with ServiceRefused or NotDone when it certainly is
   * not, with OutcomeUnknown when only its record can tell: look at `error.pubkey` before placing anything again. Never
   * makes a second draft. What it cannot promise: see docs/client.md.
   */
  place(wallet: Wallet, order: OrderInput, options: WorkflowOptions = {}): Promise<OrderRow> {
    return this.#safe.place(wallet, order, options);
  }

  /** Cancels an order. Resolves to its row once it no longer rests, also when it was filled or canceled before. */
  cancel(wallet: Wallet, pubkey: string, options: WorkflowOptions = {}): Promise<OrderRow> {
    return this.#safe.cancel(wallet, pubkey, options);
  }

  /** Merges complete sets of shares into currency. Resolves to the row when it is `done`. Rejects as `place`. */
  merge(wallet: Wallet, merge: ConversionInput, options: WorkflowOptions = {}): Promise<ConversionRow> {
    return this.#safe.merge(wallet, merge, options);
  }

  /** Splits currency into complete sets of shares. Resolves to the row when it is `done`. Rejects as `place`. */
  split(wallet: Wallet, split: ConversionInput, options: WorkflowOptions = {}): Promise<ConversionRow> {
    return this.#safe.split(wallet, split, options);
  }

  /**
   * Redeems all free shares of a settled market. The draft must name the shares that the account's own assets list as
   * available, or all of them where an earlier draft has locked them all. Resolves to the row when it is `completed` or `done`. Rejects as `place`.
   */
  redeem(wallet: Wallet, marketConditionId: string, options: WorkflowOptions = {}): Promise<RedeemRow> {
    return this.#safe.redeem(wallet, marketConditionId, options);
  }

  /**
   * Opens a margin position. Resolves to its request once that is `order_placed` or `completed`; a limit request may
   * stay at the former for as long as the market does not reach its price. Rejects as `place`.
   */
  openMargin(wallet: Wallet, request: MarginInput, options: WorkflowOptions = {}): Promise<RequestRow> {
    return this.#safe.openMargin(wallet, request, options);
  }

  /**
   * Closes a margin position. Resolves to it once it is closed, which may take a venue a minute; with a price for as long
   * as the market does not reach it, so give `withinMs`. Rejects with ServiceRefused, or with OutcomeUnknown when it was
   * not seen closed in time: it may still close. Never asks twice.
   */
  closeMargin(close: CloseInput, options: WorkflowOptions = {}): Promise<PositionRow> {
    return this.#safe.closeMargin(close, options);
  }
}

export { formatDecimal, parseDecimal } from '../../shared/base/decimal.js';
export { TwinbookError } from '../../shared/base/errors.js';
export type { Micros } from '../../shared/base/micros.js';
export type { VenueProfile } from '../../shared/protocol/profile.js';
export type { Credentials } from '../wallet/credentials.js';
export type { SigningPolicy, SignResult, StoredDraft } from '../wallet/drafts.js';
export { createKeyFile, openKeyFile } from '../wallet/key-file.js';
export { signingRules } from '../wallet/signing-rules.js';
export { Wallet } from '../wallet/wallet.js';
export type { ConversionInput } from './calls/conversions.js';
export type { MarginInput, TpSlInput } from './calls/margin.js';
export type { OrderInput } from './calls/orders.js';
export type * from './contract.js';
export * from './errors.js';
export { venueProfile } from './profile-file.js';
export type { CloseInput } from './safe/close-margin.js';
export type { WorkflowOptions as SafeOptions } from './workflow/workflow-calls.js';
