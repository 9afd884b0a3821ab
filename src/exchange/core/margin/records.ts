/** Margin records: plain JSON, amounts in micros. */

import type {
  OrderStatus,
  OrderType,
  RequestState,
  SettlementState,
  TP_SL_TRIGGERS,
  TpSlState,
} from '../../../shared/protocol/states.js';
import type { RecordOfAccount } from '../records/archive.js';

/** Kind of the trigger price that closed a position. */
type TriggerType = (typeof TP_SL_TRIGGERS)[number];

/** A user's request for a margin position. The record of a request exists from its draft on. */
export interface RequestRecord extends RecordOfAccount {
  readonly market: number;
  readonly isYes: boolean;
  readonly type: OrderType;
  readonly leverage: number;
  /** Currency that a market request spends; null for a limit request. */
  readonly funds: number | null;
  /** Highest price of a limit request, for its outcome. `price` and `shares` are null for a market request. */
  readonly price: number | null;
  readonly shares: number | null;
  readonly takeProfit: number | null;
  readonly stopLoss: number | null;
  readonly message: string;
  readonly createdMs: number;
  /** Maximum cost: user_liquidity plus opening fee. Locked in the account until the funding, then held by the pool. */
  readonly reserved: number;
  state: RequestState;
  /** State of the request's order; null before the order is placed. */
  orderState: OrderStatus | null;
  /** True if the request's draft expired before it was submitted. */
  isExpired: boolean;
  /** True after `reserved` has moved from the account to the pool. */
  isFunded: boolean;
  fundingTxid: string | null;
  refundTxid: string | null;
  /** Time of the record's next state change, Unix ms; null if an event causes the change. */
  stepMs: number | null;
}

/** Take profit and stop loss of a position; null if not set. */
export interface TpSlRecord {
  takeProfit: number | null;
  stopLoss: number | null;
  state: TpSlState;
  trigger: { readonly type: TriggerType; readonly price: number; readonly timeMs: number } | null;
}

/** A leveraged margin position, open or ended. */
export interface PositionRecord extends RecordOfAccount {
  /** Pubkey of the request that opened the position. Requests that increased the position are not stored here. */
  readonly requestPubkey: string;
  readonly market: number;
  readonly isYes: boolean;
  readonly createdMs: number;
  leverage: number;
  shares: number;
  cost: number;
  userLiquidity: number;
  totalLiquidity: number;
  openingFee: number;
  /** Interest until `interestSinceMs`. */
  interest: number;
  interestSinceMs: number;
  /** Lowest acceptable price of a requested close; 0 for any price; null without a close request. */
  closePrice: number | null;
  /** Earliest time of a position's requested close, Unix ms; null before the first close request. */
  closeFromMs: number | null;
  tpSl: TpSlRecord | null;
  /** Time of the position's next interest check, Unix ms; null if none is scheduled. */
  watchMs: number | null;
  end: Readonly<{ price: number; timeMs: number; isLiquidated: boolean; payout: number }> | null;
  isClaimed: boolean;
}

/** Payment of an ended position to its user. A position has one settlement, with the same pubkey. */
export interface SettlementRecord extends RecordOfAccount {
  readonly position: number;
  readonly market: number;
  readonly isYes: boolean;
  readonly leverage: number;
  readonly userLiquidity: number;
  readonly payout: number;
  /** Change of the account's currency by the whole position: payout − user_liquidity − opening fees. */
  readonly totalPnl: number;
  readonly createdMs: number;
  state: SettlementState;
}
