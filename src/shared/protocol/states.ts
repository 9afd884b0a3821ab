/** States of the venue's records, spelled as the venue spells them: both `canceled` and `cancelled` occur. */

import type { Micros } from '../base/micros.js';

export const ORDER_STATUSES = [
  'open',
  'partially_filled',
  'filled',
  'canceled',
  'partially_filled_canceled',
  'waiting_to_sign',
  'expired',
  'failed',
] as const;
/** Status of an order. An order with the status `waiting_to_sign` is an unsigned draft and not in the book. */
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** Facts about an order that follow from its status. */
export interface OrderStanding {
  /** `unsigned`: the order is a draft. `over`: the order's status is final, and the order is not in the book. */
  readonly phase: 'unsigned' | 'resting' | 'over';
  /** Whether the order had an effect: it was in the book, or it was filled at once. */
  readonly tookEffect: boolean;
  readonly filled: 'nothing' | 'part' | 'all';
  /** Whether a cancel request ended the order. */
  readonly isCanceled: boolean;
}

/** Facts about an order in each status. The code does not compile if a new status has no entry in this table. */
export const ORDER_STANDING: Readonly<Record<OrderStatus, OrderStanding>> = {
  waiting_to_sign: { phase: 'unsigned', tookEffect: false, filled: 'nothing', isCanceled: false },
  open: { phase: 'resting', tookEffect: true, filled: 'nothing', isCanceled: false },
  partially_filled: { phase: 'resting', tookEffect: true, filled: 'part', isCanceled: false },
  filled: { phase: 'over', tookEffect: true, filled: 'all', isCanceled: false },
  canceled: { phase: 'over', tookEffect: true, filled: 'nothing', isCanceled: true },
  partially_filled_canceled: { phase: 'over', tookEffect: true, filled: 'part', isCanceled: true },
  // The order's draft was not signed in time, or the submit failed.
  expired: { phase: 'over', tookEffect: false, filled: 'nothing', isCanceled: false },
  failed: { phase: 'over', tookEffect: false, filled: 'nothing', isCanceled: false },
};

export const RESTING_STATUSES: readonly OrderStatus[] = ORDER_STATUSES.filter(
  (status) => ORDER_STANDING[status].phase === 'resting',
);

/** Returns true if the order is not in the book and can never be again, so that no fill can follow. */
export const isFinalOrder = (status: OrderStatus | null): boolean =>
  status !== null && ORDER_STANDING[status].phase === 'over';

export const CONVERSION_STATES = ['waiting_to_sign', 'in_process', 'done', 'failed', 'expired'] as const;
/** State of a merge or a split. */
export type ConversionState = (typeof CONVERSION_STATES)[number];

export const REDEEM_STATES = [
  'created',
  'waiting_to_sign',
  'in_process',
  'done',
  'completed',
  'failed',
  'expired',
] as const;
/** Status of a redeem. Both `completed` and `done` mean success. */
export type RedeemState = (typeof REDEEM_STATES)[number];

/** States of a fill. A `failed` fill transferred no shares and no currency. */
export const TRADE_STATES = ['created', 'in_process', 'done', 'failed'] as const;

export const MARKET_STATES = [
  'draft',
  'waiting_to_open',
  'open',
  'answer_proposed',
  'waiting_to_resolve',
  'resolved',
  'canceled',
  'interrupted',
] as const;
/** State of a market; only `open` markets trade. */
export type MarketState = (typeof MARKET_STATES)[number];

/** Returns true if the state of a market is final: its shares can be redeemed, and it never trades again. */
export const isSettledMarket = (state: MarketState): boolean => state === 'resolved' || state === 'canceled';

export const CATEGORIES = ['politics', 'sports', 'crypto', 'wtf', 'tech', 'finance'] as const;
/** Categories of events. */
export type Category = (typeof CATEGORIES)[number];

const SORTS = ['ending_soon', 'last_trade', 'leverage', 'market_cap', 'total_volume', 'trending'] as const;
export const EVENT_SORTS = [...SORTS, 'live_stream'] as const;
export const SEARCH_SORTS = [...SORTS, 'created'] as const;

export const SIDES = ['buy', 'sell'] as const;
/** Side of an order, which buys or sells shares of the order's outcome. */
export type Side = (typeof SIDES)[number];
export const ORDER_TYPES = ['limit', 'market'] as const;
/** Type of an order. A `limit` order may stay in the book; a `market` order only trades against the book. */
export type OrderType = (typeof ORDER_TYPES)[number];

export const CANDLE_INTERVALS = ['5m', '30m'] as const;
/** The duration of a price bar: 5 or 30 minutes. */
export type CandleInterval = (typeof CANDLE_INTERVALS)[number];

/** States of margin position requests. The service spells `cancelled` in these states with two l. */
export const REQUEST_STATES = [
  'created',
  'funding_processing',
  'processing',
  'order_placed',
  'completed',
  'refund_processing',
  'failed',
  'cancelled',
] as const;
/** State of a request to open a margin position. */
export type RequestState = (typeof REQUEST_STATES)[number];

export const SETTLEMENT_STATES = ['created', 'settlement_pending', 'claimable', 'claim_pending', 'done'] as const;
/** Status of the settlement of a margin position that is closed. Only `claimable` requires an action of the user. */
export type SettlementState = (typeof SETTLEMENT_STATES)[number];

export const TP_SL_TRIGGERS = ['take_profit', 'stop_loss'] as const;
/** Results of closing a margin position. `zero`: it had no shares to sell. `order`: an order sells its shares. */
export const CLOSE_TYPES = ['zero', 'order'] as const;
export const TP_SL_STATES = ['active', 'triggered', 'cancelled'] as const;
/** Status of the take-profit and stop-loss orders of a margin position. */
export type TpSlState = (typeof TP_SL_STATES)[number];

export const MARGIN_ACTIVITIES = ['opened', 'increased', 'decreased', 'closed', 'liquidated'] as const;
/** Change of a margin position, as the service publishes it. */
export type MarginActivity = (typeof MARGIN_ACTIVITIES)[number];

/** Returns the currency that a redeem has paid, micros; null if unknown: 0 is only valid if `funds` is 0. */
export const paidFunds = (row: Record<'funds' | 'onchain_funds', Micros | null> & { state: RedeemState }) =>
  ['done', 'completed'].includes(row.state) && (row.onchain_funds !== 0 || row.funds === 0) ? row.onchain_funds : null;
