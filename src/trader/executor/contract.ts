/**
 * Types that executor, engine and wallet share.
 *
 * The engine runs two transactions per observation. The first transaction decides and books (`begin`, `onReport`,
 * `onOwnOrders`, `onOwnTrades`, `tick`). The second transaction runs `signDrafts`, which signs the drafts that the
 * first has stored. The engine queues the requests after both transactions.
 */

import type { Micros } from '../../shared/base/micros.js';
import type { PlannedRequest } from '../../shared/protocol/seam.js';
import type { BookedFill, ConversionKind, IntentKind, IntentRow, OrderRecord } from '../ledger/contract.js';
import type { WorkingOrder } from '../risk/exposure.js';

/** The wallet's signer. The signer loads the stored draft of an intent, and signs nothing else. */
export interface IntentSigner {
  sign(intentId: string): SignAnswer;
}

type SignAnswer =
  | { readonly ok: true; readonly signature: string }
  /** The signer did not sign the draft. `isWithheld`: signing is forbidden now, so the draft was not checked. */
  | { readonly ok: false; readonly reason: string; readonly isWithheld?: true };

/** Conversions that the executor may begin, sign and send: all, only merges and redeems (`to_currency`), or none. */
export type Converting = 'all' | 'to_currency' | 'none';

type TermName = 'kind' | 'marketConditionId' | 'isYes' | 'side' | 'priceMicros' | 'strategy' | 'isProbe' | 'createdMs';

/** Reservation of an intent: the maximum currency and shares that the intent can still use. */
export interface Reservation
  extends Pick<IntentRow, TermName>,
    Pick<WorkingOrder, 'intentId' | 'remainingMicros' | 'feeRateMicros' | 'phase'> {
  /** Maximum currency that the intent may cost, fee included. */
  readonly cashMicros: Micros;
  /** Shares that the intent locks or may sell. */
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
}

interface OfIntent<Kind extends string> {
  readonly kind: Kind;
  readonly intentId: string;
  readonly market: string;
}

/** Event that the executor reports to the engine. An event of kind `trouble` becomes an alert for the operator. */
export type ExecutorEvent =
  | (OfIntent<'orderOpened'> & { readonly orderPubkey: string })
  | (OfIntent<'cancelDone'> & { readonly orderPubkey: string })
  | (OfIntent<'orderClosed'> & Pick<OrderRecord, 'status' | 'filledMicros'> & { readonly orderPubkey: string })
  | { readonly kind: 'fillBooked'; readonly fill: BookedFill; readonly intentId: string; readonly strategy: string }
  | NotDone
  /** The signer refused a stored draft; the engine then pauses the market. */
  | (OfIntent<'signingRefused'> & { readonly reason: string })
  | (OfIntent<`${ConversionKind}Done`> & Readonly<Record<'yesMicros' | 'noMicros' | 'cashMicros', Micros>>)
  | {
      readonly kind: 'trouble';
      readonly trouble: Trouble;
      readonly market: string | null;
      readonly text: string;
      readonly subject: string | null;
    };

/** The intent had no effect: the exchange rejected it, it expired, or the trader abandoned it before it was sent. */
interface NotDone extends OfIntent<'notDone'> {
  readonly intentKind: IntentKind;
  /** Reason: an error slug, or `unsent`, `answer_lost`, `expired`, `failed`, `withdrawn` or `post_only`. */
  readonly slug: string;
  readonly reason: string;
}

export type Trouble =
  | 'foreign_order' // an order of our wallet rests but is not in this ledger
  | 'signed_elsewhere' // a draft took effect that this trader never signed; the engine pauses the market
  | 'foreign_trade' // an order that is not in this ledger has a fill
  | 'failed_trade' // the exchange matched a trade and then failed to settle it
  | 'settled_trade_failed' // the exchange reported a trade as settled, and later as failed
  | 'failed_trade_settled' // the exchange reported a trade as failed, and later as settled
  | 'fill_differs' // a fill contradicts the signed order or an earlier record; the engine then only reduces positions
  | 'record_missing' // the exchange does not know a record that it created
  | 'record_differs' // the exchange's record differs from the request
  | 'cancel_undone' // an order rests although the exchange reported it as canceled; the engine pauses the market
  | 'came_back'; // an order that was reported as ended rests again

export interface Reaction {
  readonly requests: readonly PlannedRequest[];
  readonly events: readonly ExecutorEvent[];
}
