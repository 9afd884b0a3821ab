/**
 * The pure heart of the paper exchange: accounts, books, orders, conversions, redeems, margin and recorded liquidity behind
 * the interface of contract.ts. Synchronous and without a world: the time, the verdict on a signature and every random value
 * come in as arguments. That makes it replayable (a snapshot and the commands since give the identical state), and the
 * same for paper trading, tests and backtests.
 *
 * This file declares the calls; the subsystems (orders, conversions, redeems, margin, identity) know the rules of their
 * records, matching.ts moves money between accounts, book.ts keeps the queues.
 */

import { assert } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import type { MarketOutcome } from '../../shared/protocol/outcome.js';
import { isSettledMarket, MARKET_STATES, type MarketState } from '../../shared/protocol/states.js';
import type * as contract from './contract.js';
import type { Delays } from './core-context.js';
import { invalid, mapResult, ok, type Refusal, refuse } from './fault.js';
import { cancelledRequestRow, closeRow, requestRow, tpSlRow } from './margin/rows.js';
import type { Market } from './market.js';
import { RECORDED_ACCOUNT } from './matching/matching.js';
import type { RecordedColumns } from './matching/recorded-feed.js';
import { asMicros } from './money.js';
import { Reads } from './reads.js';
import type { Archive } from './records/archive.js';
import { detailRow } from './records/market-rows.js';
import { MemoryArchive } from './records/memory-archive.js';
import { advanceTo, type CoreSubsystems, wireSubsystems } from './wiring.js';

type Account = contract.AccountSlot;
type Index = contract.MarketIndex;
type Side = contract.BookSide;
type Parts = CoreSubsystems;

/**
 * Every call that changes state, declared once: what it does with the parts of the core once time has passed to its moment.
 * Callers put `nowMs` before these arguments: ms since 1970, which may not go back. `signatureValid` is the caller's verdict
 * on the signature over `draftMessage(...)`; the order of the checks: unknown or foreign → expired → wrong state → invalid
 * signature → market state and balance.
 */
const CALLS = {
  /** Does all due work (expiries, landings) in order of time. */
  advance: (_: Parts) => undefined,

  createChallenge: ({ identity }: Parts, wallet: string, nonce: string) => identity.challenge(wallet, nonce),

  /** A wallet's first key creates its account. The caller draws `apiKey` and `secret`. */
  createKey: (
    { identity }: Parts,
    request: contract.KeyRequest,
    signatureValid: boolean,
    apiKey: string,
    secret: string,
  ) => identity.createKey(request, signatureValid, apiKey, secret),

  revokeKey: ({ identity }: Parts, account: Account, keyId: string) => identity.revoke(account, keyId),
  deposit: ({ identity }: Parts, wallet: string, funds: Micros) => identity.deposit(wallet, funds),
  setCustodial: ({ identity }: Parts, wallet: string, custodial: boolean) => identity.setCustodial(wallet, custodial),

  /** False: every draft call answers `gringotts_unavailable`. */
  setSigningAvailable: ({ context }: Parts, available: boolean): void => {
    context.signingAvailable = available;
  },

  /** Replaces the delays, for work that begins later. */
  setDelays: ({ context }: Parts, delays: Delays): void => {
    context.delays = delays;
  },

  createMarket: ({ context }: Parts, spec: contract.MarketSpec) =>
    mapResult(context.catalog.create(context.nowMs, spec), ({ index, shares, card }) => {
      shares.ensureAccount(RECORDED_ACCOUNT);
      return { index, condition_id: card.conditionId };
    }),

  /**
   * Follows `mayMove`. Leaving `open` cancels the open orders. `canceled` is `resolveMarket(null)`; `resolved` needs an
   * outcome and is refused.
   */
  setMarketState: (parts: Parts, conditionId: string, state: MarketState) =>
    onMarket(parts, conditionId, (market) => {
      if (!MARKET_STATES.includes(state)) return invalid('state', `Must be one of: ${MARKET_STATES.join(', ')}.`);
      if (state === 'resolved') return invalid('state', 'Resolve the market with its outcome instead.');
      if (!mayMove(market.state, state)) return invalid('state', `The market is ${market.state}, which is final.`);
      // A canceled market has no outcome; `outcome` is still null.
      moveTo(parts, market, state);
      return null;
    }),

  setMarketPaused: (parts: Parts, conditionId: string, paused: boolean) =>
    onMarket(parts, conditionId, (market) => {
      market.paused = paused;
      if (market.isTradable) parts.feed.onReopen(market);
      parts.margin.sweep(market);
      return null;
    }),

  setUnbackedCollateral: (parts: Parts, conditionId: string, unbacked: boolean) =>
    onMarket(parts, conditionId, (market) => {
      market.unbacked = unbacked;
      return null;
    }),

  /** Null cancels the market: every share redeems at 0.5. A number cancels it too: a YES share redeems at it. */
  resolveMarket: (parts: Parts, conditionId: string, outcome: MarketOutcome | null) =>
    onMarket(parts, conditionId, (market) => {
      if (isSettledMarket(market.state)) return invalid('is_yes', `The market is ${market.state} already.`);
      market.outcome = outcome;
      moveTo(parts, market, typeof outcome === 'boolean' ? 'resolved' : 'canceled');
      return null;
    }),

  draftOrder: ({ orders }: Parts, account: Account, request: contract.OrderRequest) => orders.draft(account, request),
  submitOrder: ({ orders, matching }: Parts, account: Account, pubkey: string, signatureValid: boolean) =>
    orders.submit(matching, account, pubkey, signatureValid),

  /** An unexpired cancel draft that was not submitted is returned again. */
  draftCancel: ({ orders }: Parts, account: Account, pubkey: string) => orders.draftCancel(account, pubkey),
  submitCancel: ({ orders, matching }: Parts, account: Account, pubkey: string, signatureValid: boolean) =>
    orders.submitCancel(matching, account, pubkey, signatureValid),

  /** `amount` is the body's text: an unreadable one is `share_conversion_invalid_amount`. */
  draftMerge: ({ conversions }: Parts, account: Account, conditionId: string, amount: string) =>
    conversions.draft('merge', account, conditionId, amount),
  submitMerge: ({ conversions }: Parts, account: Account, pubkey: string, signatureValid: boolean) =>
    conversions.submit('merge', account, pubkey, signatureValid),
  draftSplit: ({ conversions }: Parts, account: Account, conditionId: string, amount: string) =>
    conversions.draft('split', account, conditionId, amount),
  submitSplit: ({ conversions }: Parts, account: Account, pubkey: string, signatureValid: boolean) =>
    conversions.submit('split', account, pubkey, signatureValid),

  draftRedeem: ({ redeems }: Parts, account: Account, conditionId: string) => redeems.draft(account, conditionId),
  submitRedeem: ({ redeems }: Parts, account: Account, pubkey: string, signatureValid: boolean) =>
    redeems.submit(account, pubkey, signatureValid),

  /** Without wallet, drafts or signatures. The same name returns the same account. */
  openInternalAccount: ({ identity }: Parts, name: string, options: contract.InternalAccountOptions): Account =>
    identity.openInternal(name, options.unlimited, options.funds ?? 0),

  /**
   * An order of an internal account, `price` in YES space. A bid is worked as *sell NO* when enough NO is held, else as
   * *buy YES*; an ask as *sell YES*, else *buy NO*. `immediate`: what is not filled at once is dropped.
   * Returns a handle (> 0) for what rests, 0 when nothing rests, or one of the REFUSED numbers.
   */
  placeInternal: (
    { context, internal }: Parts,
    account: Account,
    index: Index,
    side: Side,
    price: Micros,
    amount: Micros,
    immediate: boolean,
  ) => internal.place(context.catalog.markets[index], { account, side, price, amount, immediate }),

  /** Constant time. False when the order no longer rests (filled, canceled, or the market closed). */
  cancelInternal: ({ internal }: Parts, handle: number) => internal.cancel(handle),

  /**
   * The recording says that this level now holds `total`. What that adds meets the real orders of the other side that offer
   * as much, up to its size, before it rests; under a fill model of makers who post only it stands crossed beside them.
   * False when the price is off the market's grid.
   */
  recordedLevel: ({ context, feed }: Parts, index: Index, side: Side, price: Micros, total: Micros) =>
    feed.level(context.nowMs, context.catalog.markets[index], side, price, total),

  /**
   * A recorded trade of `amount` at `price`; `takerSide` BID is a buyer in YES space. Fills the real orders that it
   * reaches. Its decrease of the level must follow as `recordedLevel`.
   */
  recordedTrade: ({ context, feed }: Parts, index: Index, takerSide: Side, price: Micros, amount: Micros) =>
    feed.trade(context.catalog.markets[index], takerSide, price, amount),

  /**
   * Removes all recorded liquidity: the recording has ended, or a new snapshot follows. Real orders keep their place
   * where the new snapshot shows their level again, and are first where it does not.
   */
  recordedClear: ({ context, feed }: Parts, index: Index) => feed.clear(context.nowMs, context.catalog.market(index)),

  /**
   * Sets the price (YES space, strictly between 0 and 1) of a margin market. Its effects are immediate: liquidations,
   * closes, triggers, limit requests.
   */
  setReferencePrice: ({ margin }: Parts, conditionId: string, price: Micros) =>
    margin.setReferencePrice(conditionId, price),

  /** Locks liquidity and opening fee. Returns the request's row with the message to sign. */
  draftMarginRequest: ({ context, margin }: Parts, account: Account, terms: contract.MarginTerms) =>
    mapResult(margin.requests.draft(account, terms), (record) => requestRow(context, record)),
  submitMarginRequest: ({ context, margin }: Parts, account: Account, pubkey: string, signatureValid: boolean) =>
    mapResult(margin.requests.submit(account, pubkey, signatureValid), (record) => requestRow(context, record)),

  /** Only until its funding is complete. */
  cancelMarginRequest: ({ context, margin }: Parts, account: Account, pubkey: string) =>
    mapResult(margin.requests.cancel(account, pubkey), (record) => cancelledRequestRow(context, record)),

  /** Sells all shares at the reference price: now, or with `price` once it is reached. */
  closePosition: ({ margin }: Parts, account: Account, pubkey: string, price: Micros | null) =>
    mapResult(margin.positions.close(account, pubkey, price), closeRow),
  setTpSl: ({ margin }: Parts, account: Account, pubkey: string, change: contract.TpSlChange) =>
    mapResult(margin.positions.setTpSl(account, pubkey, change), tpSlRow),
  deleteTpSl: ({ margin }: Parts, account: Account, pubkey: string) =>
    mapResult(margin.positions.deleteTpSl(account, pubkey), tpSlRow),
  claimSettlement: ({ margin }: Parts, account: Account, positionPubkey: string) =>
    margin.claimSettlement(account, positionPubkey),
};

/** Name of a call that may change the core; a journal contains only such calls. */
export type Mutator = keyof typeof CALLS;

/** All calls that change state. */
export const MUTATORS = Object.keys(CALLS) as readonly Mutator[]; // The keys of an object of constants are its names.

/** One line of a journal. */
export type Command = readonly [nowMs: number, method: Mutator, args: readonly unknown[]];

type Mutations = {
  [M in Mutator]: (typeof CALLS)[M] extends (parts: Parts, ...args: infer Args) => infer Answer
    ? (nowMs: number, ...args: Args) => Answer
    : never;
};

// The loop below the class adds the table's calls.
const ReadsWithMutations = Reads as unknown as new (parts: Parts) => Reads & Mutations;

/** The whole core: its reads, and a method per call of the table. */
export class ExchangeCore extends ReadsWithMutations {
  /** Continues from a snapshot if given; see `restore`. Final records go to the archive. */
  constructor(settings: contract.CoreSettings, snapshot?: unknown, archive: Archive = new MemoryArchive()) {
    super(wireSubsystems(settings, archive, snapshot));
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

  /** Amount that the last `placeInternal` filled at once. */
  get lastInternalFilled(): Micros {
    return asMicros(this.parts.internal.lastFilled);
  }

  /** Runs one journal line; returns the mutator's result. */
  apply(command: Command): unknown {
    const [nowMs, method, args] = command;
    assert(MUTATORS.includes(method), `not a command of the exchange: ${method}`);
    // A journal contains calls with these types; the name was checked above.
    const mutator = this[method] as (nowMs: number, ...args: readonly unknown[]) => unknown;
    return mutator.call(this, nowMs, ...args);
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
    return this.parts.feed.play(this.parts.context.catalog.market(index), events, from, untilMs);
  }

  /**
   * Ends the recording of a closed market: keeps its newest `keepTrades` trades and drops its recorded book. One run
   * may have thousands of such markets. Like `playRecorded` not a journal command.
   */
  endRecorded(index: contract.MarketIndex, keepTrades: number): void {
    const market = this.parts.context.catalog.market(index);
    assert(market.state !== 'open', 'a recorded market is over when it has closed');
    market.tape.settle(keepTrades);
    market.orderbook?.book.endRecorded();
  }

  /** Events of the last `playRecorded` that the market rejected, as when `recordedLevel` returns false. */
  get lastRecordedRefused(): number {
    return this.parts.feed.refused;
  }
}

type AnyCall = (parts: Parts, ...args: readonly unknown[]) => unknown;

for (const method of MUTATORS) {
  // Argument types follow from this function's own type.
  const call = CALLS[method] as AnyCall;
  Object.defineProperty(ExchangeCore.prototype, method, {
    writable: true,
    value(this: { readonly parts: Parts }, nowMs: number, ...args: readonly unknown[]) {
      advanceTo(this.parts, nowMs);
      return call(this.parts, ...args);
    },
  });
}

/** Changes the market of a condition id and returns its detail. */
function onMarket(
  { context: { catalog } }: Parts,
  conditionId: string,
  change: (market: Market) => Refusal | null,
): contract.Result<contract.Wire<'marketDetail'>> {
  const market = catalog.byId(conditionId);
  if (market === null) return refuse('not_found');
  return change(market) ?? ok(detailRow(catalog, market));
}

function moveTo({ margin, orders, matching }: Parts, market: Market, state: MarketState): void {
  market.state = state;
  margin.marketMoved(market, isSettledMarket(state));
  if (isSettledMarket(state)) market.tape.settle();
  const { orderbook: trading } = market;
  if (trading === null) return;
  if (state !== 'open') orders.cancelAll(matching, market, trading);
  // Recorded liquidity is shown only while the market is open.
  trading.book.version += 1;
}

/**
 * Whether the control may move a market between two states. Moves back are allowed, because an answer can be disputed.
 * A settled state is final, and `resolved` needs an outcome.
 */
const mayMove = (from: MarketState, to: MarketState): boolean => !isSettledMarket(from) && to !== 'resolved';
