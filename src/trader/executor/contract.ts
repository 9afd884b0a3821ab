/**
 * What the executor promises the engine, and the one thing it needs from the wallet.
 *
 * The engine runs each observation as: `ledger.transaction` around everything that decides and books (`begin`,
 * `onReport`, `onOwnOrders`, `onOwnTrades`, `tick`), then `ledger.transaction` around `signDrafts`, which signs what
 * the first transaction made durable. Only then do the requests go to the scheduler.
 */

import type { Micros } from '../../shared/base/micros.js';
import type { OrderRow, OwnTradeRow } from '../../shared/protocol/records.js';
import type { PlannedRequest, RequestResult } from '../../shared/protocol/seam.js';
import type { OrderStatus, Side } from '../../shared/protocol/states.js';
import type { BookedFill, IntentKind, IntentRow } from '../ledger/contract.js';
import type { Approved } from '../risk/risk.js';

/** The wallet's signer: takes an intent id, loads the stored draft itself, refuses what is not the intent. */
export interface DraftSigner {
  sign(intentId: string): SignAnswer;
}

export type SignAnswer =
  | { readonly ok: true; readonly signature: string }
  /** `isWithheld`: nothing is wrong with the draft, but just now nothing may be signed. */
  | { readonly ok: false; readonly reason: string; readonly isWithheld?: true };

export interface ExecutorSettings {
  /** The run must be in the ledger (`startRun`). */
  readonly runId: string;
  /** Recorded with every intent. */
  readonly configHash: string;
  /** How often own orders are polled, ms: a second look at an expired record comes no sooner. */
  readonly ownPollMs: number;
}

/** Why this place must not be signed, a sentence; null when it may. */
export type PlaceObjection = (place: IntentRow) => string | null;

/** Whether places may be begun, signed and sent: all, none, or those of one strategy only. */
export type Placing = boolean | { readonly onlyStrategy: string };

/** Which conversions may be begun, signed and sent: all, only what turns shares into currency (merges, redeems), or none. */
export type Converting = 'all' | 'to_currency' | 'none';

/** An order that rests as far as we know. */
export interface RestingOrder {
  readonly orderPubkey: string;
  readonly intentId: string;
  readonly marketConditionId: string;
  readonly isYes: boolean;
  readonly side: Side;
  /** In the space of its own outcome. */
  readonly priceMicros: Micros;
  readonly amountMicros: Micros;
  /** What may still fill: the amount minus the larger of what the exchange and our own fills say. */
  readonly remainingMicros: Micros;
  readonly strategy: string;
  readonly createdMs: number;
  /** False after a restart until a list or a read has shown it. */
  readonly confirmed: boolean;
  /** A cancel for it is under way. */
  readonly cancelPending: boolean;
}

/** What an intent can still take, in the worst case. */
export interface Reservation {
  readonly intentId: string;
  readonly kind: IntentKind;
  readonly marketConditionId: string;
  /**
   * `resting`: live at the exchange; `in_flight`: asked, drafted or signed; `unknown`: may or may not have happened;
   * `abandoned`: will not happen, but its locks may stand until its draft has lapsed.
   */
  readonly phase: 'resting' | 'in_flight' | 'unknown' | 'abandoned';
  /** Null for a conversion, as are `side` and `priceMicros`. */
  readonly isYes: boolean | null;
  readonly side: Side | null;
  readonly priceMicros: Micros | null;
  /**
   * Shares (or sets) that may still move in this ledger: what may still fill, and what has filled at the exchange but is
   * not booked here.
   */
  readonly remainingMicros: Micros;
  /** The worst fee as a part of price x amount at its own price, whatever the venue's schedule takes it of. */
  readonly feeRateMicros: Micros;
  /** Currency it may cost at most, fee included. */
  readonly cashMicros: Micros;
  /** Shares that it holds or may sell. */
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
  readonly strategy: string;
  readonly createdMs: number;
}

/** What the engine should know; `trouble` is loud and for a person. */
export type ExecutorEvent =
  | { readonly kind: 'orderOpened'; readonly intentId: string; readonly orderPubkey: string; readonly market: string }
  | {
      readonly kind: 'orderClosed';
      readonly intentId: string;
      readonly orderPubkey: string;
      readonly market: string;
      readonly status: OrderStatus;
      readonly filledMicros: Micros;
    }
  | { readonly kind: 'fillBooked'; readonly fill: BookedFill; readonly intentId: string; readonly strategy: string }
  /** It never took effect: refused by the exchange or given up before it was signed. */
  | {
      readonly kind: 'notDone';
      readonly intentId: string;
      readonly intentKind: IntentKind;
      readonly market: string;
      /** The service's slug, or one of ours: `unsent`, `answer_lost`, `expired`, `failed`, `withdrawn`, `post_only`. */
      readonly slug: string;
      readonly reason: string;
    }
  /** The signer refused a stored draft. The engine pauses the market. */
  | { readonly kind: 'signingRefused'; readonly intentId: string; readonly market: string; readonly reason: string }
  | { readonly kind: 'cancelDone'; readonly intentId: string; readonly orderPubkey: string; readonly market: string }
  | { readonly kind: 'mergeDone'; readonly intentId: string; readonly market: string; readonly cashMicros: Micros }
  | { readonly kind: 'splitDone'; readonly intentId: string; readonly market: string; readonly cashMicros: Micros }
  | { readonly kind: 'redeemDone'; readonly intentId: string; readonly market: string; readonly cashMicros: Micros }
  | {
      readonly kind: 'trouble';
      readonly trouble: Trouble;
      readonly market: string | null;
      readonly text: string;
      /** Pubkey or intent id that it is about; null for none. */
      readonly subject: string | null;
    };

export type Trouble =
  | 'foreign_order' // an order rests under our wallet that this ledger never made
  | 'signed_elsewhere' // a draft took effect that this trader never signed; the engine pauses the market
  | 'foreign_trade' // a fill of an order that this ledger never made
  | 'failed_trade' // the exchange matched and then failed to settle
  | 'settled_trade_failed' // the exchange said that a trade had settled, and then that it failed
  | 'failed_trade_settled' // and the reverse
  | 'fill_differs' // a fill is not what was signed, or came again with other content; the engine only reduces
  | 'record_missing' // the exchange does not know a pubkey that it gave us
  | 'record_differs' // the exchange's record is not what we asked for
  | 'cancel_undone' // the exchange said that an order was canceled, and it rests; the engine pauses the market
  | 'came_back'; // something declared dead rests after all

/** An order whose fills are not all here: the engine walks own trades further back. */
export interface MissingFills {
  readonly orderPubkey: string;
  readonly marketConditionId: string;
  readonly missingMicros: Micros;
  readonly createdMs: number;
}

/**
 * The executor. Everything but the reads must run inside `ledger.transaction`. Requests that it returns are to be queued
 * unchanged; each must come back exactly once as a report.
 */
export interface OrderExecutor {
  /**
   * Writes the intent's row and asks for its draft. `reason` is JSON text for `explain`: what led to it. For a place the
   * market's facts must be in the ledger (`saveMarket`), because the worst fee is reserved from them. A conversion
   * while another of its kind is pending in the market, a cancel while another is pending for the order, a place while
   * placing is off, a conversion while converting is, or an id that was used before is an assertion. A cancel may be of an order that is not ours.
   */
  begin(approved: Approved, nowMs: number, reason: string): readonly PlannedRequest[];
  /** The outcome of a request that an intent owns. */
  onReport(report: RequestResult): Reaction;
  /**
   * In its own transaction, after the one that stored the drafts: signs them. The requests are submits. `objectionTo` is asked of
   * each place at that moment.
   */
  signDrafts(nowMs: number, objectionTo?: PlaceObjection): Reaction;
  /**
   * What has become due: re-reads, resends, polls of conversions, drafts that have lapsed. `venueNowMs` is the
   * exchange's clock, or null while it was never seen. Call it at least once a second.
   */
  tick(nowMs: number, venueNowMs: number | null): Reaction;
  /** Once, at start, before anything else: takes up what the ledger says was under way. */
  recover(nowMs: number): Reaction;

  /**
   * A complete list of our resting orders (all pages of `orders.list` with status open and partially_filled), whose
   * first page left at `listSentMs`.
   */
  onOwnOrders(rows: readonly OrderRow[], listSentMs: number, nowMs: number): Reaction;
  /** Rows of `trades.list`, any page, any order; rows seen before cost nothing but a look. */
  onOwnTrades(rows: readonly OwnTradeRow[], nowMs: number): Reaction;
  /** Whether it still works on this intent, which may be over. */
  isUnderWay(intentId: string): boolean;
  /** Whether the ledger has a trade with this very content; false too where that would have to be looked up. */
  hasBooked(row: OwnTradeRow): boolean;

  /**
   * False (kill, stop): no draft of a place is signed any more and no signature of one is sent again; what may have
   * left is still settled. Set it before `recover` and `tick` when the kill is older than the process.
   */
  setPlacing(allowed: Placing): void;
  /** Intents that are begun from here on are recorded with this configuration. */
  setConfigHash(hash: string): void;
  /** The same for conversions. */
  setConverting(allowed: Converting): void;
  /**
   * The places of this market (null: of all) that are under way now are not wanted any more: what is not signed will
   * not be, what is signed is not sent again; what may have left is still settled. Later places are not concerned.
   * Once is enough, repeating it costs nothing. What waits in the queue is the caller's to recall.
   */
  withdraw(marketConditionId: string | null, nowMs: number): void;

  restingOrders(): readonly RestingOrder[];
  reservations(): readonly Reservation[];
  /** The intent of a merge that is not settled in this market, or null. */
  pendingMerge(marketConditionId: string): string | null;
  pendingSplit(marketConditionId: string): string | null;
  pendingRedeem(marketConditionId: string): string | null;
  pendingCancel(orderPubkey: string): string | null;
  /** Orders whose fills are not all booked; empty when the lists agree. */
  missingFills(): readonly MissingFills[];
}

export interface Reaction {
  readonly requests: readonly PlannedRequest[];
  readonly events: readonly ExecutorEvent[];
}
