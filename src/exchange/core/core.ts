/**
 * The pure heart of the paper exchange: accounts, books, orders, conversions, redeems, margin and recorded liquidity behind
 * the interface of contract.ts. Synchronous and without a world: the time, the verdict on a signature and every random value
 * come in as arguments. That makes it replayable (a snapshot and the commands since give the identical state), and the
 * same for paper trading, tests and backtests.
 *
 * This file only lets time pass, finds the market and hands on; the subsystems (orders, conversions, redeems, margin, identity)
 * know the rules of their records, matching.ts moves money between accounts, book.ts keeps the queues.
 */

import { AssertionFailed, assert } from '../../shared/base/errors.js';
import { type Micros, ONE } from '../../shared/base/micros.js';
import { isSettledMarket, MARKET_STATES, type MarketState } from '../../shared/protocol/states.js';
import * as contract from './contract.js';
import { invalid, ok, type Refusal, refuse } from './fault.js';
import { mayMove } from './lifecycle.js';
import { MarginCalls } from './margin/calls.js';
import type { Market } from './market.js';
import { HOUSE, legFor } from './matching/matching.js';
import { isBuyLeg } from './matching/order-pool.js';
import { type RecordedColumns, RecordedFeed } from './matching/recorded-feed.js';
import { asMicros, buyLock } from './money.js';
import type { Archive } from './records/archive.js';
import { detailRow } from './records/market-rows.js';
import { MemoryArchive } from './records/memory-archive.js';
import { i32 } from './typed-arrays.js';
import { wireSubsystems } from './wiring.js';

type Account = contract.AccountSlot;
type Result<T> = contract.Result<T>;

/** The whole core behind one interface; all times are ms since 1970 and may not go back. */
export class ExchangeCore extends MarginCalls implements contract.Core {
  #lastInternalFilled = 0;
  readonly #feed: RecordedFeed;

  /** With a snapshot the exchange goes on from there; see `restore`. What is final goes into the archive. */
  constructor(settings: contract.CoreSettings, snapshot?: unknown, archive: Archive = new MemoryArchive()) {
    super(wireSubsystems(settings, archive, snapshot));
    this.#feed = new RecordedFeed(this.parts.context, this.parts.matching, (nowMs) => this.reach(nowMs));
    if (snapshot !== undefined) return;
    const house = this.parts.identity.openInternal('recorded', true, 0);
    assert(house === HOUSE, 'the recorded market owns the first account');
  }

  /**
   * The exchange of a snapshot; RangeError when it is none of this version. Lifetimes, funds and name are the settings',
   * for what is new; the seed stays the snapshot's. The archive is the one of the snapshot's exchange, then or later.
   */
  static restore(settings: contract.CoreSettings, snapshot: unknown, archive?: Archive): ExchangeCore {
    return new ExchangeCore(settings, snapshot, archive);
  }

  get lastInternalFilled(): Micros {
    return asMicros(this.#lastInternalFilled);
  }

  apply(command: contract.Command): unknown {
    const [nowMs, method, args] = command;
    assert(contract.MUTATORS.includes(method), `not a command of the exchange: ${method}`);
    // A journal holds what a caller once passed with these very types; the name was just checked.
    const mutator = this[method] as (nowMs: number, ...args: readonly unknown[]) => unknown;
    return mutator.call(this, nowMs, ...args);
  }

  createChallenge(nowMs: number, wallet: string, nonce: string): Result<contract.WireChallenge> {
    this.reach(nowMs);
    return this.parts.identity.challenge(wallet, nonce);
  }

  createKey(
    nowMs: number,
    request: contract.KeyRequest,
    signatureValid: boolean,
    apiKey: string,
    secret: string,
  ): Result<contract.WireCredential> {
    this.reach(nowMs);
    return this.parts.identity.createKey(request, signatureValid, apiKey, secret);
  }

  revokeKey(nowMs: number, account: Account, keyId: string): Result<contract.WireKey> {
    this.reach(nowMs);
    return this.parts.identity.revoke(account, keyId);
  }

  deposit(nowMs: number, wallet: string, funds: Micros): Result<contract.WireFunds> {
    this.reach(nowMs);
    return this.parts.identity.deposit(wallet, funds);
  }

  setCustodial(nowMs: number, wallet: string, custodial: boolean): Result<contract.WireFunds> {
    this.reach(nowMs);
    return this.parts.identity.setCustodial(wallet, custodial);
  }

  setSigningAvailable(nowMs: number, available: boolean): void {
    this.reach(nowMs);
    this.parts.context.signingAvailable = available;
  }

  setDelays(nowMs: number, delays: contract.Delays): void {
    this.reach(nowMs);
    this.parts.context.delays = delays;
  }

  createMarket(nowMs: number, spec: contract.MarketSpec): Result<contract.CreatedMarket> {
    this.reach(nowMs);
    const made = this.parts.context.catalog.create(this.nowMs, spec);
    if (!made.ok) return made;
    made.value.shares.reserve(HOUSE);
    return ok({ index: made.value.index, condition_id: made.value.card.conditionId });
  }

  setMarketState(nowMs: number, conditionId: string, state: MarketState): Result<contract.WireDetail> {
    return this.#onMarket(nowMs, conditionId, (market) => {
      if (!MARKET_STATES.includes(state)) return invalid('state', `Must be one of: ${MARKET_STATES.join(', ')}.`);
      if (state === 'resolved') return invalid('state', 'Resolve the market with its outcome instead.');
      if (!mayMove(market.state, state)) return invalid('state', `The market is ${market.state}, which is final.`);
      // A canceled market has no outcome; its `outcomeIsYes` has been null all along.
      this.#moveTo(market, state);
      return null;
    });
  }

  setMarketPaused(nowMs: number, conditionId: string, paused: boolean): Result<contract.WireDetail> {
    return this.#onMarket(nowMs, conditionId, (market) => {
      market.paused = paused;
      if (market.trades) this.#feed.reopened(market);
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

  resolveMarket(nowMs: number, conditionId: string, isYes: boolean | null): Result<contract.WireDetail> {
    return this.#onMarket(nowMs, conditionId, (market) => {
      if (isSettledMarket(market.state)) return invalid('is_yes', `The market is ${market.state} already.`);
      market.outcomeIsYes = isYes;
      this.#moveTo(market, isYes === null ? 'canceled' : 'resolved');
      return null;
    });
  }

  /** Changes the market of a condition id and answers its detail. */
  #onMarket(
    nowMs: number,
    conditionId: string,
    change: (market: Market) => Refusal | null,
  ): Result<contract.WireDetail> {
    this.reach(nowMs);
    const { catalog } = this.parts.context;
    const market = catalog.byId(conditionId);
    if (market === null) return refuse('not_found');
    return change(market) ?? ok(detailRow(catalog, market));
  }

  #moveTo(market: Market, state: MarketState): void {
    market.state = state;
    this.parts.margin.marketMoved(market, isSettledMarket(state));
    if (isSettledMarket(state)) market.tape.settle();
    const { trading } = market;
    if (trading === null) return;
    if (state !== 'open') this.parts.orders.cancelAll(this.parts.matching, market, trading);
    // Recorded liquidity is shown while the market is open, and only then.
    trading.book.version += 1;
  }

  draftOrder(nowMs: number, account: Account, request: contract.OrderRequest): Result<contract.WireDraft> {
    this.reach(nowMs);
    return this.parts.orders.draft(account, request);
  }

  submitOrder(nowMs: number, account: Account, pubkey: string, valid: boolean): Result<contract.WireOrder> {
    this.reach(nowMs);
    return this.parts.orders.submit(this.parts.matching, account, pubkey, valid);
  }

  draftCancel(nowMs: number, account: Account, pubkey: string): Result<contract.WireDraft> {
    this.reach(nowMs);
    return this.parts.orders.draftCancel(account, pubkey);
  }

  submitCancel(nowMs: number, account: Account, pubkey: string, valid: boolean): Result<contract.WireOrder> {
    this.reach(nowMs);
    return this.parts.orders.submitCancel(this.parts.matching, account, pubkey, valid);
  }

  draftMerge(nowMs: number, account: Account, conditionId: string, amount: string): Result<contract.WireDraft> {
    this.reach(nowMs);
    return this.parts.conversions.draft('merge', account, conditionId, amount);
  }

  submitMerge(nowMs: number, account: Account, pubkey: string, valid: boolean): Result<contract.WireConversion> {
    this.reach(nowMs);
    return this.parts.conversions.submit('merge', account, pubkey, valid);
  }

  draftSplit(nowMs: number, account: Account, conditionId: string, amount: string): Result<contract.WireDraft> {
    this.reach(nowMs);
    return this.parts.conversions.draft('split', account, conditionId, amount);
  }

  submitSplit(nowMs: number, account: Account, pubkey: string, valid: boolean): Result<contract.WireConversion> {
    this.reach(nowMs);
    return this.parts.conversions.submit('split', account, pubkey, valid);
  }

  draftRedeem(nowMs: number, account: Account, conditionId: string): Result<contract.WireDraft> {
    this.reach(nowMs);
    return this.parts.redeems.draft(account, conditionId);
  }

  submitRedeem(nowMs: number, account: Account, pubkey: string, valid: boolean): Result<contract.WireRedeem> {
    this.reach(nowMs);
    return this.parts.redeems.submit(account, pubkey, valid);
  }

  openInternalAccount(nowMs: number, name: string, options: contract.InternalAccountOptions): Account {
    this.reach(nowMs);
    return this.parts.identity.openInternal(name, options.unlimited, options.funds ?? 0);
  }

  placeInternal(
    nowMs: number,
    account: Account,
    index: contract.MarketIndex,
    side: contract.BookSide,
    price: Micros,
    amount: Micros,
    immediate: boolean,
  ): number {
    this.reach(nowMs);
    this.#lastInternalFilled = 0;
    const { context, matching, pool } = this.parts;
    assert(account > HOUSE && account < context.funds.count, 'an order comes from an account that was opened');
    const market = context.catalog.markets[index];
    if (market === undefined || !market.trades || market.trading === null) return contract.REFUSED_MARKET;
    const { trading } = market;
    const { tick, lot, config } = trading;
    if (price < config.min_price || price > config.max_price || price % tick !== 0) return contract.REFUSED_GRID;
    if (!(amount > 0) || amount > config.max_amount || amount % lot !== 0) return contract.REFUSED_GRID;
    market.shares.reserve(account);
    const leg = legFor(market, account, side === contract.BID, amount);
    if (isBuyLeg(leg)) {
      const own = side === contract.BID ? price : ONE - price;
      if (context.funds.available(account) < buyLock(own, amount, trading.lockRate)) return contract.REFUSED_BALANCE;
    }
    const atTick = price / tick;
    const left = matching.take(
      context.nowMs,
      market,
      trading,
      account,
      leg,
      atTick,
      amount,
      Number.POSITIVE_INFINITY,
      0,
    );
    this.#lastInternalFilled = matching.filled;
    if (left === 0 || immediate || matching.metSelf) return 0;
    return pool.handleOf(matching.rest(market, trading, account, leg, atTick, left, 0));
  }

  cancelInternal(nowMs: number, handle: number): boolean {
    this.reach(nowMs);
    const { context, matching, pool } = this.parts;
    const slot = pool.slotOf(handle);
    // A handle of an API order is not an internal one: those end by their drafts alone.
    if (slot === 0 || i32(pool.record, slot) !== 0) return false;
    const market = context.catalog.market(i32(pool.market, slot));
    if (market.trading === null) throw new AssertionFailed('an order rests on a market without a book');
    matching.cancel(market, market.trading, slot);
    return true;
  }

  recordedLevel(
    nowMs: number,
    index: contract.MarketIndex,
    side: contract.BookSide,
    price: Micros,
    total: Micros,
  ): boolean {
    this.reach(nowMs);
    const { catalog } = this.parts.context;
    return this.#feed.level(this.parts.context.nowMs, catalog.markets[index], side, price, total);
  }

  recordedTrade(
    nowMs: number,
    index: contract.MarketIndex,
    takerSide: contract.BookSide,
    price: Micros,
    amount: Micros,
  ): boolean {
    this.reach(nowMs);
    return this.#feed.trade(this.parts.context.catalog.markets[index], takerSide, price, amount);
  }

  recordedClear(nowMs: number, index: contract.MarketIndex): void {
    this.reach(nowMs);
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
    market.trading?.book.endRecorded();
  }

  /** How many events of the last `playRecorded` the market had no place for, as when `recordedLevel` answers false. */
  get lastRecordedRefused(): number {
    return this.#feed.refused;
  }
}
