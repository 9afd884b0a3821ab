/** Margin records: plain JSON in micros, built field by field. Spreads give no common shape and slow sweeps down. */

import type {
  CLOSE_TYPES,
  OrderStatus,
  OrderType,
  RequestState,
  SettlementState,
  TP_SL_TRIGGERS,
  TpSlState,
} from '../../../shared/protocol/states.js';

/** How a close ends a position: by a sale, or with nothing left to sell. */
export type CloseType = (typeof CLOSE_TYPES)[number];
/** Kind of the trigger price that closed a position. */
export type TriggerType = (typeof TP_SL_TRIGGERS)[number];

/** A position request; it exists from its draft on. */
export interface RequestRecord {
  readonly id: number;
  readonly pubkey: string;
  readonly account: number;
  readonly market: number;
  readonly isYes: boolean;
  readonly type: OrderType;
  readonly leverage: number;
  /** Market requests only. */
  readonly funds: number | null;
  /** Limit requests only. */
  readonly price: number | null;
  readonly shares: number | null;
  readonly takeProfit: number | null;
  readonly stopLoss: number | null;
  readonly message: string;
  readonly createdMs: number;
  /** Maximum cost: liquidity and opening fee. Locked until it is funded, then held by the pool. */
  readonly reserved: number;
  state: RequestState;
  /** State of the order placed for it; null before. */
  orderState: OrderStatus | null;
  /** Whether the draft expired before its signature. */
  isExpired: boolean;
  /** True when `reserved` has left the account. */
  isFunded: boolean;
  fundingTxid: string | null;
  refundTxid: string | null;
  /** Time of the next step, ms; null when an event does it. */
  stepMs: number | null;
}

/** The two prices that close a position; null for one that is not set. */
export interface TpSlRecord {
  takeProfit: number | null;
  stopLoss: number | null;
  state: TpSlState;
  trigger: { readonly type: TriggerType; readonly price: number; readonly timeMs: number } | null;
}

/** How a position ended. */
export interface PositionEnd {
  readonly price: number;
  readonly timeMs: number;
  readonly isLiquidated: boolean;
  readonly payout: number;
}

/** A leveraged position, open or ended. */
export interface PositionRecord {
  readonly id: number;
  readonly pubkey: string;
  /** The request that opened it; later increases are not named. */
  readonly requestPubkey: string;
  readonly account: number;
  readonly market: number;
  readonly isYes: boolean;
  readonly createdMs: number;
  leverage: number;
  shares: number;
  cost: number;
  userLiquidity: number;
  totalLiquidity: number;
  openingFee: number;
  interest: number;
  interestSinceMs: number;
  /** Price of a pending close. */
  closePrice: number | null;
  /** Earliest time of that close, ms. */
  closeFromMs: number | null;
  tpSl: TpSlRecord | null;
  /** Earliest scheduled check because of interest; null for none. */
  watchMs: number | null;
  end: PositionEnd | null;
  isClaimed: boolean;
}

/** Returns a position without shares. */
export const newPosition = (id: number, pubkey: string, request: RequestRecord, nowMs: number): PositionRecord => ({
  id,
  pubkey,
  requestPubkey: request.pubkey,
  account: request.account,
  market: request.market,
  isYes: request.isYes,
  createdMs: nowMs,
  leverage: request.leverage,
  shares: 0,
  cost: 0,
  userLiquidity: 0,
  totalLiquidity: 0,
  openingFee: 0,
  interest: 0,
  interestSinceMs: nowMs,
  closePrice: null,
  closeFromMs: null,
  tpSl: null,
  watchMs: null,
  end: null,
  isClaimed: false,
});

/** Debt of an ended position to its user, until paid. */
export interface SettlementRecord {
  readonly id: number;
  /** Pubkey of the position; a position has one settlement. */
  readonly pubkey: string;
  readonly position: number;
  readonly account: number;
  readonly market: number;
  readonly isYes: boolean;
  readonly leverage: number;
  readonly userLiquidity: number;
  readonly payout: number;
  /** payout − user_liquidity − opening fees: the position's change of the account. */
  readonly totalPnl: number;
  readonly createdMs: number;
  state: SettlementState;
}
