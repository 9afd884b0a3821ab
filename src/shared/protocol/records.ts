/**
 * The records of the service, one schema each. `z.input` is the wire (decimal strings), `z.output` is what our side
 * calculates with (Micros). Unknown extra fields are ignored; a value that a venue may leave out reads as null.
 */

import { z } from 'zod';
import {
  CLOSE_TYPES,
  CONVERSION_STATES,
  MARGIN_ACTIVITIES,
  MARKET_STATES,
  ORDER_STATUSES,
  ORDER_TYPES,
  REDEEM_STATES,
  REQUEST_STATES,
  SETTLEMENT_STATES,
  SIDES,
  TP_SL_STATES,
  TP_SL_TRIGGERS,
  TRADE_STATES,
} from './states.js';
import { absent, amount, decimalText, money, price, rate, unixSeconds } from './wire.js';

export const credential = z.object({ api_key: z.string().min(1), secret: z.string().min(1) });

export const authChallenge = z.object({
  nonce: z.string(),
  message: z.string(),
  expires_in_seconds: z.number().int(),
});

export const apiKeyRow = z.object({ key_id: z.string(), created: unixSeconds, revoked_at: absent(unixSeconds) });

/** Answer of every create-draft call: the record's pubkey and the text to sign. */
export const draft = z.object({ pubkey: z.string(), message: z.string() });

export const conversionRow = z.object({
  pubkey: z.string(),
  message: absent(z.string()),
  market_condition_id: z.string(),
  state: z.enum(CONVERSION_STATES),
  amount,
  /** Settled amount; null unless the state is `done`. */
  onchain_amount: absent(amount),
  created: unixSeconds,
});

export const orderRow = z.object({
  pubkey: absent(z.string()),
  status: absent(z.enum(ORDER_STATUSES)),
  side: z.enum(SIDES),
  price: absent(price),
  amount: absent(amount),
  remaining_amount: absent(amount),
  filled_amount: absent(amount),
  funds: absent(amount),
  remaining_funds: absent(amount),
  filled_funds: absent(amount),
  market: z.object({ condition_id: z.string(), title: absent(z.string()) }),
  outcome: z.object({ is_yes: z.boolean(), text: absent(z.string()) }),
});

/** One of our own fills. The price is in the space of the own order's outcome. */
export const ownTradeRow = z.object({
  pubkey: z.string(),
  market_condition_id: absent(z.string()),
  amount,
  price,
  timestamp: unixSeconds,
  fee: absent(amount),
  is_maker: absent(z.boolean()),
  state: z.enum(TRADE_STATES),
  order: orderRow,
});

export const redeemRow = z.object({
  pubkey: z.string(),
  market_condition_id: z.string(),
  state: z.enum(REDEEM_STATES),
  funds: absent(amount),
  onchain_funds: absent(amount),
  yes_shares: absent(amount),
  no_shares: absent(amount),
  message: absent(z.string()),
  created: unixSeconds,
});

export const assetRow = z.object({
  asset_kind: z.string(),
  amounts: z.object({ total: money, locked: money, available: money }),
  token: z.object({ symbol: z.string(), address: absent(z.string()) }),
  value: z.object({ usdt: absent(decimalText), basis: absent(z.string()) }),
  position: z.object({
    market: z.object({
      condition_id: z.string(),
      title: absent(z.string()),
      state: absent(z.enum(MARKET_STATES)),
      margin_enabled: absent(z.boolean()),
    }),
    is_yes: z.boolean(),
    outcome_text: absent(z.string()),
    is_final: absent(z.boolean()),
    avg_trade_price: absent(decimalText),
  }),
  created: absent(unixSeconds),
});

/** A public trade. `is_yes` is the taker's outcome, `price` is in that outcome's space. */
export const publicTradeRow = z.object({
  market_condition_id: absent(z.string()),
  amount,
  price,
  maker_fee: absent(decimalText),
  taker_fee: absent(decimalText),
  timestamp: unixSeconds,
  state: z.enum(TRADE_STATES),
  is_yes: z.boolean(),
});

export const bookLevel = z.object({ price, total_amount: amount });

export const orderbook = z.object({
  market: z.string(),
  is_yes: z.boolean(),
  bid: z.array(bookLevel),
  ask: z.array(bookLevel),
});

export const marketStats = z.object({
  total_volume: decimalText,
  total_volume_24h: decimalText,
  market_cap: decimalText,
  trade_count: z.number().int(),
});

export const marketPrice = z.object({
  condition_id: z.string(),
  price: absent(decimalText),
  price_kind: z.string(),
  is_yes: z.boolean(),
});

const eventReference = z.object({ title: z.string(), condition_id: z.string(), logo: absent(z.string()) });

export const marketSummary = z.object({
  title: z.string(),
  description: absent(z.string()),
  condition_id: z.string(),
  logo: absent(z.string()),
  last_trade_price: absent(decimalText),
  state: z.enum(MARKET_STATES),
  category: absent(z.string()),
  created: absent(unixSeconds),
  creator: absent(
    z.object({ username: absent(z.string()), image: absent(z.string()), twitter_username: absent(z.string()) }),
  ),
  event: absent(eventReference),
  margin_enabled: absent(z.boolean()),
});

export const outcome = z.object({ is_yes: z.boolean(), text: z.string() });

export const marketListRow = marketSummary.extend({ outcomes: absent(z.array(outcome)) });

const precision = z.number().int().min(0).max(6);

export const orderbookConfig = z.object({
  kind: z.literal('orderbook'),
  min_price: price,
  max_price: price,
  min_amount: money,
  max_amount: money,
  min_funds: money,
  max_funds: money,
  price_precision: precision,
  amount_precision: precision,
  funds_precision: precision,
  maker_fee_rate: rate,
  taker_fee_rate: rate,
  default_slippage_rate: absent(decimalText),
});

const marginConfigFields = {
  max_leverage_yes: decimalText,
  max_leverage_no: decimalText,
  opening_fee: decimalText,
  closing_fee: decimalText,
  annual_fee_rate: decimalText,
};

export const marketConfig = z.discriminatedUnion('kind', [
  orderbookConfig,
  z.object({
    kind: z.literal('polymarket'),
    ...marginConfigFields,
    order_min_size: absent(decimalText),
    price_decimals: z.number().int(),
    shares_decimals: z.number().int(),
  }),
  z.object({ kind: z.literal('hyperliquid'), ...marginConfigFields }),
]);

export const marketDetail = marketListRow.extend({
  yes_outcome_label: absent(z.string()),
  no_outcome_label: absent(z.string()),
  rules: absent(z.array(z.string())),
  resolution_date: absent(unixSeconds),
  maker_fee: absent(decimalText),
  taker_fee: absent(decimalText),
  config: marketConfig,
});

export const eventRow = z.object({
  condition_id: z.string(),
  title: z.string(),
  description: absent(z.string()),
  logo: absent(z.string()),
  video_url: absent(z.string()),
  category: absent(z.string()),
  created: absent(unixSeconds),
  markets: z.array(marketSummary),
});

export const accountSummary = z.object({
  username: absent(z.string()),
  twitter_username: absent(z.string()),
  joined_at: absent(unixSeconds),
});

/** One bar of a price chart, in the space of the outcome that was asked for. */
export const candle = z.object({
  /** Start of the interval, Unix seconds. */
  timestamp: unixSeconds,
  open: decimalText,
  high: decimalText,
  low: decimalText,
  close: decimalText,
  /** Currency traded in the interval. */
  volume: decimalText,
  is_yes: z.boolean(),
});

const person = z.object({
  username: absent(z.string()),
  profile_image: absent(z.string()),
  twitter_username: absent(z.string()),
});
const marketReference = z.object({ condition_id: z.string(), title: absent(z.string()) });
/** The market of a margin record, with the fields of a list. */
const marginMarket = z.object({
  title: absent(z.string()),
  condition_id: z.string(),
  logo: absent(z.string()),
  last_trade_price: absent(decimalText),
  event: absent(eventReference),
});

export const marginActivityRow = z.object({
  activity_type: z.enum(MARGIN_ACTIVITIES),
  user: absent(person),
  market: marginMarket,
  shares: absent(decimalText),
  price: absent(decimalText),
  realized_pnl: absent(decimalText),
  leverage: absent(decimalText),
  is_yes: z.boolean(),
  created: absent(unixSeconds),
});

const named = z.object({ name: z.string(), slug: z.string() });
export const sportRow = named.extend({ leagues: z.array(named) });

/** A search result: the market's whole detail. */
export const searchResult = z.discriminatedUnion('result_type', [
  z.object({ result_type: z.literal('market'), summary: marketDetail }),
  z.object({ result_type: z.literal('event'), summary: eventRow }),
]);

export const accountPnl = z.object({
  margin_position_settlements_pnl: decimalText,
  margin_positions_unrealized_pnl: decimalText,
  redeems_funds: decimalText,
  active_assets_value: decimalText,
  creator_fees: decimalText,
  total_pnl: decimalText,
});

export const tpSlRow = z.object({
  take_profit_price: absent(decimalText),
  stop_loss_price: absent(decimalText),
  state: z.enum(TP_SL_STATES),
  trigger_type: absent(z.enum(TP_SL_TRIGGERS)),
  triggered_price: absent(decimalText),
  triggered_at: absent(unixSeconds),
});

/** Prices are in the space of the position's own outcome. */
export const positionRow = z.object({
  pubkey: z.string(),
  position_request_pubkey: absent(z.string()),
  market: marginMarket,
  is_yes: z.boolean(),
  leverage: decimalText,
  total_shares: decimalText,
  avg_entry_price: absent(decimalText),
  closing_price: absent(decimalText),
  unrealized_pnl: absent(decimalText),
  realized_pnl: absent(decimalText),
  user_liquidity: decimalText,
  total_liquidity: decimalText,
  liquidation_price: absent(decimalText),
  is_closed: z.boolean(),
  is_liquidated: z.boolean(),
  is_claimed: z.boolean(),
  tp_sl: absent(tpSlRow),
  created: absent(unixSeconds),
});

export const settlementRow = z.object({
  position_pubkey: z.string(),
  position: positionRow,
  total_pnl: absent(decimalText),
  user_liquidity: decimalText,
  state: z.enum(SETTLEMENT_STATES),
  created: absent(unixSeconds),
});

export const closeResult = z.object({
  close_type: z.enum(CLOSE_TYPES),
  position_pubkey: z.string(),
  is_closed: z.boolean(),
});

export const claimResult = z.object({ position_pubkey: z.string(), state: z.enum(SETTLEMENT_STATES) });

export const requestRow = z.object({
  pubkey: z.string(),
  type: z.enum(ORDER_TYPES),
  state: z.enum(REQUEST_STATES),
  message: absent(z.string()),
  market: marginMarket,
  is_yes: z.boolean(),
  leverage: decimalText,
  funds: absent(decimalText),
  price: absent(decimalText),
  shares: absent(decimalText),
  funding_txid: absent(z.string()),
  refund_txid: absent(z.string()),
  take_profit_price: absent(decimalText),
  stop_loss_price: absent(decimalText),
  created: absent(unixSeconds),
  order_state: absent(z.string()),
});

/** The row after a cancel, which names its market only. */
export const cancelledRequestRow = requestRow.extend({ market: marketReference });

/** Effect of opening a margin position now. `liquidation_price` is null at leverage 1. */
export const marginEstimate = z.object({
  average_price: absent(decimalText),
  total_shares: decimalText,
  total_cost: decimalText,
  best_ask: absent(decimalText),
  worst_fill_price: absent(decimalText),
  is_fully_filled: z.boolean(),
  fee_amount: decimalText,
  user_funds_needed: decimalText,
  liquidation_price: absent(decimalText),
});

/** A merge or a split as read; amounts are Micros of complete sets. */
export type ConversionRow = z.output<typeof conversionRow>;
/** An order as read; amounts and funds are Micros, the price is in the space of the order's outcome. */
export type OrderRow = z.output<typeof orderRow>;
/** One of our own fills as read; amount and fee are Micros, the price is in the space of the order's outcome. */
export type OwnTradeRow = z.output<typeof ownTradeRow>;
/** A redeem as read; funds and shares are Micros. */
export type RedeemRow = z.output<typeof redeemRow>;
/** The shares that the caller holds of one market, as read. */
export type AssetRow = z.output<typeof assetRow>;
/** A public trade as read; the price is in the space of the taker's outcome. */
export type PublicTradeRow = z.output<typeof publicTradeRow>;
/** A bar of a price chart as read; prices are Micros in the space of the outcome that was asked for. */
export type Candle = z.output<typeof candle>;
/** The book of one outcome as read: price levels of bids and asks in Micros, own orders included. */
export type Orderbook = z.output<typeof orderbook>;
/** A market as read inside another record. */
export type MarketSummary = z.output<typeof marketSummary>;
/** All that the service says of one market, as read, its configuration included. */
export type MarketDetail = z.output<typeof marketDetail>;
/** The limits, grid and fee rates of a market with an order book, as read; rates are Micros of 1. */
export type OrderbookConfig = z.output<typeof orderbookConfig>;
/** A leveraged position as read; money and prices stay decimal text. */
export type PositionRow = z.output<typeof positionRow>;
/** Payment owed for an ended position, as read; money stays decimal text. */
export type SettlementRow = z.output<typeof settlementRow>;
/** A request to open a position as read; money and prices stay decimal text. */
export type RequestRow = z.output<typeof requestRow>;
