/** Every state set of the service, as the interface spells it (`canceled` and `cancelled` are both real). */

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
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** Statuses in which an order rests in the book. */
export const RESTING_STATUSES: readonly OrderStatus[] = ['open', 'partially_filled'];

export const isFinalOrder = (status: OrderStatus): boolean =>
  status !== 'waiting_to_sign' && !RESTING_STATUSES.includes(status);

/** Share merges and share splits. */
export const CONVERSION_STATES = ['waiting_to_sign', 'in_process', 'done', 'failed', 'expired'] as const;
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
export type RedeemState = (typeof REDEEM_STATES)[number];

export const TRADE_STATES = ['created', 'in_process', 'done', 'failed'] as const;
export type TradeState = (typeof TRADE_STATES)[number];

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
export type MarketState = (typeof MARKET_STATES)[number];

/** Final market states: shares can be redeemed, nothing trades again. */
export const isSettledMarket = (state: MarketState): boolean => state === 'resolved' || state === 'canceled';

export const EVENT_FILTERS = ['open', 'closed', 'resolved', 'newest', 'ending_soon', 'ended_recently'] as const;
export const CATEGORIES = ['politics', 'sports', 'crypto', 'wtf', 'tech', 'finance'] as const;
export type Category = (typeof CATEGORIES)[number];
export const EVENT_SORTS = [
  'market_cap',
  'last_trade',
  'total_volume',
  'live_stream',
  'trending',
  'leverage',
  'ending_soon',
] as const;

export const SIDES = ['buy', 'sell'] as const;
export type Side = (typeof SIDES)[number];
export const ORDER_TYPES = ['limit', 'market'] as const;
export type OrderType = (typeof ORDER_TYPES)[number];
