/**
 * What the rest of the exchange codes against: the types of the core and the interface that `ExchangeCore` (core.ts)
 * implements. The core is synchronous and sees no clock, no randomness and no network: time, secrets and the verdict on a
 * signature come in as arguments, records come out as the wire spells them (decimal strings).
 *
 * Mutators take `nowMs` first: the exchange's clock in ms, never going back (an earlier value counts as the latest one seen).
 * Everything that was due by then is done before. Arguments are plain JSON, so a journal of `[nowMs, method, args]`
 * replays to the identical state. Reads change nothing.
 */

import type { Micros } from '../../shared/base/micros.js';
import type { MarketOutcome } from '../../shared/protocol/outcome.js';
import type { CandleInterval, MarketState } from '../../shared/protocol/states.js';
import type { Delays } from './delays.js';
import { MARGIN_MUTATORS, type MarginMutators, type MarginReads } from './margin/contract.js';
import type {
  AssetQuery,
  ConversionQuery,
  OrderQuery,
  Page,
  PageQuery,
  PnlFilter,
  RedeemQuery,
} from './records/queries.js';
import type {
  WireAccount,
  WireAsset,
  WireBook,
  WireCandle,
  WireChallenge,
  WireConversion,
  WireCredential,
  WireDetail,
  WireDraft,
  WireEvent,
  WireKey,
  WireListRow,
  WireOrder,
  WireOwnTrade,
  WirePnl,
  WirePrice,
  WirePublicTrade,
  WireRedeem,
  WireStats,
  WireSummary,
} from './records/wire-rows.js';
import type {
  AccountSlot,
  BookSide,
  CreatedMarket,
  DraftKind,
  EventFacts,
  Holding,
  InternalAccountOptions,
  KeyRequest,
  MarketFacts,
  MarketIndex,
  MarketSpec,
  OrderRequest,
  Result,
  WireFunds,
} from './types.js';

export type { Delays } from './delays.js';
export type * from './margin/contract.js';
export type * from './records/queries.js';
export type * from './records/wire-rows.js';
export * from './types.js';

/** One line of a journal. */
export type Command = readonly [nowMs: number, method: Mutator, args: readonly unknown[]];

/** Every method that changes state. */
export const MUTATORS = [
  'advance',
  'createChallenge',
  'createKey',
  'revokeKey',
  'deposit',
  'setCustodial',
  'setSigningAvailable',
  'setDelays',
  'createMarket',
  'setMarketState',
  'setMarketPaused',
  'setUnbackedCollateral',
  'resolveMarket',
  'draftOrder',
  'submitOrder',
  'draftCancel',
  'submitCancel',
  'draftMerge',
  'submitMerge',
  'draftSplit',
  'submitSplit',
  'draftRedeem',
  'submitRedeem',
  'openInternalAccount',
  'placeInternal',
  'cancelInternal',
  'recordedLevel',
  'recordedTrade',
  'recordedClear',
  ...MARGIN_MUTATORS,
] as const satisfies readonly (keyof CoreMutators)[];
/** The name of a call that may change the core; a journal holds these calls and nothing else. */
export type Mutator = (typeof MUTATORS)[number];
/**
 * The mutators. `signatureValid` is the caller's verdict on the signature over `draftMessage(...)`; the core fixes the
 * order of the checks: unknown or foreign → expired → wrong state → invalid signature → market state and balance.
 */
export interface CoreMutators extends MarginMutators {
  /** Does everything that is due (drafts expire, conversions land) in time order. */
  advance(nowMs: number): void;

  createChallenge(nowMs: number, wallet: string, nonce: string): Result<WireChallenge>;
  /** On a wallet's first key its account is created. `apiKey` and `secret` are drawn by the caller. */
  createKey(
    nowMs: number,
    request: KeyRequest,
    signatureValid: boolean,
    apiKey: string,
    secret: string,
  ): Result<WireCredential>;
  revokeKey(nowMs: number, account: AccountSlot, keyId: string): Result<WireKey>;
  deposit(nowMs: number, wallet: string, funds: Micros): Result<WireFunds>;
  setCustodial(nowMs: number, wallet: string, custodial: boolean): Result<WireFunds>;
  /** False: every draft call answers `gringotts_unavailable`. */
  setSigningAvailable(nowMs: number, available: boolean): void;
  /** In place of those before, for what begins from now on. */
  setDelays(nowMs: number, delays: Delays): void;

  createMarket(nowMs: number, spec: MarketSpec): Result<CreatedMarket>;
  /**
   * By the moves of lifecycle.ts. Leaving `open` cancels the open orders. `canceled` is `resolveMarket(null)`; `resolved`
   * needs an outcome and is refused.
   */
  setMarketState(nowMs: number, conditionId: string, state: MarketState): Result<WireDetail>;
  setMarketPaused(nowMs: number, conditionId: string, paused: boolean): Result<WireDetail>;
  setUnbackedCollateral(nowMs: number, conditionId: string, unbacked: boolean): Result<WireDetail>;
  /** Null cancels the market: every share redeems at 0.5. A number cancels it, too: a YES share redeems at it. */
  resolveMarket(nowMs: number, conditionId: string, outcome: MarketOutcome | null): Result<WireDetail>;

  draftOrder(nowMs: number, account: AccountSlot, request: OrderRequest): Result<WireDraft>;
  submitOrder(nowMs: number, account: AccountSlot, pubkey: string, signatureValid: boolean): Result<WireOrder>;
  /** An unexpired cancel draft that was not submitted yet is answered again. */
  draftCancel(nowMs: number, account: AccountSlot, pubkey: string): Result<WireDraft>;
  submitCancel(nowMs: number, account: AccountSlot, pubkey: string, signatureValid: boolean): Result<WireOrder>;

  /** `amount` is the text of the body: one that cannot be read is `share_conversion_invalid_amount`. */
  draftMerge(nowMs: number, account: AccountSlot, conditionId: string, amount: string): Result<WireDraft>;
  submitMerge(nowMs: number, account: AccountSlot, pubkey: string, signatureValid: boolean): Result<WireConversion>;
  draftSplit(nowMs: number, account: AccountSlot, conditionId: string, amount: string): Result<WireDraft>;
  submitSplit(nowMs: number, account: AccountSlot, pubkey: string, signatureValid: boolean): Result<WireConversion>;
  draftRedeem(nowMs: number, account: AccountSlot, conditionId: string): Result<WireDraft>;
  submitRedeem(nowMs: number, account: AccountSlot, pubkey: string, signatureValid: boolean): Result<WireRedeem>;

  /** Without wallet, drafts or signatures. The same name again gives the same account. */
  openInternalAccount(nowMs: number, name: string, options: InternalAccountOptions): AccountSlot;
  /**
   * An order of an internal account, `price` in YES space. A bid is worked as *sell NO* when enough NO is held, else as
   * *buy YES*; an ask as *sell YES*, else *buy NO*. `immediate`: what is not filled at once is dropped.
   * Returns a handle (> 0) for what rests, 0 when nothing rests, or one of the REFUSED numbers.
   */
  placeInternal(
    nowMs: number,
    account: AccountSlot,
    market: MarketIndex,
    side: BookSide,
    price: Micros,
    amount: Micros,
    immediate: boolean,
  ): number;
  /** Constant time. False when the order no longer rests (filled, canceled, or the market closed). */
  cancelInternal(nowMs: number, handle: number): boolean;

  /**
   * The recording says that this level now holds `total`. What that adds meets the real orders of the other side that offer
   * as much, up to its size, before it rests; under a fill model of makers who post only it stands crossed beside them.
   * False when the price is off the market's grid.
   */
  recordedLevel(nowMs: number, market: MarketIndex, side: BookSide, price: Micros, total: Micros): boolean;
  /**
   * The recording says that somebody took `amount` at `price`; `takerSide` BID is a buyer in YES space. Fills real orders
   * as far as it reaches. The decrease of the level that belongs to it must follow as `recordedLevel`.
   */
  recordedTrade(nowMs: number, market: MarketIndex, takerSide: BookSide, price: Micros, amount: Micros): boolean;
  /**
   * All recorded liquidity goes: the recording has ended, or a new snapshot follows at once. Real orders keep their place
   * where the new snapshot shows their level again, and are first where it does not.
   */
  recordedClear(nowMs: number, market: MarketIndex): void;
}

/** The reads. `null` stands for unknown or foreign: the service's `not_found`. */
export interface CoreReads extends MarginReads {
  /** The exchange's clock as last seen, ms. */
  readonly nowMs: number;
  /** As they were set last; their time may be over. */
  readonly delays: Delays;
  /** When something becomes due next, ms; null when nothing is. */
  nextDueMs(): number | null;
  /** JSON-able; with it, the archive and the journal since, the identical state is restored. Holds API secrets. */
  snapshot(): unknown;

  /** Account and HMAC secret of an API key; null when unknown or revoked. */
  credential(apiKey: string): { readonly account: AccountSlot; readonly secret: string } | null;
  /** Wallet of an account; null for an internal one. */
  readWallet(account: AccountSlot): string | null;
  keys(account: AccountSlot): readonly WireKey[];
  accountRow(account: AccountSlot): WireAccount;
  /** For `/paper/accounts/{wallet}/`. */
  fundsOfWallet(wallet: string): WireFunds | null;
  readFunds(account: AccountSlot): { readonly total: Micros; readonly locked: Micros; readonly available: Micros };
  readHolding(account: AccountSlot, market: MarketIndex): Holding;
  readonly feesCollected: Micros;
  /** Currency that came in (starting funds, deposits): = all currency + all collateral + fees + marginHeld, always. */
  readonly fundsDeposited: Micros;

  /** The draft's `message` as it was issued and must be signed; null when there is no such draft of this account. */
  draftMessage(kind: DraftKind, account: AccountSlot, pubkey: string): string | null;

  readonly marketCount: number;
  readonly eventCount: number;
  findMarketIndex(conditionId: string): MarketIndex | null;
  findEventIndex(conditionId: string): number | null;
  marketFacts(market: MarketIndex): MarketFacts;
  eventFacts(event: number): EventFacts;
  summaryRow(market: MarketIndex): WireSummary;
  listRow(market: MarketIndex): WireListRow;
  detailRow(market: MarketIndex): WireDetail;
  /** As the single-event response: with all its market summaries. */
  eventRow(event: number): WireEvent;
  eventListRow(event: number, maxMarkets: number): WireEvent;
  statsRow(market: MarketIndex): WireStats;
  priceRow(market: MarketIndex, isYes: boolean): WirePrice;
  /** Bars that begin at `fromMs` or later and before `toMs`, oldest first; those without a trade are left out. */
  candleRows(
    market: MarketIndex,
    interval: CandleInterval,
    fromMs: number,
    toMs: number,
    isYes: boolean,
  ): readonly WireCandle[];

  /** Counts visible changes of the book: same number, same book. */
  bookVersion(market: MarketIndex): number;
  /**
   * Real and recorded liquidity together. Where a recorded level stands at or beyond a resting real order without trading
   * with it (makers who post only, a paused market) the book shows both, crossed.
   */
  bookRow(market: MarketIndex, isYes: boolean, depth: number): WireBook;
  /** YES space; null when the side is empty. */
  bestBid(market: MarketIndex): Micros | null;
  bestAsk(market: MarketIndex): Micros | null;
  /**
   * The levels of `bookRow` in YES space as numbers, without text: best first, at most `depth`, into `prices` and `amounts`
   * (Micros), which hold at least `depth`. Returns how many there are. Nothing is allocated.
   */
  bookLevels(
    market: MarketIndex,
    side: BookSide,
    depth: number,
    prices: Int32Array | Float64Array,
    amounts: Float64Array,
  ): number;
  /**
   * Best recorded price of a side alone, whatever real orders stand there or have eaten of it; null when the recording holds
   * nothing there. YES space.
   */
  bestRecorded(market: MarketIndex, side: BookSide): Micros | null;
  /** Displayed amount of a level in YES space, real and recorded. */
  levelAmount(market: MarketIndex, side: BookSide, price: Micros): Micros;
  /** What is left of an internal order; 0 when it no longer rests. */
  internalRemaining(handle: number): Micros;
  /** Handles of an internal account's resting orders: what a driver that was killed has left behind. */
  internalOrders(account: AccountSlot): readonly number[];
  /** What the last `placeInternal` filled at once. */
  readonly lastInternalFilled: Micros;

  /** The newest 20,000 are kept. Ids count from 1 per market. */
  publicTrades(
    market: MarketIndex,
    query: { readonly limit: number; readonly beforeId?: number | undefined },
  ): Page<WirePublicTrade>;

  order(account: AccountSlot, pubkey: string): WireOrder | null;
  /** Recorded shares that stand before a resting order of this account; null when it does not rest. */
  queueAhead(account: AccountSlot, pubkey: string): Micros | null;
  /** Best price of the real orders alone, in YES space; null when none rests on that side. */
  bestReal(market: MarketIndex, side: BookSide): Micros | null;
  orders(account: AccountSlot, query: OrderQuery): Page<WireOrder>;
  ownTrades(account: AccountSlot, query: PageQuery): Page<WireOwnTrade>;
  merge(account: AccountSlot, pubkey: string): WireConversion | null;
  merges(account: AccountSlot, query: ConversionQuery): Page<WireConversion>;
  split(account: AccountSlot, pubkey: string): WireConversion | null;
  splits(account: AccountSlot, query: ConversionQuery): Page<WireConversion>;
  redeem(account: AccountSlot, pubkey: string): WireRedeem | null;
  redeems(account: AccountSlot, query: RedeemQuery): Page<WireRedeem>;
  /** By offset, as the interface says; `nextOffset` is null on the last page. */
  assets(
    account: AccountSlot,
    query: AssetQuery,
  ): { readonly rows: readonly WireAsset[]; readonly nextOffset: number | null };
  /** What the markets that match both filters have brought; an id that matches none has brought nothing. */
  pnl(account: AccountSlot, filter: PnlFilter): WirePnl;
}

/** `ExchangeCore` implements this: `new ExchangeCore(settings)` or `ExchangeCore.restore(settings, snapshot)`. */
export interface Core extends CoreMutators, CoreReads {
  /** Runs one journal line; what the mutator returned comes back. */
  apply(command: Command): unknown;
}
