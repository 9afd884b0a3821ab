/**
 * Types between executor, engine and wallet.
 *
 * The engine runs two transactions per observation. The first decides and books (`begin`, `onReport`, `onOwnOrders`,
 * `onOwnTrades`, `tick`). The second runs `signDrafts`, which signs the drafts that the first transaction made durable.
 * The requests are queued after both.
 */

import type { Micros } from '../../shared/base/micros.js';
import type { PlannedRequest } from '../../shared/protocol/seam.js';
import type { OrderStatus } from '../../shared/protocol/states.js';
import type { BookedFill, ConversionKind, IntentKind, IntentRow } from '../ledger/contract.js';

/** The wallet's signer. It loads the stored draft by intent id, and refuses a draft that differs from the intent. */
export interface DraftSigner {
  sign(intentId: string): SignAnswer;
}

export type SignAnswer =
  | { readonly ok: true; readonly signature: string }
  /** `isWithheld`: the draft is correct, but the signer may not sign now. */
  | { readonly ok: false; readonly reason: string; readonly isWithheld?: true };

export interface ExecutorSettings {
  /** Id of the run, which must exist in the ledger (`startRun`). */
  readonly runId: string;
  readonly configHash: string;
  /** Poll interval of own orders, ms; also the minimum time between two reads of an expired record. */
  readonly ownPollMs: number;
}

/** Returns why this order must not be signed, in a sentence; null when it may be. */
export type PlaceObjection = (place: IntentRow) => string | null;

/** Orders that may be begun, signed and sent: all, none, or the orders of one strategy. */
export type Placing = boolean | { readonly onlyStrategy: string };

/** Conversions that may be begun, signed and sent: all, only conversions into currency (merges, redeems), or none. */
export type Converting = 'all' | 'to_currency' | 'none';

type OfIntent = 'kind' | 'marketConditionId' | 'isYes' | 'side' | 'priceMicros' | 'strategy' | 'isProbe' | 'createdMs';

/** Worst case of the money and shares that an intent can still use. */
export interface Reservation extends Pick<IntentRow, OfIntent> {
  readonly intentId: string;
  /**
   * `resting`: live at the exchange. `in_flight`: requested, drafted or signed. `unknown`: may have taken effect.
   * `abandoned`: will not take effect, but the intent's locks last until its draft expires.
   */
  readonly phase: 'resting' | 'in_flight' | 'unknown' | 'abandoned';
  /** Shares (or sets) that may still move: possible fills, and fills at the exchange that are not booked yet. */
  readonly remainingMicros: Micros;
  /** Worst fee as a fraction of price x amount, for any fee schedule. */
  readonly feeRateMicros: Micros;
  /** Maximum currency that the intent may cost, fee included. */
  readonly cashMicros: Micros;
  /** Shares that the intent locks or may sell. */
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
}

/** Events for the engine. `trouble` raises an alarm for the operator. */
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
  /** The intent never took effect: rejected by the exchange, or abandoned before it was signed. */
  | {
      readonly kind: 'notDone';
      readonly intentId: string;
      readonly intentKind: IntentKind;
      readonly market: string;
      /** Slug of the service, or one of `unsent`, `answer_lost`, `expired`, `failed`, `withdrawn`, `post_only`. */
      readonly slug: string;
      readonly reason: string;
    }
  /** The signer refused a stored draft. The engine pauses the market. */
  | { readonly kind: 'signingRefused'; readonly intentId: string; readonly market: string; readonly reason: string }
  | { readonly kind: 'cancelDone'; readonly intentId: string; readonly orderPubkey: string; readonly market: string }
  | {
      readonly kind: `${ConversionKind}Done`;
      readonly intentId: string;
      readonly market: string;
      readonly cashMicros: Micros;
    }
  | {
      readonly kind: 'trouble';
      readonly trouble: Trouble;
      readonly market: string | null;
      readonly text: string;
      readonly subject: string | null;
    };

export type Trouble =
  | 'foreign_order' // an order of the own wallet rests that this ledger never made
  | 'signed_elsewhere' // a draft took effect that this trader never signed; the engine pauses the market
  | 'foreign_trade' // a fill of an order that this ledger never made
  | 'failed_trade' // the exchange matched a trade and then failed to settle it
  | 'settled_trade_failed' // the exchange reported a trade as settled, and later as failed
  | 'failed_trade_settled' // the exchange reported a trade as failed, and later as settled
  | 'fill_differs' // a fill contradicts the signed order or its earlier record; the engine then only reduces
  | 'record_missing' // the exchange does not know a pubkey that it issued
  | 'record_differs' // the exchange's record differs from the request
  | 'cancel_undone' // the exchange reported an order as canceled, and it rests; the engine pauses the market
  | 'came_back'; // an order that was reported as ended rests again

export interface Reaction {
  readonly requests: readonly PlannedRequest[];
  readonly events: readonly ExecutorEvent[];
}
