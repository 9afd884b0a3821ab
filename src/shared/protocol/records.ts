/**
 * Schemas of the service's records, the source of the OpenAPI document and of docs/service.md. `z.input` is the wire
 * format. `z.output` is the parsed record, with amounts in Micros. A field that a venue omits is parsed as null.
 */

import { z } from 'zod';
import { ONE } from '../base/micros.js';
import * as states from './states.js';
import { decimalText, LARGEST_AMOUNT, money, rate } from './wire.js';

/** Schema of money from 0 to `units` units. A larger value from a venue is an error. */
const upTo = (units: number) =>
  money
    .refine((value) => value >= 0, 'Ensure this value is greater than or equal to 0.')
    .refine((value) => value <= units * 1_000_000, `Ensure this value is less than or equal to ${units}.`)
    .meta({ pattern: '^\\d{1,16}(\\.\\d{1,6}0*)?$' });

/** Schema of an outcome's price, 0 to 1. */
const price = upTo(1);

/** Schema of shares or currency that are held, paid or owed: 0 to 10^9 units. */
const amount = upTo(LARGEST_AMOUNT / ONE);

/** Schema of a value that a venue may omit or send as null. A missing value is parsed as null. */
const absent = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? null);

/** Schema like `absent`, for a value that the paper exchange always sends but other venues may omit. */
const given = <T extends z.ZodType>(schema: T) => absent(schema).meta({ isAlwaysGiven: true });

const unixSeconds = z.number().int();

const record = <const S extends z.core.$ZodLooseShape>(help: string, fields: S) => z.object(fields).describe(help);

export const credential = record('A new API key with its secret.', {
  api_key: z.string().min(1).describe('Id of the API key, sent with each signed request.'),
  secret: z.string().min(1).describe('HMAC key of request signatures, used as UTF-8 bytes. The secret is shown once.'),
});

export const authChallenge = record('A text that the owner of a wallet signs to get an API key.', {
  nonce: z.string().describe('Nonce of the challenge, valid once and only for this wallet.'),
  message: z.string().describe('Text that the wallet signs, as UTF-8 bytes.'),
  expires_in_seconds: z.number().int().describe('Lifetime of the challenge, seconds.'),
});

export const apiKeyRow = record('An API key, without its secret.', {
  key_id: z.string().describe('Id of the API key; equals `api_key`.'),
  created: unixSeconds.describe('Time when the key was created, Unix seconds.'),
  revoked_at: absent(unixSeconds).describe('Time when the key was revoked, Unix seconds; null while the key is valid.'),
});

/** Answer of the calls that create a draft, except `requests.create`. */
export const draft = record('A drafted change that the wallet has not signed yet.', {
  pubkey: z.string().describe('Id of the new record. The draft of a cancel has the id of its order.'),
  message: z.string().describe('Message that the wallet signs.'),
});

export const conversionRow = record('A merge of shares into currency, or a split of currency into shares.', {
  pubkey: z.string().describe('Permanent id of the merge or split.'),
  message: absent(z.string()).describe('Message that the wallet signs, kept after signing; null if the draft failed.'),
  market_condition_id: z.string().describe('Id of the market.'),
  state: z.enum(states.CONVERSION_STATES).describe('State of the merge or split.'),
  amount: amount.describe('Number of complete sets; each has one YES and one NO share and is worth 1 currency.'),
  onchain_amount: absent(amount).describe('Converted complete sets; null unless the state is `done`.'),
  created: unixSeconds.describe('Time of the draft, Unix seconds.'),
});

const marketReference = z.object({
  condition_id: z.string().describe('Id of the market.'),
  title: given(z.string()).describe('Title of the market.'),
});

export const orderRow = record('An order of the caller.', {
  pubkey: given(z.string()).describe('Permanent id of the order.'),
  status: given(z.enum(states.ORDER_STATUSES)).describe('State of the order.'),
  side: z.enum(states.SIDES).describe('Side of the order: it buys or sells shares of its outcome.'),
  price: absent(price).describe('Limit price of a share of the order’s outcome; null for a market order.'),
  amount: absent(amount).describe('Ordered shares; null for a market buy.'),
  remaining_amount: absent(amount).describe('Shares not yet traded; null for a market order.'),
  filled_amount: absent(amount).describe('Shares traded so far; null for a market order.'),
  funds: absent(amount).describe('Maximum spending of a market buy, fees included; null for other orders.'),
  remaining_funds: absent(amount).describe('Unspent funds of a market buy; null for other orders.'),
  filled_funds: absent(amount).describe(
    'Currency that a market order spent (with fees) or received (after fees); null for a limit order.',
  ),
  market: marketReference.describe('Market of the order.'),
  outcome: record('Outcome that the order trades.', {
    is_yes: z.boolean().describe('True for the YES outcome, false for NO.'),
    text: given(z.string()).describe('Label of the outcome.'),
  }),
});

export const ownTradeRow = record('A trade of one of the caller’s orders.', {
  pubkey: z.string().describe('Permanent id of the trade.'),
  market_condition_id: given(z.string()).describe('Id of the market.'),
  amount: amount.describe('Traded shares.'),
  price: price.describe('Price of a share of the order’s outcome.'),
  timestamp: unixSeconds.describe('Time of the trade, Unix seconds.'),
  fee: given(money).describe(
    'Fee of the caller, negative for a rebate. A buyer pays it in addition, a seller gets less.',
  ),
  is_maker: given(z.boolean()).describe('True if the caller’s order rested in the book.'),
  state: z.enum(states.TRADE_STATES).describe('State of the trade’s settlement.'),
  order: orderRow.describe('The caller’s order in its present state.'),
})
  .refine(({ fee, amount: traded }) => fee === null || (fee >= -traded && fee <= LARGEST_AMOUNT), 'The fee is absurd.')
  // The ledger's references put this character after a trade's id.
  .refine(({ pubkey }) => !pubkey.includes('~'), 'The id contains ~.');

export const redeemRow = record('A redeem: payment for the shares of a settled market.', {
  pubkey: z.string().describe('Permanent id of the redeem.'),
  market_condition_id: z.string().describe('Id of the market.'),
  state: z.enum(states.REDEEM_STATES).describe('State of the redeem; both `completed` and `done` mean success.'),
  funds: given(amount).describe('Value of the redeemed shares, currency.'),
  onchain_funds: given(amount).describe('Currency paid for the shares; `0` before the payment.'),
  yes_shares: given(amount).describe('Redeemed YES shares.'),
  no_shares: given(amount).describe('Redeemed NO shares.'),
  message: absent(z.string()).describe('Message that the wallet signs.'),
  created: unixSeconds.describe('Time of the draft, Unix seconds.'),
});

export const assetRow = record('The caller’s shares of one outcome.', {
  asset_kind: z.string().describe('Kind of asset: always `share`.'),
  amounts: record('Numbers of the caller’s shares.', {
    total: amount.describe('Held shares, including locked shares.'),
    locked: amount.describe('Shares locked by open orders, merges and redeems.'),
    available: amount.describe('Held shares that are not locked.'),
  }),
  token: record('Token that represents the shares on the chain.', {
    symbol: z.string().describe('Id of the market with the suffix `-LPT` for YES or `-SPT` for NO.'),
    address: given(z.string()).describe('Mint address of the token; null if none is configured.'),
  }),
  value: record('Present value of the shares.', {
    usdt: absent(decimalText).describe('Value of the shares, currency; `0` if the market has no price.'),
    basis: given(z.string()).describe('Basis of the valuation: always `mark_to_market`.'),
  }),
  position: record('Market and outcome of the shares.', {
    market: record('Market of the shares.', {
      condition_id: z.string().describe('Id of the market.'),
      title: given(z.string()).describe('Title of the market.'),
      state: given(z.enum(states.MARKET_STATES)).describe('State of the market.'),
      margin_enabled: given(z.boolean()).describe('True if margin trading is enabled in the market.'),
    }),
    is_yes: z.boolean().describe('True for the YES outcome, false for NO.'),
    outcome_text: given(z.string()).describe('Label of the outcome.'),
    is_final: given(z.boolean()).describe('True if the market is settled.'),
    avg_trade_price: given(decimalText).describe('Average price paid for a share.'),
  }),
  created: absent(unixSeconds).describe('Time when the caller first held the shares, Unix seconds; null if unknown.'),
});

export const publicTradeRow = record('A trade between any two accounts.', {
  market_condition_id: given(z.string()).describe('Id of the market.'),
  amount: amount.describe('Traded shares.'),
  price: price.describe('Price of a share of the incoming order’s outcome.'),
  maker_fee: given(decimalText).describe('Fee of the resting order, currency.'),
  taker_fee: given(decimalText).describe('Fee of the incoming order, currency.'),
  timestamp: unixSeconds.describe('Time of the trade, Unix seconds.'),
  state: z.enum(states.TRADE_STATES).describe('State of the trade’s settlement.'),
  is_yes: z.boolean().describe('Outcome of the incoming order: true for YES, false for NO.'),
});

export const bookLevel = record('All resting orders at one price.', {
  price: price.describe('Price of the level.'),
  total_amount: amount.describe('Total shares of the orders at this price.'),
});

export const orderbook = record('The order book of one outcome.', {
  market: z.string().describe('Id of the market.'),
  is_yes: z.boolean().describe('True for the YES outcome, false for NO.'),
  bid: z.array(bookLevel).describe('Bids, highest price first.'),
  ask: z.array(bookLevel).describe('Asks, lowest price first.'),
});

export const marketStats = record('Trading statistics of a market.', {
  total_volume: decimalText.describe('Currency traded in the market so far.'),
  total_volume_24h: decimalText.describe('Currency traded in the last 24 hours.'),
  market_cap: decimalText.describe('Currency that backs all shares of the market.'),
  trade_count: z.number().int().describe('Number of trades in the market.'),
});

export const marketPrice = record('Price of one outcome of a market.', {
  condition_id: z.string().describe('Id of the market.'),
  price: absent(decimalText).describe('Price of a share; null if unknown.'),
  price_kind: z.string().describe('Kind of price: always `mid`.'),
  is_yes: z.boolean().describe('True for the YES outcome, false for NO.'),
});

const eventReference = z.object({
  title: z.string().describe('Title of the event.'),
  condition_id: z.string().describe('Id of the event.'),
  logo: absent(z.string()).describe('URL of the event’s picture.'),
});

export const marketSummary = record('A market without its rules.', {
  title: z.string().describe('Title of the market: a question.'),
  description: absent(z.string()).describe('Description of the market.'),
  condition_id: z.string().describe('Id of the market.'),
  logo: absent(z.string()).describe('URL of the market’s picture.'),
  last_trade_price: given(decimalText).describe('YES price of the last trade; `0` before the first trade.'),
  state: z.enum(states.MARKET_STATES).describe('State of the market. Only an `open` market trades.'),
  category: given(z.string()).describe('Category of the market.'),
  created: given(unixSeconds).describe('Time when the market was created, Unix seconds.'),
  creator: given(
    z.object({
      username: absent(z.string()).describe('Public name of the creator.'),
      image: absent(z.string()).describe('URL of the creator’s picture.'),
      twitter_username: absent(z.string()).describe('Twitter name of the creator; null if none is linked.'),
    }),
  ).describe('Account that created the market.'),
  event: given(eventReference).describe('Event of the market.'),
  margin_enabled: given(z.boolean()).describe(
    'True if margin trading is enabled; orders are then refused, even if the market has a book.',
  ),
});

export const outcome = record('One of the two outcomes of a market.', {
  is_yes: z.boolean().describe('True for the YES outcome, false for NO.'),
  text: z.string().describe('Label of the outcome.'),
});

export const marketListRow = marketSummary
  .extend({ outcomes: given(z.array(outcome)).describe('The YES and the NO outcome.') })
  .describe('A market in the list of markets.');

const precision = z.number().int().min(0).max(6);

export const orderbookConfig = record('Rules of a market with an order book.', {
  kind: z.literal('orderbook').describe('Kind of market: always `orderbook`.'),
  min_price: price.describe('Lowest permitted price.'),
  max_price: price.describe('Highest permitted price.'),
  min_amount: money.describe('Minimum shares of an order.'),
  max_amount: money.describe('Maximum shares of an order.'),
  min_funds: money.describe('Minimum funds of a market buy.'),
  max_funds: money.describe('Maximum funds of a market buy.'),
  price_precision: precision.describe('Decimals of a price: 2 means a tick of 0.01.'),
  amount_precision: precision.describe('Decimals of a number of shares: 2 means a lot of 0.01.'),
  funds_precision: precision.describe('Decimals of the funds of a market buy.'),
  maker_fee_rate: rate.describe('Fee rate of a resting order on its notional: 0.01 is one percent.'),
  taker_fee_rate: rate.describe('Fee rate of an incoming order on its notional.'),
  default_slippage_rate: given(decimalText).describe(
    'Slippage that user interfaces may suggest. The exchange ignores this value.',
  ),
});

const marginConfigFields = {
  max_leverage_yes: decimalText.describe('Maximum leverage of a YES position.'),
  max_leverage_no: decimalText.describe('Maximum leverage of a NO position.'),
  opening_fee: decimalText.describe('Rate of the opening fee on the user’s own currency in a position.'),
  closing_fee: decimalText.describe('Fee rate on the proceeds of a position that wins or is liquidated.'),
  annual_fee_rate: decimalText.describe('Yearly interest rate on borrowed currency.'),
};

export const marketConfig = z
  .discriminatedUnion('kind', [
    orderbookConfig,
    z.object({
      kind: z.literal('polymarket').describe('Kind of margin market, named after its backend.'),
      ...marginConfigFields,
      order_min_size: absent(decimalText).describe(
        'Minimum shares of a position on a `polymarket` market; may be absent.',
      ),
      price_decimals: z.number().int().describe('Decimals of a price on a `polymarket` market.'),
      shares_decimals: z.number().int().describe('Decimals of a number of shares on a `polymarket` market.'),
    }),
    z.object({
      kind: z.literal('hyperliquid').describe('Kind of margin market, named after its backend.'),
      ...marginConfigFields,
    }),
  ])
  .describe(
    'Rules of a market. A market of kind `orderbook` has the fields of OrderbookConfig. The fields below are those of the two margin kinds.',
  );

export const marketDetail = marketListRow
  .extend({
    yes_outcome_label: given(z.string()).describe('Label of the YES outcome.'),
    no_outcome_label: given(z.string()).describe('Label of the NO outcome.'),
    rules: given(z.array(z.string())).describe('Rules by which the market is resolved.'),
    resolution_date: absent(unixSeconds).describe('Planned time of resolution, Unix seconds; null if not fixed.'),
    maker_fee: absent(decimalText).describe('Fee rate of a resting order; null on a margin market.'),
    taker_fee: absent(decimalText).describe('Fee rate of an incoming order; null on a margin market.'),
    config: marketConfig.describe('Tick, lot, limits and fees of the market.'),
  })
  .describe('A market with all details.');

export const eventRow = record('An event: a group of markets.', {
  condition_id: z.string().describe('Id of the event.'),
  title: z.string().describe('Title of the event.'),
  description: given(z.string()).describe('Description of the event.'),
  logo: absent(z.string()).describe('URL of the event’s picture.'),
  video_url: absent(z.string()).describe('URL of a video of the event.'),
  category: given(z.string()).describe('Category of the event.'),
  created: given(unixSeconds).describe('Time when the event was created, Unix seconds.'),
  markets: z.array(marketSummary).describe('Markets of the event: all in the event’s detail, at most two in a list.'),
});

export const accountSummary = record('The account of the caller.', {
  username: given(z.string()).describe('Public name of the account.'),
  twitter_username: absent(z.string()).describe('Twitter name of the account; null if none is linked.'),
  joined_at: given(unixSeconds).describe('Time when the account was opened, Unix seconds.'),
});

export const candle = record('One bar of a price chart, with prices of the requested outcome.', {
  timestamp: unixSeconds.describe('Start of the bar, Unix seconds.'),
  open: decimalText.describe('First price in the bar.'),
  high: decimalText.describe('Highest price in the bar.'),
  low: decimalText.describe('Lowest price in the bar.'),
  close: decimalText.describe('Last price in the bar.'),
  volume: decimalText.describe('Currency traded in the bar.'),
  is_yes: z.boolean().describe('True for the YES outcome, false for NO.'),
});

const person = z.object({
  username: absent(z.string()).describe('Public name of the account.'),
  profile_image: absent(z.string()).describe('URL of the account’s picture.'),
  twitter_username: absent(z.string()).describe('Twitter name of the account; null if none is linked.'),
});
const marginMarket = z.object({
  title: given(z.string()).describe('Title of the market.'),
  condition_id: z.string().describe('Id of the market.'),
  logo: absent(z.string()).describe('URL of the market’s picture.'),
  last_trade_price: given(decimalText).describe('YES price of the last trade.'),
  event: given(eventReference).describe('Event of the market.'),
});

export const marginActivityRow = record('A change of a margin position of any account.', {
  activity_type: z.enum(states.MARGIN_ACTIVITIES).describe('Kind of change of the position.'),
  user: given(person).describe('Owner of the position.'),
  market: marginMarket.describe('Market of the position.'),
  shares: given(decimalText).describe('Shares that were opened, added or closed.'),
  price: given(decimalText).describe('Price of a share of the position’s outcome.'),
  realized_pnl: absent(decimalText).describe('Profit or loss that the change realized; null if it realized none.'),
  leverage: given(decimalText).describe('Leverage of the position.'),
  is_yes: z.boolean().describe('Outcome of the position: true for YES, false for NO.'),
  created: given(unixSeconds).describe('Time of the change, Unix seconds.'),
});

const named = z.object({ name: z.string(), slug: z.string() });
export const sportRow = record('A sport with its leagues.', {
  name: named.shape.name.describe('Name of the sport.'),
  slug: named.shape.slug.describe('Slug of the sport for the filter `sport`.'),
  leagues: z.array(named).describe('Leagues of the sport. Each `slug` is a value of the filter `league`.'),
});

export const searchResult = z
  .discriminatedUnion('result_type', [
    z.object({
      result_type: z.literal('market').describe('Kind of record in `summary`.'),
      summary: marketDetail.describe('Full detail of the market or event.'),
    }),
    z.object({
      result_type: z.literal('event').describe('Kind of record in `summary`.'),
      summary: eventRow.describe('Full detail of the market or event.'),
    }),
  ])
  .describe('A market or event that matches a search.');

export const accountPnl = record('Profit and loss of the account, a market or an event, in currency.', {
  margin_position_settlements_pnl: decimalText.describe('Result of settled margin positions, currency.'),
  margin_positions_unrealized_pnl: decimalText.describe('Result of open margin positions at present prices.'),
  redeems_funds: decimalText.describe('Currency received from redeems.'),
  active_assets_value: decimalText.describe(
    'Present value of held shares. A complete set counts 1 even if the market has no price.',
  ),
  creator_fees: decimalText.describe('Fees received from markets that the caller created.'),
  total_pnl: decimalText.describe('Total result: present value of holdings plus receipts, less payments.'),
});

export const tpSlRow = record('Prices at which a margin position closes automatically.', {
  take_profit_price: absent(decimalText).describe('The position closes at or above this price; null if not set.'),
  stop_loss_price: absent(decimalText).describe('The position closes at or below this price; null if not set.'),
  state: z.enum(states.TP_SL_STATES).describe('State of both prices; `triggered` if one of them closed the position.'),
  trigger_type: absent(z.enum(states.TP_SL_TRIGGERS)).describe(
    'Price that closed the position; null before the trigger.',
  ),
  triggered_price: absent(decimalText).describe('Price at the trigger; null before the trigger.'),
  triggered_at: absent(unixSeconds).describe('Time of the trigger, Unix seconds; null before the trigger.'),
});

/** All prices of a position are prices of its outcome: a NO position has NO prices. */
export const positionRow = record('A margin position.', {
  pubkey: z.string().describe('Permanent id of the position.'),
  position_request_pubkey: given(z.string()).describe('Id of the request that opened the position.'),
  market: marginMarket.describe('Market of the position.'),
  is_yes: z.boolean().describe('Outcome of the position: true for YES, false for NO.'),
  leverage: decimalText.describe('Total currency in the position divided by the user’s own currency in it.'),
  total_shares: decimalText.describe('Shares of the position.'),
  avg_entry_price: given(decimalText).describe('Average price paid for a share.'),
  closing_price: absent(decimalText).describe('Average price of the close; null while the position is open.'),
  unrealized_pnl: absent(decimalText).describe('Result of closing the position now, without fees; null once closed.'),
  realized_pnl: given(decimalText).describe('Result that the position has realized so far.'),
  user_liquidity: decimalText.describe('Own currency in the position.'),
  total_liquidity: decimalText.describe('Own and borrowed currency in the position.'),
  liquidation_price: given(decimalText).describe(
    'Price at which the position is liquidated; `0` (never) at leverage 1.',
  ),
  is_closed: z.boolean().describe('True if the position is closed.'),
  is_liquidated: z.boolean().describe('True if the position was liquidated.'),
  is_claimed: z.boolean().describe('True if the position’s settlement was paid.'),
  tp_sl: absent(tpSlRow).describe('Take profit and stop loss of the position; null if never set.'),
  created: given(unixSeconds).describe('Time when the position was opened, Unix seconds.'),
});

export const settlementRow = record('Payment for a closed margin position.', {
  position_pubkey: z.string().describe('Id of the position.'),
  position: positionRow.describe('The position in its present state.'),
  total_pnl: given(decimalText).describe('Result of the position, fees included.'),
  user_liquidity: decimalText.describe('Own currency in the position.'),
  state: z.enum(states.SETTLEMENT_STATES).describe('State of the settlement. A claim requires `claimable`.'),
  created: given(unixSeconds).describe('Time when the settlement was created, Unix seconds.'),
});

export const closeResult = record('Result of closing a margin position.', {
  close_type: z
    .enum(states.CLOSE_TYPES)
    .describe('With `order` the shares are being sold. With `zero` no shares are left.'),
  position_pubkey: z.string().describe('Id of the position.'),
  is_closed: z.boolean().describe('True if the position is already closed.'),
});

export const claimResult = record('Result of claiming a settlement.', {
  position_pubkey: z.string().describe('Id of the position.'),
  state: z.enum(states.SETTLEMENT_STATES).describe('State of the position’s settlement.'),
});

export const requestRow = record('A request to open a margin position.', {
  pubkey: z.string().describe('Permanent id of the request.'),
  type: z
    .enum(states.ORDER_TYPES)
    .describe('A `market` request opens the position at once, a `limit` request at `price`.'),
  state: z.enum(states.REQUEST_STATES).describe('State of the request.'),
  message: given(z.string()).describe('Message that the wallet signs.'),
  market: marginMarket.describe('Market of the position.'),
  is_yes: z.boolean().describe('Outcome of the position: true for YES, false for NO.'),
  leverage: decimalText.describe('Total currency in the position divided by the user’s own currency in it.'),
  funds: given(decimalText).describe('Own currency that a market request spends or a limit request needs.'),
  price: absent(decimalText).describe('Price of a limit request; null for a market request.'),
  shares: absent(decimalText).describe('Shares of a limit request; null for a market request.'),
  funding_txid: absent(z.string()).describe('Id of the transaction that paid in the funds; null before the payment.'),
  refund_txid: absent(z.string()).describe('Id of the transaction that paid the funds back; null without a refund.'),
  take_profit_price: absent(decimalText).describe('Take profit of the future position; null if not set.'),
  stop_loss_price: absent(decimalText).describe('Stop loss of the future position; null if not set.'),
  created: given(unixSeconds).describe('Time of the draft, Unix seconds.'),
  order_state: absent(z.string()).describe('State of the order that opens the position; null without an order.'),
});

export const cancelledRequestRow = requestRow
  .extend({ market: marketReference.describe('Market of the position, with its id and title only.') })
  .describe('A canceled request for a margin position.');

export const marginEstimate = record('Estimated effect of opening a margin position now.', {
  average_price: given(decimalText).describe('Average price of a share.'),
  total_shares: decimalText.describe('Shares of the position.'),
  total_cost: decimalText.describe('Own and borrowed currency in the position.'),
  best_ask: given(decimalText).describe('Price at which the first share would be bought.'),
  worst_fill_price: given(decimalText).describe('Price at which the last share would be bought.'),
  is_fully_filled: z.boolean().describe('True if the market is `open` and not paused; any size is then filled.'),
  fee_amount: decimalText.describe('Opening fee, currency.'),
  user_funds_needed: decimalText.describe('Own currency that the position needs, opening fee included.'),
  liquidation_price: absent(decimalText).describe('Price at which the position is liquidated; null at leverage 1.'),
});

/** A parsed merge or split. Amounts are complete sets, in Micros. */
export type ConversionRow = z.output<typeof conversionRow>;
/** A parsed order of the caller. Amounts and funds are Micros; the price is a price of the order's outcome. */
export type OrderRow = z.output<typeof orderRow>;
/** A parsed fill of the caller. Amount and fee are Micros; the price is a price of the order's outcome. */
export type OwnTradeRow = z.output<typeof ownTradeRow>;
/** A parsed redeem. Funds and shares are Micros. */
export type RedeemRow = z.output<typeof redeemRow>;
/** The parsed shares that the caller holds of one outcome. */
export type AssetRow = z.output<typeof assetRow>;
/** A parsed public trade. The price is a price of the incoming order's outcome. */
export type PublicTradeRow = z.output<typeof publicTradeRow>;
/** A parsed bar of a price chart. Prices remain decimal text. */
export type Candle = z.output<typeof candle>;
/** The parsed book of one outcome: price levels of bids and asks in Micros, including the caller's orders. */
export type Orderbook = z.output<typeof orderbook>;
/** The parsed short form of a market inside another record. */
export type MarketSummary = z.output<typeof marketSummary>;
/** All parsed details of one market, including its configuration. */
export type MarketDetail = z.output<typeof marketDetail>;
/** Parsed limits, grid and fee rates of a market with an order book. Fee rates are in millionths. */
export type OrderbookConfig = z.output<typeof orderbookConfig>;
/** A parsed margin position. Money and prices remain decimal text. */
export type PositionRow = z.output<typeof positionRow>;
/** A parsed request for a margin position. Money and prices remain decimal text. */
export type RequestRow = z.output<typeof requestRow>;
