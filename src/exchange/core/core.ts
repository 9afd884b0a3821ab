/**
 * The pure heart of the paper exchange: accounts, books, orders, conversions, redeems, margin and recorded liquidity behind
 * the interface of contract.ts. Synchronous and without a world: the time, the verdict on a signature and every random value
 * come in as arguments. That makes it replayable (a snapshot and the commands since give the identical state), and the
 * same for paper trading, tests and backtests.
 *
 * This file only lets time pass, finds the market and hands on; the subsystems (orders, conversions, redeems, margin, identity)
 * know the rules of their records, matching.ts moves money between accounts, book.ts keeps the queues.
 */

import { assert } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import type { MarketOutcome } from '../../shared/protocol/outcome.js';
import { isSettledMarket, MARKET_STATES, type MarketState } from '../../shared/protocol/states.js';
import { CoreClock } from './advance-time.js';
import * as contract from './contract.js';
import { invalid, ok, type Refusal, refuse } from './fault.js';
import { InternalOrders } from './internal-orders.js';
import { MarginCalls } from './margin/calls.js';
import type { Market } from './market.js';
import { RECORDED_ACCOUNT } from './matching/matching.js';
import { type RecordedColumns, RecordedFeed } from './matching/recorded-feed.js';
import { asMicros } from './money.js';
import { Reads } from './reads.js';
import type { Archive } from './records/archive.js';
import { detailRow } from './records/market-rows.js';
import { MemoryArchive } from './records/memory-archive.js';
import { wireSubsystems } from './wiring.js';

type Account = contract.AccountSlot;
type Result<T> = contract.Result<T>;

/**
 * The whole core. All times are ms since 1970 and may not go back. `signatureValid` is the caller's verdict on the signature
 * over `draftMessage(...)`; the order of the checks: unknown or foreign → expired → wrong state → invalid signature → market
 * state and balance.
 */
export class ExchangeCore extends Reads {
  readonly #clock: CoreClock;
  readonly #internal: InternalOrders;
  readonly #margin: MarginCalls;
  readonly #feed: RecordedFeed;

  /** With a snapshot the exchange goes on from there; see `restore`. What is final goes into the archive. */
  constructor(settings: contract.CoreSettings, snapshot?: unknown, archive: Archive = new MemoryArchive()) {
    super(wireSubsystems(settings, archive, snapshot));
    this.#clock = new CoreClock(this.parts);
    this.#internal = new InternalOrders(this.parts);
    this.#margin = new MarginCalls(this.parts.margin);
    this.#feed = new RecordedFeed(this.parts.context, this.parts.matching, (nowMs) => this.#clock.advanceTo(nowMs));
    if (snapshot !== undefined) return;
    const house = this.parts.identity.openInternal('recorded', true, 0);
    assert(house === RECORDED_ACCOUNT, 'the recorded market owns the first account');
  }

  /**
   * The exchange of a snapshot; RangeError when it is none of this version. Lifetimes, funds and name are the settings',
   * for what is new; the seed stays the snapshot's. The archive is the one of the snapshot's exchange, then or later.
   */
  static restore(settings: contract.CoreSettings, snapshot: unknown, archive?: Archive): ExchangeCore {
    return new ExchangeCore(settings, snapshot, archive);
  }

  /** What the last `placeInternal` filled at once. */
  get lastInternalFilled(): Micros {
    return asMicros(this.#internal.lastFilled);
  }

  /** Runs one journal line; what the mutator returned comes back. */
  apply(command: contract.Command): unknown {
    const [nowMs, method, args] = command;
    assert(contract.MUTATORS.includes(method), `not a command of the exchange: ${method}`);
    // A journal holds what a caller once passed with these very types; the name was just checked.
    const mutator = this[method] as (nowMs: number, ...args: readonly unknown[]) => unknown;
    return mutator.call(this, nowMs, ...args);
  }

  /** Does everything that is due (drafts expire, conversions land) in time order. */
  advance(nowMs: number): void {
    this.#clock.advanceTo(nowMs);
  }

  createChallenge(nowMs: number, wallet: string, nonce: string): Result<contract.WireChallenge> {
    this.#clock.advanceTo(nowMs);
    return this.parts.identity.challenge(wallet, nonce);
  }

  /** On a wallet's first key its account is created. `apiKey` and `secret` are drawn by the caller. */
  createKey(
    nowMs: number,
    request: contract.KeyRequest,
    signatureValid: boolean,
    apiKey: string,
    secret: string,
  ): Result<contract.WireCredential> {
    this.#clock.advanceTo(nowMs);
    return this.parts.identity.createKey(request, signatureValid, apiKey, secret);
  }

  revokeKey(nowMs: number, account: Account, keyId: string): Result<contract.WireKey> {
    this.#clock.advanceTo(nowMs);
    return this.parts.identity.revoke(account, keyId);
  }

  deposit(nowMs: number, wallet: string, funds: Micros): Result<contract.WireFunds> {
    this.#clock.advanceTo(nowMs);
    return this.parts.identity.deposit(wallet, funds);
  }

  setCustodial(nowMs: number, wallet: string, custodial: boolean): Result<contract.WireFunds> {
    this.#clock.advanceTo(nowMs);
    return this.parts.identity.setCustodial(wallet, custodial);
  }

  /** False: every draft call answers `gringotts_unavailable`. */
  setSigningAvailable(nowMs: number, available: boolean): void {
    this.#clock.advanceTo(nowMs);
    this.parts.context.signingAvailable = available;
  }

  /** In place of those before, for what begins from now on. */
  setDelays(nowMs: number, delays: contract.Delays): void {
    this.#clock.advanceTo(nowMs);
    this.parts.context.delays = delays;
  }

  createMarket(nowMs: number, spec: contract.MarketSpec): Result<contract.CreatedMarket> {
    this.#clock.advanceTo(nowMs);
    const made = this.parts.context.catalog.create(this.nowMs, spec);
    if (!made.ok) return made;
    made.value.shares.ensureAccount(RECORDED_ACCOUNT);
    return ok({ index: made.value.index, condition_id: made.value.card.conditionId });
  }

  /**
   * By the moves of lifecycle.ts. Leaving `open` cancels the open orders. `canceled` is `resolveMarket(null)`; `resolved`
   * needs an outcome and is refused.
   */
  setMarketState(nowMs: number, conditionId: string, state: MarketState): Result<contract.WireDetail> {
    return this.#onMarket(nowMs, conditionId, (market) => {
      if (!MARKET_STATES.includes(state)) return invalid('state', `Must be one of: ${MARKET_STATES.join(', ')}.`);
      if (state === 'resolved') return invalid('state', 'Resolve the market with its outcome instead.');
      if (!mayMove(market.state, state)) return invalid('state', `The market is ${market.state}, which is final.`);
      // A canceled market has no outcome; its `outcome` has been null all along.
      this.#moveTo(market, state);
      return null;
    });
  }

  setMarketPaused(nowMs: number, conditionId: string, paused: boolean): Result<contract.WireDetail> {
    return this.#onMarket(nowMs, conditionId, (market) => {
      market.paused = paused;
      if (market.isTradable) this.#feed.onReopen(market);
      this.parts.margin.sweep(market);
      return null;
    });
  }

  setUnbackedCollateral(nowMs: number, conditionId: string, unbacked: boolean): Result<contract.WireDetail> {
    return this.#onMarket(nowMs, conditionId, (market) => {
      market.unbacked = unbacked;
      return null;
    });
  }

  /** Null cancels the market: every share redeems at 0.5. A number cancels it, too: a YES share redeems at it. */
  resolveMarket(nowMs: number, conditionId: string, outcome: MarketOutcome | null): Result<contract.WireDetail> {
    return this.#onMarket(nowMs, conditionId, (market) => {
      if (isSettledMarket(market.state)) return invalid('is_yes', `The market is ${market.state} already.`);
      market.outcome = outcome;
      this.#moveTo(market, typeof outcome === 'boolean' ? 'resolved' : 'canceled');
      return null;
    });
  }

  /** Changes the market of a condition id and answers its detail. */
  #onMarket(
    nowMs: number,
    conditionId: string,
    change: (market: Market) => Refusal | null,
  ): Result<contract.WireDetail> {
    this.#clock.advanceTo(nowMs);
    const { catalog } = this.parts.context;
    const market = catalog.byId(conditionId);
    if (market === null) return refuse('not_found');
    return change(market) ?? ok(detailRow(catalog, market));
  }

  #moveTo(market: Market, state: MarketState): void {
    market.state = state;
    this.parts.margin.marketMoved(market, isSettledMarket(state));
    if (isSettledMarket(state)) market.tape.settle();
    const { orderbook: trading } = market;
    if (trading === null) return;
    if (state !== 'open') this.parts.orders.cancelAll(this.parts.matching, market, trading);
    // Recorded liquidity is shown while the market is open, and only then.
    trading.book.version += 1;
  }

  draftOrder(nowMs: number, account: Account, request: contract.OrderRequest): Result<contract.WireDraft> {
    this.#clock.advanceTo(nowMs);
    return this.parts.orders.draft(account, request);
  }

  submitOrder(nowMs: number, account: Account, pubkey: string, valid: boolean): Result<contract.WireOrder> {
    this.#clock.advanceTo(nowMs);
    return this.parts.orders.submit(this.parts.matching, account, pubkey, valid);
  }

  /** An unexpired cancel draft that was not submitted yet is answered again. */
  draftCancel(nowMs: number, account: Account, pubkey: string): Result<contract.WireDraft> {
    this.#clock.advanceTo(nowMs);
    return this.parts.orders.draftCancel(account, pubkey);
  }

  submitCancel(nowMs: number, account: Account, pubkey: string, valid: boolean): Result<contract.WireOrder> {
    this.#clock.advanceTo(nowMs);
    return this.parts.orders.submitCancel(this.parts.matching, account, pubkey, valid);
  }

  /** `amount` is the text of the body: one that cannot be read is `share_conversion_invalid_amount`. */
  draftMerge(nowMs: number, account: Account, conditionId: string, amount: string): Result<contract.WireDraft> {
    this.#clock.advanceTo(nowMs);
    return this.parts.conversions.draft('merge', account, conditionId, amount);
  }

  submitMerge(nowMs: number, account: Account, pubkey: string, valid: boolean): Result<contract.WireConversion> {
    this.#clock.advanceTo(nowMs);
    return this.parts.conversions.submit('merge', account, pubkey, valid);
  }

  draftSplit(nowMs: number, account: Account, conditionId: string, amount: string): Result<contract.WireDraft> {
    this.#clock.advanceTo(nowMs);
    return this.parts.conversions.draft('split', account, conditionId, amount);
  }

  submitSplit(nowMs: number, account: Account, pubkey: string, valid: boolean): Result<contract.WireConversion> {
    this.#clock.advanceTo(nowMs);
    return this.parts.conversions.submit('split', account, pubkey, valid);
  }

  draftRedeem(nowMs: number, account: Account, conditionId: string): Result<contract.WireDraft> {
    this.#clock.advanceTo(nowMs);
    return this.parts.redeems.draft(account, conditionId);
  }

  submitRedeem(nowMs: number, account: Account, pubkey: string, valid: boolean): Result<contract.WireRedeem> {
    this.#clock.advanceTo(nowMs);
    return this.parts.redeems.submit(account, pubkey, valid);
  }

  /**
   * Moves the price (YES space, strictly between 0 and 1) that a margin market trades at. What it reaches happens at
   * once: liquidations, closes, triggers, limit requests.
   */
  setReferencePrice(nowMs: number, conditionId: string, price: Micros): Result<contract.WireDetail> {
    this.#clock.advanceTo(nowMs);
    return this.#margin.setReferencePrice(conditionId, price);
  }

  /** Locks liquidity and opening fee. Answers the request's row with the message to sign. */
  draftMarginRequest(nowMs: number, account: Account, terms: contract.MarginTerms): Result<contract.WireRequest> {
    this.#clock.advanceTo(nowMs);
    return this.#margin.draftRequest(account, terms);
  }

  submitMarginRequest(
    nowMs: number,
    account: Account,
    pubkey: string,
    signatureValid: boolean,
  ): Result<contract.WireRequest> {
    this.#clock.advanceTo(nowMs);
    return this.#margin.submitRequest(account, pubkey, signatureValid);
  }

  /** Only until its funding is through. */
  cancelMarginRequest(nowMs: number, account: Account, pubkey: string): Result<contract.WireCancelledRequest> {
    this.#clock.advanceTo(nowMs);
    return this.#margin.cancelRequest(account, pubkey);
  }

  /** Sells all shares at the reference price: now, or with `price` once it is reached. */
  closePosition(nowMs: number, account: Account, pubkey: string, price: Micros | null): Result<contract.WireClose> {
    this.#clock.advanceTo(nowMs);
    return this.#margin.closePosition(account, pubkey, price);
  }

  setTpSl(nowMs: number, account: Account, pubkey: string, change: contract.TpSlChange): Result<contract.WireTpSl> {
    this.#clock.advanceTo(nowMs);
    return this.#margin.setTpSl(account, pubkey, change);
  }

  deleteTpSl(nowMs: number, account: Account, pubkey: string): Result<contract.WireTpSl> {
    this.#clock.advanceTo(nowMs);
    return this.#margin.deleteTpSl(account, pubkey);
  }

  claimSettlement(nowMs: number, account: Account, positionPubkey: string): Result<contract.WireClaim> {
    this.#clock.advanceTo(nowMs);
    return this.#margin.claimSettlement(account, positionPubkey);
  }

  /** Without wallet, drafts or signatures. The same name again gives the same account. */
  openInternalAccount(nowMs: number, name: string, options: contract.InternalAccountOptions): Account {
    this.#clock.advanceTo(nowMs);
    return this.parts.identity.openInternal(name, options.unlimited, options.funds ?? 0);
  }

  /**
   * An order of an internal account, `price` in YES space. A bid is worked as *sell NO* when enough NO is held, else as
   * *buy YES*; an ask as *sell YES*, else *buy NO*. `immediate`: what is not filled at once is dropped.
   * Returns a handle (> 0) for what rests, 0 when nothing rests, or one of the REFUSED numbers.
   */
  placeInternal(
    nowMs: number,
    account: Account,
    index: contract.MarketIndex,
    side: contract.BookSide,
    price: Micros,
    amount: Micros,
    immediate: boolean,
  ): number {
    this.#clock.advanceTo(nowMs);
    const market = this.parts.context.catalog.markets[index];
    return this.#internal.place(market, { account, side, price, amount, immediate });
  }

  /** Constant time. False when the order no longer rests (filled, canceled, or the market closed). */
  cancelInternal(nowMs: number, handle: number): boolean {
    this.#clock.advanceTo(nowMs);
    return this.#internal.cancel(handle);
  }

  /**
   * The recording says that this level now holds `total`. What that adds meets the real orders of the other side that offer
   * as much, up to its size, before it rests; under a fill model of makers who post only it stands crossed beside them.
   * False when the price is off the market's grid.
   */
  recordedLevel(
    nowMs: number,
    index: contract.MarketIndex,
    side: contract.BookSide,
    price: Micros,
    total: Micros,
  ): boolean {
    this.#clock.advanceTo(nowMs);
    const { catalog } = this.parts.context;
    return this.#feed.level(this.parts.context.nowMs, catalog.markets[index], side, price, total);
  }

  /**
   * The recording says that somebody took `amount` at `price`; `takerSide` BID is a buyer in YES space. Fills real orders
   * as far as it reaches. The decrease of the level that belongs to it must follow as `recordedLevel`.
   */
  recordedTrade(
    nowMs: number,
    index: contract.MarketIndex,
    takerSide: contract.BookSide,
    price: Micros,
    amount: Micros,
  ): boolean {
    this.#clock.advanceTo(nowMs);
    return this.#feed.trade(this.parts.context.catalog.markets[index], takerSide, price, amount);
  }

  /**
   * All recorded liquidity goes: the recording has ended, or a new snapshot follows at once. Real orders keep their place
   * where the new snapshot shows their level again, and are first where it does not.
   */
  recordedClear(nowMs: number, index: contract.MarketIndex): void {
    this.#clock.advanceTo(nowMs);
    this.#feed.clear(this.parts.context.nowMs, this.parts.context.catalog.market(index));
  }

  /**
   * Plays recorded events of one market from place `from` on up to `untilMs` (inclusive), each as `recordedLevel`,
   * `recordedTrade` or `recordedClear` does at its own time; what is due between them is done at its time. Returns the place
   * of the first event that was not played: a later one, or one of another kind (the end), which is the caller's business.
   * Afterwards the clock stands at the last event played, or where it stood if that was later. An event from before the
   * clock, because another market was played further, is stamped with its own time.
   *
   * Columns are no JSON, so this is no command of a journal: it is for a core that none is kept of.
   */
  playRecorded(index: contract.MarketIndex, events: RecordedColumns, from: number, untilMs: number): number {
    return this.#feed.play(this.parts.context.catalog.market(index), events, from, untilMs);
  }

  /**
   * The recording of this market is over, and the market closed: of its trades only the newest `keepTrades` are kept on, of its
   * recorded book nothing. There may be thousands such markets in one run. Like `playRecorded` no command of a journal.
   */
  endRecorded(index: contract.MarketIndex, keepTrades: number): void {
    const market = this.parts.context.catalog.market(index);
    assert(market.state !== 'open', 'a recorded market is over when it has closed');
    market.tape.settle(keepTrades);
    market.orderbook?.book.endRecorded();
  }

  /** How many events of the last `playRecorded` the market had no place for, as when `recordedLevel` answers false. */
  get lastRecordedRefused(): number {
    return this.#feed.refused;
  }
}

/**
 * Whether the control may put a market of one state into another. It may go back as well, because an answer can be disputed.
 * A settled state is final, and `resolved` needs an outcome.
 */
const mayMove = (from: MarketState, to: MarketState): boolean => !isSettledMarket(from) && to !== 'resolved';
