/**
 * Schemas of the service's records, the source of the OpenAPI document and of docs/service.md. `z.input` is the wire
 * format, `z.output` has our Micros. A value that a venue may leave out reads as null.
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
import { absent, amount, decimalText, given, money, price, rate, unixSeconds } from './wire.js';

/** Makes the schema of an object of the service with its meaning. */
const record = <const S extends z.core.$ZodLooseShape>(help: string, fields: S) => z.object(fields).describe(help);

export const credential = record('A new API key.', {
  api_key: z.string().min(1).describe('Id of the key in signed requests.'),
  secret: z.string().min(1).describe('HMAC key, as UTF-8 bytes. Shown once.'),
});

export const authChallenge = record('Text that a wallet signs to prove its ownership.', {
  nonce: z.string().describe('Valid once, for this wallet.'),
  message: z.string().describe('Text to sign, as UTF-8 bytes.'),
  expires_in_seconds: z.number().int().describe('Lifetime, seconds.'),
});

export const apiKeyRow = record('An API key, without its secret.', {
  key_id: z.string().describe('Equals `api_key`.'),
  created: unixSeconds.describe('Creation, Unix seconds.'),
  revoked_at: absent(unixSeconds).describe('Revocation, Unix seconds; null while valid.'),
});

/** Answer of every create-draft call: the record's pubkey and the text to sign. */
export const draft = record('A change that waits for its signature.', {
  pubkey: z.string().describe('Id of the record. For a cancel: of its order.'),
  message: z.string().describe('Message to sign.'),
});

export const conversionRow = record('A merge or a split.', {
  pubkey: z.string().describe('Permanent id.'),
  message: absent(z.string()).describe('Message to sign; kept after signing. Null when the draft failed.'),
  market_condition_id: z.string().describe('Id of the market.'),
  state: z.enum(CONVERSION_STATES).describe('State.'),
  amount: amount.describe('Complete sets: equal amounts of YES, NO and currency.'),
  onchain_amount: absent(amount).describe('Settled amount; null unless `done`.'),
  created: unixSeconds.describe('Creation, Unix seconds.'),
});

const marketReference = z.object({
  condition_id: z.string().describe('Id of the market.'),
  title: given(z.string()).describe('Title.'),
});

export const orderRow = record('An order.', {
  pubkey: given(z.string()).describe('Permanent id.'),
  status: given(z.enum(ORDER_STATUSES)).describe('State.'),
  side: z.enum(SIDES).describe('Side, in its outcome.'),
  price: absent(price).describe('Limit, in the space of its outcome; null for a market order.'),
  amount: absent(amount).describe('Ordered shares; null for a market buy.'),
  remaining_amount: absent(amount).describe('Open shares; null for a market order.'),
  filled_amount: absent(amount).describe('Traded shares; null for a market order.'),
  funds: absent(amount).describe('Maximum spending of a market buy, fees included; else null.'),
  remaining_funds: absent(amount).describe('Unspent funds of a market buy; else null.'),
  filled_funds: absent(amount).describe(
    'Currency that a market order spent (with fees) or received (after fees); null for a limit order.',
  ),
  market: marketReference.describe('The market.'),
  outcome: record('The outcome.', {
    is_yes: z.boolean().describe('True for YES.'),
    text: given(z.string()).describe('Label of the outcome.'),
  }),
});

/** An own fill. The price is in the space of the own order's outcome. */
export const ownTradeRow = record('An own fill.', {
  pubkey: z.string().describe('Permanent id.'),
  market_condition_id: given(z.string()).describe('Id of the market.'),
  amount: amount.describe('Shares.'),
  price: price.describe('Price in the space of the order’s outcome.'),
  timestamp: unixSeconds.describe('Time, Unix seconds.'),
  fee: given(amount).describe('Fee of the caller: added to a payment, subtracted from a receipt.'),
  is_maker: given(z.boolean()).describe('True when the own order rested.'),
  state: z.enum(TRADE_STATES).describe('State of its settlement.'),
  order: orderRow.describe('The own order, now.'),
});

export const redeemRow = record('Payment for the shares of a settled market.', {
  pubkey: z.string().describe('Permanent id.'),
  market_condition_id: z.string().describe('Id of the market.'),
  state: z.enum(REDEEM_STATES).describe('State; `completed` and `done` are success.'),
  funds: given(amount).describe('Value of the shares.'),
  onchain_funds: given(amount).describe('Paid currency; `0` before.'),
  yes_shares: given(amount).describe('Redeemed YES shares.'),
  no_shares: given(amount).describe('Redeemed NO shares.'),
  message: absent(z.string()).describe('Message to sign.'),
  created: unixSeconds.describe('Creation, Unix seconds.'),
});

export const assetRow = record('Own shares of one outcome.', {
  asset_kind: z.string().describe('Always `share`.'),
  amounts: record('Shares.', {
    total: money.describe('All shares.'),
    locked: money.describe('Locked by open orders, merges and redeems.'),
    available: money.describe('Total less locked.'),
  }),
  token: record('Token on the chain.', {
    symbol: z.string().describe('Id of the market with `-LPT` (YES) or `-SPT` (NO).'),
    address: given(z.string()).describe('Mint address; null if none is configured.'),
  }),
  value: record('Current value of the shares.', {
    usdt: absent(decimalText).describe('Value in currency; `0` without a price.'),
    basis: given(z.string()).describe('Always `mark_to_market`.'),
  }),
  position: record('Market and outcome.', {
    market: record('The market.', {
      condition_id: z.string().describe('Id of the market.'),
      title: given(z.string()).describe('Title.'),
      state: given(z.enum(MARKET_STATES)).describe('State.'),
      margin_enabled: given(z.boolean()).describe('True for a margin market.'),
    }),
    is_yes: z.boolean().describe('True for YES.'),
    outcome_text: given(z.string()).describe('Label of the outcome.'),
    is_final: given(z.boolean()).describe('True when the market is settled.'),
    avg_trade_price: given(decimalText).describe('Average price paid.'),
  }),
  created: absent(unixSeconds).describe('First holding, Unix seconds; null if unknown.'),
});

/** A public trade. `is_yes` is the taker's outcome, `price` is in that outcome's space. */
export const publicTradeRow = record('A public trade.', {
  market_condition_id: given(z.string()).describe('Id of the market.'),
  amount: amount.describe('Shares.'),
  price: price.describe('Price in the space of `is_yes`.'),
  maker_fee: given(decimalText).describe('Fee of the resting order, currency.'),
  taker_fee: given(decimalText).describe('Fee of the incoming order, currency.'),
  timestamp: unixSeconds.describe('Time, Unix seconds.'),
  state: z.enum(TRADE_STATES).describe('State of its settlement.'),
  is_yes: z.boolean().describe('Outcome of the incoming order.'),
});

export const bookLevel = record('All resting orders at one price.', {
  price: price.describe('Price.'),
  total_amount: amount.describe('Shares at this price.'),
});

export const orderbook = record('The order book of one outcome.', {
  market: z.string().describe('Id of the market.'),
  is_yes: z.boolean().describe('True for YES.'),
  bid: z.array(bookLevel).describe('Bids, highest first.'),
  ask: z.array(bookLevel).describe('Asks, lowest first.'),
});

export const marketStats = record('Figures of a market.', {
  total_volume: decimalText.describe('Traded currency, in total.'),
  total_volume_24h: decimalText.describe('Traded currency of the last 24 hours.'),
  market_cap: decimalText.describe('Currency that backs all shares.'),
  trade_count: z.number().int().describe('Number of trades.'),
});

export const marketPrice = record('The price of one outcome.', {
  condition_id: z.string().describe('Id of the market.'),
  price: absent(decimalText).describe('Price; null if unknown.'),
  price_kind: z.string().describe('Always `mid`.'),
  is_yes: z.boolean().describe('True for YES.'),
});

const eventReference = z.object({
  title: z.string().describe('Title.'),
  condition_id: z.string().describe('Id of the event.'),
  logo: absent(z.string()).describe('URL of a picture.'),
});

export const marketSummary = record('A market in short.', {
  title: z.string().describe('Question.'),
  description: absent(z.string()).describe('Description.'),
  condition_id: z.string().describe('Id of the market.'),
  logo: absent(z.string()).describe('URL of a picture.'),
  last_trade_price: given(decimalText).describe('Last trade, in YES space; `0` before the first.'),
  state: z.enum(MARKET_STATES).describe('State; it trades while `open`.'),
  category: given(z.string()).describe('Category.'),
  created: given(unixSeconds).describe('Creation, Unix seconds.'),
  creator: given(
    z.object({
      username: absent(z.string()).describe('Public name.'),
      image: absent(z.string()).describe('URL of a picture.'),
      twitter_username: absent(z.string()).describe('Null if none is linked.'),
    }),
  ).describe('Creator.'),
  event: given(eventReference).describe('Its event.'),
  margin_enabled: given(z.boolean()).describe('True: margin market without a book. False: market with a book.'),
});

export const outcome = record('An outcome of a market.', {
  is_yes: z.boolean().describe('True for YES.'),
  text: z.string().describe('Label.'),
});

export const marketListRow = marketSummary
  .extend({ outcomes: given(z.array(outcome)).describe('Both outcomes.') })
  .describe('A market in the list of markets.');

const precision = z.number().int().min(0).max(6);

export const orderbookConfig = record('Rules of a market with a book.', {
  kind: z.literal('orderbook').describe('Always `orderbook`.'),
  min_price: price.describe('Lowest price.'),
  max_price: price.describe('Highest price.'),
  min_amount: money.describe('Minimum shares.'),
  max_amount: money.describe('Maximum shares.'),
  min_funds: money.describe('Minimum funds of a market buy.'),
  max_funds: money.describe('Maximum funds of a market buy.'),
  price_precision: precision.describe('Decimals of a price; they give the tick.'),
  amount_precision: precision.describe('Decimals of an amount; they give the lot.'),
  funds_precision: precision.describe('Decimals of funds.'),
  maker_fee_rate: rate.describe('Fee of a resting order over its notional: 0.01 is one percent.'),
  taker_fee_rate: rate.describe('Fee of an incoming order over its notional.'),
  default_slippage_rate: given(decimalText).describe('A suggestion for user interfaces; without effect.'),
});

const marginConfigFields = {
  max_leverage_yes: decimalText.describe('Maximum leverage on YES.'),
  max_leverage_no: decimalText.describe('Maximum leverage on NO.'),
  opening_fee: decimalText.describe('Rate of the opening fee on own currency.'),
  closing_fee: decimalText.describe('Rate on the proceeds of a position that wins or is liquidated.'),
  annual_fee_rate: decimalText.describe('Yearly rate on borrowed currency.'),
};

export const marketConfig = z
  .discriminatedUnion('kind', [
    orderbookConfig,
    z.object({
      kind: z.literal('polymarket').describe('Backend of the margin market.'),
      ...marginConfigFields,
      order_min_size: absent(decimalText).describe(
        'Minimum shares of a position, of kind `polymarket`; may be absent.',
      ),
      price_decimals: z.number().int().describe('Decimals of a price, of kind `polymarket`.'),
      shares_decimals: z.number().int().describe('Decimals of shares, of kind `polymarket`.'),
    }),
    z.object({
      kind: z.literal('hyperliquid').describe('Backend of the margin market.'),
      ...marginConfigFields,
    }),
  ])
  .describe(
    'Rules of a market. Kind `orderbook` has the fields of OrderbookConfig. The fields below are those of the two margin kinds.',
  );

export const marketDetail = marketListRow
  .extend({
    yes_outcome_label: given(z.string()).describe('Label of YES.'),
    no_outcome_label: given(z.string()).describe('Label of NO.'),
    rules: given(z.array(z.string())).describe('Rules of its resolution.'),
    resolution_date: absent(unixSeconds).describe('Planned resolution, Unix seconds; null if open.'),
    maker_fee: absent(decimalText).describe('Fee rate of a resting order; null on a margin market.'),
    taker_fee: absent(decimalText).describe('Fee rate of an incoming order; null on a margin market.'),
    config: marketConfig.describe('Grid, limits and fees.'),
  })
  .describe('A market with its rules.');

export const eventRow = record('A group of markets.', {
  condition_id: z.string().describe('Id of the event.'),
  title: z.string().describe('Title.'),
  description: given(z.string()).describe('Description.'),
  logo: absent(z.string()).describe('URL of a picture.'),
  video_url: absent(z.string()).describe('URL of a video.'),
  category: given(z.string()).describe('Category.'),
  created: given(unixSeconds).describe('Creation, Unix seconds.'),
  markets: z.array(marketSummary).describe('Its markets: all in the detail, at most two in the list.'),
});

export const accountSummary = record('The caller.', {
  username: given(z.string()).describe('Public name.'),
  twitter_username: absent(z.string()).describe('Null if none is linked.'),
  joined_at: given(unixSeconds).describe('Opening of the account, Unix seconds.'),
});

/** One bar of a price chart, in the space of the requested outcome. */
export const candle = record('One bar of a price chart, in the space of the requested outcome.', {
  timestamp: unixSeconds.describe('Start, Unix seconds.'),
  open: decimalText.describe('First price.'),
  high: decimalText.describe('Highest price.'),
  low: decimalText.describe('Lowest price.'),
  close: decimalText.describe('Last price.'),
  volume: decimalText.describe('Traded currency.'),
  is_yes: z.boolean().describe('True for YES.'),
});

const person = z.object({
  username: absent(z.string()),
  profile_image: absent(z.string()).describe('URL of a picture.'),
  twitter_username: absent(z.string()),
});
/** The market of a margin record, with the fields of a list. */
const marginMarket = z.object({
  title: given(z.string()).describe('Title.'),
  condition_id: z.string().describe('Id of the market.'),
  logo: absent(z.string()).describe('URL of a picture.'),
  last_trade_price: given(decimalText).describe('Last trade, in YES space.'),
  event: given(eventReference).describe('Its event.'),
});

export const marginActivityRow = record('An event of a margin position of any account.', {
  activity_type: z.enum(MARGIN_ACTIVITIES).describe('Kind of event.'),
  user: given(person).describe('Owner.'),
  market: marginMarket.describe('The market.'),
  shares: given(decimalText).describe('Shares that were opened, added or closed.'),
  price: given(decimalText).describe('Price in the space of the position’s outcome.'),
  realized_pnl: absent(decimalText).describe('Realized profit or loss; null without any.'),
  leverage: given(decimalText).describe('Leverage of the position.'),
  is_yes: z.boolean().describe('Outcome of the position.'),
  created: given(unixSeconds).describe('Time, Unix seconds.'),
});

const named = z.object({ name: z.string(), slug: z.string() });
export const sportRow = record('A sport with its leagues.', {
  name: named.shape.name.describe('Name.'),
  slug: named.shape.slug.describe('Value of the filter `sport`.'),
  leagues: z.array(named).describe('Leagues; `slug` is a value of the filter `league`.'),
});

/** A search result: the market's whole detail. */
export const searchResult = z
  .discriminatedUnion('result_type', [
    z.object({
      result_type: z.literal('market').describe('Kind of `summary`.'),
      summary: marketDetail.describe('Detail of the market or event.'),
    }),
    z.object({
      result_type: z.literal('event').describe('Kind of `summary`.'),
      summary: eventRow.describe('Detail of the market or event.'),
    }),
  ])
  .describe('A hit of a search.');

export const accountPnl = record('Profit and loss in currency, of the account, a market or an event.', {
  margin_position_settlements_pnl: decimalText.describe('Result of settled margin positions.'),
  margin_positions_unrealized_pnl: decimalText.describe('Result of open margin positions at present prices.'),
  redeems_funds: decimalText.describe('Receipts from redeems.'),
  active_assets_value: decimalText.describe(
    'Present value of held shares. Complete sets count 1 even without a price.',
  ),
  creator_fees: decimalText.describe('Receipts from own markets.'),
  total_pnl: decimalText.describe('Present value and receipts, less payments.'),
});

export const tpSlRow = record('Prices at which a position closes automatically.', {
  take_profit_price: absent(decimalText).describe('Closes at or above it; null if not set.'),
  stop_loss_price: absent(decimalText).describe('Closes at or below it; null if not set.'),
  state: z.enum(TP_SL_STATES).describe('`triggered`: it has closed the position.'),
  trigger_type: absent(z.enum(TP_SL_TRIGGERS)).describe('Trigger; null before.'),
  triggered_price: absent(decimalText).describe('Price of the trigger; null before.'),
  triggered_at: absent(unixSeconds).describe('Time of the trigger, Unix seconds; null before.'),
});

/** Prices are in the space of the position's own outcome. */
export const positionRow = record('A leveraged position.', {
  pubkey: z.string().describe('Permanent id.'),
  position_request_pubkey: given(z.string()).describe('Its request.'),
  market: marginMarket.describe('The market.'),
  is_yes: z.boolean().describe('Outcome of the position.'),
  leverage: decimalText.describe('Total over own liquidity.'),
  total_shares: decimalText.describe('Shares.'),
  avg_entry_price: given(decimalText).describe('Average price paid.'),
  closing_price: absent(decimalText).describe('Average price of the close; null while open.'),
  unrealized_pnl: absent(decimalText).describe('Result of a close now, without fees; null when closed.'),
  realized_pnl: given(decimalText).describe('Result until now.'),
  user_liquidity: decimalText.describe('Own currency.'),
  total_liquidity: decimalText.describe('Own and borrowed currency.'),
  liquidation_price: given(decimalText).describe('Price of the liquidation; `0` at leverage 1 (never).'),
  is_closed: z.boolean().describe('True when it is closed.'),
  is_liquidated: z.boolean().describe('True when it was liquidated.'),
  is_claimed: z.boolean().describe('True when its settlement was paid.'),
  tp_sl: absent(tpSlRow).describe('Take profit and stop loss; null if never set.'),
  created: given(unixSeconds).describe('Opening, Unix seconds.'),
});

export const settlementRow = record('Payment for a closed position.', {
  position_pubkey: z.string().describe('The position.'),
  position: positionRow.describe('The position, now.'),
  total_pnl: given(decimalText).describe('Result, fees included.'),
  user_liquidity: decimalText.describe('Own currency.'),
  state: z.enum(SETTLEMENT_STATES).describe('State; a claim needs `claimable`.'),
  created: given(unixSeconds).describe('Creation, Unix seconds.'),
});

export const closeResult = record('Result of a close.', {
  close_type: z.enum(CLOSE_TYPES).describe('`order`: the shares are being sold. `zero`: no shares are left.'),
  position_pubkey: z.string().describe('The position.'),
  is_closed: z.boolean().describe('True when it is closed already.'),
});

export const claimResult = record('Result of a claim.', {
  position_pubkey: z.string().describe('The position.'),
  state: z.enum(SETTLEMENT_STATES).describe('State of its settlement.'),
});

export const requestRow = record('A request for a margin position.', {
  pubkey: z.string().describe('Permanent id.'),
  type: z.enum(ORDER_TYPES).describe('`market`: opened now. `limit`: opened at `price`.'),
  state: z.enum(REQUEST_STATES).describe('State.'),
  message: given(z.string()).describe('Message to sign.'),
  market: marginMarket.describe('The market.'),
  is_yes: z.boolean().describe('Outcome of the position.'),
  leverage: decimalText.describe('Total over own liquidity.'),
  funds: given(decimalText).describe('Own currency: spent by a market request, or needed by a limit request.'),
  price: absent(decimalText).describe('Price of a limit request; else null.'),
  shares: absent(decimalText).describe('Shares of a limit request; else null.'),
  funding_txid: absent(z.string()).describe('Transaction of the funding; null before.'),
  refund_txid: absent(z.string()).describe('Transaction of the refund; null without one.'),
  take_profit_price: absent(decimalText).describe('Value for the position; null if not set.'),
  stop_loss_price: absent(decimalText).describe('Value for the position; null if not set.'),
  created: given(unixSeconds).describe('Creation, Unix seconds.'),
  order_state: absent(z.string()).describe('State of its order; null without one.'),
});

/** The row after a cancel, which names its market only. */
export const cancelledRequestRow = requestRow
  .extend({ market: marketReference.describe('The market: only its id and title.') })
  .describe('A canceled request.');

/** Effect of opening a margin position now. `liquidation_price` is null at leverage 1. */
export const marginEstimate = record('Effect of opening a margin position now.', {
  average_price: given(decimalText).describe('Average price.'),
  total_shares: decimalText.describe('Shares.'),
  total_cost: decimalText.describe('Own and borrowed currency.'),
  best_ask: given(decimalText).describe('First price of the purchase.'),
  worst_fill_price: given(decimalText).describe('Last price of the purchase.'),
  is_fully_filled: z.boolean().describe('True when liquidity suffices.'),
  fee_amount: decimalText.describe('Opening fee.'),
  user_funds_needed: decimalText.describe('Own currency that the position needs, fee included.'),
  liquidation_price: absent(decimalText).describe('Price of the liquidation; null at leverage 1.'),
});

/** A merge or a split as read; amounts are Micros of complete sets. */
export type ConversionRow = z.output<typeof conversionRow>;
/** An order as read; amounts and funds are Micros, the price is in the space of the order's outcome. */
export type OrderRow = z.output<typeof orderRow>;
/** A parsed own fill. Amount and fee are Micros; the price is in the space of the order's outcome. */
export type OwnTradeRow = z.output<typeof ownTradeRow>;
/** A redeem as read; funds and shares are Micros. */
export type RedeemRow = z.output<typeof redeemRow>;
/** The shares that the caller holds of one market, as read. */
export type AssetRow = z.output<typeof assetRow>;
/** A public trade as read; the price is in the space of the taker's outcome. */
export type PublicTradeRow = z.output<typeof publicTradeRow>;
/** A bar of a price chart as read; prices are Micros in the space of the requested outcome. */
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
/** A request to open a position as read; money and prices stay decimal text. */
export type RequestRow = z.output<typeof requestRow>;
