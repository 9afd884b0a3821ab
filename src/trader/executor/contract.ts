/**
 * What the executor says to the engine, and the one thing it needs from the wallet.
 *
 * The engine runs each observation as: `ledger.transaction` around everything that decides and books (`begin`,
 * `onReport`, `onOwnOrders`, `onOwnTrades`, `tick`), then `ledger.transaction` around `signDrafts`, which signs what
 * the first transaction made durable. Only then do the requests go to the scheduler.
 */

import type { Micros } from '../../shared/base/micros.js';
import type { PlannedRequest } from '../../shared/protocol/seam.js';
import type { OrderStatus, Side } from '../../shared/protocol/states.js';
import type { BookedFill, IntentKind, IntentRow } from '../ledger/contract.js';

/** The wallet's signer: loads the stored draft by intent id, and refuses one that differs from the intent. */
export interface DraftSigner {
  sign(intentId: string): SignAnswer;
}

export type SignAnswer =
  | { readonly ok: true; readonly signature: string }
  /** `isWithheld`: the draft is correct, but nothing may be signed now. */
  | { readonly ok: false; readonly reason: string; readonly isWithheld?: true };

export interface ExecutorSettings {
  /** The run must exist in the ledger (`startRun`). */
  readonly runId: string;
  /** Recorded with every intent. */
  readonly configHash: string;
  /** Poll interval of own orders, ms; an expired record is read again no sooner. */
  readonly ownPollMs: number;
}

/** Why this order must not be signed, in a sentence; null when it may be. */
export type PlaceObjection = (place: IntentRow) => string | null;

/** Whether orders may be begun, signed and sent: all, none, or those of one strategy. */
export type Placing = boolean | { readonly onlyStrategy: string };

/** Conversions that may be begun, signed and sent: all, only shares into currency (merges, redeems), or none. */
export type Converting = 'all' | 'to_currency' | 'none';

/** Worst case of what an intent can still use. */
export interface Reservation {
  readonly intentId: string;
  readonly kind: IntentKind;
  readonly marketConditionId: string;
  /**
   * `resting`: live at the exchange. `in_flight`: requested, drafted or signed. `unknown`: may have happened.
   * `abandoned`: will not happen, but its locks last until its draft expires.
   */
  readonly phase: 'resting' | 'in_flight' | 'unknown' | 'abandoned';
  /** Null for a conversion, as are `side` and `priceMicros`. */
  readonly isYes: boolean | null;
  readonly side: Side | null;
  readonly priceMicros: Micros | null;
  /**
   * Shares (or sets) that may still move in this ledger: possible fills, and fills at the exchange that are not booked
   * here.
   */
  readonly remainingMicros: Micros;
  /** Worst fee as a fraction of its own price x amount, whatever base the venue's schedule has. */
  readonly feeRateMicros: Micros;
  /** Maximum currency that it may cost, fee included. */
  readonly cashMicros: Micros;
  /** Shares that it locks or may sell. */
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
  readonly strategy: string;
  readonly isProbe: boolean;
  readonly createdMs: number;
}

/** Events for the engine; `trouble` raises an alarm for the operator. */
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
  /** It never took effect: rejected by the exchange, or abandoned before it was signed. */
  | {
      readonly kind: 'notDone';
      readonly intentId: string;
      readonly intentKind: IntentKind;
      readonly market: string;
      /** Slug of the service, or an own one: `unsent`, `answer_lost`, `expired`, `failed`, `withdrawn`, `post_only`. */
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
      /** Pubkey or intent id; null without one. */
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

export interface Reaction {
  readonly requests: readonly PlannedRequest[];
  readonly events: readonly ExecutorEvent[];
}
