/**
 * The records of margin as the core keeps them: plain JSON, amounts in micros, prices in the space of their outcome. They
 * are made field by field: literals put together from several spreads have no shape in common, and a sweep over thousands
 * of them takes twenty times as long.
 */

import type {
  CLOSE_TYPES,
  OrderStatus,
  OrderType,
  RequestState,
  SettlementState,
  TP_SL_TRIGGERS,
  TpSlState,
} from '../../../shared/protocol/states.js';

/** How a close ends a position: with a sale, or with nothing left to sell. */
export type CloseType = (typeof CLOSE_TYPES)[number];
/** Which of its two prices closed a position. */
export type TriggerType = (typeof TP_SL_TRIGGERS)[number];

/** A position request, from its draft on. */
export interface RequestRecord {
  readonly id: number;
  readonly pubkey: string;
  readonly account: number;
  readonly market: number;
  readonly isYes: boolean;
  readonly type: OrderType;
  readonly leverage: number;
  /** Of a market request. */
  readonly funds: number | null;
  /** Of a limit request. */
  readonly price: number | null;
  readonly shares: number | null;
  readonly takeProfit: number | null;
  readonly stopLoss: number | null;
  readonly message: string;
  readonly createdMs: number;
  /** The most that it can cost: liquidity and opening fee. Locked until it is funded, then held by the pool. */
  readonly reserved: number;
  state: RequestState;
  /** What became of the order that was placed for it; null before. */
  orderState: OrderStatus | null;
  /** Its draft was not signed in time. */
  isExpired: boolean;
  /** Whether `reserved` has left the account. */
  isFunded: boolean;
  fundingTxid: string | null;
  refundTxid: string | null;
  /** When time does the next step; null when something else does. */
  stepMs: number | null;
}

/** The two prices that close a position by themselves; null for one that is not set. */
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
  /** The request that opened it; later ones that increased it are not named. */
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
  /** A close that waits for this price. */
  closePrice: number | null;
  /** Before which that close does not happen, ms. */
  closeFromMs: number | null;
  tpSl: TpSlRecord | null;
  /** The earliest look that is due at it because of interest; null for none. */
  watchMs: number | null;
  end: PositionEnd | null;
  isClaimed: boolean;
}

/** Without any shares yet. */
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

/** What an ended position owes its user, until it is paid. */
export interface SettlementRecord {
  readonly id: number;
  /** The position's: there is one settlement for each. */
  readonly pubkey: string;
  readonly position: number;
  readonly account: number;
  readonly market: number;
  readonly isYes: boolean;
  readonly leverage: number;
  readonly userLiquidity: number;
  readonly payout: number;
  /** payout − user_liquidity − opening fees: what the position changed the account by. */
  readonly totalPnl: number;
  readonly createdMs: number;
  state: SettlementState;
}
