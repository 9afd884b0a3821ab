/** The core's reads: nothing here changes state. */

import type { Micros } from '../../shared/base/micros.js';
import type { QueryOf } from '../../shared/protocol/endpoints.js';
import type { CandleInterval } from '../../shared/protocol/states.js';
import type * as contract from './contract.js';
import { ASK, BID } from './contract.js';
import { seconds } from './core-context.js';
import * as marginReads from './margin/reads.js';
import { positionRow, requestRow } from './margin/rows.js';
import { type EventFacts, type MarketFacts, MarketSummaries } from './market-summaries.js';
import { NO_TICK } from './matching/ticks.js';
import { asMicros } from './money.js';
import { assetPage } from './records/assets.js';
import * as rows from './records/market-rows.js';
import { marketsIn, pnlRow } from './records/pnl.js';
import { f64 } from './typed-arrays.js';
import { type CoreSubsystems, dumpSubsystems } from './wiring.js';

type Account = contract.AccountSlot;
type Index = contract.MarketIndex;
type BookSide = contract.BookSide;
type Page<T> = contract.Page<T>;

/** All calls that only read. `null` means unknown or foreign: the service's `not_found`. */
export class Reads {
  protected readonly parts: CoreSubsystems;
  readonly #facts: MarketSummaries;

  constructor(parts: CoreSubsystems) {
    this.parts = parts;
    this.#facts = new MarketSummaries(parts.context);
  }

  /** Newest time of the exchange's clock, ms. */
  get nowMs(): number {
    return this.parts.context.nowMs;
  }

  /** As last set; they may have ended. */
  get delays() {
    return this.parts.context.delays;
  }

  /** When the next work is due, ms; null without any. */
  nextDueMs(): number | null {
    const { nextMs } = this.parts.context.timers;
    return nextMs === Number.POSITIVE_INFINITY ? null : nextMs;
  }

  /** JSON; with it, the archive and the later journal, the identical state is restored. Contains API secrets. */
  snapshot(): unknown {
    return dumpSubsystems(this.parts);
  }

  /** Account and HMAC secret of an API key; null when unknown or revoked. */
  credential(apiKey: string): { readonly account: Account; readonly secret: string } | null {
    return this.parts.identity.credential(apiKey);
  }

  /** Wallet of an account; null for an internal one. */
  readWallet(account: Account): string | null {
    return this.parts.identity.account(account).wallet;
  }

  keys(account: Account): readonly contract.Wire<'apiKeyRow'>[] {
    return this.parts.identity.keys(account);
  }

  accountRow(account: Account): contract.Wire<'accountSummary'> {
    const { name, joinedMs } = this.parts.identity.account(account);
    return { username: name, twitter_username: null, joined_at: seconds(joinedMs) };
  }

  /** For `/paper/accounts/{wallet}/`. */
  fundsOfWallet(wallet: string): contract.WireFunds | null {
    return this.parts.identity.fundsOfWallet(wallet);
  }

  readFunds(account: Account): { readonly total: Micros; readonly locked: Micros; readonly available: Micros } {
    const { funds } = this.parts.context;
    const total = funds.total(account);
    const locked = funds.lockedAmount(account);
    return { total: asMicros(total), locked: asMicros(locked), available: asMicros(total - locked) };
  }

  readHolding(account: Account, market: Index): contract.Holding {
    const { shares } = this.#market(market);
    return {
      yes: asMicros(shares.total(account, true)),
      yesLocked: asMicros(shares.lockedAmount(account, true)),
      no: asMicros(shares.total(account, false)),
      noLocked: asMicros(shares.lockedAmount(account, false)),
    };
  }

  get feesCollected(): Micros {
    return asMicros(this.parts.matching.fees);
  }

  /** Deposited currency (starting funds, deposits); always equals all currency + all collateral + fees + marginHeld. */
  get fundsDeposited(): Micros {
    return asMicros(this.parts.context.deposited);
  }

  /** The draft's `message` as issued, to be signed; null without such a draft of this account. */
  draftMessage(kind: contract.DraftKind, account: Account, pubkey: string): string | null {
    const { orders, conversions, redeems, margin } = this.parts;
    switch (kind) {
      case 'order':
        return orders.find(account, pubkey)?.message || null; // Emptied by its submit.
      case 'cancel':
        return orders.find(account, pubkey)?.cancel?.message ?? null;
      case 'merge':
      case 'split':
        return conversions.findMessage(kind, account, pubkey);
      case 'redeem':
        return redeems.findMessage(account, pubkey);
      case 'request':
        return margin.requests.records.find(account, pubkey)?.message ?? null;
    }
  }

  get marketCount(): number {
    return this.parts.context.catalog.markets.length;
  }

  get eventCount(): number {
    return this.parts.context.catalog.events.length;
  }

  findMarketIndex(conditionId: string): Index | null {
    return this.parts.context.catalog.byId(conditionId)?.index ?? null;
  }

  findEventIndex(conditionId: string): number | null {
    return this.parts.context.catalog.findEventIndex(conditionId);
  }

  marketFacts(market: Index): MarketFacts {
    return this.#facts.of(this.#market(market));
  }

  eventFacts(event: number): EventFacts {
    return this.parts.context.catalog.event(event);
  }

  summaryRow(market: Index): contract.Wire<'marketSummary'> {
    return rows.summaryRow(this.parts.context.catalog, this.#market(market));
  }

  listRow(market: Index): contract.Wire<'marketListRow'> {
    return rows.listRow(this.parts.context.catalog, this.#market(market));
  }

  detailRow(market: Index): contract.Wire<'marketDetail'> {
    return rows.detailRow(this.parts.context.catalog, this.#market(market));
  }

  /** As in the single-event response: with all its market summaries. */
  eventRow(event: number): contract.Wire<'eventRow'> {
    return rows.eventRow(this.parts.context.catalog, event);
  }

  eventListRow(event: number, maxMarkets: number): contract.Wire<'eventRow'> {
    return rows.eventListRow(this.parts.context.catalog, event, maxMarkets);
  }

  statsRow(market: Index): contract.Wire<'marketStats'> {
    return rows.statsRow(this.#market(market), this.nowMs);
  }

  priceRow(market: Index, isYes: boolean): contract.Wire<'marketPrice'> {
    return rows.priceRow(this.#market(market), isYes);
  }

  /** Bars that begin at `fromMs` or later and before `toMs`, oldest first; bars without trades are left out. */
  candleRows(
    market: Index,
    interval: CandleInterval,
    fromMs: number,
    toMs: number,
    isYes: boolean,
  ): readonly contract.Wire<'candle'>[] {
    return rows.candleRows(this.#market(market), interval, fromMs, toMs, isYes);
  }

  /** Version of the visible book: equal numbers mean equal books. */
  bookVersion(market: Index): number {
    return this.#market(market).orderbook?.book.version ?? 0;
  }

  /**
   * Real and recorded liquidity together. A recorded level at or beyond a resting real order that does not trade with
   * it (post-only makers, a paused market) is shown too: the book is then crossed.
   */
  bookRow(market: Index, isYes: boolean, depth: number): contract.Wire<'orderbook'> {
    return rows.bookRow(this.#market(market), isYes, depth);
  }

  /** YES space; null for an empty side. */
  bestBid(market: Index): Micros | null {
    return rows.bestPrice(this.#market(market), BID);
  }

  bestAsk(market: Index): Micros | null {
    return rows.bestPrice(this.#market(market), ASK);
  }

  /**
   * Levels of `bookRow` in YES space as numbers: best first, at most `depth`, written into `prices` and `amounts`
   * (micros), which hold at least `depth`. Returns their number. Allocates nothing.
   */
  bookLevels(
    market: Index,
    side: BookSide,
    depth: number,
    prices: Int32Array | Float64Array,
    amounts: Float64Array,
  ): number {
    return rows.bookLevels(this.#market(market), side, depth, prices, amounts);
  }

  /** Best recorded price of a side, regardless of real orders; null when nothing is recorded there. YES space. */
  bestRecorded(market: Index, side: BookSide): Micros | null {
    return rows.bestRecorded(this.#market(market), side);
  }

  /** Displayed amount of a level in YES space, real and recorded. */
  levelAmount(market: Index, side: BookSide, price: Micros): Micros {
    const { orderbook: trading } = this.#market(market);
    if (trading === null || price % trading.tick !== 0) return asMicros(0);
    return asMicros(trading.book.displayedAmount(side, price / trading.tick));
  }

  /** Rest of an internal order; 0 when it no longer rests. */
  internalRemaining(handle: number): Micros {
    const slot = this.parts.pool.findSlot(handle);
    return asMicros(slot === 0 ? 0 : f64(this.parts.pool.remaining, slot));
  }

  /** Handles of an internal account's resting orders, as left by a killed driver. */
  internalOrders(account: Account): readonly number[] {
    return this.parts.pool.internalHandles(account);
  }

  /** The newest 20,000 are kept. Ids count from 1 per market. */
  publicTrades(market: Index, query: contract.PageQuery<'markets.trades'>): Page<contract.Wire<'publicTradeRow'>> {
    const found = this.#market(market);
    const trades = found.tape.read(query.limit, query.beforeId ?? found.tape.count + 1);
    const last = trades.at(-1);
    return {
      rows: trades.map((trade) => rows.publicTradeRow(found, trade)),
      nextBeforeId: last !== undefined && found.tape.hasBefore(last.id) ? last.id : null,
    };
  }

  order(account: Account, pubkey: string): contract.Wire<'orderRow'> | null {
    const record = this.parts.orders.find(account, pubkey);
    return record === null ? null : this.parts.orders.row(record);
  }

  /** Recorded shares ahead of a resting order of this account; null when it does not rest. */
  queueAhead(account: Account, pubkey: string): Micros | null {
    const ahead = this.parts.orders.ahead(account, pubkey);
    return ahead === null ? null : asMicros(ahead);
  }

  /** Best price of the real orders in YES space; null without any on that side. */
  bestReal(market: Index, side: BookSide): Micros | null {
    const { orderbook: trading } = this.#market(market);
    if (trading === null) return null;
    const tick = side === BID ? trading.book.bestBid : trading.book.bestAsk;
    return tick === NO_TICK ? null : asMicros(tick * trading.tick);
  }

  orders(account: Account, query: contract.PageQuery<'orders.list'>): Page<contract.Wire<'orderRow'>> {
    return this.parts.orders.page(account, query);
  }

  ownTrades(account: Account, query: contract.PageQuery<'trades.list'>): Page<contract.Wire<'ownTradeRow'>> {
    return this.parts.orders.trades(account, query);
  }

  merge(account: Account, pubkey: string): contract.Wire<'conversionRow'> | null {
    return this.parts.conversions.row('merge', account, pubkey);
  }

  merges(account: Account, query: contract.PageQuery<'merges.list'>): Page<contract.Wire<'conversionRow'>> {
    return this.parts.conversions.page('merge', account, query);
  }

  split(account: Account, pubkey: string): contract.Wire<'conversionRow'> | null {
    return this.parts.conversions.row('split', account, pubkey);
  }

  splits(account: Account, query: contract.PageQuery<'merges.list'>): Page<contract.Wire<'conversionRow'>> {
    return this.parts.conversions.page('split', account, query);
  }

  redeem(account: Account, pubkey: string): contract.Wire<'redeemRow'> | null {
    return this.parts.redeems.row(account, pubkey);
  }

  redeems(account: Account, query: contract.PageQuery<'redeems.list'>): Page<contract.Wire<'redeemRow'>> {
    return this.parts.redeems.page(account, query);
  }

  /** By offset, as the interface says; `nextOffset` is null on the last page. */
  assets(
    account: Account,
    query: contract.AssetQuery,
  ): { readonly rows: readonly contract.Wire<'assetRow'>[]; readonly nextOffset: number | null } {
    return assetPage(this.parts.context.catalog, account, query);
  }

  /** Result of the markets that match both filters; zero for an unknown id. */
  pnl(account: Account, filter: QueryOf<'account.pnl'>): contract.Wire<'accountPnl'> {
    const { catalog } = this.parts.context;
    const markets = marketsIn(catalog, filter);
    const indexes = markets.length === catalog.markets.length ? undefined : markets.map(({ index }) => index);
    return pnlRow(markets, account, marginReads.marginPnl(this.parts.margin, account, indexes));
  }

  marginEstimate(terms: contract.EstimateTerms): contract.Result<contract.Wire<'marginEstimate'>> {
    return marginReads.estimate(this.parts.margin, terms);
  }

  marginRequest(account: Account, pubkey: string): contract.Wire<'requestRow'> | null {
    const record = this.parts.margin.requests.records.find(account, pubkey);
    return record === null ? null : requestRow(this.parts.context, record);
  }

  marginRequests(
    account: Account,
    query: contract.MarginQuery<'requests.list'>,
  ): contract.MarginPage<contract.Wire<'requestRow'>> {
    return marginReads.requestPage(this.parts.margin, account, query);
  }

  position(account: Account, pubkey: string): contract.Wire<'positionRow'> | null {
    const position = this.parts.margin.positions.records.find(account, pubkey);
    return position === null ? null : positionRow(this.parts.context, position);
  }

  positions(
    account: Account,
    query: contract.MarginQuery<'positions.list'>,
  ): contract.MarginPage<contract.Wire<'positionRow'>> {
    return marginReads.positionPage(this.parts.margin, account, query);
  }

  settlements(
    account: Account,
    query: contract.MarginQuery<'settlements.list'>,
  ): contract.MarginPage<contract.Wire<'settlementRow'>> {
    return marginReads.settlementPage(this.parts.margin, account, query);
  }

  /** The newest 1,000 of a market are kept. */
  marginActivity(
    market: Index,
    query: contract.PageQuery<'markets.marginActivity'>,
  ): Page<contract.Wire<'marginActivityRow'>> {
    const { context, identity } = this.parts;
    return marginReads.activityPage(
      this.parts.margin,
      context.catalog.market(market),
      query,
      (account) => identity.account(account).name,
    );
  }

  /** In all markets, or in the given ones. */
  marginPnl(account: Account, markets?: readonly Index[]): contract.MarginPnl {
    return marginReads.marginPnl(this.parts.margin, account, markets);
  }

  /** Currency that margin holds outside all accounts: the pools (which may be negative) and users' money in them. */
  get marginHeld(): Micros {
    return asMicros(this.parts.margin.held);
  }

  #market(index: Index) {
    return this.parts.context.catalog.market(index);
  }
}
